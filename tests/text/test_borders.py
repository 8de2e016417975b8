"""Where answers begin: against the definition, unit by unit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.text.borders import answer_units, split_apart, without_contexts
from bitmeter.text.units.plain import Bytes
from bitmeter.text.units.words import Words

PAIRS = st.lists(st.tuples(st.text("ab \n", max_size=6), st.text("ab \n", max_size=6)), min_size=1, max_size=5)


def joined(pairs: list[tuple[str, str]]) -> tuple[bytes, np.ndarray, np.ndarray]:
    lengths = np.array([[len(a), len(b)] for a, b in pairs], dtype=np.int64)
    data = "".join(a + b for a, b in pairs).encode()
    return data, np.cumsum(lengths.sum(axis=1)), lengths[:, 0].copy()


@given(PAIRS)
def test_bytes_of_answers_are_their_units(pairs: list[tuple[str, str]]) -> None:
    data, ends, context = joined(pairs)
    split = Bytes().split(data, ends)
    for border in ("whole", "lm-eval"):
        found = answer_units(split, data, ends, context, Bytes(), border)
        own, own_ends, kept = without_contexts(split, ends, context, found.first)
        assert bytes(own.ids.astype(np.uint8)) == "".join(b for _, b in pairs).encode()
        assert own_ends.tolist() == np.cumsum([len(b) for _, b in pairs]).tolist()
        assert np.array_equal(split.ids[kept], own.ids)
        assert (found.across, found.unpaid) == (0, 0)


@given(PAIRS)
def test_words_against_the_definition(pairs: list[tuple[str, str]]) -> None:
    data, ends, context = joined(pairs)
    split = Words().split(data, ends)
    found = answer_units(split, data, ends, context, Words(), "whole")
    starts = [0, *ends[:-1].tolist()]
    for j, (begin, size) in enumerate(zip(starts, context.tolist(), strict=True)):
        edge = begin + size
        for unit in range(int(split.bounds[j]), int(split.bounds[j + 1])):
            a, b = split.cuts[unit], split.cuts[unit + 1]
            beyond = data[max(a, edge) : b]
            # A unit is the answer's if it begins behind the border, or has more than white space behind it.
            answers = a >= edge or bool(beyond.strip())
            assert (unit >= found.first[j]) == answers
    own, _, _ = without_contexts(split, ends, context, found.first)
    assert own.cuts[-1] == sum(len(b) for _, b in pairs)
    assert (np.diff(own.cuts) >= 0).all()


def test_a_word_across_the_border_is_the_answers() -> None:
    data = b"a sub" + b"class"
    found = answer_units(Words().split(data), data, np.array([10]), np.array([5]), Words(), "whole")
    assert (found.first.tolist(), found.across, found.unpaid) == ([1], 1, 0)


def test_white_space_behind_the_contexts_last_word_is_unpaid() -> None:
    data = b"a cat" + b"  sat"
    found = answer_units(Words().split(data), data, np.array([10]), np.array([5]), Words(), "whole")
    assert (found.first.tolist(), found.across, found.unpaid) == ([2], 0, 2)


@pytest.mark.parametrize(("context", "cuts"), [(0, [0, 4, 7]), (4, [0, 4, 7]), (5, [0, 4, 5, 7])])
def test_apart_has_a_cut_at_the_border(context: int, cuts: list[int]) -> None:
    split = split_apart(Words(), b"the cat", np.array([7]), np.array([context]))
    assert split.cuts.tolist() == cuts
    assert split.bounds.tolist() == [0, len(cuts) - 1]


def test_an_empty_answer_has_no_units() -> None:
    data = b"abc"
    split = Bytes().split(data)
    found = answer_units(split, data, np.array([3]), np.array([3]), Bytes(), "whole")
    own, ends, kept = without_contexts(split, np.array([3]), np.array([3]), found.first)
    assert (len(own), ends.tolist(), kept.tolist()) == (0, [0], [])
