"""Tables from files: the same columns from every format, and refusals that say what is wrong and where."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, FileFormatError, InputTypeError, MissingSourceError
from bitmeter.measure.audit.tables.reading import read_table
from tests.measure.audit import pieces

ROWS: dict[str, Any] = {
    "doc": pieces.DOC.tolist(), "piece": pieces.PIECES, "logprob": pieces.LOGPROB.tolist(),
}  # fmt: skip


def write(folder: Path, kind: str) -> Path:
    path = folder / f"theirs.{kind}"
    records = [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]
    if kind in ("jsonl", "ndjson"):
        path.write_text("".join(json.dumps(row) + "\n" for row in records), encoding="utf-8")
    elif kind in ("csv", "tsv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(ROWS), delimiter="\t" if kind == "tsv" else ",")
            writer.writeheader()
            writer.writerows(records)
    elif kind == "npz":
        np.savez(path, doc=pieces.DOC, piece=np.array(pieces.PIECES), logprob=pieces.LOGPROB)
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table(ROWS), path)
    return path


@pytest.mark.parametrize("kind", ["jsonl", "ndjson", "csv", "tsv", "npz", "parquet", "pq"])
def test_every_format_gives_the_same_figure(kind: str, tmp_path: Path) -> None:
    found = bm.audit(write(tmp_path, kind), pieces.CORPUS)
    assert found.score is not None
    assert found.score.bits_per_byte == pytest.approx(pieces.TRUE, rel=1e-12)
    assert found.subject == f"theirs.{kind}"
    assert found.score.signature.model == f"table:theirs.{kind}/sha256-{found.fingerprint[7:31]}"


def test_one_row_per_document_is_unfolded(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for i in range(len(pieces.DOCUMENTS)):
            here = np.equal(pieces.DOC, i)
            tokens = [piece for piece, own in zip(pieces.PIECES, here.tolist(), strict=True) if own]
            file.write(json.dumps({"tokens": tokens, "logprobs": pieces.LOGPROB[here].tolist(), "title": "x"}) + "\n")
    found = bm.audit(path, pieces.CORPUS)
    assert found.score is not None
    assert found.score.bits_per_byte == pytest.approx(pieces.TRUE, rel=1e-12)
    assert "each row of the file is a document" in found.assumptions
    assert found.score.documents == len(pieces.DOCUMENTS)


def test_minus_infinity_is_read_and_null_is_not_a_number(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"start": 0, "end": 1, "logprob": -Infinity}\n{"start": 1, "end": 2, "logprob": -1.0}\n')
    found = bm.audit(path, b"ab")
    assert found.score is not None
    assert found.score.bits == np.inf
    path.write_text('{"start": 0, "end": 1, "logprob": null}\n{"start": 1, "end": 2, "logprob": -1.0}\n')
    assert bm.audit(path, b"ab").verdict == "unsound"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.jsonl", b'{"a": 1}\n{"a"', "line 2 is not JSON"),
        ("x.jsonl", b"[1, 2]\n", "holds no object"),
        ("x.jsonl", b"", "no columns"),
        ("x.jsonl", b"[" * 100_000 + b"\n", "line 1 is not JSON"),
        ("x.csv", b"a,b\n1,2,3\n", "line 2 has 3 fields"),
        ("x.csv", b"a,a\n1,2\n", "each once"),
        ("x.csv", b"a\n\xff\n", "codec"),
        ("x.npz", b"PK\x03\x04nonsense", "not a table"),
        ("x.npz", b"", "not a table"),
        ("x.parquet", b"PAR1", "not a table"),
        ("x.parquet", b"PAR1" + b"\0" * 100 + b"PAR1", "not a table"),
    ],
)
def test_what_is_no_table_is_refused(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileFormatError, match=said):
        read_table(tmp_path / name)


def test_an_archive_that_states_more_than_it_has_takes_no_memory(tmp_path: Path) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }"
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("logprob.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 64)
    with pytest.raises(FileFormatError, match="states 8,796,093,022,208 bytes"):
        read_table(tmp_path / "x.npz")


def test_python_objects_are_not_loaded(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", logprob=np.array([object()], dtype=object))
    with pytest.raises(FileFormatError, match="Python objects"):
        read_table(tmp_path / "x.npz")


def test_mappings() -> None:
    first, second = read_table({"a": [1, 2]}), read_table({"a": [1, 3]})
    assert first.digest != second.digest
    assert first.digest == read_table({"a": np.array([1, 2])}).digest
    with pytest.raises(FileFormatError, match="different lengths"):
        read_table({"a": [1], "b": [1, 2]})
    with pytest.raises(InputTypeError, match="must be a list"):
        read_table({"a": "text"})
    with pytest.raises(InputTypeError, match="have names"):
        read_table({3: [1]})
    with pytest.raises(MissingSourceError):
        read_table("absent.csv")


def test_damaged_files_raise_nothing_but_our_own_errors(tmp_path: Path) -> None:
    """Each byte in turn: read, or refused by name."""
    for kind in ("npz", "parquet"):
        whole = write(tmp_path, kind).read_bytes()
        random = np.random.default_rng(3)
        for at in random.integers(0, len(whole), 60).tolist():
            damaged = bytearray(whole)
            damaged[at] ^= 1 << int(random.integers(8))
            (tmp_path / f"bad.{kind}").write_bytes(damaged)
            try:
                bm.audit(tmp_path / f"bad.{kind}", pieces.CORPUS)
            except BitmeterError:
                continue
