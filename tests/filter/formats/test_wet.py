"""WET files: pages are documents, and other records are carried over."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import DamagedSourceError
from bitmeter.filter.formats import wet
from bitmeter.filter.reading import read_rows
from bitmeter.filter.records import Fields


def record(kind: str, content: bytes) -> bytes:
    # The form of ISO 28500: a version line, named fields, an empty line, the content, two line ends.
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n".encode()
    return head + content + b"\r\n\r\n"


INFO, PAGES = (
    record("warcinfo", b"software: x\r\n"),
    [record("conversion", b"to be or not\n"), record("conversion", b"")],
)


def test_pages_are_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.wet.gz"
    path.write_bytes(b"".join(gzip.compress(part) for part in (INFO, *PAGES)))
    [rows] = read_rows(str(path), Fields())
    assert list(rows.texts) == [b"to be or not\n", b""]
    assert rows.raw == PAGES
    assert rows.carried == INFO


def test_the_head_of_the_file_is_kept(tmp_path: Path) -> None:
    path, out = tmp_path / "a.wet", tmp_path / "out.wet"
    path.write_bytes(INFO + PAGES[0] + record("conversion", b"\xff\xfe" * 20))
    bm.filter_corpus("kt", path, out, max=7.0)
    assert out.read_bytes() == INFO + record("conversion", b"\xff\xfe" * 20)


@pytest.mark.parametrize(
    "data",
    [b"no warc", b"WARC/1.0\r\n\r\n", b"WARC/1.0\r\nContent-Length: x\r\n\r\n", PAGES[0][:-20],
     b"WARC/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n"],
)  # fmt: skip
def test_what_is_not_warc_is_an_error_that_says_where(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.wet"
    path.write_bytes(INFO + data)
    with pytest.raises(DamagedSourceError, match="record 2"):
        list(read_rows(str(path), Fields()))


def test_a_page_that_is_too_long_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wet, "LONGEST", 10)
    path = tmp_path / "a.wet"
    path.write_bytes(record("conversion", b"x" * 50) + record("conversion", b"short"))
    [rows] = read_rows(str(path), Fields())
    assert list(rows.texts) == [b"short"]
    assert rows.bad[0].place == "record 1"
