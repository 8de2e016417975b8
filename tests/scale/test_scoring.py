"""A score by several processes is that of one, to the last bit: sums, counts, intervals, notes and signature.

The oracle is `score` in this process, in one run.
"""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import bitmeter as bm
from bitmeter._util.jobs import Here, Task
from bitmeter._util.progress import Step
from bitmeter.errors import BitmeterError, InputError, ModelError, RecordError, SourceError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import Settings, settle
from bitmeter.models.registry import resolve
from bitmeter.scale.local import LocalPool
from bitmeter.scale.scoring import parts_of, pickled_model, score_in_parts

_WORDS = ("a", "rose", "is", "the", "sea,", "and", "rain", "zebra", "é", "ünknown", "of", "0.5", "== The End ==\n")


def texts(number: int, seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(_WORDS, k=draw.randrange(30))) for _ in range(number)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "m.bmn"
    bm.NGram(order=3).fit("\n".join(texts(300, 1)).replace("zebra", "sea").replace("ünknown", "is").encode()).save(path)
    return str(path)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora")
    lines = texts(2000)
    (folder / "lines.txt").write_text("\n".join(lines))
    rows = "".join(json.dumps({"text": text, "url": f"site{n // 9}"}) + "\n" for n, text in enumerate(lines))
    (folder / "rows.jsonl").write_text(rows)
    (folder / "many").mkdir()
    for number in range(40):
        data = "\n".join(lines[50 * number : 50 * number + 50]).encode()
        name = f"{number:02}.txt" if number % 5 else f"{number:02}.txt.gz"
        (folder / "many" / name).write_bytes(data if number % 5 else gzip.compress(data, mtime=0))
    return folder


CASES: list[tuple[str, dict[str, Any]]] = [
    ("rows.jsonl", {}),
    ("rows.jsonl", {"cluster": "none", "norm": "ccnet"}),
    ("lines.txt", {"docs": "line"}),
    ("lines.txt", {"docs": "line", "oov": "skipped", "eos": "yes", "first": "skip"}),
    ("lines.txt", {"docs": "line", "oov": "none"}),
    ("many", {}),
    ("many", {"docs": "line", "norm": "newlines"}),
    ("many", {"docs": "line", "like": "kenlm"}),
]


def settings(keywords: dict[str, Any]) -> Settings:
    """As `score` settles them for a model that can spell."""
    tool = convention(keywords.get("like", "bitmeter"))
    docs, norm, first, eos, oov = (keywords.get(name) for name in ("docs", "norm", "first", "eos", "oov"))
    cluster = keywords.get("cluster", "auto")
    found = settle(tool, docs, None, norm, first, eos, oov, None, None, 0.95, cluster, None, None, None, None)
    return found if oov is not None or "oov" in tool.settings else replace(found, oov="spelled")


@pytest.mark.parametrize("part_bytes", [700, 9000])
@pytest.mark.parametrize(("name", "keywords"), CASES, ids=str)
def test_parts_of_any_size(model: str, corpora: Path, name: str, keywords: dict[str, Any], part_bytes: int) -> None:
    expected = bm.score(model, corpora / name, **keywords)
    corpus = bm.Corpus(corpora / name, docs=keywords.get("docs"))
    found = score_in_parts(resolve(model), corpus, settings(keywords), Here(), None, part_bytes)
    assert found == expected
    assert found.exact == expected.exact


class Backwards(Here):
    """Parts end in the opposite order."""

    def run(self, tasks: Any, report: Any) -> Any:
        return iter(reversed(list(super().run(tasks, report))))


def test_the_order_in_which_parts_end(model: str, corpora: Path) -> None:
    expected = bm.score(model, corpora / "rows.jsonl")
    found = score_in_parts(resolve(model), bm.Corpus(corpora / "rows.jsonl"), settings({}), Backwards(), None, 999)
    assert found == expected


def test_several_processes_one_of_which_is_killed(model: str, corpora: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = bm.score(model, corpora / "many")
    started: list[Any] = []
    start = LocalPool._start

    def remembered(self: LocalPool) -> Any:
        started.append(start(self))
        return started[-1]

    monkeypatch.setattr(LocalPool, "_start", remembered)
    steps: list[Step] = []

    def kill(step: Step) -> None:
        if not steps:
            started[0].started.kill()
        steps.append(step)

    with LocalPool(2) as pool:
        found = score_in_parts(resolve(model), bm.Corpus(corpora / "many"), settings({}), pool, kill, 5000)
    assert found == expected
    assert len(started) == 3
    assert steps[-1].share == 1.0
    assert steps[-1].estimate == pytest.approx(expected.bits_per_byte)


def test_by_keyword(model: str, corpora: Path) -> None:
    assert bm.score(model, corpora / "lines.txt", docs="line", workers=2) == bm.score(
        model, corpora / "lines.txt", docs="line"
    )


def test_errors_name_the_line_of_the_whole_file(tmp_path: Path, model: str) -> None:
    rows = [json.dumps({"text": text}) for text in texts(100)]
    rows[70] = "broken"
    (tmp_path / "a.jsonl").write_text("\n".join(rows))
    with pytest.raises(RecordError, match="line 71"):
        score_in_parts(resolve(model), bm.Corpus(tmp_path / "a.jsonl"), settings({}), Here(), None, 500)


def test_a_text_that_changes_meanwhile(tmp_path: Path, model: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a rose is a rose\n" * 100)

    def change(step: Step) -> None:
        path.write_text("a rose is the sea\n" * 100)

    corpus = bm.Corpus(path, docs="line")
    with pytest.raises(SourceError, match="changed"):
        score_in_parts(resolve(model), corpus, settings({"docs": "line"}), Here(), change, 300)


@pytest.mark.parametrize(
    ("name", "keywords", "words"),
    [
        ("universal", {}, "learns"),
        ("zstd", {}, "whole text"),
        ("kt", {"docs": "joined"}, "one document"),
        ("kt", {"like": "lm-eval"}, "in its own way"),
        ("kt", {"alternatives": 1}, "alternatives"),
        ("kt", {"trace": "t.parquet"}, "trace"),
        ("kt", {"group": "file"}, "--group"),
    ],
    ids=str,
)
def test_what_one_process_alone_can_do(corpora: Path, name: str, keywords: dict[str, Any], words: str) -> None:
    chosen = bm.Distribution(dict.fromkeys(range(256), 1 / 256)) if name == "kt" else name
    with pytest.raises((InputError, ModelError), match=words):
        bm.score(chosen, corpora / "lines.txt", workers=2, **keywords)


def test_text_in_memory_has_no_name(model: str) -> None:
    with pytest.raises(BitmeterError, match="it is in memory, a stream"):
        bm.score(model, b"a rose", workers=2)


def test_an_empty_text(model: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    for docs in ("file", "line"):
        expected = bm.score(model, tmp_path / "a.txt", docs=docs)
        corpus = bm.Corpus(tmp_path / "a.txt", docs=docs)
        assert score_in_parts(resolve(model), corpus, settings({"docs": docs}), Here(), None) == expected


def test_parts_hold_several_small_files(corpora: Path) -> None:
    parts = parts_of(bm.Corpus(corpora / "many"), 5000)
    assert parts[0].start == 0
    assert parts[-1].stop == 40
    assert all(one.stop == two.start for one, two in pairwise(parts))
    assert all(part.size >= 5000 for part in parts[:-1])


def test_a_model_of_a_file_is_sent_by_name(model: str) -> None:
    assert len(pickled_model(bm.load(model))) < 2000


def test_networks_by_several_processes(tmp_path: Path) -> None:
    """Batches are other ones, so that figures agree to the precision of the network, and counts exactly."""
    network = resolve(f"hf:{Path(__file__).parents[1] / 'parity' / 'tiny'}")
    text = tmp_path / "a.txt"
    text.write_text("".join(f"to be or not to be {number}\n" for number in range(40)))
    settings = settle(convention("bitmeter"), "line", None, None, None, None, None, None, None, 0.95)
    one = bm.score(network, text, docs="line")
    with LocalPool(2) as pool:
        two = score_in_parts(network, bm.Corpus(text, docs="line"), settings, pool, None, part_bytes=200)
    assert two.nats == pytest.approx(one.nats, rel=1e-6)
    assert (two.tokens, two.bytes, two.documents) == (one.tokens, one.bytes, one.documents)


def test_processes_share_what_one_would_use(work: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processors among all of them, and where each needs a device, one each."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,5")
    with LocalPool(2) as pool:
        pool.per_device = True
        tasks = [Task(number, work.environment, ("CUDA_VISIBLE_DEVICES",)) for number in range(8)]
        found = {ended.value for ended in pool.run(tasks, lambda number, more: None)}
        assert found <= {"2", "5"}
        assert {pool._share()["CUDA_VISIBLE_DEVICES"] for _ in range(2)} == {"2", "5"}


@pytest.mark.parametrize("docs", ["file", "line"])
@pytest.mark.parametrize("name", ["kt", "universal:fast"])
def test_a_model_that_learns_file_by_file(corpora: Path, name: str, docs: str) -> None:
    """The sum over files, each read by a model that knows nothing; whoever reads which of them."""
    files = sorted((corpora / "many").iterdir())[:6]
    one = bm.score(name, files, docs=docs, ctx="file")
    alone = [bm.score(name, file, docs=docs) for file in files]
    assert one.nats == pytest.approx(sum(score.nats for score in alone), rel=1e-12)
    assert one.signature.ctx == "file"
    assert one.nats > bm.score(name, files, docs=docs).nats
    found = replace(settings({"docs": docs}), ctx="file", oov="none")
    for part_bytes in (1, 4000, 1 << 20):
        assert score_in_parts(resolve(name), bm.Corpus(files, docs=docs), found, Here(), None, part_bytes) == one


def test_files_need_a_model_that_learns(model: str, corpora: Path) -> None:
    plain = bm.score(model, corpora / "many")
    assert bm.score(model, corpora / "many", ctx="file") == plain
    with pytest.raises(ModelError, match=r"With --ctx file it begins afresh with each file, which is another figure"):
        bm.score("kt", corpora / "many", workers=2)
    with pytest.raises(InputError, match=r"docs='joined' makes one document of all files"):
        bm.score("kt", corpora / "many", docs="joined", ctx="file")
    with pytest.raises(ModelError, match=r"only score and compare begin afresh"):
        bm.word_surprisals("kt", corpora / "lines.txt", ctx="file")
    with pytest.raises(ModelError, match=r"begins afresh with each record"):
        bm.score("kt", corpora / "rows.jsonl", given="url", ctx="file")
