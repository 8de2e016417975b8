"""What the functions of information take: probabilities, counts or samples, with labels or without.

Where two distributions meet and both have labels (a mapping, a Distribution, a Series or a frame of pandas, a DataArray
with coordinates), they meet label by label, whatever their order; a label that one of them lacks has probability 0
there. Where only one has labels, the other is refused, unless ``of="probabilities"`` (or "counts") says that it is in
the order of those labels.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitmeter._util import check, labelled
from bitmeter._util.labelled import Labelled, Names
from bitmeter.errors import InputTypeError, ShapeError
from bitmeter.theory import exact, sums
from bitmeter.theory.conditional import Conditional
from bitmeter.theory.distributions import Distribution

#: What the input is. "auto": a string or bytes are samples, a Counter holds counts, all others are probabilities.
Of: TypeAlias = Literal["auto", "probabilities", "counts", "samples"]

OF = ("auto", "probabilities", "counts", "samples")

#: Rows of doubles, or one row of fractions.
Rows: TypeAlias = NDArray[Any] | exact.Row


def as_samples(p: Any, of: str) -> bool:
    """Whether this is data."""
    if isinstance(p, memoryview) and of == "auto":
        return check.holds_bytes(p)
    return of == "samples" or (of == "auto" and isinstance(p, str | bytes | bytearray))


def samples(value: Any, name: str) -> check.Symbols:
    """A sequence of symbols; floats that never repeat are measurements, and a warning says so."""
    found = check.symbols(value, name)
    kinds = found.labels
    if kinds is not None and 1 < len(kinds) == found.ids.size and _measured(kinds):
        warnings.warn(
            f"{name} holds {len(kinds)} floats, no two of them equal: taken as symbols, their entropy is log n "
            "whatever they are. For continuous data use an estimator of differential entropy from samples, or bin "
            "them first",
            UserWarning,
            stacklevel=4,
        )
    elif kinds is not None and len(kinds) and _measured(kinds) and _sums_to_one(kinds, found.ids):
        warnings.warn(
            f"{name} holds {found.ids.size} floats that sum to 1, and is taken as data; if they are probabilities, "
            "give them as a distribution: entropy(p), Distribution(p)",
            UserWarning,
            stacklevel=4,
        )
    return found


def _sums_to_one(kinds: Names, ids: NDArray[np.int64]) -> bool:
    values = np.array([kind for kind in kinds if isinstance(kind, float)])
    return bool((values >= 0.0).all()) and abs(math.fsum(values[ids].tolist()) - 1.0) < 1e-9


def _measured(kinds: Names) -> bool:
    """Whether these look like measurements: floats, not all of them whole."""
    numbers = [kind for kind in kinds if isinstance(kind, float)]
    return len(numbers) == len(kinds) and any(not number.is_integer() for number in numbers)


def as_probabilities(p: Any, name: str, of: Any, normalise: Any) -> tuple[Rows, bool]:
    """The rows to sum over, and whether they are to be divided by their sums."""
    check.choice(of, "of", OF)
    divide = check.flag(normalise, "normalise")
    if isinstance(p, Distribution):
        return p.probabilities, divide
    if isinstance(p, Conditional):
        message = f"{name} is a Conditional; its entropy needs a distribution of the contexts: use {name}.entropy(…)"
        raise InputTypeError(message, value=p)
    if isinstance(p, Counter) and of == "auto":
        of = "counts"
    if as_samples(p, of):
        return check.count(samples(p, name))[1].astype(np.float64), True
    divide = divide or of == "counts"
    found = labelled.read(p, name)
    return _rows(p if found is None else found.values, p, name, divide=divide), divide


def _rows(values: Any, given: Any, name: str, *, divide: bool) -> Rows:
    if exact.is_exact(values):
        return exact.row(values, name, normalise=divide)
    try:
        return check.rows(values, name, normalise=divide)
    except InputTypeError as error:
        message = f"{error}; if these are samples, say so with of='samples'"
        raise InputTypeError(message, value=given) from None


def as_pair(p: Any, q: Any, of: Any, normalise: Any) -> tuple[Names | None, Any, Any, bool]:
    """The labels, and two rows (both of doubles, or both of fractions) over the same events."""
    check.choice(of, "of", OF)
    divide = check.flag(normalise, "normalise")
    if isinstance(q, Conditional):
        message = "q is a Conditional; only cross_entropy takes one"
        raise InputTypeError(message, value=q)
    if isinstance(p, Counter) and of in ("auto", "counts"):
        p, of = Distribution.from_counts(p), "auto"
    if isinstance(q, Counter):
        q = Distribution.from_counts(q)
    second = _labels_of(q, "q")
    if as_samples(p, of) or (second is not None and not second.positional and _is_data(p, q, of)):
        if second is None or second.values.ndim != 1:
            message = (
                "p is data, so q must be a Distribution, whose labels say which symbol each probability belongs to"
            )
            raise InputTypeError(message, value=q)
        model = q if isinstance(q, Distribution) else Distribution(q, normalise=divide)
        seen = samples(p, "p")
        return *align(Distribution._counted(seen), model), divide
    divide = divide or of == "counts"
    names, one, two = _meet(_labels_of(p, "p"), second, p, q, of)
    if exact.is_exact(one) or exact.is_exact(two):
        rows = exact.row(one, "p", normalise=divide), exact.row(two, "q", normalise=divide)
        if len(rows[0]) != len(rows[1]):
            message = f"p has {len(rows[0])} probabilities and q has {len(rows[1])}; they must be over the same events"
            raise ShapeError(message)
        return names, *rows, divide
    first, other = sums.pair(one, two, normalise=divide)
    return names, first, other, divide


def _meet(one: Labelled | None, two: Labelled | None, p: Any, q: Any, of: str) -> tuple[Names | None, Any, Any]:
    """The numbers of both in one order."""
    if one is not None and two is not None:
        return labelled.align(one, two)
    has = one or two
    if has is None or has.positional or has.names == tuple(range(len(has.names or ()))):
        return None, one.values if one else p, two.values if two else q
    if of not in ("probabilities", "counts"):
        labelled.refuse("p" if one else "q", has.names, "q" if one else "p")
    return has.names, one.values if one else p, two.values if two else q


def _labels_of(value: Any, name: str) -> Labelled | None:
    if isinstance(value, Distribution):
        return Labelled(value.probabilities, (value.labels,))
    return labelled.read(value, name)


def _is_data(p: Any, q: Any, of: str) -> bool:
    """Whether p, beside a model with labels, is data; where it might be either, the caller must say."""
    if of != "auto" or isinstance(p, Distribution):
        return False
    mine = labelled.read(p, "p")
    if mine is not None and not (mine.positional and mine.values.dtype.kind in "iub"):
        if mine.values.dtype.kind in "iub" and not isinstance(q, Labelled) and mine.values.sum() != 1:
            message = (
                "p holds whole numbers with labels: say of='samples' if they are data, or of='counts' if they say how "
                "often each label was seen"
            )
            raise InputTypeError(message, value=p)
        return False
    value = check.native(p, "p")
    numbers = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    if numbers or (isinstance(value, list | tuple) and any(isinstance(item, float) for item in value)):
        message = (
            "p holds floats without labels and q has labels: say of='probabilities' if they are probabilities in the "
            "order of q's labels, or of='samples' if they are data; or give p as a mapping from label to probability"
        )
        raise InputTypeError(message, value=p)
    return not (isinstance(value, list | tuple) and any(isinstance(item, Fraction | Decimal) for item in value))


def align(p: Distribution, q: Distribution) -> tuple[Names, Any, Any]:
    """Both distributions over the labels of either."""
    names, first, second = labelled.align(
        Labelled(p.probabilities, (p.labels,)), Labelled(q.probabilities, (q.labels,))
    )
    return names or (), first, second


__all__ = ["OF", "Of", "align", "as_pair", "as_probabilities", "as_samples", "samples"]
