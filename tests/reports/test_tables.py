"""Tables of scores, comparisons and traces, cell by cell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

import bitmeter as bm
from bitmeter.reports.tables import comparison_table, plain_table, score_table, trace_table, visible

LINES = b"".join(b"line %d of a small text\n" % i for i in range(20))


def cells(table: Table) -> dict[str, list[str]]:
    return {str(column.header): [str(cell) for cell in column.cells] for column in table.columns}


def test_markup_in_a_cell_is_text() -> None:
    assert cells(plain_table([("[bold]", "left")], [["[red]x[/red]"]])) == {"[bold]": ["[red]x[/red]"]}


def test_scores_of_one_text_and_of_several() -> None:
    one = cells(score_table([bm.score(model, LINES) for model in ("uniform", "kt")]))
    assert list(one) == ["model", "bits/byte", "ppl/word", "ppl/token", "docs", "bytes", "signature"]
    assert one["model"] == ["uniform:256", "kt"]
    assert one["ppl/token"][0] == "256.0"
    texts = [bm.Corpus.from_text(LINES, name=name) for name in ("a/x", "b/x")]
    assert cells(score_table([bm.score("kt", text) for text in texts]))["text"] == ["a/x", "b/x"]


def test_the_figures_of_a_tool_have_columns() -> None:
    found = cells(score_table([bm.score(model, LINES, like="lm-eval", ctx="full") for model in ("uniform", "kt")]))
    assert found["byte_perplexity"][0] == "256"
    assert "ppl/token" not in found


def test_a_comparison_has_the_columns_that_are_known() -> None:
    documents = bm.Corpus.from_documents([b"a" * (20 + 7 * i % 5) + b"b" * (3 * i % 4) for i in range(20)])
    full = cells(comparison_table(bm.compare("uniform", bm.Distribution({"a": 0.8, "b": 0.2}), on=documents)))
    assert list(full) == ["model", "bits/byte", "Δ [95 %]", "p", "e", "better on"]
    assert full["Δ [95 %]"][0] == "baseline"
    assert full["p"] == ["", "<.001"]
    assert full["better on"] == ["", "20/20"]
    totals = cells(comparison_table(bm.compare("uniform", "zlib", on=LINES)))
    assert list(totals) == ["model", "bits/byte", "Δ [95 %]"]


def test_a_trace_with_and_without_details() -> None:
    q = bm.Conditional({"a": {"a": 0.5, "b": 0.5}, "b": {"a": 1.0}}, start="a")
    plain = cells(trace_table(list(bm.score(q, b"ab").trace)))
    assert plain == {"bits": ["1.000", "1.000"], "unit": ["a", "b"], "bytes": ["0–1", "1–2"]}
    detailed = cells(trace_table(list(bm.score(q, b"ab\n"[:2], alternatives=1).trace)))
    assert detailed["rank"] == ["1", "1"]
    assert detailed["most likely"] == ["'a' 0.5", "'a' 0.5"]
    several = cells(trace_table(list(bm.score("uniform", b"a\nb", docs="line").trace)))
    assert several["document"] == ["0", "0", "1"]


def test_an_impossible_unit_and_a_long_one() -> None:
    infinite = cells(trace_table(list(bm.score(bm.Distribution({"a": 1.0}), b"b").trace)))
    assert infinite["bits"] == ["∞"]
    long = bm.score("uniform:10", b"x" * 60).trace.group("document")
    assert cells(trace_table(list(long)))["unit"] == ["x" * 47 + "…"]


@pytest.mark.parametrize(
    ("unit", "text"),
    [(b"a\\", r"a\\"), (b"\n\t", r"\n\t"), (b"\xff", r"\xff"), ("\u200b".encode(), r"\u200b"), ("né".encode(), "né")],
)
def test_invisible_characters_are_escaped(unit: bytes, text: str) -> None:
    assert visible(unit) == text


@given(st.binary(max_size=20), st.binary(max_size=20))
def test_what_is_shown_tells_units_apart(a: bytes, b: bytes) -> None:
    assert (visible(a) == visible(b)) == (a == b)
    assert visible(a).isprintable()
