"""A plain Python function as a model."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.errors import InputTypeError
from bitmeter.models.protocols import Compressor, Model
from bitmeter.models.registry import adapt
from bitmeter.text.units.base import Units
from bitmeter.text.units.named import units_of

__all__ = ["model_of"]


@dataclass(frozen=True)
class _Scores:
    """A function of ids and bounds, as a plug-in that scores what it is shown."""

    name: str
    units: Units
    fingerprint: str
    function: Callable[..., object]

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """As the function says."""
        return np.asarray(self.function(ids, bounds))


@dataclass(frozen=True)
class _Predicts(_Scores):
    """A function from a history to a row, as a plug-in that predicts."""

    def predict(self, history: Ids) -> Floats:
        """As the function says."""
        return np.asarray(self.function(history))

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """One call of the function per unit."""
        found = np.empty(len(ids))
        for start, stop in pairwise(np.asarray(bounds).tolist()):
            for i in range(start, stop):
                found[i] = self.predict(ids[start:i])[int(ids[i])]
        return found


def model_of(function: Callable[..., object], units: object) -> Model | Compressor:
    """A model from a function.

    Parameters
    ----------
    function
        Of two parameters, `f(ids, bounds)`: ln p of each id, as `PlainModel.logprobs`. Of one, `f(history)`: a row of
        ln p of each id after this history, as `predict`.
    units
        What the ids are, by name ("bytes", "tokenizer:FILE") or as Units; bytes if None.

    Examples
    --------
    >>> model_of(lambda history: np.full(256, -np.log(256)), None).traits.vocabulary
    256
    """
    name = str(getattr(function, "__qualname__", type(function).__qualname__)).rpartition("<locals>.")[2]
    try:
        required = [
            p
            for p in inspect.signature(function).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError) as error:
        message = f"the parameters of {name} cannot be seen ({error}); write def f(ids, bounds) or def f(history)"
        raise InputTypeError(message, value=name) from error
    kind = {1: _Predicts, 2: _Scores}.get(len(required))
    if kind is None:
        message = (
            f"{name} needs {len(required)} arguments; a model is a function f(ids, bounds) that gives ln p of each id, "
            "or f(history) that gives a row of ln p of every id as the next"
        )
        raise InputTypeError(message, value=name)
    split = units_of("bytes" if units is None else units)  # type: ignore[arg-type]
    return adapt(kind(f"python:{name}", split, f"python-{_source_hash(function, name)}", function))


def _source_hash(function: Callable[..., object], name: str) -> str:
    """Of its source, where there is one: what it refers to is not seen."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        source = name
    return hashlib.sha256(source.encode("utf-8", "backslashreplace")).hexdigest()[:24]
