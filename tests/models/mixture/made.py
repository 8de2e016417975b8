"""Mixtures of every kind, and texts for them."""

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.models.mixture.session import MixtureSession

HAMLET = b"to be or not to be\nthat is the question\nto be\nto die to sleep\n" * 3
ROSE = b"a rose is a rose\nis a daisy a rose or a daisy\n" * 3
HELDOUT = b"to be a rose or not to be\nthat is a daisy\n\na rose is the question\nto be zzz\n"
ONE, TWO = bm.NGram(order=3).fit(HAMLET), bm.NGram(order=2).fit(ROSE)
BYTES, SHORT = (bm.NGram(order=n, units="bytes").fit(HAMLET) for n in (3, 2))
CACHES = [bm.Cache(50, 0.9), bm.Cache(40, order=2), bm.Cache(30, 0.95, order=3, rare=0.5)]
SAME = [bm.NGram(order=n).fit(HAMLET) for n in (1, 2, 3)]
LETTERS, FEWER = bm.NGram(order=3, units="chars").fit(HAMLET + b"zy\n"), bm.NGram(order=2, units="chars").fit(ROSE)


def mixtures() -> list[Any]:
    return [
        pytest.param(bm.MixtureModel(SAME), id="one vocabulary"),
        pytest.param(bm.MixtureModel([ONE, TWO]).fit(HELDOUT), id="two vocabularies"),
        pytest.param(bm.MixtureModel([ONE, *CACHES]).fit(HELDOUT), id="caches"),
        pytest.param(bm.MixtureModel([ONE, TWO, *CACHES], buckets=True).fit(HELDOUT), id="buckets"),
        pytest.param(bm.MixtureModel([ONE, TWO, *CACHES], gate=True).fit(HELDOUT), id="gate"),
        pytest.param(bm.MixtureModel([BYTES, SHORT, CACHES[1]], gate=True).fit(HELDOUT), id="gate of bytes"),
        pytest.param(bm.MixtureModel(["kt", "uniform", bm.Cache(20, order=2)]).fit(HELDOUT), id="bytes"),
        pytest.param(
            bm.MixtureModel([BYTES, "universal:small", "kt", CACHES[1]], buckets=True).fit(HELDOUT), id="byte n-gram"
        ),
        pytest.param(bm.MixtureModel([BYTES, SHORT], buckets=True).fit(HELDOUT), id="byte n-grams"),
        pytest.param(bm.MixtureModel([LETTERS, FEWER, bm.Cache(20)], buckets=True).fit(HELDOUT), id="characters"),
    ]


def sentences(model: Any, text: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Ids and bounds with the ends of lines, by a plain loop."""
    ids, bounds = [], [0]
    for line in text.splitlines(keepends=True):
        found = [i for i in model.units.split(line).ids.tolist() if i != -2]
        ids += found + ([model.traits.end.id] if model.traits.end is not None else [])
        bounds.append(len(ids))
    return np.array(ids, dtype=np.int64), np.array(bounds, dtype=np.int64)


def opened(model: bm.MixtureModel) -> MixtureSession:
    return MixtureSession(model, model.components, model.outcomes)
