"""Runs of units and coverage, against loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.measure.overlap.counting import covered, extending, join, runs_of


@given(st.lists(st.integers(0, 6), max_size=30), st.integers(1, 5))
def test_covered_and_extending(sizes: list[int], length: int) -> None:
    runs = np.array([min(size, len(sizes) - place) for place, size in enumerate(sizes)], dtype=np.int64)
    inside = [False] * len(runs)
    for place, size in enumerate(runs.tolist()):
        if size >= length:
            inside[place : place + size] = [True] * size
    found, reach = covered(runs, length)
    assert found.tolist() == inside
    first, more = extending(runs, length, reach)
    assert int(more.sum()) == sum(inside)
    assert (more > 0).all()
    # Those matches alone cover the same.
    again = [False] * len(runs)
    for place in first.tolist():
        again[place : place + int(runs[place])] = [True] * int(runs[place])
    assert again == inside


@given(st.lists(st.text(" abc\n", max_size=12).map(str.encode), min_size=1, max_size=4))
def test_words_of_a_match_are_whole_and_without_the_space_around_them(documents: list[bytes]) -> None:
    text = join(documents)
    lengths = np.zeros(len(text.data), dtype=np.uint32)
    for start, stop in zip(text.starts.tolist(), text.stops.tolist(), strict=True):
        lengths[start:stop] = np.arange(stop - start, 0, -1)  # all of it stands in the corpus
    runs = runs_of(text, lengths, bm.units_of("words"))
    counts = [len(document.split()) for document in documents]
    assert np.diff(runs.bounds).tolist() == counts
    assert runs.sizes.tolist() == [size for count in counts for size in range(count, 0, -1)]
    plain = text.data.tobytes()
    words = [word for document in documents for word in document.split()]
    assert [plain[a:b] for a, b in zip(runs.starts.tolist(), runs.stops.tolist(), strict=True)] == words


def test_bytes_and_characters() -> None:
    text = join(["né".encode(), b"", b"x"])
    lengths = np.array([3, 2, 1, 0, 0, 1], dtype=np.uint32)
    assert runs_of(text, lengths, bm.units_of("bytes")).sizes.tolist() == [3, 2, 1, 1]
    characters = runs_of(text, lengths, bm.units_of("chars"))
    assert characters.sizes.tolist() == [2, 1, 1]
    assert characters.bounds.tolist() == [0, 2, 2, 3]
