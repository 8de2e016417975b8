"""Figures, counts and names as text."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import bitmeter as bm
from bitmeter.reports.figures import (
    WIDTH,
    counted,
    figure_with_interval,
    folded,
    number,
    perplexity,
    short_names,
    tool_figures,
    tool_number,
)
from tests.measure.made import made_score


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (3.14159, "3.142"), (12.0, "12.00"), (9999.0, "9999"), (10_000.4, "10,000"), (1.25e34, "1.250e34")],
)
def test_four_significant_digits(value: float, text: str) -> None:
    assert number(value) == text
    assert number(math.inf) == "∞"


def test_as_many_decimals_as_the_interval_supports() -> None:
    score = made_score([math.log(2) * 20.0, math.log(2) * 30.0], [10, 10])
    assert score.bits_per_byte == pytest.approx(2.5)
    assert figure_with_interval(score) == "2.5000"
    interval = bm.Interval(2.4988, 2.5012, 2.5, 0.0006, 0.95, "serial-clusters(file)", 40, 39.0)
    assert figure_with_interval(replace(score, interval=interval)) == "2.5000 [2.4988, 2.5012]"
    wide = replace(interval, low=1.5, high=3.5)
    assert figure_with_interval(replace(score, interval=wide)) == "2.500 [1.500, 3.500]"
    assert figure_with_interval(replace(score, interval=replace(interval, low=2.5, high=2.5))) == "2.5000 ± 0"
    assert figure_with_interval(made_score([math.inf], [1])) == "∞"
    assert figure_with_interval(replace(score, bytes=0)) == "–"


def test_perplexities_of_all_sizes() -> None:
    score = made_score([math.log(2) * 30.0], [10], words=0)
    assert perplexity(score, "token") == "8.000"
    assert perplexity(score, "word") == "–"
    assert perplexity(replace(score, tokens=None), "token") == "–"
    assert perplexity(made_score([math.log(2) * 900], [10]), "token") == "2^90.0"
    assert perplexity(made_score([math.inf], [10]), "token") == "∞"


def test_nouns_are_counted() -> None:
    assert [counted(n, "doc") for n in (0, 1, 2, 1000)] == ["0 docs", "1 doc", "2 docs", "1,000 docs"]


def test_names_are_shortened_as_long_as_they_differ() -> None:
    assert short_names(["a/b/c.txt"]) == {"a/b/c.txt": "c.txt"}
    assert list(short_names(["a/x/c.txt", "b/x/c.txt"]).values()) == ["a/x/c.txt", "b/x/c.txt"]
    assert short_names(["data/de/*.txt"]) == {"data/de/*.txt": "de/*.txt"}


def test_the_figures_of_a_tool_or_the_reason() -> None:
    lines = b"to be\nor not\n"
    figures, reason = tool_figures(bm.score("kt", lines, like="hf-evaluate", docs="line"))
    assert list(figures) == ["mean_perplexity"]
    assert reason == ""
    figures, reason = tool_figures(bm.score("zlib", lines, like="hf-evaluate", docs="line"))
    assert figures == {}
    assert "no figures as hf-evaluate prints them" in reason
    assert (tool_number(3.0), tool_number(1 / 3), tool_number(math.inf)) == ("3", "0.3333333333", "∞")


def test_folded_lines_stay_in_their_column() -> None:
    lines = folded("  note", "some words " * 40, 15)
    assert all(len(line) <= WIDTH for line in lines)
    assert lines[0].startswith("  note         some")
    assert all(line.startswith((" " * 15 + "s", " " * 15 + "w")) for line in lines[1:])
    assert folded("a long title", "text", 4) == ["a long title text"]
