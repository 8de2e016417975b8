"""Input as other libraries and careless callers make it: read as what it is, or refused by a typed error."""

from __future__ import annotations

import array
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa
import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, InputError, InputTypeError, NotFiniteError, RangeError, ShapeError

P = [0.25, 0.25, 0.5]
COIN = bm.Distribution({"a": 0.5, "b": 0.5})

#: More digits than Python is willing to print: a message that shows it plainly would raise ValueError.
HUGE = 10**5000


@pytest.mark.parametrize(
    "p",
    [
        pd.Series(P, index=list("xyz")),
        pa.array(P),
        pa.chunked_array([P[:1], P[1:]]),
        array.array("d", P),
        memoryview(array.array("d", P)),
        np.array(P, dtype=">f8"),
        np.array([0.25, 9, 0.25, 9, 0.5, 9])[::2],
        np.ma.array(P),
    ],
    ids=lambda p: type(p).__name__,
)
def test_numbers_of_other_libraries_are_numbers(p: Any) -> None:
    assert bm.entropy(p) == 1.5
    assert bm.Distribution(p).entropy == 1.5


@pytest.mark.parametrize(
    "data",
    [
        pd.Series(list("abba")),
        pd.Categorical(list("abba")),
        pa.array(list("abba")),
        pa.chunked_array([["a", "b"], ["b", "a"]]),
        np.array(list("abba")),
    ],
    ids=lambda data: type(data).__name__,
)
def test_labels_of_other_libraries_equal_plain_ones(data: Any) -> None:
    # Items of a pyarrow array equal nothing but themselves: gone through one by one they would all be impossible.
    assert bm.cross_entropy(data, COIN) == 1.0
    assert bm.Distribution.from_data(data) == COIN


def test_a_table_is_not_a_sequence_of_its_column_names() -> None:
    with pytest.raises(ShapeError, match="shape"):
        bm.Distribution.from_data(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))


def test_masked_entries_are_not_read_through_their_mask() -> None:
    with pytest.raises(InputError, match="compressed"):
        bm.entropy(np.ma.array([1, 2, 7], mask=[False, False, True]), of="counts")


@pytest.mark.parametrize("data", [[np.float32("nan"), 1.0], pa.array([1.5, None]), pd.Series(["a", None])])
def test_what_is_missing_is_no_symbol(data: Any) -> None:
    with pytest.raises(NotFiniteError, match="NaN"):
        bm.Distribution.from_data(data)


def test_floats_of_other_libraries_against_labels_must_be_explained() -> None:
    for p in (pd.Series([0.5, 0.5]), pa.array([0.5, 0.5]), array.array("d", [0.5, 0.5])):
        with pytest.raises(InputTypeError, match="of='probabilities'"):
            bm.cross_entropy(p, COIN)


def test_a_distribution_is_not_compared_entry_by_entry() -> None:
    assert (np.array([1.0, 2.0, 3.0]) == COIN) is False
    assert bm.Distribution([0.5, 0.5]) != np.array([0, 1])


class Broken:
    """Everything that Python asks of it fails."""

    def __iter__(self) -> Iterator[int]:
        yield 1
        raise RuntimeError("broken")

    def __hash__(self) -> int:
        raise RuntimeError("broken")

    def __float__(self) -> float:
        raise RuntimeError("broken")

    def __index__(self) -> int:
        raise RuntimeError("broken")

    def __repr__(self) -> str:
        raise RuntimeError("broken")


class BrokenArray:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("broken")


#: A buffer of two axes; Python goes through neither these nor hashes them.
TABLE = memoryview(np.full((2, 2), -1.0).data)
CHAIN = bm.Markov([[0.9, 0.1], [0.3, 0.7]])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: bm.entropy(x),
        lambda x: bm.entropy([x, 1]),
        lambda x: bm.entropy(x, of="samples"),
        lambda x: bm.entropy([[x]], of="samples"),
        lambda x: bm.information([x]),
        lambda x: bm.Distribution.uniform(x),
        lambda x: bm.Distribution({"a": x}),
        lambda x: COIN.sample(x),
        lambda x: COIN[x],
        lambda x: bm.Conditional({"a": {"a": 1.0}})[x],
        lambda x: bm.Mixture(x),
        lambda x: CHAIN.sample(x),
        lambda x: CHAIN.sample(5, paths=x),
        lambda x: CHAIN.block_entropy(x),
        lambda x: bm.Markov.fit("abab", order=x),
        lambda x: bm.converge(CHAIN, x),
        lambda x: bm.typical_set(CHAIN, x, 0.1),
        lambda x: bm.estimate_entropy("ab", "nsb", alphabet_size=x),
        lambda x: bm.estimate_rate("abab", depth=x),
        lambda x: bm.typewriter(x),
    ],
)
@pytest.mark.parametrize("value", [Broken(), BrokenArray(), HUGE, -HUGE, TABLE], ids=lambda v: type(v).__name__)
def test_hostile_objects_raise_typed_errors_alone(call: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(BitmeterError):
        call(value)


def test_labels_too_long_to_print_do_not_stop_a_result_from_printing() -> None:
    chain = bm.Markov([[1, 0], [0, 1]], labels=[HUGE, 1])
    assert "int whose str raises ValueError" in str(chain.is_ergodic)
    assert "ValueError" in repr(bm.Distribution({HUGE: 0.5, 1: 0.5}))
    assert "ValueError" in str(bm.explain_infinite([HUGE], COIN))


def test_messages_stay_on_one_line() -> None:
    with pytest.raises(InputTypeError) as caught:
        bm.entropy(pd.Series(["a", "b"]))
    assert "\n" not in str(caught.value)


def test_sums_beyond_a_double_are_infinite_not_nan() -> None:
    with pytest.raises(BitmeterError, match="sums to inf"):
        bm.entropy([1e308] * 3, normalise=True)
    with pytest.raises(RangeError, match="sums to inf"):
        bm.Distribution.from_counts([1e308] * 3)


def test_counts_are_called_counts() -> None:
    with pytest.raises(BitmeterError, match=r"counts\[1\] is -1.0; a count cannot be negative"):
        bm.Distribution.from_counts([1, -1])
