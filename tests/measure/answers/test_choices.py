"""Choices: against the definition, ties, calibration, forms of labels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm

LETTERS = bm.NGram(order=3, units="bytes").fit(b"two and two is four\nthree and three is six\n" * 4)
ITEMS = [
    {"question": "two and two is", "choices": [" four", " nine"], "label": 0, "kind": "sum"},
    {"question": "three and three is", "choices": [" one", " six", " two"], "label": 1, "kind": "sum"},
    {"question": "a", "choices": ["b", "b"], "label": 0, "kind": "tie"},
]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.text("abc", max_size=4), st.lists(st.text("abc", min_size=1, max_size=4), min_size=2, max_size=4)),
        min_size=1, max_size=4,
    )
)  # fmt: skip
def test_against_the_definition(items: list[tuple[str, list[str]]]) -> None:
    rows = [{"question": q, "choices": choices, "label": len(choices) - 1} for q, choices in items]
    found = bm.choose(LETTERS, rows)
    for way, size in (("sum", lambda _: 1), ("byte", len), ("char", len), ("token", len)):
        right = ties = 0.0
        for q, choices in items:
            pair = [{"q": q, "a": choice} for choice in choices]
            score = bm.score(LETTERS, bm.Corpus.from_records(pair, field="a"), given="q")
            assert score.by_document is not None
            each = [n / size(c) for n, c in zip(score.by_document.nats.tolist(), choices, strict=True)]
            best = [value == min(each) for value in each]
            right += best[-1] / sum(best)
            ties += best[-1] and sum(best) > 1
        assert found.ways[way].accuracy.right == pytest.approx(right)
        assert found.ways[way].accuracy.ties == ties


def test_margins_groups_and_averages() -> None:
    found = bm.choose(LETTERS, ITEMS, group="kind")
    way = found.ways["sum"]
    assert way.accuracy.right == 2.5
    assert way.accuracy.ties == 1
    assert {name: group.share for name, group in way.by_group.items()} == {"sum": 1.0, "tie": 0.5}
    assert way.macro is not None
    assert way.macro.estimate == 0.75
    bits = found.nats / math.log(2)
    expected = [bits[1] - bits[0], min(bits[2], bits[4]) - bits[3], 0.0]
    assert way.margin is not None
    assert way.margin.estimate == pytest.approx(np.mean(expected))
    right = [0, 3, 5]
    sizes = np.array([5, 4, 1])
    assert found.micro is not None
    assert found.macro is not None
    assert found.micro.estimate == pytest.approx(bits[right].sum() / sizes.sum())
    assert found.macro.estimate == pytest.approx(np.mean(bits[right] / sizes))
    assert '"picked_by_sum": 1' in found.to_json()


def test_calibration_subtracts_the_prompt() -> None:
    found = bm.choose(LETTERS, ITEMS[:1], calibrate="is")
    alone = bm.choose(LETTERS, [{**ITEMS[0], "question": "is"}])
    plain = bm.choose(LETTERS, ITEMS[:1])
    assert "calibrated" not in plain.ways
    expected = (plain.nats[1] - alone.nats[1]) - (plain.nats[0] - alone.nats[0])
    margin = found.ways["calibrated"].margin
    assert margin is not None
    assert margin.estimate == pytest.approx(expected / math.log(2))


@pytest.mark.parametrize(
    ("choices", "label"), [(["x", "y"], 1), (["x", "y"], "y"), ({"text": ["x", "y"], "label": ["A", "B"]}, "B")]
)
def test_labels(choices: Any, label: Any) -> None:
    found = bm.choose("kt", [{"question": "q", "choices": choices, "label": label}])
    assert found.labels.tolist() == [1]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"choices": ["x", "y"], "label": 2}, "index of one of the 2 answers"),
        ({"choices": ["x", "y"], "label": True}, "index of one of the 2 answers"),
        ({"choices": ["x", "x"], "label": "x"}, "index of one of the 2 answers"),
        ({"choices": "xy", "label": 0}, "must be a list of answers"),
        ({"choices": ["x"], "label": 0}, "at least two answers"),
        ({"choices": ["x", ""], "label": 0}, "none of them empty"),
    ],
)
def test_refusals(item: dict[str, Any], message: str) -> None:
    with pytest.raises(bm.BitmeterError, match=message):
        bm.choose("kt", [{"question": "q", **item}])


def test_other_refusals() -> None:
    with pytest.raises(bm.BitmeterError, match="has no field 'question'"):
        bm.choose("kt", [{"q": "x", "choices": ["a", "b"], "label": 0}])
    with pytest.raises(bm.BitmeterError, match="it must be a prompt"):
        bm.choose("kt", ITEMS, calibrate=3)  # type: ignore[arg-type]
    with pytest.raises(bm.BitmeterError, match="whole text"):
        bm.choose("zstd", ITEMS)


def test_an_impossible_answer_loses() -> None:
    model = bm.Distribution({"a": 0.5, "b": 0.5})
    found = bm.choose(model, [{"question": "", "choices": ["a", "c"], "label": 0}], calibrate="")
    assert found.ways["sum"].accuracy.share == 1.0
    assert found.ways["sum"].margin is None
    assert "inf" in found.to_json()


@pytest.mark.parametrize(("label", "index"), [("1", 1), (1.0, 1), (" nine", 1), ("0", 0)])
def test_numbers_that_are_not_whole_ones_of_json_are_indices(label: object, index: int) -> None:
    found = bm.choose(LETTERS, [{**ITEMS[0], "label": label}, ITEMS[1]])
    assert found.labels.tolist() == [index, 1]
    assert any(f"such as {label!r}; it was taken as the index" in note for note in found.notes) == (label != " nine")


def test_a_label_that_is_an_answer_is_that_answer() -> None:
    found = bm.choose(LETTERS, [{"question": "1 + 1 is ", "choices": ["2", "0", "1"], "label": "1"}])
    assert found.labels.tolist() == [2]
    assert not any("index" in note for note in found.notes)


@pytest.mark.parametrize("label", ["2", 1.5, -1.0, "-1", "\u0661", math.inf, math.nan, True, "9" * 5000])
def test_other_numbers_are_no_labels(label: object) -> None:
    with pytest.raises(bm.BitmeterError, match="must be the index"):
        bm.choose(LETTERS, [{**ITEMS[0], "label": label}])
