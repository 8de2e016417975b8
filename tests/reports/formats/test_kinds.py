"""Formats by name and by suffix."""

from __future__ import annotations

from pathlib import Path

import pytest

from bitmeter.errors import ChoiceError, InputError
from bitmeter.reports.formats.kinds import FORMATS, SUFFIXES, check_format, format_of


def test_every_suffix_has_a_known_format() -> None:
    assert set(SUFFIXES.values()) == set(FORMATS)
    for suffix, name in SUFFIXES.items():
        assert format_of(Path(f"out{suffix.upper()}")) == check_format(name)


def test_a_name_that_says_nothing() -> None:
    assert format_of("/dev/stdout", "parquet") == "parquet"
    with pytest.raises(InputError, match=r"\.csv, .* or give --format"):
        format_of("table.docx")
    with pytest.raises(ChoiceError, match="must be one of table, csv"):
        check_format("xml")
