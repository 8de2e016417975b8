"""Models and texts for the tests of audits: without `predict`, honest near the beginning, of many units."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import bitmeter as bm
from bitmeter.measure.audit.population import Population, population_of
from bitmeter.measure.audit.subject import Sample, Subject
from bitmeter.models.registry import adapt
from tests.coding.models import Plain

BYTES = bm.units_of("bytes")


def subject(model: Any, *texts: bytes) -> Subject:
    made = adapt(model)
    assert isinstance(made, bm.Model)
    samples = [
        Sample(i, 0, text, made.units.split(text).ids.astype(np.int64), made.units.split(text).cuts, None)
        for i, text in enumerate(texts)
    ]
    return Subject(made, samples, spells=False)


def both(model: Any, *texts: bytes) -> tuple[Subject, Population]:
    found = subject(model, *texts)
    return found, population_of(found, None)


def quiet(done: int, of: int) -> None:
    assert 0 < done <= of


class Only:
    """The same distribution, without `predict`."""

    name, fingerprint, units = "only", "only-1", BYTES

    def __init__(self) -> None:
        self.shown = self.most = self.calls = 0

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        self.shown += len(ids)
        self.most = max(self.most, len(ids))
        self.calls += 1
        return Plain().logprobs(ids, bounds)


class Parity:
    """Bytes of the same parity as the number of odd ones before are likelier: all of the history matters."""

    name, fingerprint, units = "parity", "parity-1", BYTES

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        odd = np.asarray(ids) % 2
        found = np.empty(len(ids))
        for first, last in pairwise(bounds):
            before = np.cumsum(odd[first:last]) - odd[first:last]
            found[first:last] = np.where(before % 2 == odd[first:last], np.log(0.75 / 128), np.log(0.25 / 128))
        return found


class Many:
    """A uniform distribution over so many units."""

    name, fingerprint, units = "many", "many-1", bm.units_of("chars")

    def __init__(self, size: int) -> None:
        self.size, self.traits = size, bm.Traits(vocabulary=size)

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return np.full(len(ids), -np.log(self.size))


def late(after: int) -> Any:
    """So many bytes of a uniform distribution, then a half for everything: what lies there sums to 128."""

    def model(ids: Any, bounds: Any) -> Any:
        at = np.arange(len(ids)) - np.repeat(bounds[:-1], np.diff(bounds))
        return np.where(at < after, -np.log(256.0), -np.log(2.0))

    return model
