"""Statistics of documents as text."""

from __future__ import annotations

import bitmeter as bm
from bitmeter.reports.membership import describe_statistics


def test_means_documents_and_the_null() -> None:
    texts = bm.Corpus.from_documents(
        [f"text number {i} of many" for i in range(25)], name="a long name of a corpus " * 4
    )
    null = bm.Corpus.from_documents([f"null {i}" * 3 for i in range(10)])
    found = bm.text_statistics("kt", texts, at="min-k,min-k++,zlib", null=null)
    text = describe_statistics(found)
    assert "and 5 more documents" in text
    assert "10 null documents" in text
    assert max(map(len, text.splitlines()[1:])) <= 80
    assert "quantile" in text
