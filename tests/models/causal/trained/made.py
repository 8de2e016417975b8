"""Small networks that were trained in a moment, once per process."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import bitmeter as bm

TEXT = b"the cat sat on the mat\nand the dog lay on the rug\n" * 24
SMALL: dict[str, Any] = {"width": 16, "layers": 1, "context": 12, "threads": 1, "dropout": 0.1}
SHORT: dict[str, Any] = {"epochs": 2, "batch": 4, "looks": 4}


@functools.cache
def trained(kind: str, units: str) -> bm.Neural:
    return bm.Neural(kind, units, **SMALL).fit(TEXT, **SHORT)


KINDS = ("lstm", "transformer")
UNITS = ("bytes", "bpe", "words")
every = pytest.mark.parametrize(("kind", "units"), [(kind, units) for kind in KINDS for units in UNITS])


def with_class(model: bm.Neural) -> bm.Neural:
    return model.with_oov("class") if model.units_kind == "words" else model
