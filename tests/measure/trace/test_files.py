"""Traces as Parquet: the same trace comes back, other programs can read it, and damaged files are refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import bitmeter as bm
from bitmeter import errors
from tests.measure.test_scoring import TEXTS


@settings(max_examples=25)
@given(text=TEXTS)
def test_parquet_gives_the_same_trace_back(text: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("trace") / "t.parquet"
    trace = bm.score("kt", text, docs="line").trace
    trace.save(path)
    again = bm.Trace.load(path)
    assert again.signature == trace.signature
    assert len(again) == len(trace)
    for name in ("doc", "start", "end", "id", "logprob"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trace, name))
    assert again.units == trace.units
    np.testing.assert_array_equal(again.group("word").logprob, trace.group("word").logprob)


def test_files_are_read_by_column_and_by_others(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    trace = bm.score("kt", b"hello world").trace
    trace.save(path)
    again = bm.Trace.load(path)
    assert again._columns._read == {}  # type: ignore[attr-defined]
    assert again.logprob.tolist() == trace.logprob.tolist()
    assert set(again._columns._read) == {"logprob"}  # type: ignore[attr-defined]
    assert again[0:5].units == [b"h", b"e", b"l", b"l", b"o"]
    # Any other program reads it too.
    assert pq.read_table(path).column("unit").to_pylist()[0] == b"h"
    with pytest.raises(errors.ChoiceError, match="no entropy"):
        _ = again.entropy
    with pytest.raises(errors.FileFormatError, match="--force"):
        trace.save(path)


def test_what_is_no_trace_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    with pytest.raises(errors.FileFormatError):
        bm.Trace.load(path)
    path.write_bytes(b"PAR1 but not really PAR1")
    with pytest.raises(errors.FileFormatError):
        bm.Trace.load(path)
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(errors.FileFormatError, match="no mark"):
        bm.Trace.load(path)
    bm.score("kt", b"hello").trace.save(path, force=True)
    data = bytearray(path.read_bytes())
    for cut in (10, len(data) // 2, len(data) - 9):
        path.write_bytes(data[:cut])
        with pytest.raises(errors.FileFormatError):
            bm.Trace.load(path)


def _marked(table: pa.Table, key: bytes, value: bytes) -> pa.Table:
    return table.replace_schema_metadata({**table.schema.metadata, key: value})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda table: table.drop_columns(["id"]), "the column id is missing"),
        (lambda table: table.set_column(0, "doc", pa.array(["x"] * len(table))), "the column doc is string"),
        (lambda table: table.replace_schema_metadata({}), "no mark of bitmeter.trace/1"),
        (lambda table: table.append_column("id", table.column("id")), "it has id twice"),
        (lambda table: table.append_column("rank", table.column("id")), "the column entropy is missing"),
        (lambda table: _marked(table, b"bitmeter.signature", b"\xff"), "utf-8"),
        (lambda table: _marked(table, b"bitmeter.signature", b"schema:1|x:y"), "not a key of a signature"),
        (lambda table: _marked(table, b"bitmeter.trace", b"\xff"), "utf-8"),
    ],
)
def test_another_table_is_refused_with_the_reason(
    change: Callable[[pa.Table], pa.Table], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.parquet"
    bm.score("kt", b"hello").trace.save(path)
    table = pq.read_table(path)
    marks = {key: value for key, value in pq.read_metadata(path).metadata.items() if key != b"ARROW:schema"}
    pq.write_table(change(table.replace_schema_metadata(marks)), path)
    with pytest.raises(errors.FileFormatError, match=reason):
        bm.Trace.load(path)


def test_a_trace_that_is_cut_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    """In a process of its own, which a signal would end where the file is mapped."""
    path = tmp_path / "t.parquet"
    bm.score("kt", bytes(range(256)) * 400).trace.save(path)
    code = (
        "import os, sys, bitmeter as bm\n"
        "from bitmeter.errors import FileFormatError\n"
        "trace = bm.Trace.load(sys.argv[1])\n"
        "os.truncate(sys.argv[1], 4096)\n"
        "try:\n"
        "    print(trace.logprob.sum())\n"
        "except FileFormatError as error:\n"
        "    sys.exit('refused: ' + str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done
    assert done.stderr.startswith("refused")


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("logprob", [-1.0, float("nan"), -1.0, -1.0, -1.0], "the logprob of unit 1 is nan"),
        ("logprob", [-1.0, -1.0, 0.5, -1.0, -1.0], "the logprob of unit 2 is 0.5"),
        ("logprob", [-1.0, None, -1.0, -1.0, -1.0], "the column logprob holds null"),
        ("doc", [0, 0, -1, 0, 0], "the doc of unit 2 is -1"),
        ("doc", [0, 1, 0, 0, 0], "the doc of unit 2 is 0"),
        ("start", [-1, 1, 2, 3, 4], "the start of unit 0 is -1"),
        ("start", [0, 0, 2, 3, 4], "unit 1 lies at bytes 0 to 2"),
        ("end", [1, 2, 3, 4, 2**62], "unit 4 lies at bytes 4"),
        ("unit", [b"h", b"e", b"", b"l", b"o"], "unit 2 lies at bytes 2 to 3"),
        ("unit", [b"h", b"e", None, b"l", b"o"], "the column unit holds null"),
        ("entropy", [1.0, 1.0, float("inf"), 1.0, 1.0], "the entropy of unit 2 is inf"),
        ("rank", [1, 2, 0, 1, 1], "the rank of unit 2 is 0"),
        ("alternatives", [[]] + [[{"unit": b"a", "logprob": -1.0}]] * 4, "not of one number"),
        ("alternatives", [[{"unit": b"a", "logprob": None}]] * 5, "hold null"),
        ("alternatives", [[{"unit": b"a", "logprob": 1.0}]] * 5, "among the alternatives, the logprob of unit 0"),
    ],
)
def test_values_that_make_no_sense_are_refused(name: str, values: list[object], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    bm.score("kt", b"hello", trace=path, alternatives=1)
    whole = pq.read_table(path)
    table = whole.replace_schema_metadata(pq.read_metadata(path).metadata)
    index = table.column_names.index(name)
    pq.write_table(table.set_column(index, name, pa.array(values, type=table.schema.field(name).type)), path)
    trace = bm.Trace.load(path)
    with pytest.raises(errors.FileFormatError, match=reason):
        _ = (trace.top(1), trace.entropy, trace.rank, trace.alternatives(0))


def test_row_groups_with_other_alternatives_come_back(tmp_path: Path) -> None:
    # Each row group has a dictionary of its own; they are read as one.
    path, again = tmp_path / "t.parquet", tmp_path / "again.parquet"
    trace = bm.score("kt", b"to be or not to be", alternatives=3, trace=path).trace
    pq.write_table(pq.ParquetFile(path).read(), again, row_group_size=4, compression="zstd")
    found = bm.Trace.load(again)
    assert [found.alternatives(i) for i in range(len(trace))] == [trace.alternatives(i) for i in range(len(trace))]
    found.save(tmp_path / "third.parquet")
    assert pq.read_table(tmp_path / "third.parquet").equals(pq.read_table(path))


def _forged(path: Path, **columns: pa.Array) -> None:
    """A sound trace with other columns."""
    bm.score("kt", b"ab", alternatives=1, trace=path)
    sound = pq.ParquetFile(path).read()
    length = len(next(iter(columns.values())))
    table = pa.table({name: [sound[name][0].as_py()] * length for name in sound.column_names}, schema=sound.schema)
    for name, column in columns.items():
        table = table.set_column(table.column_names.index(name), name, column)
    pq.write_table(table, path, compression="zstd")


@pytest.mark.parametrize("nested", [False, True])
def test_entries_that_stand_for_too_much_are_refused(tmp_path: Path, nested: bool) -> None:
    # 300 rows name one entry of 1 MB: 30 kB that took 300 MB and more. Alternatives are read until it is too much.
    path, long = tmp_path / "t.parquet", b"x" * (1 << 20)
    if nested:
        kind = pa.list_(pa.struct([("unit", pa.binary()), ("logprob", pa.float64())]))
        _forged(path, alternatives=pa.array([[{"unit": long, "logprob": -1.0}]] * 300, kind))
    else:
        _forged(path, unit=pa.array([long] * 300, pa.large_binary()))
    assert path.stat().st_size < 100_000
    script = (
        "import sys, pyarrow as pa, bitmeter as bm\n"
        "try:\n"
        "    trace = bm.Trace.load(sys.argv[1])\n"
        "    trace.alternatives(0) if sys.argv[2] == 'True' else trace.units\n"
        "except bm.errors.FileFormatError as error:\n"
        "    print(error)\n"
        "print(pa.default_memory_pool().max_memory() < 1 << 25)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path), str(nested)], capture_output=True, text=True, check=True
    )
    assert "its units are" in done.stdout
    assert nested or done.stdout.endswith("True\n"), done.stdout


def test_columns_that_claim_more_than_the_file_holds_are_refused(tmp_path: Path) -> None:
    # 40 million rows of one number, in 180 kB: 320 MB for each column.
    path = tmp_path / "t.parquet"
    table = pa.table({"doc": pa.repeat(pa.scalar(0, pa.int64()), 4_000_000)})
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(10):
            writer.write_table(table)
    assert path.stat().st_size < 200_000
    with pytest.raises(errors.FileFormatError, match=r"the column doc claims .* and its file holds fewer"):
        bm.Trace.load(path)


def test_a_footer_that_is_none_is_refused_before_arrow_reads_it(tmp_path: Path) -> None:
    # The same check as for texts.
    path = tmp_path / "t.parquet"
    bm.score("kt", b"ab", trace=path)
    data = path.read_bytes()
    path.write_bytes(data[:-8] + (1 << 30).to_bytes(4, "little") + data[-4:])
    with pytest.raises(errors.FileFormatError, match="length of a footer"):
        bm.Trace.load(path)
