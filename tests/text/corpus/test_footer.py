"""The footer of a Parquet file: the figures of pyarrow's own accessors, and no way to end the process."""

from __future__ import annotations

import io
import random
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bitmeter.errors import BitmeterError, DamagedSourceError
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.footer import Chunk, read_footer
from bitmeter.text.corpus.labels import Labels
from bitmeter.text.corpus.parquet import parquet_blocks
from bitmeter.text.corpus.thrift import ThriftError
from tests.text.helpers import data_of

FOUND = Path(__file__).parents[2] / "data" / "fuzz" / "python" / "parquet"
ROWS = 100
TEXTS = [f"row {number % 7} é" for number in range(ROWS)]
TABLE = pa.table(
    {
        "id": range(ROWS),
        "parts": [{"text": text, "deep": {"list": [1, 2, 3], "other": None}} for text in TEXTS],
        "text": TEXTS,
        "text.x": [f"{number}" for number in range(ROWS)],
        "lists": [[[text], []] for text in TEXTS],
        "é": pa.array(TEXTS).dictionary_encode(),
        "nothing": pa.nulls(ROWS, pa.string()),
        "map": pa.array([[("k", 1)]] * ROWS, pa.map_(pa.string(), pa.int64())),
    }
)


def written(table: pa.Table = TABLE, **options: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def by_arrow(data: bytes, name: str) -> list[list[Chunk]]:
    """What pyarrow's accessors say."""
    metadata = pq.read_metadata(io.BytesIO(data))
    found = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        chunks = []
        for column in (group.column(i) for i in range(group.num_columns)):
            if column.path_in_schema == name or column.path_in_schema.startswith(name + "."):
                start = column.data_page_offset
                if column.has_dictionary_page:
                    start = min(start, column.dictionary_page_offset)
                chunks.append(Chunk(column.num_values, start, start + column.total_compressed_size))
        found.append(chunks)
    return found


@pytest.mark.parametrize("rows", [1, 7, 33, ROWS])
@pytest.mark.parametrize(
    "options",
    [{}, {"use_dictionary": False}, {"compression": "zstd", "data_page_version": "2.0"}, {"write_statistics": False},
     {"write_page_index": True, "store_schema": False}, {"data_page_size": 10, "write_batch_size": 3}],
    ids=lambda options: ",".join(options) or "default",
)  # fmt: skip
def test_figures_are_those_of_arrow(rows: int, options: dict[str, object]) -> None:
    data = written(row_group_size=rows, **options)
    names = [*TABLE.column_names, "parts.deep", "absent"]
    footer = read_footer(io.BytesIO(data), names)
    assert footer.columns == pq.read_metadata(io.BytesIO(data)).num_columns
    for name in names:
        assert footer.chunks[name] == by_arrow(data, name), name
    assert [len(footer.chunks[name][0]) for name in names] == [1, 3, 2, 1, 1, 1, 1, 2, 2, 0]


@pytest.mark.parametrize("table", [TABLE.slice(0, 0), pa.table({})], ids=["no rows", "no columns"])
def test_files_of_nothing(table: pa.Table) -> None:
    data = written(table)
    footer = read_footer(io.BytesIO(data), ["text"])
    assert footer.columns == pq.read_metadata(io.BytesIO(data)).num_columns
    assert footer.chunks["text"] == by_arrow(data, "text")


def test_names_with_dots_are_columns(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(written())
    assert data_of(Corpus(tmp_path / "x.parquet", field="text.x")) == [str(row).encode() for row in range(ROWS)]
    assert data_of(Corpus(tmp_path / "x.parquet", field="text")) == [text.encode() for text in TEXTS]


# ---- footers by hand -------------------------------------------------------------------------------------------------


def number(value: int) -> bytes:
    """In zigzag and groups of seven bits."""
    return count(value << 1 ^ value >> 63)


def count(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def listed(items: list[bytes], kind: int = 12) -> bytes:
    return bytes([0xF0 | kind]) + count(len(items)) + b"".join(items)


def node(name: bytes, children: int = 0) -> bytes:
    """A group, or without children a column of strings."""
    kind = b"\x35" + number(0) if children else b"\x15" + number(6) + b"\x25" + number(0)
    return kind + b"\x18" + count(len(name)) + name + (b"\x15" + number(children) if children else b"") + b"\0"


def column(values: int = 1, packed: int = 8, data: int = 4, dictionary: int | None = None) -> bytes:
    inner = b"\x15\x0c\x19\x15\x00\x19\x18\x04text\x15\x00"  # type, encodings, path, codec
    inner += b"\x16" + number(values) + b"\x26" + number(packed) + b"\x26" + number(data)
    if dictionary is not None:
        inner += b"\x26" + number(dictionary)
    return b"\x3c" + inner + b"\0\0"


def row_group(columns: list[bytes]) -> bytes:
    return b"\x19" + listed(columns) + b"\0"


SCHEMA = b"\x29" + listed([node(b"root", 1), node(b"text")])


def footer_file(fields: bytes) -> io.BytesIO:
    body = b"PAR1" + bytes(100)
    return io.BytesIO(body + fields + b"\0" + struct.pack("<I", len(fields) + 1) + b"PAR1")


def group_file(*columns: bytes) -> io.BytesIO:
    return footer_file(SCHEMA + b"\x29" + listed([row_group(list(columns))]))


def test_a_dictionary_at_zero_is_none() -> None:
    for dictionary, start in ((None, 50), (0, 50), (20, 20), (60, 50)):
        found = read_footer(group_file(column(3, 10, 50, dictionary)), ["text"])
        assert found.chunks["text"] == [[Chunk(3, start, start + 10)]]


GROUPS = b"\x29" + listed([row_group([column()])])
HOSTILE: dict[str, tuple[Callable[[], io.BytesIO], str]] = {
    "empty": (io.BytesIO, "does not end with"),
    "cut": (lambda: io.BytesIO(written()[:-3]), "does not end with"),
    "encrypted": (lambda: io.BytesIO(written()[:-4] + b"PARE"), "encrypted"),
    "longer than the file": (lambda: io.BytesIO(b"PAR1" + b"\xff" * 4 + b"PAR1"), "does not end with"),
    "nothing": (lambda: footer_file(b""), "lacks the schema"),
    "no groups": (lambda: footer_file(SCHEMA), "lacks the schema or the row groups"),
    "two schemas": (lambda: footer_file(SCHEMA + b"\x09\x04" + SCHEMA[1:] + GROUPS), "schema is there twice"),
    "two lists": (lambda: footer_file(SCHEMA + GROUPS + b"\x09\x08" + GROUPS[1:]), "row groups is there twice"),
    "groups first": (lambda: footer_file(b"\x49" + GROUPS[1:] + b"\x09\x04" + SCHEMA[1:]), "before its schema"),
    "no parent": (lambda: footer_file(b"\x29" + listed([node(b"text"), node(b"text")])), "without a parent"),
    "no child": (lambda: footer_file(b"\x29" + listed([node(b"root", 2), node(b"text")])), "lacks nodes"),
    "negative": (lambda: footer_file(b"\x29" + listed([node(b"root", -1)])), "-1 children"),
    "deep": (lambda: footer_file(b"\x29" + listed([node(b"a", 1)] * 200 + [node(b"x")])), "nested more than 100"),
    "no columns": (group_file, "0 columns, and its schema has 1"),
    "two columns": (lambda: group_file(column(), column()), "2 columns, and its schema has 1"),
    "short": (
        lambda: footer_file(
            b"\x29" + listed([node(b"root", 2), node(b"text"), node(b"x")]) + b"\x29"
            + listed([row_group([column(), b"\0"])])
        ), "describes a column in 1 bytes",
    ),
    "no place": (lambda: group_file(b"\0"), "does not say where"),
    "no size": (lambda: group_file(b"\x3c\x56\x02\0\0"), "does not say where"),
    "before the file": (lambda: group_file(column(data=-5)), "bytes -5 to 3"),
    "beyond the file": (lambda: group_file(column(packed=10**6)), "bytes 4 to 1,000,004"),
    "negative size": (lambda: group_file(column(packed=-1)), "bytes 4 to 3"),
    "many groups": (lambda: footer_file(SCHEMA + b"\x29\xfc" + count(2**62)), "goes on beyond|0 columns"),
}  # fmt: skip


@pytest.mark.parametrize(("made", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_what_does_not_fit_is_refused(made: Callable[[], io.BytesIO], reason: str) -> None:
    with pytest.raises(ThriftError, match=reason):
        read_footer(made(), ["text"])


def test_long_names_of_many_columns_take_little_memory() -> None:
    import tracemalloc

    long = node(b"n" * 1_000_000, 20_000)
    file = footer_file(b"\x29" + listed([node(b"root", 1), long, *[node(b"x")] * 20_000]) + b"\x29" + listed([]))
    tracemalloc.start()
    assert read_footer(file, ["text"]).columns == 20_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20


# ---- through the reader ----------------------------------------------------------------------------------------------


def test_what_ended_the_process_is_an_error() -> None:
    """In a process of its own: pyarrow's accessor of the same column ends it, in versions that check the statistics."""
    file = next(FOUND.glob("SIGABRT-*"))
    read = "import sys; import bitmeter.text.corpus.parquet as p; list(p.parquet_blocks(sys.argv[1], 'text', 99))"
    done = subprocess.run([sys.executable, "-c", read, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "DamagedSourceError" in done.stderr
    assert "is not a sound parquet file" in done.stderr


@pytest.mark.parametrize("name", [b"t\xffxt", b"\xff\xff\xff\xff"])
def test_names_that_are_not_utf8_are_damage(name: bytes, tmp_path: Path) -> None:
    data = written(pa.table({"text": ["a"], "else": ["b"]}), store_schema=False)
    (tmp_path / "x.parquet").write_bytes(data.replace(b"else", name))
    with pytest.raises(DamagedSourceError, match="can't decode byte 0xff"):
        data_of(Corpus(tmp_path / "x.parquet"))


def test_labels_that_are_not_utf8_are_damage(tmp_path: Path) -> None:
    data = written(pa.table({"text": ["a"], "label": ["else"]}), compression="none", use_dictionary=False)
    (tmp_path / "x.parquet").write_bytes(data.replace(b"else", b"\xff\xff\xff\xff"))
    with pytest.raises(DamagedSourceError, match="can't decode byte 0xff"):
        list(parquet_blocks(str(tmp_path / "x.parquet"), "text", 100, Labels("label")))


def test_labels_that_python_cannot_hold_are_damage(tmp_path: Path) -> None:
    times = pa.array([2**62], pa.timestamp("us"))
    (tmp_path / "x.parquet").write_bytes(written(pa.table({"text": ["a"], "when": times})))
    with pytest.raises(DamagedSourceError):
        list(parquet_blocks(str(tmp_path / "x.parquet"), "text", 100, Labels("when")))


def test_any_byte_of_a_footer_may_be_wrong() -> None:
    """Every byte of the footer in turn: chunks within the file, or an error."""
    data = written(TABLE.select(["id", "text"]), row_group_size=50, store_schema=False)
    draw = random.Random(0)
    begin = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    refused = 0
    for place in range(begin, len(data)):
        for value in (0, 0xFF, draw.randrange(256)):
            changed = data[:place] + bytes([value]) + data[place + 1 :]
            try:
                found = read_footer(io.BytesIO(changed), ["text"])
            except ThriftError:
                refused += 1
                continue
            chunks = [chunk for group in found.chunks["text"] for chunk in group]
            assert all(0 <= chunk.start <= chunk.end <= len(data) for chunk in chunks)
    assert refused > 200


@pytest.mark.parametrize("label", [False, True])
def test_a_row_that_names_no_entry_is_damage(label: bool, tmp_path: Path) -> None:
    """Arrow believes the numbers of entries; every byte of a column of such numbers is overwritten."""
    entries = pa.array(["a", "b", "c"] * 5).dictionary_encode()
    table = pa.table({"text": pa.array(["t"] * 15), "entry": entries})
    data = written(table, compression="none", write_statistics=False)
    chunk = read_footer(io.BytesIO(data), ["entry"]).chunks["entry"][0][0]
    reasons = []
    for place in range(chunk.start, chunk.end):
        for value in (3, 7, 32, 0xFF):
            (tmp_path / "x.parquet").write_bytes(data[:place] + bytes([value]) + data[place + 1 :])
            try:
                if label:
                    list(parquet_blocks(str(tmp_path / "x.parquet"), "text", 100, Labels("entry")))
                else:
                    data_of(Corpus(tmp_path / "x.parquet", field="entry"))
            except BitmeterError as error:
                reasons.append(str(error))
    assert len(reasons) > 20
    assert label or any("names entry" in reason for reason in reasons)
