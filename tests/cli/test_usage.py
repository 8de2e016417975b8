"""Usage errors of the parser, in the words of the help."""

from __future__ import annotations

import pytest

from bitmeter.cli.usage import with_options
from tests.cli.running import run


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("trace kt x --top 0", "--top must be at least 1"),
        ("sample kt --seed x", "--seed must be a whole number"),
        ("check a b --kl x", "--kl must be a number"),
        ("score kt x --docs lines", "--docs is 'lines'; it can be 'file'"),
        ("score kt x --like vim", "--like: there is no convention 'vim'"),
        ("trace", "MODEL is missing; type: bitmeter trace MODEL [TEXT]"),
        ("sweep a b", "--on is missing; add: --on TEXT"),
        ("train x", "--output is missing; add: -o PATH"),
        ("models x y", "there is nothing to do with x y; type: bitmeter models"),
        ("score kt x --dosc line", "bitmeter score has no option --dosc; similar are --docs"),
        ("score kt x --zzzz", "bitmeter score has no option --zzzz\n"),
        ("score kt x --docs", "--docs needs a value behind it"),
        ("compare kt universal --on a --on=b", "--on takes one value, and is given 2 times; leave out all but one"),
        ("score kt x -o a.json --output b.json", "--output takes one value, and is given 2 times"),
        ("score kt x --docs line --docs lines", "--docs is 'lines'"),  # the last counts
        ("frobnicate", "No such command 'frobnicate'"),
        ("sample kt --length 3.5", "--length must be a whole number"),
    ],
)
def test_messages(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, found = run(capsys, *words.split())
    assert (code, printed) == (2, "")
    assert f"error: {said}" in found


@pytest.mark.parametrize("level", ["0.9", "90", "90%", " 90 "])
def test_levels_of_confidence(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "score", "kt", __file__, "--confidence", level, "--no-history")
    assert found[0] == 0
    assert "90 %, along this text" in found[1]


@pytest.mark.parametrize("level", ["95.5.1", "nan", "1", "0.99999", "101", "-95", "0", "inf", "x%"])
def test_levels_that_are_none(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "score", "kt", __file__, f"--confidence={level}")
    assert found[0] == 2
    assert f"--confidence is {level}; it must be a level from 0.5 to 0.9999" in found[2]


def test_plurals_of_units(capsys: pytest.CaptureFixture[str]) -> None:
    one, many = (run(capsys, "trace", "kt", __file__, "--by", word, "--no-history") for word in ("word", "words"))
    assert one == many
    assert "wordss" not in many[1]


def test_options_are_named_as_they_are_typed() -> None:
    assert with_options("min_count is 0", ["train", "--min-count", "0"]) == "--min-count is 0"
    assert with_options("units is x", ["train", "x"]) == "units is x"
    assert with_options("my_min_count", ["--min-count"]) == "my_min_count"
