from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.measure.conventions.filters.documents import SingleSums, document_figures, rounded_perplexities
from tests.measure.made import documents_of, made_score

LN10 = math.log(10.0)


def test_the_formula() -> None:
    # 10^(cost in hartleys / pieces and end), rounded to a decimal: 10^0.5, 10^2, and what is divided by nothing.
    found = rounded_perplexities(documents_of([LN10, 4.0 * LN10, 0.0, math.inf], [2, 2, 0, 3]))
    assert found.tolist() == [3.2, 100.0, math.inf, math.inf]


def test_the_sums_of_the_tool_go_first() -> None:
    documents = replace(documents_of([LN10, LN10], [1, 1]), tool=np.array([2.0, 3.0]))
    assert rounded_perplexities(documents).tolist() == [100.0, 1000.0]


def test_documents_without_pieces() -> None:
    score = made_score([LN10, 2.0 * LN10, 2.0 * LN10], [1, 2, 1])
    assert document_figures(score)["mean perplexity"] == pytest.approx(40.0)
    assert document_figures(score, without_pieces=0.0)["mean perplexity"] == pytest.approx(10.0 / 3.0)
    assert document_figures(score, leave_out=True) == {"perplexity": 10.0}
    assert document_figures(made_score([1.0], [1]), leave_out=True) == {"documents": 0.0}


def test_percentiles_are_those_of_the_documents() -> None:
    found = document_figures(made_score([k * LN10 for k in range(1, 12)], list(range(1, 12))))
    assert found == {
        "documents": 11.0, "mean perplexity": 10.0, "30th percentile": 10.0, "60th percentile": 10.0
    }  # fmt: skip
    infinite = document_figures(made_score([math.inf, math.inf], [1, 1]))
    assert infinite["30th percentile"] == math.inf


@given(st.lists(st.lists(st.floats(-40.0, 0.0), max_size=30), min_size=1, max_size=6), st.data())
def test_sums_are_single_from_left_to_right_wherever_a_text_is_cut(
    logs: list[list[float]], data: st.DataObject
) -> None:
    expected = []
    for document in logs:
        total = np.float32(0.0)
        for log in document:
            total = np.float32(total + np.float32(log / LN10))
        expected.append(float(-total) + 0.0)
    flat = np.array([log for document in logs for log in document], dtype=np.float64)
    ends = np.cumsum([len(document) for document in logs])
    sums, place, done = SingleSums(), 0, 0
    # A batch ends within a document, or at the end of one, or holds nothing.
    cuts = sorted(data.draw(st.lists(st.integers(0, len(flat)), max_size=8), "cuts"))
    for stop in [*cuts, len(flat)]:
        if done == len(logs):
            break
        inner = [int(end) for end in ends[done:] if end <= stop]
        closed = len(inner)
        unfinished = not inner or inner[-1] < stop
        bounds = np.array([place, *inner, *([stop] if unfinished else [])]) - place
        begun = place > (int(ends[done - 1]) if done else 0)
        sums.add(flat[place:stop], bounds, continues=begun, unfinished=unfinished)
        place, done = stop, done + closed
        if place == len(flat) and done < len(logs):
            rest = len(logs) - done
            begun = place > (int(ends[done - 1]) if done else 0)
            sums.add(flat[:0], np.zeros(rest + 1, dtype=np.int64), continues=begun, unfinished=False)
            break
    assert sums.finished().tolist() == expected
