"""Tables in files and on streams."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import pytest

from bitmeter.errors import BitmeterError, InputError
from bitmeter.reports.formats.table import Column, Table
from bitmeter.reports.formats.writing import TableFile, print_table, write_table

COLUMNS = (Column("word"), Column("bits", "number"))


def made() -> Table:
    rows: list[list[Any]] = [["one, two", 1.5], ["three", None]]
    return Table("example/1", COLUMNS, iter(rows), {"short": "x"}, ("Said.",))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "parquet", "md", "tex"])
def test_the_suffix_decides(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"out.{suffix}"
    write_table(made(), path)
    assert sorted(tmp_path.iterdir()) == [path]
    readers = {
        "csv": pd.read_csv, "tsv": pd.read_table, "parquet": pd.read_parquet,
        "jsonl": lambda file: pd.read_json(file, lines=True),
    }  # fmt: skip
    if suffix in readers:
        frame = readers[suffix](path)
        assert frame["word"].tolist() == ["one, two", "three"]
        assert frame["bits"].isna().tolist() == [False, True]
    else:
        assert "three" in path.read_text(encoding="utf-8")
    with pytest.raises(BitmeterError, match="exists already"):
        write_table(made(), path)
    write_table(made(), path, force=True)


def test_an_interrupted_file_has_no_name(tmp_path: Path) -> None:
    for name in ("a.csv", "a.parquet"):
        with contextlib.suppress(KeyboardInterrupt), TableFile(tmp_path / name, "example/1", COLUMNS) as file:
            file.write([["a", 1.0]])
            raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="for people"):
        TableFile(tmp_path / "a.txt", "example/1", COLUMNS)
    with pytest.raises(InputError, match="Parquet is not text"):
        print_table(made(), "parquet", io.StringIO())
    with pytest.raises(InputError, match="by its verb"):
        print_table(made(), "table", io.StringIO())
