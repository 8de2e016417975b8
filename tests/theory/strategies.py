"""Random distributions and tables for property tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from bitmeter.theory.estimators.entropy import estimate_entropy

_weights = st.one_of(st.just(0.0), st.floats(1e-6, 1.0), st.floats(1e-300, 1e-6), st.just(5e-324))


def normalised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(values / values.sum(axis=-1, keepdims=True))


@st.composite
def vectors(draw: st.DrawFn, length: int | None = None, *, positive: bool = False) -> NDArray[np.float64]:
    """A distribution, often with zeros and with probabilities of very different sizes."""
    size = draw(st.integers(1, 40)) if length is None else length
    weights = st.floats(1e-6, 1.0) if positive else _weights
    values = draw(hnp.arrays(np.float64, size, elements=weights))
    values[draw(st.integers(0, size - 1))] += 0.5
    return normalised(values)


@st.composite
def pairs(draw: st.DrawFn, *, positive: bool = True) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    size = draw(st.integers(1, 40))
    return draw(vectors(size)), draw(vectors(size, positive=positive))


@st.composite
def tables(draw: st.DrawFn) -> NDArray[np.float64]:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    values = draw(hnp.arrays(np.float64, (rows, columns), elements=st.one_of(st.just(0.0), st.floats(1e-3, 1.0))))
    values[draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))] += 0.5
    return np.asarray(values / values.sum())


def samples(symbols: int = 5) -> st.SearchStrategy[Any]:
    return st.lists(st.integers(0, symbols - 1), min_size=1, max_size=60)


#: How often each symbol was seen.
count_lists = st.lists(st.integers(1, 30), min_size=1, max_size=12)
quick = settings(deadline=None, max_examples=60)


def estimate(counts: Any, method: str, **more: Any) -> float:
    """An estimate of entropy from counts, in nats."""
    return estimate_entropy(counts, method, of="counts", unit="nats", resamples=0, **more).value


#: Sequences of few symbols, some of them periodic.
texts = st.one_of(
    st.lists(st.integers(0, 3), min_size=1, max_size=80),
    st.builds(
        lambda part, times: part * times, st.lists(st.integers(0, 7), min_size=1, max_size=6), st.integers(1, 15)
    ),
)
