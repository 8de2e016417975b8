"""Exactly once by file: resumed after a kill, skipped if done, noticed if changed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, FileFormatError
from bitmeter.filter import tasks
from bitmeter.filter.receipts import FOLDER
from tests.filter.made import model, rows, write_jsonl


def corpus(folder: Path, files: int = 3) -> Path:
    (folder / "in").mkdir()
    for number in range(files):
        write_jsonl(folder / "in" / f"{number}.jsonl", [*rows(), "broken"])
    return folder / "in"


def content(folder: Path) -> dict[str, str]:
    """The outputs and the receipts, by name."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


KEYWORDS: dict[str, Any] = {"add": "value", "prefix": "bm_"}


@pytest.mark.parametrize("rule", [{"max": 3.0}, {"keep": "30%"}], ids=str)
def test_a_second_run_does_nothing(tmp_path: Path, rule: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    first = bm.filter_corpus(name, source, tmp_path / "out", bad=tmp_path / "bad", **rule, **KEYWORDS)
    before = content(tmp_path / "out")

    def fail(*_: Any, **__: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(tasks, "write_shard", fail)
    monkeypatch.setattr(tasks, "score_shard", fail)
    again = bm.filter_corpus(name, source, tmp_path / "out", bad=tmp_path / "bad", **rule, **KEYWORDS)
    assert again.skipped == 3
    assert (again.tally, again.rule, again.signature, again.outputs) == (
        first.tally,
        first.rule,
        first.signature,
        first.outputs,
    )
    assert content(tmp_path / "out") == before


@pytest.mark.parametrize("rule", [{"max": 3.0}, {"keep": "30%"}], ids=str)
@pytest.mark.parametrize("calls", [0, 1, 2, 3, 5, 6, 8, 9, 11])
def test_an_interruption_anywhere_is_resumed(
    tmp_path: Path, rule: dict[str, Any], calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The work ends before the n-th file gets its name; what is left is done by the same call."""
    name, source = model(tmp_path), corpus(tmp_path, 2)
    arguments: tuple[Any, Any] = (name, source)
    bm.filter_corpus(arguments[0], arguments[1], tmp_path / "whole", rejected=tmp_path / "whole-r", **rule, **KEYWORDS)
    from bitmeter._util.drafts import Draft

    publish, left = Draft.publish, calls

    def interrupted(self: Draft, final: str, *, replace: bool) -> None:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        publish(self, final, replace=replace)

    monkeypatch.setattr(Draft, "publish", interrupted)
    keywords = {"rejected": tmp_path / "out-r", **rule, **KEYWORDS}
    done = False
    try:
        bm.filter_corpus(arguments[0], arguments[1], tmp_path / "out", **keywords)
        done = True
    except KeyboardInterrupt:
        pass
    monkeypatch.setattr(Draft, "publish", publish)
    found = bm.filter_corpus(arguments[0], arguments[1], tmp_path / "out", **keywords)
    assert found.skipped == 2 if done else found.skipped < 2
    for folder in ("whole", "whole-r"):
        expected = {n: h for n, h in content(tmp_path / folder).items() if not n.startswith(FOLDER)}
        here = content(tmp_path / folder.replace("whole", "out"))
        assert {n: h for n, h in here.items() if not n.startswith(FOLDER)} == expected
    assert {path.suffix for path in (tmp_path / "out" / FOLDER).iterdir()} == {"", ".receipt"}  # nothing is left over


#: Kills itself, as SIGKILL does from outside, when the n-th file is about to get its name.
KILLED = """
import os, signal, sys
from bitmeter._util.drafts import Draft
publish, left = Draft.publish, int(sys.argv[4])
def killed(self, final, *, replace):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    publish(self, final, replace=replace)
Draft.publish = killed
import bitmeter as bm
bm.filter_corpus(sys.argv[1], sys.argv[2], sys.argv[3], keep="30%")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_kill_is_resumed(tmp_path: Path) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    bm.filter_corpus(name, source, tmp_path / "whole", keep="30%")
    for moment in (3, 8, 10):
        out = tmp_path / f"out{moment}"
        done = subprocess.run(
            [sys.executable, "-c", KILLED, name, str(source), str(out), str(moment)], capture_output=True, check=False
        )
        assert done.returncode == -9, done.stderr
        bm.filter_corpus(name, source, out, keep="30%")
        for path in (tmp_path / "whole").glob("*.jsonl"):
            assert (out / path.name).read_bytes() == path.read_bytes()


def test_a_changed_input_is_noticed(tmp_path: Path) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    bm.filter_corpus(name, source, tmp_path / "out", max=3.0)
    write_jsonl(source / "1.jsonl", rows()[:4])
    with pytest.raises(FileFormatError, match=r"another content of .*1\.jsonl; type --force"):
        bm.filter_corpus(name, source, tmp_path / "out", max=3.0)
    found = bm.filter_corpus(name, source, tmp_path / "out", max=3.0, force=True)
    assert (found.skipped, found.documents) == (2, 24)


@pytest.mark.parametrize(
    "change",
    [{"max": 2.0}, {"add": "nats"}, {"eos": "yes"}, {"oov": "class", "by": "perplexity"}, {"norm": "lower"}],
    ids=str,
)
def test_other_options_are_noticed(tmp_path: Path, change: dict[str, Any]) -> None:
    name, source = model(tmp_path), corpus(tmp_path, 1)
    bm.filter_corpus(name, source, tmp_path / "out", max=3.0)
    with pytest.raises(FileFormatError, match="other options"):
        bm.filter_corpus(name, source, tmp_path / "out", **{"max": 3.0, **change})


def test_another_model_or_a_new_file_is_noticed(tmp_path: Path) -> None:
    name, source = model(tmp_path), corpus(tmp_path, 1)
    bm.filter_corpus(name, source, tmp_path / "out", keep="30%")
    write_jsonl(source / "9.jsonl", rows())  # the limit of the share changes with it
    with pytest.raises(FileFormatError, match="a file was added to the corpus or taken from it since, which moves"):
        bm.filter_corpus(name, source, tmp_path / "out", keep="30%")
    (source / "9.jsonl").unlink()
    bm.NGram(order=1).fit(b"a b\n").save(name, force=True)
    with pytest.raises(FileFormatError, match="another model"):
        bm.filter_corpus(name, source, tmp_path / "out", keep="30%")


def test_models_by_language_are_compared_too(tmp_path: Path) -> None:
    name = model(tmp_path)
    os.rename(name, tmp_path / "en.bmn")
    source = write_jsonl(tmp_path / "a.jsonl", rows(l="en"))
    keywords: dict[str, Any] = {"language": "l", "max": 3.0}
    pattern = f"{tmp_path}/{{lang}}.bmn"
    bm.filter_corpus(pattern, source, tmp_path / "o.jsonl", **keywords)
    assert bm.filter_corpus(pattern, source, tmp_path / "o.jsonl", **keywords).skipped == 1
    bm.NGram(order=1).fit(b"a b\n").save(tmp_path / "en.bmn", force=True)
    with pytest.raises(FileFormatError, match="another model of the language 'en'"):
        bm.filter_corpus(pattern, source, tmp_path / "o.jsonl", **keywords)


def test_an_output_that_is_gone_or_changed(tmp_path: Path) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    bm.filter_corpus(name, source, tmp_path / "out", max=3.0)
    (tmp_path / "out" / "0.jsonl").unlink()
    assert bm.filter_corpus(name, source, tmp_path / "out", max=3.0).skipped == 2
    (tmp_path / "out" / "0.jsonl").write_text("mine")
    with pytest.raises(FileFormatError, match="changed since"):
        bm.filter_corpus(name, source, tmp_path / "out", max=3.0)


@pytest.mark.parametrize("old", ["sha256", "shares", "input", "tally"])
def test_damaged_receipts_are_errors(tmp_path: Path, old: str) -> None:
    name, source = model(tmp_path), corpus(tmp_path, 1)
    bm.filter_corpus(name, source, tmp_path / "out", max=3.0)
    [path] = (tmp_path / "out" / FOLDER).glob("*.receipt")
    path.write_text(path.read_text().replace(f'"{old}"', '"other"'))
    with pytest.raises(BitmeterError):
        bm.filter_corpus(name, source, tmp_path / "out", max=3.0)


@pytest.mark.parametrize("rule", [{"max": 3.0}, {"keep": "30%"}], ids=str)
def test_progress_reaches_the_end(tmp_path: Path, rule: dict[str, Any]) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    seen: list[float] = []
    bm.filter_corpus(name, source, tmp_path / "out", progress=lambda step: seen.append(step.share or 0.0), **rule)
    assert seen[-1] == 1.0
    assert seen == sorted(seen)


def test_an_input_that_moves_the_limits_of_others_is_named(tmp_path: Path) -> None:
    name, source = model(tmp_path), corpus(tmp_path)
    bm.filter_corpus(name, source, tmp_path / "out", keep="30%")
    write_jsonl(source / "1.jsonl", rows() * 2)
    with pytest.raises(FileFormatError, match=r"0\.jsonl was written before, and .*1\.jsonl has changed since, which"):
        bm.filter_corpus(name, source, tmp_path / "out", keep="30%")
    with pytest.raises(FileFormatError, match="other options"):
        bm.filter_corpus(name, source, tmp_path / "out", keep="40%")
    assert bm.filter_corpus(name, source, tmp_path / "out", keep="30%", force=True).skipped == 0
