"""A filter by several processes: the same bytes as by one, whatever ends first, and whoever is killed."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter._util.progress import Step
from bitmeter.errors import FileFormatError, InputTypeError, ModelError, SourceError
from bitmeter.filter.tasks import Models, digest
from bitmeter.scale.local import LocalPool
from tests.filter.made import TEXT, model, rows, write_jsonl

RULES: list[dict[str, Any]] = [
    {"max": 3.0, "add": "value", "prefix": "bm_"},
    {"keep": "30%"},
    {"sample": "uniform:0.5", "seed": 3},
]


def corpus(folder: Path, files: int = 5) -> Path:
    """Files of very different sizes, so that they do not end in their order."""
    (folder / "in").mkdir()
    for number in range(files):
        name = f"{number}.jsonl.gz" if number == 2 else f"{number}.jsonl"
        write_jsonl(folder / "in" / name, [*rows() * (1 + 40 * (files - number)), "broken"])
    return folder / "in"


def content(folder: Path) -> dict[str, str]:
    """The outputs and the receipts, by name."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def plain(summary: bm.FilterSummary, folder: str) -> dict[str, Any]:
    """All of a summary but the time and the folder of the outputs."""
    found = dataclasses.asdict(summary)
    return {**found, "seconds": 0, "outputs": [os.path.relpath(path, folder) for path in summary.outputs]}


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_what_is_written_does_not_depend_on_the_workers(tmp_path: Path, rule: dict[str, Any]) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    found = {}
    for workers in (None, 3):
        out = tmp_path / f"out{workers}"
        summary = bm.filter_corpus(name, source, out, rejected=out / "no", bad=out / "bad", workers=workers, **rule)
        found[workers] = plain(summary, str(out)), content(out)
    assert found[None] == found[3]


def test_a_dry_run_by_several_workers(tmp_path: Path) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    for rule in RULES[2:]:
        one, several = (bm.filter_corpus(name, source, dry_run=True, workers=workers, **rule) for workers in (1, 2))
        assert plain(one, "") == plain(several, "")


def test_models_by_language(tmp_path: Path) -> None:
    """Each process numbers the languages as they come to it; files and counts do not depend on it."""
    (tmp_path / "lm").mkdir()
    for language, repeats in (("en", 3), ("de", 2)):
        bm.NGram(order=2).fit(TEXT * repeats).save(tmp_path / "lm" / f"{language}.bmn")
    (tmp_path / "in").mkdir()
    for number, languages in enumerate((("de", "en"), ("en", "xx", "de"), ("en",))):
        records = [row for language in languages for row in rows(lang=language)]
        write_jsonl(tmp_path / "in" / f"{number}.jsonl", records)
    found = {}
    for workers in (None, 2):
        out = tmp_path / f"out{workers}"
        summary = bm.filter_corpus(
            f"{tmp_path}/lm/{{lang}}.bmn", tmp_path / "in", out, keep="50%", language="lang", workers=workers
        )
        found[workers] = plain(summary, str(out)), content(out)
    assert found[None] == found[2]


@pytest.mark.parametrize("rule", RULES[:2], ids=str)
def test_a_killed_worker_changes_nothing(tmp_path: Path, rule: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    bm.filter_corpus(name, source, tmp_path / "one", **rule)
    started: list[Any] = []
    start = LocalPool._start

    def remembered(self: LocalPool) -> Any:
        started.append(start(self))
        return started[-1]

    monkeypatch.setattr(LocalPool, "_start", remembered)
    steps: list[Step] = []

    def kill(step: Step) -> None:
        if len(steps) in (1, 4):
            started[-1].started.kill()
        steps.append(step)

    bm.filter_corpus(name, source, tmp_path / "two", workers=2, progress=kill, **rule)
    assert len(started) > 2
    assert content(tmp_path / "two") == content(tmp_path / "one")
    assert steps[-1].share == 1.0


@pytest.mark.parametrize(("rule", "calls"), [(RULES[0], 2), (RULES[1], 1), (RULES[1], 7)], ids=str)
def test_a_killed_caller_is_resumed(tmp_path: Path, rule: dict[str, Any], calls: int) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    bm.filter_corpus(name, source, tmp_path / "one", **rule)
    code = f"""
import os, signal, bitmeter as bm
left = {calls}
def kill(step):
    global left
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
bm.filter_corpus({name!r}, {str(source)!r}, {str(tmp_path / "two")!r}, workers=2, progress=kill, **{rule!r})
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    bm.filter_corpus(name, source, tmp_path / "two", **rule)  # by one process, as it may be
    assert content(tmp_path / "two") == content(tmp_path / "one")


def test_an_interrupt_leaves_what_can_be_resumed(tmp_path: Path) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    bm.filter_corpus(name, source, tmp_path / "one", max=3.0)

    def interrupt(step: Step) -> None:
        if step.share and step.share > 0.8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bm.filter_corpus(name, source, tmp_path / "two", max=3.0, workers=2, progress=interrupt)
    summary = bm.filter_corpus(name, source, tmp_path / "two", max=3.0, workers=2)
    assert 0 < summary.skipped < 5
    assert content(tmp_path / "two") == content(tmp_path / "one")


def test_two_callers_do_not_hurt_each_other(tmp_path: Path) -> None:
    """The second is refused while the first works, and does nothing after it."""
    name, source = model(tmp_path), corpus(tmp_path)
    refused: list[str] = []

    def second(step: Step) -> None:
        if not refused:
            with pytest.raises(FileFormatError, match="another filter") as error:
                bm.filter_corpus(name, source, tmp_path / "out", max=3.0, workers=2)
            refused.append(str(error.value))

    bm.filter_corpus(name, source, tmp_path / "out", max=3.0, workers=2, progress=second)
    assert refused
    assert bm.filter_corpus(name, source, tmp_path / "out", max=3.0).skipped == 5


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    bm.filter_corpus(name, source, tmp_path / "out", max=3.0)
    write_jsonl(source / "1.jsonl", rows())
    with pytest.raises(FileFormatError, match=r"another content of .*1\.jsonl"):
        bm.filter_corpus(name, source, tmp_path / "out", max=3.0, workers=2)


def test_a_file_that_cannot_be_read_fails_alone(tmp_path: Path) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    whole = (source / "2.jsonl.gz").read_bytes()
    (source / "2.jsonl.gz").write_bytes(whole[:-20])
    found = {}
    for workers in (None, 2):
        summary = bm.filter_corpus(name, source, tmp_path / f"out{workers}", max=3.0, workers=workers)
        found[workers] = plain(summary, str(tmp_path / f"out{workers}"))
        assert len(summary.failed) == 1
    assert found[None] == found[2]


def test_a_model_that_cannot_be_sent(tmp_path: Path) -> None:
    class Ours:
        name, fingerprint, units = "ours", "ours-1", bm.units_of("bytes")

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return ids * 0.0 - 1.0

    with pytest.raises(InputTypeError, match="by name"):
        bm.filter_corpus(Ours(), corpus(tmp_path), tmp_path / "out", max=9.0, workers=2)


def test_a_model_that_differs_between_processes(tmp_path: Path) -> None:
    models = Models((model(tmp_path), None, None, "", {}, ()), fingerprints=(("", "another"),))
    with pytest.raises(ModelError, match="not the same for all processes"):
        pickle.loads(pickle.dumps(models)).scorers()


def test_a_digest_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    found = digest(str(tmp_path / "a"), print)
    assert found.about == {"size": 3, "sha256": hashlib.sha256(b"abc").hexdigest()}
    assert found.stamp == (3, (tmp_path / "a").stat().st_mtime_ns)
    with pytest.raises(bm.BitmeterError, match="does not exist"):
        digest(str(tmp_path / "b"), print)


@pytest.mark.parametrize("rule", RULES[:2], ids=str)
def test_a_file_that_is_replaced_after_it_was_hashed_gets_no_receipt(tmp_path: Path, rule: dict[str, Any]) -> None:
    """Its receipt would say that another content was filtered, and the next run would believe it."""
    name, source = model(tmp_path), corpus(tmp_path, files=2)
    bm.filter_corpus(name, source, tmp_path / "right", **rule)
    victim = source / "1.jsonl"
    right, calls = victim.read_bytes(), 0

    def replace(step: Step) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            (tmp_path / "other").write_bytes(b'{"text": "other"}\n')
            os.replace(tmp_path / "other", victim)

    out = tmp_path / "out"
    with contextlib.suppress(SourceError):
        assert bm.filter_corpus(name, source, out, progress=replace, **rule).failed
    assert not list((out / ".bitmeter-filter").glob("1.*.receipt"))
    victim.write_bytes(right)
    bm.filter_corpus(name, source, out, **rule)
    assert content(out) == content(tmp_path / "right")


def test_workers_end_with_their_caller(tmp_path: Path) -> None:
    """A caller that is killed leaves no process behind."""
    code = """
import os, signal
from bitmeter._util.jobs import Task
from bitmeter.scale.local import LocalPool
import pool_tasks
pool = LocalPool(2)
for _ in pool.run([Task(0, pool_tasks.sleep, ()), Task(1, pool_tasks.double, (1,))], print):
    print(*(process.started.pid for process in pool._processes), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    ended = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, env=env, check=False)
    assert ended.returncode == -signal.SIGKILL
    numbers = [int(word) for word in ended.stdout.split()[-2:]]
    until = time.monotonic() + 60
    while numbers and time.monotonic() < until:
        numbers = [number for number in numbers if _runs(number)]
        time.sleep(0.05)
    assert numbers == []


def _runs(number: int) -> bool:
    with contextlib.suppress(OSError):
        os.kill(number, 0)
        stat = Path(f"/proc/{number}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    return False
