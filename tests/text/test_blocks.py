"""A corpus split block by block gives the units of each document split at once."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bitmeter.errors import RecordError
from bitmeter.text.blocks import cut_by_file, cut_corpus, split_corpus
from bitmeter.text.boundaries import Whole
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Units
from bitmeter.text.units.named import units_of
from bitmeter.text.units.words import Words
from tests.text.helpers import EVERY, name_of
from tests.text.strategies import texts


@pytest.mark.parametrize("units", EVERY, ids=name_of)
@given(data=texts(), size=st.sampled_from([1, 2, 3, 5, 16]))
@example(data="ab\u0301".encode(), size=1)
@example(data=b"can't", size=1)
@example(data="a。\u201d b".encode(), size=1)
@settings(max_examples=120)
def test_block_by_block_is_as_all_at_once(units: Units, data: bytes, size: int) -> None:
    at_once = units.split(data)
    pieces: list[bytes] = []
    ids: list[int] = []
    parts = list(split_corpus(Corpus.from_text(data), units, size))
    for part in parts:
        pieces += part.split.pieces(part.data)
        ids += part.split.ids.tolist()
    assert pieces == at_once.pieces(data)
    assert ids == at_once.ids.tolist()
    assert [part.continues for part in parts] == [False, *(part.unfinished for part in parts[:-1])]
    assert not parts[-1].unfinished
    assert sum(len(part.ends) for part in parts) == 1


@pytest.mark.parametrize("units", EVERY, ids=name_of)
@given(documents=st.lists(texts(20), max_size=5), size=st.sampled_from([1, 3, 8, 64]))
@settings(max_examples=40)
def test_streams_of_documents(units: Units, documents: list[bytes], size: int) -> None:
    expected = [units.split(document).ids.tolist() for document in documents]
    found: list[list[int]] = []
    offset = 0
    for part in split_corpus(Corpus.from_documents(documents), units, size):
        assert part.offset == offset
        offset += len(part.data)
        for j in range(len(part.split.bounds) - 1):
            ids = part.split.ids[part.split.bounds[j] : part.split.bounds[j + 1]].tolist()
            if j == 0 and part.continues:
                found[-1] += ids
            else:
                found.append(ids)
    assert found == expected


def test_a_unit_longer_than_many_blocks_takes_linear_time() -> None:
    data = b"x" * (1 << 20)
    parts = list(split_corpus(Corpus.from_text(data), Words(), 64))  # 16,384 blocks; a quadratic way would copy 8 GB
    assert [len(part.split) for part in parts] == [1]


@pytest.mark.parametrize("size", [1 << 16, 1 << 18, 1 << 20])
@pytest.mark.parametrize("tail", [b"", b" ", b" or not\n", b"\nor not " * 9])
def test_a_unit_has_a_longest_size_however_the_text_arrives(size: int, tail: bytes) -> None:
    most = Words.longest
    assert most is not None
    for docs in ("file", "line"):
        unit = b"x" * (most - min(1, len(tail)))  # a word and the white space behind it
        fits = Corpus.from_text(b"to be " + unit + tail, docs=docs)
        assert sum(len(part.data) for part in split_corpus(fits, Words(), size)) == 6 + len(unit) + len(tail)
        longer = Corpus.from_text(b"to be x" + unit + tail, docs=docs)
        with pytest.raises(RecordError, match=r"from byte \d on: one of its words has 2,\d+,\d+ bytes or more"):
            list(split_corpus(longer, Words(), size))


def test_a_grapheme_without_end_is_refused() -> None:
    graphemes = units_of("graphemes")
    with pytest.raises(RecordError, match="one of its graphemes"):
        list(split_corpus(Corpus.from_text(("e" + "\u0301" * 1_100_000).encode()), graphemes))
    whole = Whole(Words())  # documents that must be there whole are as long as they are
    assert [len(part.split) for part in split_corpus(Corpus.from_text(b"x" * (3 << 20)), whole)] == [1]


@given(
    files=st.lists(st.lists(st.text("ab \n", max_size=6), max_size=3), min_size=1, max_size=4),
    size=st.sampled_from([1, 2, 5, 64]),
)
@settings(max_examples=60)
def test_files_are_cut_apart(tmp_path_factory: pytest.TempPathFactory, files: list[list[str]], size: int) -> None:
    folder = tmp_path_factory.mktemp("files")
    for number, rows in enumerate(files):
        (folder / f"{number}.jsonl").write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    corpus = Corpus(folder)
    found: list[list[str]] = []
    text, ends = "", 0
    offset = 0
    for block, begins in cut_by_file(cut_corpus(corpus, Words(), size), corpus):
        assert block.offset == offset
        assert not (begins and block.continues)
        offset += len(block.data)
        if begins:
            found.append([])
        start = 0
        for end in block.ends.tolist():
            found[-1].append(text + block.data[start:end].decode())
            text, start, ends = "", end, ends + 1
        text += block.data[start:].decode()
        assert bool(text) <= block.unfinished
    assert found == [rows for rows in files if rows]
