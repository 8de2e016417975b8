"""Joint, conditional and mutual information: of tables p(x, y, …) and of paired samples."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from bitmeter import _core
from bitmeter._util import check, labelled
from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import Unit
from bitmeter._util.labelled import Names
from bitmeter.errors import InputError, InputTypeError, RangeError, ShapeError
from bitmeter.theory import sums
from bitmeter.theory.conditional import _pair_items
from bitmeter.theory.distributions import Distribution
from bitmeter.theory.inputs import samples

Which: TypeAlias = Literal["first", "second"]

#: A bias above this many bits, and above this share of the value, deserves a warning.
_LEAST_BIAS, _SHARE_OF_BIAS = 0.05, 0.1
#: Whoever gives fewer samples than this does not estimate.
_FEWEST = 50


def joint_entropy(x: Any, y: Any = None, *, unit: Unit = "bits", normalise: bool = False) -> float:
    """H(X, Y, …) of a table of joint probabilities, or of two sequences of samples taken together.

    Parameters
    ----------
    x
        A table of any number of axes that sums to one over all of them, a Distribution over pairs (or a mapping, or a
        Series whose index holds pairs), or samples of X.
    y
        Samples of Y, each beside the one of X: by position, or by their index where both are Series with one.
    unit
        "bits", "nats", "hartleys", or a number: the base of the logarithm.
    normalise
        Divide the table by its sum on purpose (for counts).

    Examples
    --------
    >>> joint_entropy([[0.25, 0.25], [0.25, 0.25]])
    2.0
    >>> joint_entropy("aabb", "xyxx")
    1.5
    """
    masses, _, _ = _masses(x, y, normalise)
    return float(sums.entropy(masses, "x", normalise=True)) * check.from_bits(unit)


def conditional_entropy(
    x: Any, y: Any = None, *, given: Which = "first", unit: Unit = "bits", normalise: bool = False
) -> float:
    """H(Y|X) = −Σ p(x, y) log p(y|x): what is left to know of Y when X is known.

    Parameters
    ----------
    x, y
        A table with a row for each x and a column for each y, a Distribution over pairs (x, y), or two sequences of
        samples.
    given
        Which of the two is known: "first" gives H(Y|X), "second" H(X|Y).
    unit, normalise
        As in `joint_entropy`.

    Examples
    --------
    >>> conditional_entropy([[0.25, 0.25], [0.5, 0.0]])
    0.5
    >>> conditional_entropy("aabb", "xyxx"), conditional_entropy("aabb", "xyxx", given="second")
    (0.5, 0.6887)
    """
    known = check.choice(given, "given", ("first", "second"))
    masses, rows, columns = _masses(x, y, normalise)
    of_known = _marginal(masses, rows if known == "first" else columns)
    return max(0.0, -float(_core.row_divergence(masses[None], of_known[None])[0][0])) * check.from_bits(unit)


def mutual_information(x: Any, y: Any = None, *, unit: Unit = "bits", normalise: bool = False) -> float:
    """I(X; Y) = D(p(x, y) ‖ p(x)·p(y)): what each says about the other; 0 only if they are independent.

    Takes what `conditional_entropy` takes. Of samples it is the plug-in value, which is too high, by about
    (Kx − 1)(Ky − 1) / 2N nats: 10,000 pairs of independent bytes give 2.82 bits, with a warning.
    `estimate_mutual_information` corrects that and tests whether there is any dependence.

    Examples
    --------
    >>> mutual_information([[0.5, 0.0], [0.0, 0.5]]), mutual_information([[0.25, 0.25], [0.25, 0.25]])
    (1.0, 0.0)
    """
    of_samples = None if y is None else _counted(x, y)
    masses, rows, columns = _masses(x, y, normalise) if of_samples is None else of_samples.masses
    # Where a product of marginals underflows, the ratio is taken step by step: log(p/(r·c)) = log(p/r) − log c.
    of_row, of_column = _marginal(masses, rows), _marginal(masses, columns)
    product = of_row * of_column
    if (product < np.finfo(np.float64).tiny).any():
        by_row = float(_core.row_divergence(masses[None], of_row[None])[0][0])
        bits = by_row - float(_core.row_cross(masses[None], of_column[None])[0][0])
    else:
        bits = float(_core.row_divergence(masses[None], product[None])[0][0])
    if of_samples is not None:
        _warn_of_bias(bits, of_samples)
    return max(0.0, bits) * check.from_bits(unit)


def _warn_of_bias(bits: float, pairs: _Pairs) -> None:
    """Warn if much of a plug-in value is bias, by the least of its corrections, that of Miller and Madow."""
    number = int(pairs.numbers.sum())
    rows, columns = (np.count_nonzero(np.bincount(_places(groups))) for groups in (pairs.rows, pairs.columns))
    cells = pairs.numbers.size - rows - columns + 1
    bias = cells / (2.0 * number) / math.log(2.0)
    if number >= _FEWEST and bias > max(_LEAST_BIAS, _SHARE_OF_BIAS * bits):
        warnings.warn(
            f"the mutual information of these {number:,} samples is too high, by {bias:.2f} of {bits:.2f} bits at "
            "least: the plug-in value takes chance for dependence; use estimate_mutual_information",
            UserWarning,
            stacklevel=3,
        )


def _masses(x: Any, y: Any, normalise: Any) -> tuple[Floats, Ints, Ints]:
    """The positive joint probabilities, and for each the numbers of its row and its column."""
    divide = check.flag(normalise, "normalise")
    if y is not None:
        return _counted(x, y).masses
    if isinstance(x, Distribution):
        return _of_labels(x)
    pairs = labelled.read(x, "x")
    if pairs is not None and pairs.values.ndim == 1:
        return _of_labels(Distribution(x, normalise=divide or isinstance(x, Counter)))
    if isinstance(x, str | bytes):
        message = "x is data but y is missing; a joint distribution needs both sequences, or one table"
        raise InputTypeError(message, value=x)
    table = check.array(x, "x")
    if table.ndim < 2:
        message = f"x has shape {table.shape}; a joint table has at least two axes"
        raise ShapeError(message)
    flat = check.probabilities(table.reshape(1, -1), "x", normalise=divide, within=check.tolerance(x))[0]
    places = np.flatnonzero(flat)
    # With more than two axes the first stands against all the others together.
    width = table.size // table.shape[0]
    return flat[places], places // width, places % width


class _Pairs(NamedTuple):
    """How often pairs occur among samples."""

    rows: Ints
    columns: Ints
    numbers: Ints

    @property
    def masses(self) -> tuple[Floats, Ints, Ints]:
        """Their shares, rows and columns."""
        return self.numbers / self.numbers.sum(), self.rows, self.columns


def _counted(x: Any, y: Any) -> _Pairs:
    first, second = samples(x, "x").ids, samples(y, "y").ids
    if first.size != second.size:
        message = f"x has {first.size} samples and y has {second.size}; each x needs its y"
        raise ShapeError(message)
    if first.dtype != second.dtype:
        first, second = first.astype(np.int64), second.astype(np.int64)
    second = second[_partners(labelled.index_of(x, "x"), labelled.index_of(y, "y"))]
    return _Pairs(*_core.count_pairs(first, second))


def _partners(first: Names | None, second: Names | None) -> Any:
    """Where the sample of y is that belongs to each sample of x: by their labels where both have them."""
    if first is None or second is None or first == second:
        return slice(None)
    place = {label: i for i, label in enumerate(second)}
    if len(place) < len(second) or set(first) != set(place):
        message = (
            "x and y are series whose indices differ and do not name the same samples once each, so that it is not "
            "known which belong together; align them first, or give x.to_numpy() and y.to_numpy()"
        )
        raise InputError(message)
    return np.array([place[label] for label in first])


def _of_labels(joint: Distribution) -> tuple[Floats, Ints, Ints]:
    rows: dict[Any, int] = {}
    columns: dict[Any, int] = {}
    found = [
        (mass, rows.setdefault(a, len(rows)), columns.setdefault(b, len(columns)))
        for (a, b), mass in _pair_items(joint)
        if mass > 0
    ]
    masses, first, second = zip(*found, strict=True)
    return np.array(masses), np.array(first), np.array(second)


def _marginal(masses: Floats, groups: Ints) -> Floats:
    """For each entry, the sum of the masses in its group."""
    places = _places(groups)
    return np.asarray(np.bincount(places, weights=masses)[places])


def _places(groups: Ints) -> Ints:
    """Small numbers for groups: offsets from the least where these are few, since a sort takes ten times as long."""
    if not groups.size:
        return groups
    least, most = int(groups.min()), int(groups.max())
    if most - least <= 4 * groups.size:
        return np.asarray(groups - least)
    _, places = np.unique(groups, return_inverse=True)
    if int(places.max()) >= 2**31:
        message = "the joint table has more than 2**31 rows or columns"
        raise RangeError(message)
    return np.asarray(places)
