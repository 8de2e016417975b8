"""Partial information decomposition: what two sources say about a target together, each alone, and both alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bitmeter._util import check
from bitmeter._util.arrays import Floats
from bitmeter._util.check import Unit
from bitmeter.theory.multivariate import Joint, group, joint_of, mutual_terms

__all__ = ["REDUNDANCIES", "PartialInformation", "partial_information"]

#: The measures of redundancy of `partial_information`, the default first.
REDUNDANCIES = ("i-min", "mmi")


@dataclass(frozen=True, slots=True)
class PartialInformation:
    """The redundancy lattice of two sources: four parts that add up to I(X, Y; T).

    Attributes
    ----------
    redundant
        What either source says, both alike: the part {X}{Y} of the lattice.
    unique_first, unique_second
        What only X says, and only Y: the parts {X} and {Y}.
    synergistic
        What only both together say: the part {X, Y}.
    total
        I(X, Y; T), the sum of the four.
    unit
        What they are measured in.
    redundancy
        The measure of redundancy that decides the rest.
    """

    redundant: float
    unique_first: float
    unique_second: float
    synergistic: float
    total: float
    unit: Unit
    redundancy: str

    def __str__(self) -> str:
        return (
            f"I(X, Y; T) = {self.total:.4f} {check.unit_name(self.unit)}: redundant {self.redundant:.4f}, "
            f"only X {self.unique_first:.4f}, only Y {self.unique_second:.4f}, "
            f"synergistic {self.synergistic:.4f} (by {self.redundancy})"
        )


def partial_information(
    *variables: Any, redundancy: str = "i-min", unit: Unit = "bits", normalise: bool = False
) -> PartialInformation:
    """Decompose the information of two sources X and Y about a target T.

    Parameters
    ----------
    variables
        A table p(x, y, t) with three axes, the target last, or a Distribution over tuples (x, y, t); or samples of X,
        of Y and of T, side by side. Of samples it is the decomposition of their frequencies.
    redundancy
        What is meant by redundant; I(X; T), I(Y; T) and I(X, Y; T) then decide the rest:

        - ``"i-min"``: Williams and Beer's (2010), the mean over t of the smaller of the two specific informations,
          Σ p(t) min(D(p(x|t) ‖ p(x)), D(p(y|t) ‖ p(y))). It calls equal amounts redundant though they may be about
          different things: two independent bits copied into the target are redundant by one bit;
        - ``"mmi"``: the smaller of I(X; T) and I(Y; T), the least that a redundancy can leave as unique.
    unit
        ``"bits"``, ``"nats"`` or ``"hartleys"``.
    normalise
        Divide the table by its sum on purpose (for counts).

    Examples
    --------
    >>> print(partial_information("0011", "0101", "0110"))  # exclusive or
    I(X, Y; T) = 1.0000 bits: redundant 0.0000, only X 0.0000, only Y 0.0000, synergistic 1.0000 (by i-min)
    >>> print(partial_information("0011", "0101", "0001"))  # and
    I(X, Y; T) = 0.8113 bits: redundant 0.3113, only X 0.0000, only Y 0.0000, synergistic 0.5000 (by i-min)
    """
    which = check.choice(redundancy, "redundancy", REDUNDANCIES)
    factor = check.from_bits(unit)
    joint = joint_of(variables, normalise, of=3)
    x, y, target = joint.columns
    both, _ = group([x, y])
    singles = [Joint((source, target), joint.masses) for source in (x, y, both)]
    first, second, total = (max(0.0, single.combined(mutual_terms(conditional=False))) for single in singles)
    if which == "mmi":
        shared = min(first, second)
    else:
        about = [_specific(single) for single in singles[:2]]
        masses = joint.marginal((2,))
        shared = float(masses @ np.minimum(about[0], about[1])) / float(masses.sum())
        shared = min(max(shared, 0.0), first, second)
    return PartialInformation(
        redundant=shared * factor,
        unique_first=(first - shared) * factor,
        unique_second=(second - shared) * factor,
        synergistic=max(0.0, total - first - second + shared) * factor,
        total=total * factor,
        unit=unit,
        redundancy=which,
    )


def _specific(joint: Joint) -> Floats:
    """D(p(s|t) ‖ p(s)) for each t, in bits: what a source says about one outcome of the target."""
    cells, kinds = group(joint.columns)
    first = np.zeros(kinds, dtype=np.int64)
    first[cells] = np.arange(cells.size)  # some row of each cell
    sources, _ = group(joint.columns[:1])
    targets, _ = group(joint.columns[1:])
    total = float(joint.masses.sum())
    p_cell = np.bincount(cells, weights=joint.masses) / total
    p_source, p_target = (np.bincount(numbers, weights=joint.masses) / total for numbers in (sources, targets))
    source, target = sources[first], targets[first]
    terms = p_cell / p_target[target] * (np.log2(p_cell / p_target[target]) - np.log2(p_source[source]))
    return np.asarray(np.bincount(target, weights=terms), dtype=np.float64)
