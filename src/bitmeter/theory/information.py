"""Information, entropy, cross-entropy and divergence: of vectors, tables, batches, counts, samples and densities.

Every function takes probabilities along the last axis (a vector gives a float, a batch an array), a `Distribution`, a
mapping or a Series (a distribution over its labels), or one of scipy's frozen distributions; `of="counts"` or
`of="samples"` says that the input is that instead. A string or bytes are always samples, and a Counter counts. Where
two distributions have labels, they meet label by label; where only one has, the other is refused (see `inputs`).

Input is always checked: what does not sum to one is an error unless `normalise=True` asks to divide. "One" allows for
rounding: 1e-9 for doubles, 1e-5 for float32, 0.004 for float16 and 0.03 for bfloat16, as softmax layers give them;
what is within that is divided by its sum. Fractions are exact.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bitmeter._util import check
from bitmeter._util.arrays import Floats
from bitmeter._util.check import Unit
from bitmeter.errors import NegativeError, RangeError, ShapeError
from bitmeter.theory import continuous, exact, sums
from bitmeter.theory.conditional import Conditional
from bitmeter.theory.inputs import Of, as_pair, as_probabilities


def information(p: Any, *, unit: Unit = "bits") -> float | Floats:
    """The information of an event of probability p, I = −log p: rare is more, certain is 0, impossible is infinite.

    Parameters
    ----------
    p
        A probability, or an array of them (which need not sum to one).
    unit
        "bits", "nats", "hartleys", or a number: the base of the logarithm.

    Returns
    -------
    float or ndarray
        As many as went in.

    Examples
    --------
    >>> information(1 / 8), information(1.0), information(0.0)
    (3.0, 0.0, inf)
    >>> from fractions import Fraction
    >>> information(Fraction(1, 2**2000))
    2000.0
    """
    scale = check.from_bits(unit)
    p = check.native(p, "p")
    if check.is_rational(p) or exact.is_exact(p):
        return _exact_information(p) * scale
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


def _exact_information(p: Any) -> float | Floats:
    """−log₂ p of a fraction, or of a sequence of them."""
    single = check.is_rational(p)
    values = np.array([p], dtype=object) if single else np.asarray(p, dtype=object)
    found = [exact.fraction(item, "p") for item in values.flat]
    for place, item in enumerate(found):
        if not 0 <= item <= 1:
            message = f"p[{place}] is {check.shown(item, str)}; a probability lies between 0 and 1"
            raise (NegativeError if item < 0 else RangeError)(message, index=place, value=item)
    bits = exact.information(tuple(found)).reshape(values.shape)
    return float(bits[0]) if single else bits


def entropy(p: Any, *, of: Of = "auto", unit: Unit = "bits", normalise: bool = False) -> float | Floats:
    """The entropy H(p) = −Σ p log p: the average information of an outcome.

    Parameters
    ----------
    p
        Probabilities along the last axis, a Distribution, or with `of` counts or samples. Or a distribution of
        scipy.stats: continuous (old style, new style, multivariate_normal or gaussian_kde), whose differential entropy
        is given, or discrete, such as poisson(3), summed to full accuracy.
    of
        "probabilities", "counts" or "samples"; "auto" takes strings and bytes as samples, all else as probabilities.
    unit
        "bits", "nats", "hartleys", or a number: the base of the logarithm.
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
    values, normalise = as_probabilities(p, "p", of, normalise)
    if isinstance(values, tuple):
        return exact.entropy(values) * scale
    return sums.plain(sums.entropy(values, "p", normalise=normalise), scale)


def varentropy(p: Any, *, of: Of = "auto", unit: Unit = "bits", normalise: bool = False) -> float | Floats:
    """The variance of the information −log p under p, in squared units: 0 for flat and for certain distributions.

    Examples
    --------
    >>> varentropy([0.5, 0.25, 0.25]), varentropy([0.25] * 4)
    (0.25, 0.0)
    """
    scale = check.from_bits(unit)
    if continuous.is_frozen(p):
        return continuous.varentropy(continuous.frozen(p, "p")) / check.nats_per(unit) ** 2
    values, normalise = as_probabilities(p, "p", of, normalise)
    if isinstance(values, tuple):
        return exact.varentropy(values) * scale**2
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
    given, normalise = as_probabilities(p, "p", of, normalise)
    if isinstance(given, tuple):
        return exact.renyi(given, alpha) * scale
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
    >>> from bitmeter import Distribution
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
    _, first, second, normalise = as_pair(p, q, of, normalise)
    if isinstance(first, tuple):
        return exact.cross_entropy(first, second) * scale
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
    _, first, second, normalise = as_pair(p, q, of, normalise)
    if isinstance(first, tuple):
        return exact.divergence(first, second) * scale
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
    _, first, second, normalise = as_pair(p, q, of, normalise)
    if isinstance(first, tuple):
        return exact.jensen_shannon(first, second) * scale
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
    >>> from bitmeter import Distribution
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
