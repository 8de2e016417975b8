"""overlap(): coverage against a naive twin, sources, self-duplication, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import InputError, RangeError
from bitmeter.measure.overlap import run
from bitmeter.measure.overlap.run import default_length

TEXTS = st.lists(st.text("ab ", max_size=16).map(str.encode), min_size=1, max_size=4)


def naive_coverage(texts: list[bytes], corpus: list[bytes], length: int, own: bool = False) -> list[int]:
    """By all substrings of `length` bytes: a byte is covered if one of those around it stands in the corpus."""
    result = []
    for number, text in enumerate(texts):
        inside = [False] * len(text)
        for place in range(len(text) - length + 1):
            part = text[place : place + length]
            found = any(
                document[start : start + length] == part
                for other, document in enumerate(corpus)
                for start in range(len(document))
                if not (own and (other, start) == (number, place))
            )
            if found:
                inside[place : place + length] = [True] * length
        result.append(sum(inside))
    return result


@given(TEXTS, TEXTS, st.integers(1, 6))
def test_coverage_is_that_of_a_naive_search(texts: list[bytes], corpus: list[bytes], length: int) -> None:
    found = bm.overlap(bm.Corpus.from_documents(texts), bm.Corpus.from_documents(corpus), length=length)
    assert found.document_covered.tolist() == naive_coverage(texts, corpus, length)
    assert dict(found.curve)[length] == found.covered == sum(found.document_covered.tolist())
    assert sum(source.units for source in found.sources) == found.covered
    assert found.units == found.bytes == sum(map(len, texts))
    for match in found.matches:
        text = texts[int(match.document.rpartition(":")[2]) - 1]
        source = corpus[int(match.source.rpartition(":")[2]) - 1]
        part = text[match.offset : match.offset + match.bytes]
        assert len(part) == match.bytes >= length
        assert source[match.source_offset : match.source_offset + match.bytes] == part


@given(TEXTS, st.integers(1, 6))
def test_duplication_is_that_of_a_naive_search(texts: list[bytes], length: int) -> None:
    found = bm.overlap(bm.Corpus.from_documents(texts), length=length)
    assert found.document_covered.tolist() == naive_coverage(texts, texts, length, own=True)
    assert found.corpus == ""


@given(TEXTS, TEXTS)
def test_figures_do_not_depend_on_batches_or_threads(texts: list[bytes], corpus: list[bytes]) -> None:
    whole = bm.overlap(bm.Corpus.from_documents(texts), bm.Corpus.from_documents(corpus), length=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "_BATCH", 3)
        small = bm.overlap(bm.Corpus.from_documents(texts), bm.Corpus.from_documents(corpus), length=2, threads=2)
        own = bm.overlap(bm.Corpus.from_documents(texts), length=2)
    assert whole.to_dict()["by_document"] == small.to_dict()["by_document"]
    assert (whole.curve, whole.sources) == (small.curve, small.sources)
    assert own.rows() == bm.overlap(bm.Corpus.from_documents(texts), length=2).rows()


def test_words_and_tokens() -> None:
    corpus = bm.Corpus.from_documents(["the quick brown fox jumps over the lazy dog"])
    text = b"see the quick  brown fox jumps over a log"
    found = bm.overlap(text, corpus, unit="words", length=3)
    # Two spaces end the match: "brown fox jumps over" is the only one of three words or more.
    assert (found.units, found.covered, found.unit) == (9, 4, "words")
    tokenizer = Path(__file__).parents[2] / "parity" / "tiny" / "tokenizer.json"
    tokens = bm.overlap(text, corpus, unit=f"tokenizer:{tokenizer}", length=3)
    assert 0 < tokens.covered < tokens.units
    assert default_length("chars") == 50


def test_an_index_or_its_file_is_a_corpus(tmp_path: Path) -> None:
    index = bm.OverlapIndex.build(b"to be or not to be", tmp_path / "i.bmi")
    for corpus in (index, tmp_path / "i.bmi", str(tmp_path / "i.bmi")):
        assert bm.overlap(b"or not", corpus, length=3).coverage == 1.0
    # In itself: only "to be" stands twice.
    assert bm.overlap(index, length=5).covered == 10
    assert bm.overlap(tmp_path / "i.bmi", length=5).covered == 10


def test_ties_go_to_the_first_document_and_matches_do_not_overlap() -> None:
    corpus = bm.Corpus.from_documents(["xx abcdef", "abcdef yy", "uvw abcd"])
    found = bm.overlap(b"abcdef-uvw abcd", corpus, length=4)
    assert [(match.source, match.source_offset) for match in found.matches] == [("documents:3", 0), ("documents:1", 3)]
    assert found.document_sources == ("documents:3",)
    assert [source.units for source in found.sources] == [8, 6]
    assert bm.overlap(b"abcdef", corpus, length=4, top=0).matches == ()


def test_refusals() -> None:
    with pytest.raises(InputError, match="in_docs"):
        bm.overlap(b"x", in_docs="line")
    with pytest.raises(RangeError):
        bm.overlap(b"x", b"y", length=0)
    with pytest.raises(InputError, match="units is"):
        bm.overlap(b"x", b"y", unit="nothing")
    assert bm.overlap(b"", b"y").coverage == 0.0


def test_several_processes_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In many batches, joined in their order; the oracle is one process."""
    monkeypatch.setattr("bitmeter.measure.overlap.run._BATCH", 500)
    text, corpus = tmp_path / "text.txt", tmp_path / "corpus.txt"
    text.write_text("".join(f"to be or not to be {number}\n" for number in range(200)))
    corpus.write_text("".join(f"or not to be {number * 3}, that is the question\n" for number in range(90)))
    keywords: dict[str, Any] = {"docs": "line", "in_docs": "line", "length": 12}
    one, two = bm.overlap(text, corpus, **keywords), bm.overlap(text, corpus, workers=2, **keywords)
    assert one.covered > 0
    for name in ("covered", "units", "curve", "names", "matches", "sources", "document_sources", "longest"):
        assert getattr(two, name) == getattr(one, name), name
    assert two.document_covered.tolist() == one.document_covered.tolist()
    with pytest.raises(InputError, match="by one process"):
        bm.overlap(text, docs="line", workers=2)
