"""Information, entropy, cross-entropy and divergence: of vectors, tables, batches, counts, samples and densities.

Every function takes probabilities along the last axis (a vector gives a float, a batch an array), a `Distribution`, or
one of scipy's frozen continuous distributions; `of="counts"` or `of="samples"` says that the input is that instead.
A string or bytes are always samples. Input is always checked: what does not sum to one is an error unless
`normalise=True` asks to divide.
"""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitmeter._util import check
from bitmeter._util.arrays import Floats
from bitmeter._util.check import Unit
from bitmeter.errors import InputTypeError, RangeError, ShapeError
from bitmeter.theory import continuous, sums
from bitmeter.theory.conditional import Conditional
from bitmeter.theory.distributions import Distribution

#: What the input is. "auto": a string or bytes are samples, all other arrays are probabilities.
Of: TypeAlias = Literal["auto", "probabilities", "counts", "samples"]

_OF = ("auto", "probabilities", "counts", "samples")


def information(p: Any, *, unit: Unit = "bits") -> float | Floats:
    """The information of an event of probability p, I = −log p: rare is more, certain is 0, impossible is infinite.

    Parameters
    ----------
    p
        A probability, or an array of them (which need not sum to one).
    unit
        "bits", "nats" or "hartleys".

    Returns
    -------
    float or ndarray
        As many as went in.

    Examples
    --------
    >>> information(1 / 8), information(1.0), information(0.0)
    (3.0, 0.0, inf)
    """
    scale = check.from_bits(unit)
    p = check.native(p, "p")
    single = not isinstance(p, list | tuple | str | bytes) and np.ndim(p) == 0
    values = np.asarray([check.real(p, "p", infinite=True)]) if single else check.array(p, "p")
    wrong = ~((values >= 0.0) & (values <= 1.0))
    if wrong.any():
        index = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), values.shape))
        found = float(values[index])
        if not 1.0 < found < math.inf:
            check.raise_bad_entry(values, index, "p")
        message = f"p[{', '.join(map(str, index))}] is {found}; a probability is at most 1"
        raise RangeError(message, index=index[0] if len(index) == 1 else index, value=found)
    with np.errstate(divide="ignore"):
        result = -np.log2(values.astype(np.float64)) * scale + 0.0
    return float(result[0]) if single else result


def entropy(p: Any, *, of: Of = "auto", unit: Unit = "bits", normalise: bool = False) -> float | Floats:
    """The entropy H(p) = −Σ p log p: the average information of an outcome.

    Parameters
    ----------
    p
        Probabilities along the last axis, a Distribution, a frozen continuous distribution (whose differential
        entropy is given), or with `of` counts or samples.
    of
        "probabilities", "counts" or "samples"; "auto" takes strings and bytes as samples, all else as probabilities.
    unit
        "bits", "nats" or "hartleys".
    normalise
        Divide by the sum on purpose.

    Returns
    -------
    float or ndarray
        A float for one distribution, an array for a batch. The entropy of samples is the plug-in estimate, which is
        too low for few samples: see `estimate_entropy`.

    Examples
    --------
    >>> entropy([0.5, 0.25, 0.25])
    1.5
    >>> entropy([[0.5, 0.5], [1.0, 0.0]])
    array([1., 0.])
    >>> entropy("abba"), entropy([2, 2], of="counts"), entropy([1.0] * 10000, normalise=True, unit="nats")
    (1.0, 1.0, 9.2103)
    """
    scale = check.from_bits(unit)
    if continuous.is_frozen(p):
        return continuous.entropy(continuous.frozen(p, "p")) / check.nats_per(unit)
    values, normalise = _probabilities(p, "p", of, normalise)
    return sums.plain(sums.entropy(values, "p", normalise=normalise), scale)


def varentropy(p: Any, *, of: Of = "auto", unit: Unit = "bits", normalise: bool = False) -> float | Floats:
    """The variance of the information −log p under p, in squared units: 0 for flat and for certain distributions.

    Examples
    --------
    >>> varentropy([0.5, 0.25, 0.25]), varentropy([0.25] * 4)
    (0.25, 0.0)
    """
    scale = check.from_bits(unit)
    values, normalise = _probabilities(p, "p", of, normalise)
    return sums.plain(sums.varentropy(values, "p", normalise=normalise), scale**2)


def renyi_entropy(
    p: Any, order: float, *, of: Of = "auto", unit: Unit = "bits", normalise: bool = False
) -> float | Floats:
    """The Rényi entropy log Σ p^α / (1 − α).

    Order 0 gives Hartley's (how many outcomes), 1 Shannon's, 2 the collision entropy, inf the min-entropy.

    Examples
    --------
    >>> [round(renyi_entropy([0.5, 0.25, 0.25], a), 4) for a in (0, 1, 2, float("inf"))]
    [1.585, 1.5, 1.415, 1.0]
    """
    scale = check.from_bits(unit)
    alpha = check.real(order, "order", low=0.0, infinite=True)
    if continuous.is_frozen(p):
        return continuous.renyi(continuous.frozen(p, "p"), alpha) / check.nats_per(unit)
    given, normalise = _probabilities(p, "p", of, normalise)
    if alpha == 1.0:
        return sums.plain(sums.entropy(given, "p", normalise=normalise), scale)
    values = check.probabilities(given, "p", normalise=normalise)
    if alpha == 0.0:
        bits = np.log2((values > 0).sum(axis=-1))
    elif math.isinf(alpha):
        bits = -np.log2(values.max(axis=-1))
    else:
        bits = _renyi_nats(values, alpha) / math.log(2.0)
    return sums.plain(np.maximum(bits, 0.0), scale)


def _renyi_nats(values: Floats, alpha: float) -> Floats:
    """Σ p^α = 1 + Σ p·(p^(α−1) − 1), so that nothing cancels near α = 1; by logarithms where that overflows."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        logs = np.where(values > 0, np.log(values), 0.0)
        excess = np.sum(values * np.expm1((alpha - 1.0) * logs), axis=-1)
        near = np.log1p(excess) / (1.0 - alpha)
        scaled = np.where(values > 0, alpha * logs, -np.inf)
        top = scaled.max(axis=-1, keepdims=True)
        far = (top[..., 0] + np.log(np.exp(scaled - top).sum(axis=-1))) / (1.0 - alpha)
    use_near = (np.abs(alpha - 1.0) < 0.5) & (excess > -0.5) & np.isfinite(excess)
    return np.asarray(np.where(use_near, near, far))


def cross_entropy(p: Any, q: Any, *, of: Of = "auto", unit: Unit = "bits", normalise: bool = False) -> float | Floats:
    """The cross-entropy H(p, q) = −Σ p log q: the average cost of symbols from p under the model q.

    Parameters
    ----------
    p
        The truth: probabilities, a Distribution, a frozen continuous distribution, or data (a string, bytes, or a
        sequence of labels) where q is a Distribution or a Conditional.
    q
        The model: probabilities over the same events, a Distribution, a Conditional, or a frozen distribution.
    of, unit, normalise
        As in `entropy`; `of` describes p alone.

    Returns
    -------
    float or ndarray
        inf where p has mass that q gives none: `explain_infinite` says where.

    Examples
    --------
    >>> cross_entropy([0.5, 0.5], [0.25, 0.75])
    1.20751874963942
    >>> cross_entropy("abba", Distribution({"a": 0.25, "b": 0.5, "c": 0.25}))
    1.5
    >>> cross_entropy("cab", Distribution({"a": 0.5, "b": 0.5}))
    inf
    """
    scale = check.from_bits(unit)
    if continuous.is_frozen(p) or continuous.is_frozen(q):
        return (
            continuous.cross_entropy(continuous.frozen(p, "p"), continuous.frozen(q, "q")) / check.nats_per(unit) + 0.0
        )
    if isinstance(q, Conditional):
        return q.cross_entropy(p, unit=unit)
    first, second, normalise = _pair(p, q, of, normalise)
    return sums.plain(sums.cross_entropy(first, second, normalise=normalise), scale)


def kl_divergence(p: Any, q: Any, *, of: Of = "auto", unit: Unit = "bits", normalise: bool = False) -> float | Floats:
    """The Kullback-Leibler divergence D(p‖q) = Σ p log(p/q) = H(p, q) − H(p): what the model q costs beyond H(p).

    Takes what `cross_entropy` takes. Never negative; 0 only where p equals q.

    Examples
    --------
    >>> kl_divergence([0.5, 0.5], [0.25, 0.75])
    0.20751874963942...
    """
    scale = check.from_bits(unit)
    if continuous.is_frozen(p) or continuous.is_frozen(q):
        return continuous.divergence(continuous.frozen(p, "p"), continuous.frozen(q, "q")) / check.nats_per(unit)
    first, second, normalise = _pair(p, q, of, normalise)
    return sums.plain(sums.divergence(first, second, normalise=normalise), scale)


def js_divergence(p: Any, q: Any, *, of: Of = "auto", unit: Unit = "bits", normalise: bool = False) -> float | Floats:
    """The Jensen-Shannon divergence ½ D(p‖m) + ½ D(q‖m), m = ½(p + q): symmetric, finite, at most one bit.

    Examples
    --------
    >>> js_divergence([1.0, 0.0], [0.0, 1.0]), js_divergence([0.5, 0.5], [0.5, 0.5])
    (1.0, 0.0)
    """
    scale = check.from_bits(unit)
    if continuous.is_frozen(p) or continuous.is_frozen(q):
        return continuous.jensen_shannon(continuous.frozen(p, "p"), continuous.frozen(q, "q")) / check.nats_per(unit)
    first, second, normalise = _pair(p, q, of, normalise)
    first = check.probabilities(first, "p", normalise=normalise)
    second = check.probabilities(second, "q", normalise=normalise)
    # Halving a denormal would lose its last bit: the middle is kept doubled, and normalised by its sum.
    middle = first + second
    bits = 0.5 * sums.divergence(first, middle, normalise=True) + 0.5 * sums.divergence(second, middle, normalise=True)
    return sums.plain(np.minimum(bits, 1.0), scale)


def perplexity(p: Any, q: Any = None, *, of: Of = "auto", normalise: bool = False) -> float | Floats:
    """2 to the entropy of p, or to the cross-entropy of p under q: the number of equally likely choices it is worth.

    The same in every unit, so there is no `unit` here.

    Examples
    --------
    >>> perplexity([0.25] * 4)
    4.0
    >>> perplexity("abba", Distribution({"a": 0.25, "b": 0.5, "c": 0.25}))
    2.8284
    """
    bits = entropy(p, of=of, normalise=normalise) if q is None else cross_entropy(p, q, of=of, normalise=normalise)
    if isinstance(bits, np.ndarray):
        return np.asarray([sums.power(float(x)) for x in bits.ravel()]).reshape(bits.shape)
    return sums.power(bits)


def sequence_perplexity(probabilities: Any) -> float:
    """The geometric mean of the inverse probabilities of a sequence's steps, (Π 1/p(x_t))^(1/n).

    Parameters
    ----------
    probabilities
        p(x_t | what came before) of each step; they need not sum to one. The perplexity of one step is 1/p.

    Examples
    --------
    >>> sequence_perplexity([0.5, 0.125])
    4.0
    """
    surprisal = information(probabilities)
    if not isinstance(surprisal, np.ndarray) or surprisal.ndim != 1:
        message = f"probabilities is {check.shown(probabilities)}; it must be a sequence, one probability per step"
        raise ShapeError(message)
    if np.isinf(surprisal).any():
        return math.inf
    return sums.power(sums.total(surprisal) / surprisal.size)


def _as_samples(p: Any, of: str) -> bool:
    if isinstance(p, memoryview) and of == "auto":
        return check.holds_bytes(p)
    return of == "samples" or (of == "auto" and isinstance(p, str | bytes | bytearray))


def _probabilities(p: Any, name: str, of: Any, normalise: Any) -> tuple[NDArray[Any], bool]:
    """The rows to sum over, and whether they are to be divided by their sums."""
    check.choice(of, "of", _OF)
    divide = check.flag(normalise, "normalise")
    if isinstance(p, Distribution):
        return p.probabilities, divide
    if isinstance(p, Conditional):
        message = f"{name} is a Conditional; its entropy needs a distribution of the contexts: use {name}.entropy(…)"
        raise InputTypeError(message, value=p)
    if _as_samples(p, of):
        return check.count(check.symbols(p, name))[1].astype(np.float64), True
    try:
        return check.array(p, name), divide or of == "counts"
    except InputTypeError as error:
        message = f"{error}; if these are samples, say so with of='samples'"
        raise InputTypeError(message, value=p) from None


def _pair(p: Any, q: Any, of: Any, normalise: Any) -> tuple[NDArray[Any], NDArray[Any], bool]:
    """The two rows over the same events, aligned by label where there are labels."""
    check.choice(of, "of", _OF)
    divide = check.flag(normalise, "normalise")
    if isinstance(q, Conditional):
        message = "q is a Conditional; only cross_entropy takes one"
        raise InputTypeError(message, value=q)
    if isinstance(q, Distribution):
        if of in ("probabilities", "counts") and not isinstance(p, Distribution):
            first, second = sums.pair(p, q.probabilities)
            return first, second, divide or of == "counts"
        _refuse_numbers(p, of)
        _, first, second = align(p if isinstance(p, Distribution) else Distribution.from_data(p), q)
        return first, second, divide
    if isinstance(p, Distribution):
        first, second = sums.pair(p.probabilities, q)
        return first, second, divide
    if _as_samples(p, of):
        message = "p is data, so q must be a Distribution, whose labels say which symbol each probability belongs to"
        raise InputTypeError(message, value=q)
    first, second = sums.pair(p, q)
    return first, second, divide or of == "counts"


def _refuse_numbers(p: Any, of: str) -> None:
    """Floats against a Distribution are more likely probabilities than labels: the caller must say."""
    p = check.native(p, "p")
    numbers = isinstance(p, np.ndarray) and p.dtype.kind == "f"
    numbers = numbers or (isinstance(p, list | tuple) and any(isinstance(item, float) for item in p))
    if numbers and of == "auto":
        message = (
            "p holds floats and q is a Distribution: say of='probabilities' if they are probabilities in the order of "
            "q.labels, or of='samples' if they are data"
        )
        raise InputTypeError(message, value=p)


def align(p: Distribution, q: Distribution) -> tuple[tuple[Any, ...], Floats, Floats]:
    """Both distributions over the labels of either."""
    if p.labels == q.labels:
        return p.labels, p.probabilities, q.probabilities
    names = tuple(dict.fromkeys((*q.labels, *p.labels)))
    first = np.array([p.probability(name) for name in names])
    second = np.array([q.probability(name) for name in names])
    return names, first, second
