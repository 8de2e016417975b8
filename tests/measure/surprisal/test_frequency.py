"""Frequencies of words."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, FileFormatError, ModelError
from bitmeter.measure.surprisal.frequency import forms, frequency_of, read_counts


def test_a_list_of_counts(tmp_path: Path) -> None:
    """By hand: 4 of 16 is two bits."""
    path = tmp_path / "counts.tsv"
    path.write_text("word\tcount\nthe\t8\nThe\t2\nBoat\t4\nrare\t2\n")
    bits = frequency_of(path)
    assert bits("the") == 1.0
    assert bits("Boat,") == 2.0
    assert bits('"boat"') == 2.0  # without regard to case, if it is not there as it is
    assert bits("The") == 3.0
    assert bits("absent") is None
    assert bits("—") is None
    (tmp_path / "plain.txt").write_text("a 3\nb 1\n")
    assert read_counts(tmp_path / "plain.txt") == {"a": 3.0, "b": 1.0}


@pytest.mark.parametrize("text", ["word\tcount\n", "a\t1\nb\n", "a\t1\nb\t-2\n", "a\t1\nb\tmany\n", "a\t0\n", ""])
def test_what_is_no_list(text: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.tsv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=r"counts\.tsv"):
        read_counts(path)
    with pytest.raises(BitmeterError, match="does not exist"):
        read_counts(tmp_path / "absent.tsv")


def test_a_model_of_order_one(tmp_path: Path) -> None:
    model = bm.NGram(order=1).fit(b"to be or not to be\n")
    model.save(tmp_path / "one.bmn")
    bits = frequency_of(tmp_path / "one.bmn")
    whole = bm.score(model, b"to be", oov="class").trace
    assert [bits("to"), bits("be,")] == pytest.approx((-whole.logprob / math.log(2.0)).tolist()[:2])
    assert bits("unheard") is None
    bm.NGram(order=2).fit(b"to be or not to be\n").save(tmp_path / "two.bmn")
    for name in (str(tmp_path / "two.bmn"), "kt"):
        with pytest.raises(ModelError, match="--order 1"):
            frequency_of(name)


def test_forms() -> None:
    assert forms("It’s!") == ("It’s!", "It’s", "it’s")
    assert forms("--") == ("--",)
