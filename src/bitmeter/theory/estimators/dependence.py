"""Mutual information and its multivariate relatives, of distributions that are known only from a sample.

The plug-in estimate is too high: in a finite sample even independent variables seem to depend on each other, by about
(Kx − 1)(Ky − 1) / 2N nats. The estimates here correct that, come with an interval, and with a permutation test of
whether there is any dependence at all. Samples of real numbers go to the nearest neighbours instead.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bitmeter._util import check
from bitmeter._util.arrays import Floats
from bitmeter._util.check import Seed, Unit
from bitmeter.errors import InputError, RangeError, ShapeError
from bitmeter.theory.estimators.combination import Combination
from bitmeter.theory.estimators.results import InformationEstimate, checked_confidence, p_value, reach
from bitmeter.theory.multivariate import MEASURES, columns_of, mutual_terms, terms_of

__all__ = [
    "INFORMATION_METHODS",
    "InformationEstimate",
    "estimate_multivariate_information",
    "estimate_mutual_information",
]

_COUNTED = ("chao-wang-jost", "shuffle", "miller-madow", "grassberger", "chao-shen", "maximum-likelihood")
_NEIGHBOURS = ("ksg1", "ksg2")

#: The methods of `estimate_mutual_information`: for symbols, the default first, then for real numbers.
INFORMATION_METHODS: tuple[str, ...] = (*_COUNTED, *_NEIGHBOURS)

_UNDERSAMPLED = 0.9
_LEAST_PERMUTATIONS = 20  # for the mean that "shuffle" subtracts


def estimate_mutual_information(
    x: Any,
    y: Any,
    method: str | None = None,
    *,
    given: Any = None,
    neighbours: int = 4,
    unit: Unit = "bits",
    confidence: float = 0.95,
    permutations: int | None = None,
    seed: Seed = 0,
) -> InformationEstimate:
    """Estimate I(X; Y), or I(X; Y | Z), from paired samples.

    Parameters
    ----------
    x, y
        The samples, each x beside its y: strings, bytes, integers or labels; or real numbers, one axis for
        observations and one, if there are several, for coordinates.
    method
        One of `INFORMATION_METHODS`. By default ``"ksg1"`` if any of the samples is an array of floats, else
        ``"chao-wang-jost"``.

        - ``"chao-wang-jost"``, ``"miller-madow"``, ``"grassberger"``, ``"chao-shen"``: H(X) + H(Y) − H(X, Y) with
          these estimates of entropy (see `estimate_entropy`); the first is the least biased over a wide range;
        - ``"shuffle"``: the plug-in estimate less its mean over permuted samples, which have no information but the
          same bias. The least variance where X and Y are independent or nearly so, far too low where they depend
          strongly on each other in a small sample;
        - ``"maximum-likelihood"``: the plug-in estimate, too high;
        - ``"ksg1"``, ``"ksg2"``: Kraskov, Stögbauer and Grassberger's (2004), from the distances to the
          `neighbours`-th neighbour, in the maximum norm; with `given`, Frenzel and Pompe's (2007), for which only
          ``"ksg1"`` will do. They need scipy.
    given
        Samples of Z.
    neighbours
        How many, for ``"ksg1"`` and ``"ksg2"``: more have less variance, fewer less bias.
    unit
        ``"bits"``, ``"nats"`` or ``"hartleys"``.
    confidence
        The probability that the interval stands for: the estimate ± the normal quantile times the jackknife's standard
        deviation (for ``"shuffle"`` of the plug-in estimate); for neighbours see `estimate_differential_entropy`.
    permutations
        How many permuted samples to test independence with; y is permuted, within equal z if there is `given`. By
        default 200 for symbols, and 0 for real numbers, where each takes as long as the estimate; 0 for no test.
    seed
        Of the permutations.

    Returns
    -------
    InformationEstimate

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.random.default_rng(1).integers(0, 256, (2, 10_000))
    >>> found = estimate_mutual_information(x, y)
    >>> round(found.plug_in, 2), abs(found.value) < 0.1, found.p_value > 0.05
    (2.82, True, True)
    >>> z = np.random.default_rng(1).normal(size=(1000, 2)) @ [[1, 0.8], [0, 0.6]]
    >>> round(estimate_mutual_information(z[:, 0], z[:, 1]).value, 1), round(float(-np.log2(0.6)), 1)
    (0.7, 0.7)
    """
    per_unit = check.nats_per(unit)
    confidence = checked_confidence(confidence)
    rng = check.generator(seed)
    samples = [x, y] if given is None else [x, y, given]
    names = ["x", "y", "given"][: len(samples)]
    chosen = _method(method, samples)
    if chosen in _NEIGHBOURS:
        from bitmeter.theory.estimators import neighbours as nearest

        tries = 0 if permutations is None else check.integer(permutations, "permutations", low=0, high=10**6)
        points = nearest.points(samples, names)
        return nearest.mutual(points, chosen, neighbours, unit, confidence, tries, rng)
    tries = 200 if permutations is None else check.integer(permutations, "permutations", low=0, high=10**6)
    columns = columns_of(samples, names)
    measure = "mutual-information" if given is None else "conditional-mutual-information"
    combination = Combination(columns, mutual_terms(given is not None), (2,) if given is not None else ())
    return _counted(combination, measure, chosen, unit, per_unit, confidence, tries, rng)


def estimate_multivariate_information(
    *samples: Any,
    measure: str = "total-correlation",
    method: str = "chao-wang-jost",
    unit: Unit = "bits",
    confidence: float = 0.95,
    permutations: int = 200,
    seed: Seed = 0,
) -> InformationEstimate:
    """Estimate the total correlation of several variables, their dual total correlation, or their O-information.

    Parameters
    ----------
    samples
        The samples of each variable, of one length: strings, bytes, integers or labels.
    measure
        ``"total-correlation"``, ``"dual-total-correlation"`` or ``"o-information"``: see the functions of these names.
    method
        Of `estimate_mutual_information`, those for symbols.
    unit, confidence, seed
        As there.
    permutations
        How many samples with every variable permuted by itself to test independence with; the test of
        ``"o-information"``, which has a sign, is of its size.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.random.default_rng(1).integers(0, 2, (2, 2000))
    >>> found = estimate_multivariate_information(x, y, x ^ y, measure="o-information")
    >>> round(found.value, 2), found.p_value < 0.01
    (-1.0, True)
    """
    per_unit = check.nats_per(unit)
    confidence = checked_confidence(confidence)
    rng = check.generator(seed)
    chosen = check.choice(method, "method", _COUNTED)
    which = check.choice(measure, "measure", MEASURES)
    tries = check.integer(permutations, "permutations", low=0, high=10**6)
    if len(samples) < 2:
        message = f"{len(samples)} samples are given; a {which} is of at least two variables"
        raise ShapeError(message)
    columns = columns_of(list(samples), [f"samples[{i}]" for i in range(len(samples))])
    combination = Combination(columns, terms_of(which, len(columns)))
    return _counted(combination, which, chosen, unit, per_unit, confidence, tries, rng)


def _counted(
    combination: Combination,
    measure: str,
    method: str,
    unit: Unit,
    per_unit: float,
    confidence: float,
    permutations: int,
    rng: np.random.Generator,
) -> InformationEstimate:
    if method == "shuffle" and permutations < _LEAST_PERMUTATIONS:
        message = (
            f"method 'shuffle' subtracts the mean of permuted samples, and permutations is {permutations}; "
            f"give at least {_LEAST_PERMUTATIONS}, or use method='miller-madow'"
        )
        raise RangeError(message, value=permutations)
    plug_in = combination.estimate("maximum-likelihood")
    null = combination.permuted(permutations, rng) if permutations else None
    value = combination.estimate(method) if method != "shuffle" else plug_in - _mean(null)
    coverage = combination.coverage()
    return InformationEstimate(
        value=value / per_unit,
        unit=unit,
        measure=measure,
        method=method,
        plug_in=plug_in / per_unit,
        coverage=coverage,
        observations=combination.observations,
        interval=_interval(value / per_unit, combination.deviation(method, per_unit), confidence),
        confidence=confidence,
        p_value=None if null is None else p_value(plug_in, null, signed=measure == "o-information"),
        permutations=permutations,
        note=_note(coverage, value / per_unit, plug_in / per_unit, check.unit_name(unit)),
    )


def _mean(values: Floats | None) -> float:
    assert values is not None
    return math.fsum(values.tolist()) / values.size


def _interval(value: float, deviation: float | None, confidence: float) -> tuple[float, float] | None:
    if deviation is None:
        return None
    spread = reach(confidence) * deviation
    return value - spread, value + spread


def _note(coverage: float, value: float, plug_in: float, unit: str) -> str:
    if coverage >= _UNDERSAMPLED:
        return f"the correction is {value - plug_in:+.4f} {unit}"
    return (
        f"undersampled: about {100 * (1 - coverage):.0f}% of the joint distribution was not seen, and the correction "
        f"is {value - plug_in:+.4f} {unit}. The size is a guess, and the interval does not contain its bias; trust the "
        "permutation test, or take more data"
    )


def _method(method: Any, samples: list[Any]) -> str:
    real = any(_is_real(sample) for sample in samples)
    if method is None:
        return _NEIGHBOURS[0] if real else _COUNTED[0]
    name = check.choice(method, "method", INFORMATION_METHODS)
    if real and name in _COUNTED:
        message = (
            f"method {name!r} counts how often symbols occur, and real numbers hardly ever occur twice; use "
            "method='ksg1', or make symbols of them, for example with numpy.digitize"
        )
        raise InputError(message, value=name)
    return name


def _is_real(sample: Any) -> bool:
    """Whether these are real numbers: an array of floats, or of more than one axis, or a list that begins with one."""
    if isinstance(sample, list | tuple):
        return bool(sample) and isinstance(sample[0], float | np.floating)
    found = check.native(sample, "samples")
    return isinstance(found, np.ndarray) and (found.dtype.kind == "f" or (found.ndim > 1 and found.dtype.kind in "iu"))
