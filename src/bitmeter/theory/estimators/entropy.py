"""The entropy of a distribution that is known only from a sample.

The entropy of the observed frequencies (the plug-in, or maximum-likelihood, estimate) is too low: symbols that were not
seen count for nothing. Each method here corrects that in its own way; none of them is unbiased when most of the
distribution has not been seen, and the result says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bitmeter._util import check
from bitmeter._util.check import Seed, Unit
from bitmeter._util.rendering import InNotebooks
from bitmeter.errors import InputError, RangeError
from bitmeter.theory.estimators.spectrum import FORMULAS, Spectrum, plug_in_deviation
from bitmeter.theory.inputs import samples

__all__ = ["ENTROPY_METHODS", "EntropyEstimate", "estimate_entropy"]

#: The methods of `estimate_entropy`, the default first.
ENTROPY_METHODS: tuple[str, ...] = (*FORMULAS, "nsb")

_USE_ALPHABET = ("james-stein", "nsb")
_UNDERSAMPLED = 0.9  # coverage below which the note says that bias remains
_UNSEEN = 0.1  # standard deviations that unseen symbols may add where the sample is called large enough
_DIFFERENT = 0.3  # standard deviations by which a method may differ from the best
_WELL = "well sampled"
_FEW = 200  # observations that are never enough


@dataclass(frozen=True, slots=True)
class EntropyEstimate(InNotebooks):
    """An entropy estimated from a sample.

    Attributes
    ----------
    value
        The estimate.
    unit
        What `value`, `plug_in` and `interval` are measured in.
    method
        How it was estimated.
    plug_in
        The entropy of the observed frequencies, for comparison.
    coverage
        Good and Turing's estimate of the probability of all symbols seen: 1 − (symbols seen once) / observations.
    observations
        How many symbols were drawn.
    symbols
        How many different ones there were among them.
    alphabet_size
        How many there can be, where that was given.
    interval
        Where the estimate would fall in other samples of this size, about its own mean; None if `resamples` is 0.
        It does not contain the bias that remains.
    confidence
        The probability that `interval` stands for.
    well_sampled
        Whether the sample is large enough for the interval to be trusted: what unseen symbols are taken to add is at
        most a tenth of a standard deviation, and the method agrees with the least biased one.
    note
        Caveats, as sentences.
    """

    value: float
    unit: Unit
    method: str
    plug_in: float
    coverage: float
    observations: int
    symbols: int
    alphabet_size: int | None
    interval: tuple[float, float] | None
    confidence: float
    well_sampled: bool
    note: str

    def __repr__(self) -> str:
        return (
            f"EntropyEstimate({self.value:.6g} {check.unit_name(self.unit)} by {self.method}, "
            f"{self.observations:,} observations)"
        )

    def __str__(self) -> str:
        spread = ""
        if self.interval is not None:
            spread = f" ({100 * self.confidence:g}% interval {self.interval[0]:.4f} to {self.interval[1]:.4f})"
        return (
            f"{self.value:.4f} {check.unit_name(self.unit)} by {self.method}{spread}\n"
            f"plug-in {self.plug_in:.4f} · coverage {self.coverage:.4f} · "
            f"{self.observations} observations of {self.symbols} symbols\n{self.note}"
        )


def estimate_entropy(
    data: Any,
    method: str = "chao-wang-jost",
    *,
    of: str = "samples",
    alphabet_size: int | None = None,
    unit: Unit = "bits",
    confidence: float = 0.95,
    resamples: int = 200,
    seed: Seed = 0,
) -> EntropyEstimate:
    """Estimate the entropy of the distribution that a sample was drawn from.

    Parameters
    ----------
    data
        The sample: a string, bytes, integers or any hashable labels; or, with ``of="counts"``, how often each symbol
        was seen (an array, or a mapping from symbols to counts). The draws are taken to be independent.
    method
        One of `ENTROPY_METHODS`:

        - ``"chao-wang-jost"`` (the default): the least biased of those that need not know the alphabet;
        - ``"nsb"``: Nemenman, Shafee and Bialek's posterior mean; the best where the alphabet's size is known, and it
          must be;
        - ``"maximum-likelihood"``: the plug-in; ``"miller-madow"``: plus its first-order bias; ``"grassberger"``
          (2003); ``"chao-shen"``; ``"zhang"``; ``"jackknife"``;
        - ``"james-stein"``: frequencies shrunk towards the uniform distribution over ``alphabet_size``, or over what
          was seen.
    of
        What `data` is: ``"samples"`` or ``"counts"``.
    alphabet_size
        How many symbols there are, seen or not, for ``"james-stein"`` and ``"nsb"``.
    unit
        ``"bits"``, ``"nats"`` or ``"hartleys"``.
    confidence
        The probability that the interval stands for.
    resamples
        How many samples to draw for the interval; 0 for none. They come from the distribution restored from the sample
        (unseen symbols added), and the interval is the estimate ± the normal quantile times their standard deviation:
        centred on the estimate, because the mean of resamples carries a bias of its own. For ``"nsb"`` the posterior's
        own standard deviation serves instead of resamples.
    seed
        Of the resamples.

    Returns
    -------
    EntropyEstimate

    Examples
    --------
    >>> estimate = estimate_entropy([1, 2, 3, 2, 1], of="counts", unit="nats")
    >>> round(estimate.value, 6), round(estimate.plug_in, 6), round(estimate.coverage, 4)
    (1.84787, 1.522955, 0.7778)
    >>> estimate_entropy("abracadabra", "miller-madow", resamples=0).value
    2.302682
    >>> estimate_entropy("abracadabra", "nsb", alphabet_size=26).value
    2.6986
    """
    method = check.choice(method, "method", ENTROPY_METHODS)
    per_unit = check.nats_per(unit)
    confidence = _confidence(confidence)
    resamples = check.integer(resamples, "resamples", low=0, high=10**6)
    rng = check.generator(seed)
    spectrum = _spectrum(data, of)
    alphabet = _alphabet(alphabet_size, method, spectrum.symbols)
    value, deviation = _estimate(spectrum, method, alphabet, resamples, rng)
    note = _note(spectrum, value)
    return EntropyEstimate(
        value=value / per_unit,
        unit=unit,
        method=method,
        plug_in=FORMULAS["maximum-likelihood"](spectrum, None) / per_unit,
        coverage=1 - spectrum.seen(1) / spectrum.observations,
        observations=spectrum.observations,
        symbols=spectrum.symbols,
        alphabet_size=alphabet,
        interval=None if deviation is None else _interval(value / per_unit, deviation / per_unit, confidence),
        confidence=confidence,
        well_sampled=note.startswith(_WELL),
        note=note,
    )


def _confidence(value: Any) -> float:
    number = check.real(value, "confidence")
    if not 0 < number < 1:
        message = f"confidence is {number}; it must lie between 0 and 1, such as 0.95"
        raise RangeError(message, value=number)
    return number


def _spectrum(data: Any, of: Any) -> Spectrum:
    if check.choice(of, "of", ("samples", "counts")) == "counts":
        return Spectrum.of_counts(check.counts(list(data.values()) if isinstance(data, Mapping) else data, "data"))
    _, counts = check.count(samples(data, "data"))
    return Spectrum.of_counts(counts)


def _alphabet(size: Any, method: str, seen: int) -> int | None:
    if size is None:
        if method == "nsb":
            message = (
                "method 'nsb' needs to know how many symbols there are, seen or not: give alphabet_size; "
                "where it is unknown, use method='chao-wang-jost'"
            )
            raise InputError(message)
        return None
    if method not in _USE_ALPHABET:
        message = (
            f"alphabet_size is used by {' and '.join(map(repr, _USE_ALPHABET))} alone; leave it out for {method!r}"
        )
        raise InputError(message, value=size)
    number = check.integer(size, "alphabet_size", low=1, high=2**53)
    if number < seen:
        message = f"alphabet_size is {number}, but {seen} different symbols were seen; it must be at least that"
        raise RangeError(message, value=number)
    return number


def _estimate(
    spectrum: Spectrum, method: str, alphabet: int | None, resamples: int, rng: Any
) -> tuple[float, float | None]:
    """The estimate and its standard deviation, in nats."""
    if method == "nsb":
        from bitmeter.theory.estimators.nsb import posterior

        assert alphabet is not None
        value, deviation = posterior(spectrum, alphabet)
        return value, deviation if resamples else None
    formula = FORMULAS[method]
    value = formula(spectrum, alphabet)
    if resamples == 0:
        return value, None
    from bitmeter.theory.estimators import resampling

    source = resampling.restore(spectrum, alphabet)
    drawn = [formula(sample, alphabet) for sample in resampling.resamples(source, resamples, rng)]
    centre = math.fsum(drawn) / len(drawn)
    return value, math.sqrt(math.fsum((x - centre) ** 2 for x in drawn) / max(len(drawn) - 1, 1))


def _interval(value: float, deviation: float, confidence: float) -> tuple[float, float]:
    from statistics import NormalDist  # slow to import

    reach = NormalDist().inv_cdf(0.5 + confidence / 2) * deviation
    return max(0.0, value - reach), value + reach


def _note(spectrum: Spectrum, value: float) -> str:
    """Whether the interval can be trusted: by what the unseen symbols add, and by how far methods differ.

    Coverage alone does not say so: with a heavy tail (Zipf's law with exponent 1.5) what was not seen has little
    probability and much entropy. The limits are those of the simulation in benchmarks/estimators.py.
    """
    total = spectrum.observations
    coverage = 1 - spectrum.seen(1) / total
    if coverage < _UNDERSAMPLED:
        return (
            f"undersampled: about {100 * (1 - coverage):.0f}% of the probability belongs to symbols that were not "
            "seen. No estimator is unbiased here, most are too low, and the interval does not contain that bias; take "
            "more data"
        )
    deviation = plug_in_deviation(spectrum)
    best = FORMULAS["chao-wang-jost"](spectrum, None)
    unseen = best - FORMULAS["zhang"](spectrum, None)
    if total < _FEW or unseen > _UNSEEN * deviation:
        return (
            f"not well sampled: symbols that were not seen are taken to add {unseen / math.log(2):.2g} bits, and the "
            "interval does not contain the error of that guess, which is too low if rare symbols are many; take more "
            "data"
        )
    if abs(value - best) > _DIFFERENT * deviation:
        return (
            f"biased: the sample is large enough for method='chao-wang-jost', and this method differs from it by "
            f"{(value - best) / math.log(2):+.2g} bits, which the interval does not contain"
        )
    return f"{_WELL}: what was not seen adds next to nothing, and the interval can be trusted"
