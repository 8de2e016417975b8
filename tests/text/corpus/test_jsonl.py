"""Long rows of JSON give what short ones do, in memory that does not grow with what is beside the text."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bitmeter.errors import BitmeterError, RecordError
from bitmeter.text.corpus import jsonl
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.labels import Candidates, Collectors, Labels
from tests.peak import PROMISED, peak_of
from tests.text.helpers import data_of

STRINGS = st.text(st.characters(), max_size=30) | st.sampled_from(
    ["0.5e0", '\\"', "\\", "\U0001f600" * 3, "\ud83d", "\0"]
)
VALUES = st.recursive(
    STRINGS | st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([0.5, 0.50e1]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=6,
)


def documents(line: bytes) -> list[bytes] | str:
    """The documents of one row, or the name of the error."""
    found: list[bytes] = [b""]
    try:
        for data, ends in jsonl.jsonl_blocks([line], "text", "x"):
            start = 0
            for end in ends.tolist():
                found[-1] += data[start:end]
                found.append(b"")
                start = end
            found[-1] += data[start:]
    except BitmeterError as error:
        return type(error).__name__
    return found


def both_ways(line: bytes) -> tuple[list[bytes] | str, list[bytes] | str]:
    plain = documents(line)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "_LONG_ROW", 1)
        patch.setattr(jsonl, "_LONG_STRING", 4)
        patch.setattr(jsonl, "_PART", 3)
        return plain, documents(line)


@given(row=st.dictionaries(STRINGS | st.just("text"), VALUES, max_size=4), ascii_only=st.booleans(), text=STRINGS)
@example(row={}, ascii_only=True, text="0.5e0 and 0.50")
def test_a_long_row_gives_what_a_short_one_does(row: dict[str, Any], ascii_only: bool, text: str) -> None:
    for said in (row, row | {"text": text}, {"text": text} | row):
        line = json.dumps(said, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        plain, long = both_ways(line)
        assert plain == long


@pytest.mark.parametrize(
    "line",
    [
        b'{"text": "abcdefgh', b'{"text": "abcdefgh\\"', b'{"text": "abcdefgh" 5}', b'["abcdefgh"]', b'"abcdefgh"',
        b'{"text": "abcdefgh\\u12"}', b'{"text": "abcdefgh\\x"}', b'{"text": "abcdef\x01gh"}', b'{"text": 0.5e0}',
        b'{"text": 0.5e0, "x": "abcdefgh"}', b'{"x": "abcdefgh"}', b'{"text": ["abcdefgh"]}', b'{"text" "abcdefgh"}',
        b'{"text": "abcdefgh", "text": "second one"}', b'{"text": "second one", "text": 5}', b"[" * 9000,
        b'{"abcdefgh": "x", "text": "abcdefgh"}', b'{"text": "\\ud83d\\ude00\\ude00abc"}',
        b'{"text": "abc\xff\xc3defgh"}',
        b'{"text": "' + b'\\"' * 50, b'{"te\\u0078t": "abcdefgh"}', b'{"text": 1' + b"0" * 5000 + b"}",
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_long_row_is_wrong_with_a_short_one(line: bytes) -> None:
    plain, long = both_ways(line)
    assert plain == long


def test_a_row_with_too_much_beside_its_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"text": "a"}) + "\n" + json.dumps({"text": "b", "x": [[]] * 3_000_000}) + "\n")
    with pytest.raises(RecordError, match="line 2 has 12,000,0") as caught:
        data_of(Corpus(path))
    assert (caught.value.path, caught.value.line) == (str(path), 2)


def test_a_quote_that_does_not_end_takes_linear_time() -> None:
    """Of a quadratic way, 250,000 escaped quotes would take minutes."""
    assert documents(b'{"text": "' + b'\\"' * 1_000_000) == "RecordError"


def test_a_long_line_takes_little_more_memory_than_it_has_bytes(tmp_path: Path) -> None:
    """One character beyond the others makes a Python string of the text four times as large: twice, that was 8."""
    size = 48 << 20
    with (tmp_path / "x.jsonl").open("w") as file:
        file.write('{"text": "\U0001f600' + "to be or not " * (size // 13) + '"}\n')
    peak, lines = peak_of(
        "from bitmeter.text.corpus.corpus import Corpus\n"
        "print(sum(len(block.data) for block in Corpus(sys.argv[1]).blocks()))\n",
        tmp_path / "x.jsonl",
    )
    assert lines == [str(4 + size // 13 * 13)]
    assert peak < PROMISED + 2 * size


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.none(), max_size=12),
    st.integers(1, 40), st.sampled_from([b"\n", b"\r\n", b" \n\n"]), st.booleans(),
)  # fmt: skip
def test_rows_in_blocks_of_any_size(texts: list[str | None], size: int, end: bytes, ascii_only: bool) -> None:
    """By the core where a block is sound; the parser of Python's own is the oracle. None is a blank line."""
    lines = [b" " if text is None else json.dumps({"text": text}, ensure_ascii=ascii_only).encode() for text in texts]
    data = end.join(lines)
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    found = b"".join(block.data for block in jsonl.jsonl_blocks(blocks, "text", "x"))
    ends = sum(len(block.ends) for block in jsonl.jsonl_blocks(blocks, "text", "x"))
    said = [text for text in texts if text is not None]
    assert found == "".join(said).encode()
    assert ends == len(said)


@pytest.mark.parametrize("size", [1, 9, 30, 1000])
def test_the_line_of_an_error_in_any_block(size: int) -> None:
    data = b'\xef\xbb\xbf{"text": "a"}\n\n{"text": "b"}\n{"text": 3}\n{"text": "c"}\n'
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    with pytest.raises(RecordError, match="line 4"):
        list(jsonl.jsonl_blocks(blocks, "text", "x"))


NAMES = st.sampled_from(["a", "b", "\u00e9", "\ud83d", '"', ""]) | st.sampled_from(
    [1, 2, -1, 1.0, 2.5, True, None, [1], {"a": 1}]
)


def collected(rows: list[bytes], make: Callable[[], Any]) -> tuple[list[bytes], Any]:
    """The documents, and what was collected of other fields or the error."""
    labels = make()
    found = bytearray()
    ends: list[int] = []
    try:
        for data, stops in jsonl.jsonl_blocks(rows, "text", "x", labels):
            ends += [len(found) + stop for stop in stops.tolist()]
            found += data
    except BitmeterError as error:
        return [], str(error)
    return [bytes(found[a:b]) for a, b in pairwise([0, *ends])], (labels.numbers.tolist(), labels.hashes.tolist())


@given(rows=st.lists(st.dictionaries(st.sampled_from(["id", "url", "source"]), NAMES), max_size=8), blank=st.booleans())
@example(rows=[{"source": "a"}, {"source": "a"}, {"source": "\u00e9"}], blank=True)
def test_other_fields_are_found_as_a_parser_finds_them(rows: list[dict[str, Any]], blank: bool) -> None:
    lines = [json.dumps(row | {"text": f"{place}"}).encode() + b"\n" for place, row in enumerate(rows)]
    lines.insert(len(lines) // 2, b" \n" * blank)
    for make in (lambda: Labels("source"), lambda: Candidates(2), lambda: Collector(Labels("id"), Candidates(2))):
        found = collected(lines, make)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(jsonl, "_scanned", lambda *_: None)
            assert found == collected(lines, make)


class Collector(Collectors):
    """Two at once, of which the second is looked at."""

    def __init__(self, first: Labels, second: Candidates) -> None:
        super().__init__([first, second])
        self.first, self.second = first, second

    @property
    def numbers(self) -> NDArray[np.int64]:
        return np.concatenate((self.first.numbers, self.second.numbers))

    @property
    def hashes(self) -> NDArray[np.int64]:
        return np.concatenate((self.first.hashes, self.second.hashes))
