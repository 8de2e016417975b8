"""Document boundaries: ends as units, whole documents, and lines as sentences."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.errors import InputError
from bitmeter.text.blocks import split_corpus
from bitmeter.text.boundaries import Whole, insert_ends, sentences_of, with_ends
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import BLANK, Split, Units
from bitmeter.text.units.plain import Bytes
from bitmeter.text.units.words import Words
from tests.text.helpers import EVERY, data_of, name_of

END = 99

# ---- ends ------------------------------------------------------------------------------------------------------------


def by_hand(
    documents: list[list[int]], finished: int, *, keep_blank: bool, shown: bool
) -> tuple[list[list[int]], list[list[bool]]]:
    """The rule, document by document: ids with ends, and which are blank."""
    ids, blanks = [], []
    for number, document in enumerate(documents):
        blank = document == [BLANK]
        found = [END] if blank and not keep_blank else list(document)
        is_blank = [blank and keep_blank] * len(found)
        if number < finished and not blank and not (shown and found[-1:] == [END]):
            found, is_blank = [*found, END], [*is_blank, False]
        ids.append(found)
        blanks.append(is_blank)
    return ids, blanks


DOCUMENTS = st.lists(
    st.one_of(st.just([BLANK]), st.lists(st.sampled_from([1, 2, 3, END]), max_size=4)), min_size=1, max_size=5
)


@given(documents=DOCUMENTS, unfinished=st.booleans(), keep_blank=st.booleans(), shown=st.booleans())
def test_ends_are_inserted_as_by_hand(
    documents: list[list[int]], unfinished: bool, keep_blank: bool, shown: bool
) -> None:
    finished = len(documents) - unfinished
    ids = np.array([*itertools.chain(*documents)], dtype=np.int32)
    bounds = np.cumsum([0, *map(len, documents)])
    blank = ids == BLANK
    expected, blanks = by_hand(documents, finished, keep_blank=keep_blank, shown=shown)
    found, grown, inserted = insert_ends(ids, bounds, blank, finished, END, keep_blank=keep_blank, shown=shown)
    assert found.tolist() == [*itertools.chain(*expected)]
    assert grown.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    assert len(found) == len(ids) + len(inserted)
    assert bounds.tolist() == np.cumsum([0, *map(len, documents)]).tolist()  # what was given is not changed
    # As a split, each unit one byte: an end has no bytes, and the others keep theirs.
    split = Split(ids, np.arange(len(ids) + 1), bounds)
    ended, is_blank = with_ends(split, blank, finished, END, keep_blank=keep_blank, shown=shown)
    assert (ended.ids.tolist(), ended.bounds.tolist()) == (found.tolist(), grown.tolist())
    assert is_blank.tolist() == [*itertools.chain(*blanks)]
    sizes = np.diff(ended.cuts)
    assert (np.flatnonzero(sizes == 0) == inserted + np.arange(len(inserted))).all()
    assert sizes.sum() == len(ids)


@given(texts=st.lists(st.sampled_from(["to be", " ", "", "or\n", "\n"]), min_size=1, max_size=5))
@settings(max_examples=40)
def test_every_document_of_words_ends_once(texts: list[str]) -> None:
    words = Words(vocabulary=["to", "be", "or"])
    for part in split_corpus(Corpus.from_documents(texts), words):
        ended, blank = with_ends(part.split, words.blank(part.split), len(part.ends), END, keep_blank=False)
        assert not blank.any()
        assert (ended.ids == END).sum() == len(texts) == len(ended.bounds) - 1
        assert (ended.ids[ended.bounds[1:] - 1] == END).all()


# ---- whole documents -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("units", EVERY, ids=name_of)
def test_whole_units_are_the_same_but_never_cut(units: Units) -> None:
    whole = Whole(units)
    documents = ["to be, or not to be", "", " ", "né"]
    assert whole == units
    assert whole.cut(b"to be or not to be") == 0
    parts = list(split_corpus(Corpus.from_documents(documents), whole, size=3))
    assert not any(part.continues or part.unfinished for part in parts)
    pairs = [(part.split.ids, whole.blank(part.split)) for part in parts]
    at_once = units.split("".join(documents).encode(), np.cumsum([len(text.encode()) for text in documents]))
    assert np.concatenate([ids for ids, _ in pairs]).tolist() == at_once.ids.tolist()
    assert np.concatenate([blank for _, blank in pairs]).tolist() == units.blank(at_once).tolist()
    declared = (whole.name, whole.joins, whole.vocabulary_size, whole.token_bytes)
    assert declared == (units.name, units.joins, units.vocabulary_size, units.token_bytes)


def test_whole_units_join_as_the_units_do() -> None:
    assert Whole(Bytes()).join([104, 105]) == b"hi"


# ---- sentences -------------------------------------------------------------------------------------------------------

TEXT = b"to be\n\nor not\nto be"
LINES = [b"to be\n", b"\n", b"or not\n", b"to be"]


def test_lines_are_sentences_unless_the_caller_or_the_source_says_otherwise(tmp_path: Path) -> None:
    plain, rows = tmp_path / "text.txt", tmp_path / "rows.jsonl"
    plain.write_bytes(TEXT)
    rows.write_text("".join(json.dumps({"text": line, "other": "x"}) + "\n" for line in ("one\ntwo", "three")))
    for source in (TEXT, bytearray(TEXT), memoryview(TEXT), plain, str(plain), [plain]):
        assert data_of(sentences_of(source)) == LINES
        assert data_of(sentences_of(source, docs="file")) == [TEXT]
    assert sentences_of(plain).docs == "line"
    assert data_of(sentences_of(rows)) == [b"one\ntwo", b"three"]
    assert data_of(sentences_of(rows, field="other")) == [b"x", b"x"]
    assert data_of(sentences_of(rows, docs="joined-line")) == [b"one\ntwo\nthree"]


def test_a_stream_is_not_read_to_find_its_sentences() -> None:
    class Pipe:
        name = "pipe"
        left = TEXT

        def read(self, size: int) -> bytes:
            block, self.left = self.left[:size], self.left[size:]
            return block

    pipe: Any = Pipe()
    assert data_of(sentences_of(pipe)) == LINES


def test_a_corpus_keeps_its_documents() -> None:
    corpus = Corpus.from_documents(["one\ntwo"])
    assert sentences_of(corpus) is corpus
    with pytest.raises(InputError, match="knows its documents already"):
        sentences_of(corpus, docs="line")


def test_texts_and_rows_together_have_no_sentences(tmp_path: Path) -> None:
    plain, rows = tmp_path / "a text.txt", tmp_path / "rows.jsonl"
    plain.write_bytes(TEXT)
    rows.write_text('{"text": "x"}\n')
    with pytest.raises(InputError, match=f"plain text and {rows} holds rows, each of which is a document") as caught:
        sentences_of([plain, rows])
    assert str(caught.value).endswith(f"""jq -cR '{{"text": .}}' '{plain}' > lines.jsonl""")
    with pytest.raises(InputError, match="can be the boundaries of one of them only"):
        Corpus([plain, rows], docs="record")
    # What jq makes of the lines are sentences beside the rows.
    lines = tmp_path / "lines.jsonl"
    lines.write_text("".join(json.dumps({"text": line}) + "\n" for line in TEXT.decode().splitlines()))
    assert sentences_of([lines, rows]).docs == "record"
