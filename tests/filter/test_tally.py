"""Tallies add up exactly, and survive JSON."""

from __future__ import annotations

import json
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.filter.scores import NO_FIGURE, RECORD, SCORED
from bitmeter.filter.tally import Share, Tally

NATS = st.lists(st.floats(0, 1e6), max_size=12)


def records(nats: list[float]) -> np.ndarray:
    found = np.zeros(len(nats), dtype=RECORD)
    found["nats"], found["value"], found["bytes"], found["tokens"] = nats, nats, 3, 2
    found["state"] = SCORED
    return found


def tally(nats: list[float]) -> Tally:
    found, rows = Tally(), records(nats)
    found.add_scores(rows, ["en"])
    found.add_labels(rows, np.arange(len(nats)) % 2, ["kept", "dropped"])
    found.note_bad([f"line {number}" for number in range(len(nats))], 5)
    return found


@given(NATS, NATS)
def test_the_parts_are_the_whole(first: list[float], second: list[float]) -> None:
    if len(first) % 2:
        first = first[:-1]
    whole, added = tally(first + second), tally(first)
    added.merge(tally(second), 5)
    added.places = whole.places  # those of the second file have its own numbers
    assert added == whole == Tally.from_json(json.loads(json.dumps(whole.to_json())))
    kept = (first + second)[::2]
    assert whole.shares.get("kept", Share()).total_nats == math.fsum(kept)
    assert whole.whole_histogram().total == len(first + second)


def test_what_is_impossible_is_counted_and_not_added() -> None:
    found = tally([1.0, 1.0, math.inf, 1.0])
    assert (found.shares["kept"].impossible, found.shares["kept"].total_nats, found.bad) == (1, 1.0, 4)


def test_what_has_no_figure_is_in_no_histogram() -> None:
    found, rows = Tally(), records([1.0, 2.0])
    rows["state"][1] = NO_FIGURE
    found.add_scores(rows, [""])
    assert found.whole_histogram().total == 1
