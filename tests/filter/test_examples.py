"""Documents at the deciles."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.filter.examples import examples_of
from bitmeter.filter.histogram import Histogram
from bitmeter.filter.records import Fields
from tests.filter.made import write_jsonl


def test_examples_are_the_documents_that_they_say(tmp_path: Path) -> None:
    # Under the uniform model a document of n bytes costs n bytes: the value of "bytes" is known.
    texts = [["abc", "a", ""], ["abcdefg" * 60, "ab"]]
    for number, part in enumerate(texts):
        write_jsonl(tmp_path / f"{number}.jsonl", [{"text": text} for text in part])
    found = bm.filter_corpus("uniform", [tmp_path / "0.jsonl", tmp_path / "1.jsonl"], dry_run=True, by="bytes", max=2)
    values = sorted(len(text) for part in texts for text in part)
    # Rank ceil(k/10 · 5) of five values, the first for k = 0.
    assert [one.value for one in found.examples] == [values[max(1, -(-5 * k // 10)) - 1] for k in range(11)]
    for one in found.examples:
        part = texts[0] if one.file.endswith("0.jsonl") else texts[1]
        assert part[one.row - 1][:200] == one.text
        assert len(part[one.row - 1]) == one.value
    assert found.share("kept").documents == 3


def test_without_documents_there_are_none() -> None:
    assert examples_of([], [], Histogram(), Fields()) == []


@pytest.mark.parametrize("content", ["", "broken\n"])
def test_a_corpus_without_documents(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.jsonl").write_text(content)
    found = bm.filter_corpus("kt", tmp_path / "a.jsonl", dry_run=True, keep="30%")
    assert (found.documents, found.examples, found.bad) == (0, (), bool(content))
    assert str(found)
