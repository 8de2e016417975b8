"""`bitmeter mix`: the weights of the library, and a file that is a model."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import run

TEXT = b"to be or not to be\nthat is the question\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "held.txt").write_bytes(TEXT)
    bm.NGram(order=1).fit(TEXT * 2).save("one.bmn")
    bm.NGram(order=2).fit(TEXT).save("two.bmn")
    return tmp_path


def test_the_weights_are_those_of_the_library(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "mix", "one.bmn", "two.bmn", "--heldout", "held.txt", "-o", "mix.bmx")
    assert (code, said) == (0, "")
    expected = bm.MixtureModel(["one.bmn", "two.bmn"]).fit("held.txt")
    rows = [line.split() for line in printed.splitlines()[1:3]]
    assert [row[0] for row in rows] == [f"{weight:.4f}" for weight in expected.weights]
    assert [row[2] for row in rows] == ["ngram:one.bmn", "ngram:two.bmn"]
    assert bm.score("mix.bmx", TEXT).nats == pytest.approx(bm.score(expected, TEXT).nats, rel=1e-12)


def test_buckets_are_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("mix", "one.bmn", "two.bmn", "--heldout", "held.txt", "-o", "mix.bmx", "--buckets")
    assert "mix.bmx, weights by kind of history\n" in run(capsys, *words)[1]


def test_mistakes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = run(capsys, "mix", "one.bmn", "--heldout", "held.txt", "-o", "mix.bmn")
    assert (code, "end its name in .bmx" in said) == (2, True)
    assert run(capsys, "mix", "one.bmn", "-o", "mix.bmx")[0] == 2  # no held-out text
    assert not (here / "mix.bmx").exists()
