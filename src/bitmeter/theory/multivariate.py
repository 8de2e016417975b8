"""Information among more than two variables: of tables p(x, y, z, …) and of samples side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitmeter._util import check
from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import Unit
from bitmeter.errors import InputTypeError, ShapeError
from bitmeter.theory import sums
from bitmeter.theory.distributions import Distribution

__all__ = [
    "MEASURES",
    "Joint",
    "Terms",
    "columns_of",
    "conditional_mutual_information",
    "dense",
    "dual_total_correlation",
    "group",
    "joint_of",
    "mutual_terms",
    "o_information",
    "terms_of",
    "total_correlation",
]

#: What each subset of the variables, by their indices in ascending order, counts for in Σ c H.
Terms: TypeAlias = Mapping[tuple[int, ...], int]

#: The measures of any number of variables.
MEASURES = ("total-correlation", "dual-total-correlation", "o-information")


def mutual_terms(conditional: bool) -> Terms:  # noqa: FBT001
    """I(X; Y) = H(X) + H(Y) − H(X, Y), or with Z in each and −H(Z)."""
    if conditional:
        return {(0, 2): 1, (1, 2): 1, (0, 1, 2): -1, (2,): -1}
    return {(0,): 1, (1,): 1, (0, 1): -1}


def terms_of(measure: str, variables: int) -> Terms:
    """The entropies whose sum a measure of several variables is."""
    everything = tuple(range(variables))
    singles: dict[tuple[int, ...], int] = {(i,): 1 for i in everything}
    others = {tuple(j for j in everything if j != i): 1 for i in everything}
    found: dict[tuple[int, ...], int] = {}
    parts: list[tuple[dict[tuple[int, ...], int], int]] = []
    if measure != "dual-total-correlation":
        parts += [(singles, 1), ({everything: 1}, -1)]
    if measure != "total-correlation":
        sign = 1 if measure == "dual-total-correlation" else -1
        parts += [(others, sign), ({everything: 1}, -sign * (variables - 1))]
    for subset, coefficient in ((s, c * k) for part, k in parts for s, c in part.items()):
        found[subset] = found.get(subset, 0) + coefficient
    return {subset: coefficient for subset, coefficient in found.items() if coefficient}


def total_correlation(*variables: Any, unit: Unit = "bits", normalise: bool = False) -> float:
    """Σ H(Xᵢ) − H(X₁, …, Xₙ): how much all variables together depend on each other (Watanabe's multi-information).

    Parameters
    ----------
    variables
        One table of probabilities with an axis for each variable, or a Distribution over tuples; or the samples of
        each variable, side by side. Of samples it is the plug-in value, which is too high:
        `estimate_multivariate_information` corrects it.
    unit
        ``"bits"``, ``"nats"`` or ``"hartleys"``.
    normalise
        Divide the table by its sum on purpose (for counts).

    Examples
    --------
    >>> total_correlation("aabb", "aabb", "xyxy")
    1.0
    """
    return _measure("total-correlation", variables, unit, normalise)


def dual_total_correlation(*variables: Any, unit: Unit = "bits", normalise: bool = False) -> float:
    """H(X₁, …, Xₙ) − Σ H(Xᵢ | all others): the entropy that is shared by at least two variables.

    Takes what `total_correlation` takes.

    Examples
    --------
    >>> dual_total_correlation("aabb", "xyxy", "uvvu")
    2.0
    """
    return _measure("dual-total-correlation", variables, unit, normalise)


def o_information(*variables: Any, unit: Unit = "bits", normalise: bool = False) -> float:
    """Total correlation less dual total correlation: above zero where redundancy prevails, below where synergy does.

    Takes what `total_correlation` takes (Rosas and others, 2019).

    Examples
    --------
    >>> o_information("aabb", "xyxy", "uvvu"), o_information("aabb", "xxyy", "uuvv")
    (-1.0, 1.0)
    """
    return _measure("o-information", variables, unit, normalise)


def conditional_mutual_information(*variables: Any, unit: Unit = "bits", normalise: bool = False) -> float:
    """I(X; Y | Z) = H(X, Z) + H(Y, Z) − H(X, Y, Z) − H(Z): what X and Y say about each other once Z is known.

    Takes a table with three axes, or samples of X, Y and Z, as `total_correlation` does; of samples
    `estimate_mutual_information` with `given` corrects the bias.

    Examples
    --------
    >>> conditional_mutual_information("aabb", "xyxy", "uvvu")
    1.0
    """
    factor, joint = check.from_bits(unit), joint_of(variables, normalise, of=3)
    return max(0.0, joint.combined(mutual_terms(conditional=True))) * factor


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """The combinations of symbols with positive probability: a column of numbers for each variable, and the masses."""

    columns: tuple[Ints, ...]
    masses: Floats

    def marginal(self, subset: tuple[int, ...]) -> Floats:
        """The probabilities of the combinations of some of the variables."""
        numbers, kinds = group([self.columns[index] for index in subset])
        return np.asarray(np.bincount(numbers, weights=self.masses, minlength=kinds), dtype=np.float64)

    def combined(self, terms: Terms) -> float:
        """Σ c H over subsets, in bits."""
        return math.fsum(
            coefficient * float(sums.entropy(self.marginal(subset), "variables", normalise=True))
            for subset, coefficient in terms.items()
        )


def dense(ids: NDArray[Any]) -> tuple[Ints, int]:
    """The same symbols numbered from zero, and how many there are."""
    kinds, numbers = np.unique(ids, return_inverse=True)
    return numbers.astype(np.int64), int(kinds.size)


def group(columns: Sequence[Ints]) -> tuple[Ints, int]:
    """The number of each row's combination of symbols, from zero, and how many combinations there are."""
    numbers, kinds = dense(columns[0])
    for column in columns[1:]:
        numbers, kinds = dense(numbers * (int(column.max()) + 1) + column)
    return numbers, kinds


def _measure(measure: str, variables: tuple[Any, ...], unit: Any, normalise: Any) -> float:
    factor, joint = check.from_bits(unit), joint_of(variables, normalise)
    bits = joint.combined(terms_of(measure, len(joint.columns)))
    return (bits if measure == "o-information" else max(0.0, bits)) * factor + 0.0


def joint_of(variables: tuple[Any, ...], normalise: Any, *, of: int | None = None) -> Joint:
    """The joint distribution of one table or Distribution, or of samples."""
    divide = check.flag(normalise, "normalise")
    if len(variables) != 1:
        found = Joint(*_of_samples(variables))
    elif isinstance(variables[0], Distribution):
        found = Joint(*_of_labels(variables[0]))
    elif isinstance(variables[0], str | bytes):
        message = "one sequence of samples is given; information among variables needs those of at least two"
        raise InputTypeError(message, value=variables[0])
    else:
        table = check.array(variables[0], "variables")
        flat = check.probabilities(table.reshape(1, -1), "variables", normalise=divide)[0]
        places = np.flatnonzero(flat)
        found = Joint(tuple(np.unravel_index(places, table.shape)), flat[places])
    if len(found.columns) < 2 or (of is not None and len(found.columns) != of):
        wanted = "at least two" if of is None else str(of)
        message = f"the number of variables is {len(found.columns)}; this is a measure of {wanted}"
        raise ShapeError(message)
    return found


def _of_samples(variables: tuple[Any, ...]) -> tuple[tuple[Ints, ...], Floats]:
    if not variables:
        message = "no variables are given; give one table, or the samples of each variable"
        raise ShapeError(message)
    columns = columns_of(variables, [f"variables[{i}]" for i in range(len(variables))])
    return columns, np.full(columns[0].size, 1 / columns[0].size)


def columns_of(samples: Sequence[Any], names: Sequence[str]) -> tuple[Ints, ...]:
    """Samples side by side as numbers from zero."""
    columns = tuple(dense(check.symbols(sample, name).ids)[0] for sample, name in zip(samples, names, strict=True))
    for column, name in zip(columns, names, strict=True):
        if column.size != columns[0].size:
            message = f"{names[0]} has {columns[0].size} samples and {name} has {column.size}; they stand side by side"
            raise ShapeError(message)
    return columns


def _of_labels(joint: Distribution) -> tuple[tuple[Ints, ...], Floats]:
    likely = [(label, float(mass)) for label, mass in zip(joint.labels, joint.probabilities, strict=True) if mass > 0]
    tuples = [label for label, _ in likely if isinstance(label, tuple)]
    if len(tuples) < len(likely) or len({len(label) for label in tuples}) != 1:
        message = "the labels of the distribution must be tuples of one length, with an entry for each variable"
        raise InputTypeError(message, value=joint)
    names = [f"variables[{i}]" for i in range(len(tuples[0]))]
    columns = columns_of([list(column) for column in zip(*tuples, strict=True)], names)
    return columns, np.array([mass for _, mass in likely])
