"""Limits by language."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest

from bitmeter.errors import FileFormatError, InputError, MissingSourceError
from bitmeter.filter.tables import TABLES, read_cuts, read_limits

# The form of CCNet's cutoff.csv: a row per percentile, a column per language.
CCNET = "percentile,de,en\n10,100.5,200.5\n30,300,340\n60,600,520\n"
SHARES = (Fraction(3, 10), Fraction(6, 10))


def written(folder: Path, text: str) -> Path:
    (folder / "t.csv").write_text(text)
    return folder / "t.csv"


def test_a_table_like_ccnets(tmp_path: Path) -> None:
    found = read_cuts(written(tmp_path, CCNET), SHARES)
    assert found == {"de": (300.0, 600.0), "en": (340.0, 520.0)}


def test_limits(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufefflanguage,max,min\nen,1500,\nde,,10\n*,99,1\n")
    assert read_limits(path) == {"en": (-math.inf, 1500.0), "de": (10.0, math.inf), "": (1.0, 99.0)}


def test_roots_by_name() -> None:
    # parameters_filtering.py of bigscience-workshop/data-preparation: perplexity_max_cutoff of en, zh and the default.
    limits = read_limits("roots")
    assert limits is TABLES["roots"]
    assert (limits["en"][1], limits["zh"][1], limits[""][1], len(limits)) == (1500.0, 2095.0, 10000.0, 14)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "language,max\n",
        "a,b\n1,2\n",
        "language,max\nen,x\n",
        "language,max\nen,nan\n",
        "language,max\nen,1\nen,2\n",
    ],
)
def test_wrong_tables_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileFormatError):
        read_limits(written(tmp_path, text))


@pytest.mark.parametrize("text", ["p,en\n30,1\n", "p,en\n30,1\n60\n", "p,en\n30,1\n60,nan\n", "p,en\nx,1\n"])
def test_wrong_tables_of_percentiles_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileFormatError):
        read_cuts(written(tmp_path, text), SHARES)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingSourceError, match="roots"):
        read_limits(tmp_path / "none.csv")
    with pytest.raises(InputError, match="no percentiles"):
        read_cuts("roots", SHARES)
    (tmp_path / "b.csv").write_bytes(b"language,max\n\xff\xfe\n")
    with pytest.raises(FileFormatError, match="CSV"):
        read_limits(tmp_path / "b.csv")


def test_the_layout_of_percentiles_is_said(tmp_path: Path) -> None:
    turned = written(tmp_path, "language,30,60\nen,159.4,300\n")
    with pytest.raises(FileFormatError, match=r"line 2: 'en' is not a number\. A table .* exchange rows and columns"):
        read_cuts(turned, SHARES)
    with pytest.raises(FileFormatError, match=r"no row for the percentile 60\. .*a column for each language \([^;]*$"):
        read_cuts(written(tmp_path, "p,en\n30,1\n"), SHARES)
