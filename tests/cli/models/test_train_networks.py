"""`bitmeter train --kind lstm`: a network that the other verbs take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.cli.models.train_networks import NetworkOptions, _beside_counts, _lines
from bitmeter.models.causal.trained.curve import LearningCurve, TrainingStep
from bitmeter.text.corpus.corpus import Corpus
from tests.cli.running import at_terminal, run
from tests.models.networks import TINY

SMALL = ("--kind", "lstm", "--units", "bytes", "--width", "8", "--epochs", "2", "--threads", "1")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("one two three four\n" * 30)
    return tmp_path


def test_a_network_is_scored_and_compresses(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "train", "text.txt", "-o", "net", *SMALL, "--log")
    assert code == 0
    assert printed.startswith("net: lstm of bytes, 257 ids, ")
    assert "per byte, at step" in printed
    assert len(said.splitlines()) == len(LearningCurve.load("net").points)  # a line for each evaluation
    code, printed, _ = run(capsys, "score", "net", "text.txt", "-q")
    assert code == 0
    assert float(printed) < 8
    assert run(capsys, "compress", "net", "text.txt")[0] == 0
    code, _, said = run(capsys, "decompress", "text.txt.bmz", "-o", "back.txt")  # the folder is found by its name
    assert (code, said) == (0, "")
    assert Path("back.txt").read_bytes() == Path("text.txt").read_bytes()
    for words, part in (
        (("-o", "net", *SMALL), "exists already"),
        (("-o", "net", "--resume", *SMALL, "--width", "9"), "nothing to resume"),
        (("-o", "other.bmn", *SMALL), "a network is a folder"),
    ):
        code, printed, said = run(capsys, "train", "text.txt", *words)
        assert (code, printed) == (2, "")
        assert part in said
    assert not Path("other.bmn").exists()


def test_the_options_are_those_of_the_library(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "train", "text.txt", "-o", "net", *SMALL, "--seed", "3", "--dropout", "0")[0] == 0
    expected = bm.Neural("lstm", "bytes", width=8, threads=1, seed=3, dropout=0.0).fit("text.txt", epochs=2)
    assert bm.score("net", "text.txt").nats == pytest.approx(bm.score(expected, "text.txt").nats, rel=1e-6)


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_it_says_that_counts_are_better(kind: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = ("--kind", kind, "--units", "bytes", "--width", "8", "--layers", "1", "--epochs", "0.1", "--threads", "1")
    code, printed, _ = run(capsys, "train", "text.txt", "--heldout", "text.txt", "-o", "net", *short)
    assert code == 0
    said = " ".join(printed.split())
    # Both figures are those of `score`, not that of the learning curve.
    counts = bm.NGram(5, units="bytes").fit("text.txt", docs="file")
    by_counts, own = (bm.score(model, "text.txt", docs="file").bits_per_byte for model in (counts, "net"))
    assert by_counts < own
    assert f"order 5: {by_counts:.4f} bits/byte of the same held-out text" in said
    assert f"scored alike, has {own:.4f}, {100 * (own / by_counts - 1):.1f} % more, so counts are better here" in said


def test_it_says_that_counts_are_worse() -> None:
    text = Corpus.from_text("".join(f"{n * 7919 % 977} is {n * 104729 % 983}\n" for n in range(300)), docs="file")
    better: Any = bm.NGram(9, units="bytes").fit(text)  # whatever scores: here, longer contexts
    counts, own = (bm.score(model, text).bits_per_byte for model in (bm.NGram(5, units="bytes").fit(text), better))
    said = _beside_counts(text, text, 1, better)
    assert said.endswith(f"scored alike, has {own:.4f}, {100 * (1 - own / counts):.1f} % fewer")


def test_a_terminal_shows_the_bar(here: Path) -> None:
    code, shown = at_terminal("train", "text.txt", "-o", "net", *SMALL, folder=here)
    assert code == 0
    assert "training lstm, bytes" in shown


def test_each_evaluation_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    curve = bm.Neural("lstm", "bytes", width=8, threads=1).fit(b"ab" * 300, epochs=2).curve
    assert curve is not None
    report = _lines()
    for step in range(3):  # the same points again print nothing
        report(TrainingStep(step, 3, "steps", curve=curve))
    assert capsys.readouterr().err == f"{curve.points[-1]}\n"


def test_the_defaults_are_those_of_the_library() -> None:
    import inspect

    made = inspect.signature(bm.Neural.__init__).parameters
    fitted = inspect.signature(bm.Neural.fit).parameters
    for name, value in NetworkOptions().as_keywords().items():
        if name in made or name in fitted:
            assert value == (made.get(name) or fitted[name]).default, name


def test_mistakes_in_windows_and_names_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    text = str(TINY / "joined.txt")
    for words, expected, part in (
        ((f"hf:{TINY}", text, "--ctx", "full"), 1, "sees 64 at once"),
        ((f"hf:{TINY}", text, "--ctx", "128.64"), 1, "too long"),
        ((f"hf:{TINY},dtype=float31", text), 2, "dtype"),  # wrong whatever the files hold
        (("hf:absent/model", text), 1, "cannot be loaded"),
    ):
        code, printed, said = run(capsys, "score", *words)
        assert (code, printed) == (expected, "")
        assert said.startswith("error: ")
        assert part in said
