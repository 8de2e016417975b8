"""Windows against slow twins that follow each tool's own description step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.errors import BitmeterError, ModelError
from bitmeter.models.windows import Plan, Windowing, context_in_words, parse_context, plan_windows, settle_windowing


def answers(plan: Plan, size: int) -> list[tuple[int, int] | None]:
    """For each token the window that is seen when it is predicted, as (start, led); None for one that is left out."""
    found: list[tuple[int, int] | None] = [None] * size
    for start, first, stop, led in zip(plan.start, plan.first, plan.stop, plan.led, strict=True):
        for place in range(int(first), int(stop)):
            assert found[place] is None, "a token is scored at most once"
            found[place] = (int(start), int(led))
    return found


def sliding_twin(size: int, window: int, stride: int, led: int) -> list[tuple[int, int] | None]:
    found: list[tuple[int, int] | None] = [None] * size
    begin = done = 0
    while done < size:
        end = min(begin + window - led, size)
        for place in range(done, end):
            if led or place > begin:
                found[place] = (begin, led)
        done, begin = end, begin + stride
    return found


def rolling_twin(size: int, window: int) -> list[tuple[int, int] | None]:
    """lm-eval: the first window holds `window` tokens behind the prefix; later ones reach back to hold one more."""
    found: list[tuple[int, int] | None] = [None] * size
    done = min(window, size)
    for place in range(done):
        found[place] = (0, 1)
    while done < size:
        end = min(done + window, size)
        for place in range(done, end):
            found[place] = (end - window - 1, 0)
        done = end
    return found


def half_twin(size: int, window: int, led: int) -> list[tuple[int, int] | None]:
    """llama.cpp: chunks of the list with BOS before it; BOS overwrites the first of each; logits from the middle on."""
    found: list[tuple[int, int] | None] = [None] * size
    for chunk in range((size + led) // window):
        for place in range(window // 2, window - 1):
            token = chunk * window + place + 1 - led
            found[token] = (chunk * window, led)
    return found


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 60), st.integers(4, 20), st.integers(1, 20), st.booleans())
def test_windows_are_those_of_their_twins(size: int, window: int, stride: int, led: bool) -> None:
    bounds = np.array([0, size])
    prefix = 0 if led else None
    stride = min(stride, window - led)
    sliding = plan_windows(Windowing("sliding", window, stride, prefix), bounds)
    assert answers(sliding, size) == sliding_twin(size, window, stride, led)
    assert answers(plan_windows(Windowing("half", window, 0, prefix), bounds), size) == half_twin(size, window, led)
    if led:
        assert answers(plan_windows(Windowing("rolling", window, 0, 0), bounds), size) == rolling_twin(size, window)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=5), st.sampled_from(["7.3", "disjoint.6", "rolling.5", "auto"])
)
def test_by_default_every_token_is_scored_once(sizes: list[int], ctx: str) -> None:
    bounds = np.cumsum([0, *sizes])
    plan = plan_windows(settle_windowing(ctx, 9, 0, "m"), bounds)
    assert not plan.skipped(int(bounds[-1])).any()
    assert int((plan.stop - plan.first).sum()) == bounds[-1]
    inside = np.searchsorted(bounds, plan.start, side="right") == np.searchsorted(bounds, plan.stop - 1, side="right")
    assert inside.all(), "no window reaches into another document"


@pytest.mark.parametrize("ctx", ["", "512", "0.0", "5.6", "half.0", "rolling.x", "1.2.3", None, 7, "99999999999.1"])
def test_nonsense_is_refused(ctx: Any) -> None:
    with pytest.raises(BitmeterError):
        parse_context(ctx)


def test_what_a_model_cannot_do_is_said() -> None:
    with pytest.raises(ModelError, match="sees 64 tokens at once, so a window of 128"):
        settle_windowing("128.64", 64, None, "m")
    with pytest.raises(ModelError, match="needs a window"):
        settle_windowing("rolling", None, None, "m")
    with pytest.raises(ModelError, match="has 9 tokens, but m sees 8"):
        plan_windows(settle_windowing("full", 8, None, "m"), np.array([0, 9]), "m")
    with pytest.raises(ModelError, match="no room"):
        settle_windowing("8.8", 8, 0, "m")


def test_contexts_in_words() -> None:
    assert context_in_words("full").startswith(
        "all of the document before is seen; by a model that learns as it reads, all documents"
    )
    assert "1,024 tokens, each 512 further" in context_in_words("1024.512")
    assert context_in_words("nonsense") == ""
    for ctx in ("auto", "disjoint", "rolling", "half", "rolling.5"):
        assert context_in_words(ctx)


# ---- answers ---------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=6),
    st.integers(4, 9),
    st.sampled_from(["sliding", "rolling"]),
    st.booleans(),
)
def test_answers_are_scored_once_with_all_context_that_fits(
    sizes: list[tuple[int, int]], window: int, kind: str, led: bool
) -> None:
    from bitmeter.models.windows import plan_answers

    bounds = np.concatenate(([0], np.cumsum([a + b for a, b in sizes]))).astype(np.int64)
    context = np.array([a for a, _ in sizes])
    windowing = Windowing(kind, window, max(1, window // 2), 0 if led else None)
    plan = plan_answers(windowing, bounds, context)
    scored = np.zeros(bounds[-1], dtype=np.int64)
    for first, stop in zip(plan.first, plan.stop, strict=True):
        scored[first:stop] += 1
    for j, (a, b) in enumerate(sizes):
        begin = int(bounds[j])
        assert not scored[begin : begin + a].any()
        # Without a token before a text, the first of all cannot be predicted.
        unpredicted = 0 if led or a else min(1, b)
        assert scored[begin + a + unpredicted : begin + a + b].tolist() == [1] * (b - unpredicted)
        own = plan.document == j
        room = window + (kind == "rolling")
        if b and own.sum() == 1 and a + b + led > room:
            assert int(plan.stop[own][0] - plan.start[own][0]) + led == room  # as much context as fits
    assert (plan.stop - plan.start + (led & plan.led) <= window + (kind == "rolling")).all()


def test_bos_stands_before_an_answer_without_a_context() -> None:
    from bitmeter.models.windows import plan_answers

    bounds, context = np.array([0, 3, 6]), np.array([0, 2])
    windowing = Windowing("rolling", 8, 0, 7, "pair")
    assert plan_answers(windowing, bounds, context).led.tolist() == [True, False]
    assert plan_answers(windowing, bounds, context, adds_bos=True).led.tolist() == [True, True]
