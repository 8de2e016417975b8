"""How a text arrives changes nothing, to the last bit: files, blocks, compression, stdin, threads, bytes in memory.

The oracle is the same text as one bytes object, read in one block by one thread.
"""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import json
import lzma
import random
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from tests.cli.running import MAIN
from tests.measure.made import in_blocks

_WORDS = ("a", "rose", "is", "the", "sea,", "and", "rain", "zebra", "é", "ünknown", "of", "0.5")


def _text(lines: int) -> bytes:
    draw = random.Random(lines)
    return b"".join((" ".join(draw.choices(_WORDS, k=draw.randrange(9))) + "\n").encode() for _ in range(lines))


TEXT = _text(400) + b"no end"
TRAIN = _text(300).replace(b"zebra", b"sea").replace("ünknown".encode(), b"is")


@functools.cache
def ngram(units: str) -> bm.NGram:
    return bm.NGram(order=3, units=units).fit(TRAIN)


def _table() -> bm.Distribution:
    counts = np.bincount(np.frombuffer(TEXT, dtype=np.uint8), minlength=256) + 1
    return bm.Distribution({i: float(n) for i, n in enumerate(counts)}, normalise=True)


#: Models with the keywords of their scores.
MODELS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "uniform": (lambda: bm.Uniform(200), {}),
    "kt": (bm.KrichevskyTrofimov, {}),
    "universal": (lambda: bm.Universal("small"), {}),
    "table": (_table, {}),
    "words": (lambda: ngram("words"), {"oov": "class"}),
    "words, skipped": (lambda: ngram("words"), {"oov": "skipped", "eos": "yes"}),
    "words, spelled": (lambda: ngram("words"), {"oov": "spelled"}),
    "words, compact": (lambda: ngram("words").compact(), {"oov": "spelled"}),
    "bytes": (lambda: ngram("bytes"), {}),
}


def same(found: bm.Score, expected: bm.Score) -> None:
    """All figures, sums and counts, the interval and its signature, and every row of the trace."""
    assert found.exact == expected.exact
    assert (found.nats, found.known_nats) == (expected.nats, expected.known_nats)
    assert found.by_document == expected.by_document
    assert found.by_block == expected.by_block
    assert found.interval == expected.interval
    assert found.signature == expected.signature
    for name in ("doc", "start", "end", "id", "logprob"):
        np.testing.assert_array_equal(getattr(found.trace, name), getattr(expected.trace, name), err_msg=name)


@functools.cache
def _model(kind: str) -> Any:
    return bm.load(MODELS[kind][0]())


@functools.cache
def expected_of(kind: str, docs: str) -> bm.Score:
    return bm.score(_model(kind), TEXT, docs=docs, **MODELS[kind][1])


def _files(folder: Path, cuts: list[int]) -> list[Path]:
    """The text in files, every third of them compressed."""
    files = []
    edges = [0, *cuts, len(TEXT)]
    for number, (start, stop) in enumerate(pairwise(edges)):
        part = TEXT[start:stop]
        packed, suffix = [(part, ""), (gzip.compress(part), ".gz"), (bz2.compress(part), ".bz2")][number % 3]
        files.append(folder / f"{number:02}.txt{suffix}")
        files[-1].write_bytes(packed)
    return files


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", MODELS)
def test_files_joined_are_one_text(kind: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    cuts = sorted(draw.sample(range(1, len(TEXT)), draw.randrange(1, 6)))
    in_blocks(monkeypatch, draw.choice((50, 999, 1 << 20)))
    found = bm.score(_model(kind), _files(tmp_path, cuts), docs="joined", **MODELS[kind][1])
    monkeypatch.undo()
    same(found, expected_of(kind, "joined"))


@pytest.mark.parametrize("docs", ["file", "line", "blank"])
@pytest.mark.parametrize("kind", MODELS)
def test_blocks_change_nothing(kind: str, docs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (7, 63, 64, 65, 1000, 4096, 1 << 22):
        in_blocks(monkeypatch, size)
        same(bm.score(_model(kind), TEXT, docs=docs, **MODELS[kind][1]), expected_of(kind, docs))
        monkeypatch.undo()


@pytest.mark.parametrize("kind", MODELS)
def test_a_file_a_stream_and_compressed_files_are_one_text(kind: str, tmp_path: Path) -> None:
    plain, packed, xz = tmp_path / "t.txt", tmp_path / "t.txt.gz", tmp_path / "t.txt.xz"
    plain.write_bytes(TEXT)
    packed.write_bytes(gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:]))  # a file of two members
    xz.write_bytes(lzma.compress(TEXT))
    for source in (plain, packed, xz, io.BytesIO(TEXT)):
        same(bm.score(_model(kind), source, docs="file", **MODELS[kind][1]), expected_of(kind, "file"))


@pytest.mark.parametrize("kind", [kind for kind in MODELS if kind.startswith(("words", "bytes"))])
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_threads_change_nothing(kind: str, threads: int) -> None:
    model = bm.NGram(order=3, units=kind.partition(",")[0], threads=threads).fit(TRAIN)
    scored = model.compact() if "compact" in kind else model
    same(bm.score(scored, TEXT, docs="line", **MODELS[kind][1]), expected_of(kind, "line"))


@pytest.mark.parametrize("kind", [kind for kind in MODELS if kind not in ("kt", "universal")])
def test_scores_of_parts_add_up_to_the_whole(kind: str) -> None:
    lines = TEXT.splitlines(keepends=True)
    whole = expected_of(kind, "line")
    for cut in (1, 100, 399):
        parts = [b"".join(lines[:cut]), b"".join(lines[cut:])]
        first, second = (bm.score(_model(kind), part, docs="line", **MODELS[kind][1]) for part in parts)
        first = bm.Score.from_json(first.to_json())  # exact totals survive the file
        both = first + second
        assert both.exact == whole.exact
        assert (both.nats, both.known_nats, both.bits_per_byte) == (whole.nats, whole.known_nats, whole.bits_per_byte)
        assert both.by_document == whole.by_document


def test_an_old_run_adds_up_by_its_rounded_totals() -> None:
    score = bm.score("kt", TEXT, docs="line")
    saved = json.loads(score.to_json())
    del saved["exact"]
    old = bm.Score.from_json(json.dumps(saved))
    assert old.exact == ((score.nats,), (score.known_nats,))
    assert (old + old).nats == 2 * score.nats


@pytest.mark.parametrize("kind", ["kt", "universal:small", "words"])
def test_the_command_line_reads_a_pipe_as_a_file(kind: str, tmp_path: Path) -> None:
    file, model = tmp_path / "t.txt", kind
    file.write_bytes(TEXT)
    packed = tmp_path / "u.txt.gz"
    packed.write_bytes(gzip.compress(TEXT))
    if kind == "words":
        model = str(tmp_path / "m.bmn")
        ngram("words").save(model)
    runs = []
    for number, (source, piped) in enumerate([(str(file), b""), ("-", TEXT), (str(packed), b"")]):
        out = tmp_path / f"{number}.json"
        words = ["score", model, source, "--docs", "line", "-o", str(out)]
        subprocess.run([*MAIN, *words], input=piped, check=True, capture_output=True)
        runs.append(bm.Score.load(out))
    for found in runs[1:]:
        assert found.exact == runs[0].exact
        assert (found.by_document, found.by_block) == (runs[0].by_document, runs[0].by_block)
        assert (found.interval, found.signature) == (runs[0].interval, runs[0].signature)
