"""The value of another field of each record."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import RecordError
from bitmeter.text.corpus.labels import Candidates, Labels

ROWS = [{"text": f"text {i}\n", "source": source} for i, source in enumerate(["web", "news", "web", None, 3, "news"])]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def read(source: Any, size: int = 1 << 20) -> list[int]:
    corpus = bm.Corpus(source)
    corpus.label_by("source")
    for _ in corpus.blocks(size):
        pass
    labels = corpus.labels()
    assert labels is not None
    return [int(number) for number in labels]


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_values_are_numbered_by_their_first_record(tmp_path: Path, size: int) -> None:
    assert read(write(tmp_path / "a.jsonl", ROWS), size) == [0, 1, 0, 2, 3, 1]


def test_a_parquet_column(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sources = [str(row["source"]) for row in ROWS]
    table = pa.table({"text": [row["text"] for row in ROWS], "source": sources})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=2)
    assert read(tmp_path / "a.parquet") == [0, 1, 0, 2, 3, 1]
    corpus = bm.Corpus(tmp_path / "a.parquet")
    corpus.label_by("origin")
    with pytest.raises(RecordError, match=r"has no column 'origin'; it has 'text', 'source'\. Choose with --cluster"):
        next(corpus.blocks())


def test_a_dataset() -> None:
    class Rows:
        column_names = ("text", "source")

        def __iter__(self) -> Iterator[dict[str, Any]]:
            return iter(ROWS)

    assert read(Rows()) == [0, 1, 0, 2, 3, 1]


def test_a_long_row_has_its_label(tmp_path: Path) -> None:
    rows = [{"source": "web", "text": "x" * (1 << 21)}, {"source": "news", "text": "y"}]
    assert read(write(tmp_path / "a.jsonl", rows)) == [0, 1]


def test_the_corpus_can_be_read_again(tmp_path: Path) -> None:
    corpus = bm.Corpus(write(tmp_path / "a.jsonl", ROWS))
    corpus.label_by("source")
    for _ in range(2):
        for _ in corpus.blocks():
            pass
    labels = corpus.labels()
    assert labels is not None
    assert np.array_equal(labels, [0, 1, 0, 2, 3, 1])


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"text": "a"}, "line 1 has no field 'source' to cluster by; it has 'text'"),
        ({"text": "a", "source": ["b"]}, r"'source' is \['b'\]; records are clustered by a short string or a number"),
        ({"text": "a", "source": "b" * 5000}, "records are clustered by a short string"),
    ],
)
def test_what_is_no_label_is_refused(tmp_path: Path, row: dict[str, Any], words: str) -> None:
    with pytest.raises(RecordError, match=words):
        read(write(tmp_path / "a.jsonl", [row]))


def test_numbers_and_truth_values_are_not_the_same() -> None:
    labels = Labels("x")
    labels.add_columns({"x": [1, True, "1", 1.0, 1]}, "a", 1)
    assert labels.numbers.tolist() == [0, 1, 2, 3, 0]


def test_what_is_not_a_number_is_nothing() -> None:
    labels = Labels("x")
    labels.add_columns({"x": [math.nan, float("nan"), None, ""]}, "a", 1)
    assert labels.numbers.tolist() == [0, 0, 0, 0]
    groups = Labels("x", "group")
    groups.add_columns({"x": [math.nan, None, ""]}, "a", 1)
    assert (groups.numbers.tolist(), groups.names) == ([0, 0, 1], ("None", ""))


# ---- the field that is found -----------------------------------------------------------------------------------------


def passages(**columns: list[Any]) -> list[dict[str, Any]]:
    length = len(next(iter(columns.values())))
    return [{"text": f"passage {i}", **{name: values[i] for name, values in columns.items()}} for i in range(length)]


def chosen(rows: list[dict[str, Any]]) -> tuple[str, int]:
    found = Candidates(6)
    for row in rows:
        found.add_row(row, "a", 1, "line")
    return found.field, len(found.hashes)


RUNS = [f"t{i // 5}" for i in range(40)]  # eight texts of five passages
ALONE = [f"u{i}" for i in range(40)]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"source": RUNS}, ("source", 8)),
        ({"doc_id": [i // 5 for i in range(40)]}, ("doc_id", 8)),
        ({"url": ALONE, "source": RUNS}, ("source", 8)),
        ({"source": [f"s{i // 6}" for i in range(40)], "title": RUNS}, ("title", 8)),  # the text before its origin
        ({"kind": RUNS}, ("", 0)),  # not a name of texts
        ({"source": [f"s{i % 8}" for i in range(40)]}, ("", 0)),  # neighbours do not agree
        ({"source": [f"s{i // 10}" for i in range(40)]}, ("", 0)),  # too few
        ({"source": ["most"] * 33 + ALONE[:7]}, ("", 0)),  # neighbours agree by chance
        ({"source": [*RUNS[:-1], None]}, ("", 0)),
        ({"source": [*RUNS[:-1], ""]}, ("", 0)),
        ({"source": [*RUNS[:-1], ["t7"]]}, ("", 0)),
        ({"source": [i // 5 > 3 for i in range(40)]}, ("", 0)),
        ({"id": [i // 5 + 0.5 for i in range(40)]}, ("id", 8)),  # as a frame has ids of which some were missing
        ({"id": [*(i // 5 + 0.5 for i in range(39)), math.nan]}, ("", 0)),
        ({"source": [*RUNS[:-1], "x" * 5000]}, ("", 0)),
    ],
)
def test_which_field_is_found(columns: dict[str, list[Any]], expected: tuple[str, int]) -> None:
    assert chosen(passages(**columns)) == expected


def test_a_field_that_one_record_lacks_is_not_found() -> None:
    rows = passages(source=RUNS)
    del rows[17]["source"]
    assert chosen(rows) == ("", 0)
    assert chosen([]) == ("", 0)


@pytest.mark.parametrize("values", [RUNS, [i // 5 + 0.5 for i in range(40)]], ids=["strings", "floats"])
def test_the_field_is_found_in_every_format(tmp_path: Path, values: list[Any]) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    rows = passages(url=values, note=[[1]] * 40)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet", row_group_size=7)
    write(tmp_path / "a.jsonl", rows)
    (tmp_path / "a.csv").write_text("text,url\n" + "".join(f"{row['text']},{row['url']}\n" for row in rows))

    class Dataset:
        column_names = ("text", "url", "note")

        def __iter__(self) -> Iterator[dict[str, Any]]:
            return iter(rows)

    for source in (tmp_path / "a.parquet", tmp_path / "a.jsonl", tmp_path / "a.csv", Dataset()):
        for size in (3, 1 << 20):
            corpus = bm.Corpus(source)
            corpus.label_by_any(6)
            for _ in range(2):  # read again, the values are not counted twice
                for _ in corpus.blocks(size):
                    pass
            assert corpus.label_field == "url"
            labels = corpus.labels()
            assert labels is not None
            assert labels.tolist() == [i // 5 for i in range(40)]
            assert len(corpus.label_hashes()) == 8


def test_a_column_that_is_no_name_is_not_read(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    rows = passages(url=[{"host": name} for name in RUNS], source=[b"%d" % (i // 5) for i in range(40)])
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    corpus = bm.Corpus(tmp_path / "a.parquet")
    corpus.label_by_any(6)
    assert len(b"".join(block.data for block in corpus.blocks())) > 0
    assert corpus.labels() is None
