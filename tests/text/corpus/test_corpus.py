"""A corpus gives every byte, once, in order, with the same documents whatever the blocks."""

from __future__ import annotations

import hashlib
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.errors import BitmeterError, ChoiceError, InputError, InputTypeError, MissingSourceError, SourceError
from bitmeter.text.corpus.corpus import Corpus, Document
from tests.text.helpers import cut_up
from tests.text.strategies import texts


def paragraphs(data: bytes) -> list[bytes]:
    """The rule in other words: a line with text after a blank line after text begins a document."""
    found: list[bytes] = []
    text = blank = False
    for line in re.findall(rb"[^\n]*\n|[^\n]+\Z", data):
        is_blank = not line.strip(b" \t\r\n") and line.endswith(b"\n")
        if not found or (text and blank and not is_blank and line.strip(b" \t\r")):
            found.append(b"")
            text = blank = False
        found[-1] += line
        if is_blank:
            blank = text
        elif line.strip(b" \t\r\n"):
            text, blank = True, False
    return found


@pytest.mark.parametrize("docs", ["file", "line", "blank"])
@given(data=texts(), size=st.sampled_from([1, 2, 7, 1 << 20]))
@settings(max_examples=80)
def test_documents_are_the_bytes_whatever_the_blocks(docs: str, data: bytes, size: int) -> None:
    corpus = Corpus.from_text(data, docs=docs)
    expected = {
        "file": [data],
        "line": re.findall(rb"[^\n]*\n|[^\n]+\Z", data),
        "blank": paragraphs(data),
    }[docs]
    assert cut_up(corpus, size) == expected
    assert [document.data for document in corpus] == expected
    assert b"".join(expected) == data
    assert corpus.fingerprint() == hashlib.sha256(data).hexdigest()
    ends = np.cumsum([len(document) for document in expected]).astype("<i8")
    assert corpus.boundaries() == hashlib.sha256(ends.tobytes()).hexdigest()
    assert corpus.total_bytes == len(data)


@given(documents=st.lists(texts(20), max_size=6), size=st.sampled_from([1, 3, 50]))
@settings(max_examples=60)
def test_documents_in_memory(documents: list[bytes], size: int) -> None:
    corpus = Corpus.from_documents(documents)
    assert cut_up(corpus, size) == documents
    assert corpus.docs == "record"


@pytest.mark.parametrize(
    ("docs", "text", "expected"),
    [
        ("file", b"", [b""]),  # an empty file is one empty document ...
        ("line", b"", []),  # ... without a line
        ("blank", b"", []),
        ("line", b"a\nb", [b"a\n", b"b"]),  # a last line without newline is a line
        ("line", b"a\n\n", [b"a\n", b"\n"]),
        ("line", b"a\r\nb\rc\r\n", [b"a\r\n", b"b\rc\r\n"]),  # a carriage return alone ends no line
        ("line", b"\xef\xbb\xbfa\n", [b"\xef\xbb\xbfa\n"]),
        ("blank", b"\n\na\nb\n\n \t\r\n  c\n\n", [b"\n\na\nb\n\n \t\r\n", b"  c\n\n"]),
        ("blank", b"\n\n", [b"\n\n"]),
        ("blank", b"a\r\n\r\nb", [b"a\r\n\r\n", b"b"]),
    ],
)
def test_edges(docs: str, text: bytes, expected: list[bytes]) -> None:
    assert [document.data for document in Corpus.from_text(text, docs=docs)] == expected


# ---- where it comes from ---------------------------------------------------------------------------------------------


def test_bytes_are_bytes_whatever_they_look_like(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"PAR1\0\xff\x1f\x8b")
    assert [d.data for d in Corpus(path)] == [b"PAR1\0\xff\x1f\x8b"]


def test_of_takes_all_of_these(tmp_path: Path) -> None:
    corpus = Corpus.from_text("x")
    assert Corpus.of(corpus) is corpus
    assert next(iter(Corpus.of(b"a path?"))).data == b"a path?"
    (tmp_path / "b.txt").write_bytes(b"second\n")
    assert next(iter(Corpus.of(str(tmp_path / "b.txt")))).data == b"second\n"
    assert len(list(Corpus.of(b"a\nb", docs="line"))) == 2
    with pytest.raises(InputError, match=r"--field \(field=\) 'title' is for rows"):  # it was ignored
        Corpus.of(b"a\nb", field="title")
    with pytest.raises(InputError, match="knows its documents already"):
        Corpus.of(corpus, docs="line")


def test_strings_keep_what_they_hold() -> None:
    assert next(iter(Corpus.from_text("é\udcff\ud800"))).data == b"\xc3\xa9\xff\xed\xa0\x80"
    mixed = Corpus.from_documents(["é", b"\xff", Document(b"x", "name")])
    assert [d.data for d in mixed] == [b"\xc3\xa9", b"\xff", b"x"]


def test_a_text_that_changes_between_readings_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"one")
    corpus = Corpus(path)
    corpus.fingerprint()
    assert list(corpus.blocks())
    path.write_bytes(b"two")
    with pytest.raises(SourceError, match="has changed since it was read before"):
        list(corpus.blocks())


def test_memory_stays_bounded_for_one_huge_file(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with open(path, "wb") as file:
        for _ in range(64):
            file.write(b"x" * 99 + b"\n" + b"y" * ((1 << 20) - 100))
    for docs in ("file", "line", "blank"):
        tracemalloc.start()
        total = sum(len(block.data) for block in Corpus(path, docs=docs).blocks())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert total == 64 << 20
        assert peak < 8 << 20, docs


# ---- errors ----------------------------------------------------------------------------------------------------------

BAD: list[tuple[Any, type[BitmeterError], str]] = [
    (lambda: Corpus("no/such.txt"), MissingSourceError, r"there is no file 'no/such.txt'$"),
    (lambda: Corpus("To be or not to be"), MissingSourceError, "pipe it in and name it - .in Python"),
    (lambda: Corpus("a\0b"), MissingSourceError, "there is no file"),
    (lambda: Corpus("x" * 5000), MissingSourceError, "there is no file"),
    (lambda: Corpus(""), MissingSourceError, "the path is empty"),
    (lambda: Corpus("no/such*.txt"), MissingSourceError, "matches no file"),
    (lambda: Corpus([]), InputError, "list of sources is empty"),
    (lambda: Corpus(None), InputTypeError, "the source is None"),
    (lambda: Corpus(5), InputTypeError, "the source is 5"),
    (lambda: Corpus({"a": 1}), InputTypeError, "the source is"),
    (lambda: Corpus.from_text(5), InputTypeError, "it must be text"),  # type: ignore[arg-type]
    (lambda: Corpus.from_text("x", docs="word"), ChoiceError, "docs is 'word'; it must be one of 'file', 'line'"),
    (lambda: Corpus.from_text("x", docs="record"), InputError, "plain text, which has no records"),
    (lambda: Corpus.from_documents("abc"), InputTypeError, "several documents"),
    (lambda: Corpus.from_documents(["a", 1]), InputTypeError, r"documents\[1\] is 1"),  # type: ignore[list-item]
    (lambda: Corpus.from_documents(5), InputTypeError, "several documents"),  # type: ignore[arg-type]
    (lambda: list(Corpus.from_text("x").blocks(0)), InputError, "size is 0"),
    (lambda: list(Corpus.from_text("x").blocks("big")), InputTypeError, "size"),  # type: ignore[arg-type]
    (lambda: Corpus(__file__, field="text"), InputError, "is plain text"),
    (lambda: Corpus(__file__, field=5), InputTypeError, "field is 5"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "kind", "message"), BAD)
def test_errors(call: Any, kind: type[BitmeterError], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_repr_and_iteration() -> None:
    corpus = Corpus.from_text("abc")
    assert repr(corpus) == "<Corpus text, docs='file', 3 bytes>"
    assert isinstance(iter(corpus), Iterator)


# ---- all as one ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("docs", "between"), [("joined", b""), ("joined-line", b"\n"), ("joined-blank", b"\n\n")])
@given(documents=st.lists(st.binary(max_size=12), min_size=1, max_size=8), size=st.sampled_from([1, 3, 1 << 20]))
@settings(deadline=None, max_examples=40)
def test_joined_documents_are_one_with_the_separator_between(
    docs: str, between: bytes, documents: list[bytes], size: int
) -> None:
    """As bytes.join does it, empty documents among them."""
    whole = between.join(documents)
    corpus = Corpus.of(Corpus.from_documents(documents), docs=docs)
    assert cut_up(corpus, size) == [whole]
    assert [document.data for document in corpus] == [whole]
    assert (corpus.docs, corpus.total_bytes) == (docs, len(whole) if docs == "joined" else None)
    assert corpus.fingerprint() == hashlib.sha256(whole).hexdigest()


def test_files_and_rows_are_joined_too(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")
    (tmp_path / "b.txt").write_bytes(b"")
    (tmp_path / "c.txt").write_bytes(b"two\n")
    corpus = Corpus(tmp_path, docs="joined-blank")
    assert [document.data for document in corpus] == [b"one\n\n\n\ntwo\n"]
    assert corpus.total_bytes == 11
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "three"}\n{"text": "four"}\n')
    assert [d.data for d in Corpus([tmp_path / "a.txt", rows], docs="joined-line")] == [b"one\nthree\nfour"]
    assert [d.data for d in Corpus.from_text("a\nb\n", docs="joined")] == [b"a\nb\n"]
    with pytest.raises(InputError, match="knows its documents already"):
        Corpus.of(corpus, docs="joined")
    with pytest.raises(ChoiceError):
        Corpus(rows, docs="joined-tab")
