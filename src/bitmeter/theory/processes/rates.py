"""Cross-entropy and divergence rates: what a model of a process costs per step in the long run."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from bitmeter import _core
from bitmeter._util import check
from bitmeter._util.arrays import Floats
from bitmeter._util.check import Seed, Unit
from bitmeter.errors import RangeError, UndefinedError
from bitmeter.theory.processes.base import MAX_WORDS, Process, a_process, need_long_run, same_alphabet, seed_words
from bitmeter.theory.processes.chains import DENSE_STATES, LongRun, Machine
from bitmeter.theory.processes.iid import Iid, safe_log
from bitmeter.theory.processes.markov import Markov
from bitmeter.theory.processes.mixture import Mixture
from bitmeter.theory.processes.results import Rate, blend
from bitmeter.theory.processes.sampled_rates import monte_carlo, one_sample

Method = Literal["auto", "exact", "monte-carlo", "one-sample"]
#: The most symbols that one estimate draws.
_MAX_SAMPLED = 5 * 10**8
_METHODS = ("auto", "exact", "monte-carlo", "one-sample")


def cross_entropy_rate(
    p: Process,
    q: Process,
    *,
    method: Method = "auto",
    n: int = 100_000,
    paths: int = 32,
    seed: Seed = None,
    unit: Unit = "bits",
) -> Rate:
    """The information per step that the model `q` needs for the output of the process `p`: lim -1/n E log q(X₁…Xₙ).

    Parameters
    ----------
    p
        The process that makes the sequence.
    q
        The model that predicts it, over the same alphabet.
    method
        "exact": a closed form, which there is for any `p` where `q` is `Iid`, `Markov` or a mixture of these (and
        where `q` is `p`); an UndefinedError elsewhere. "monte-carlo": the mean over `paths` samples of `n` symbols.
        "one-sample": one sample of `n` symbols, which is enough where `p` is ergodic. "auto": exact where possible,
        else Monte Carlo.
    n, paths, seed
        For the methods that sample.
    unit
        "bits", "nats", "hartleys", or a number: the base of the logarithm.

    Returns
    -------
    Rate
        Infinite where `p` produces what `q` gives probability 0.

    Examples
    --------
    >>> from bitmeter import Iid, Markov
    >>> p, q = Markov([[.9, .1], [.3, .7]]), Markov([[.8, .2], [.4, .6]])
    >>> print(cross_entropy_rate(p, q))
    0.6195596573 bits per step, closed form
    >>> print(cross_entropy_rate(p, Iid([.5, .5])))
    1 bits per step, closed form
    >>> cross_entropy_rate(p, Iid([1, 0])).value
    inf
    """
    a_process(p, "p")
    same_alphabet(p, a_process(q, "q"), "q")
    chosen = check.choice(method, "method", _METHODS)
    length = check.integer(n, "n", low=100, high=10**8)
    rows = check.integer(paths, "paths", low=2, high=10**6)
    if length * rows > _MAX_SAMPLED:
        message = f"{rows} paths of {length} symbols are more than {_MAX_SAMPLED:.0e} symbols; lower n or paths"
        raise RangeError(message, value=length * rows)
    check.nats_per(unit)
    words = seed_words(seed)
    for process in (p, q):
        need_long_run(process)
    if chosen in ("auto", "exact"):
        found = _exact(p, q)
        if found is not None:
            return found.to(unit)
        if chosen == "exact":
            message = f"the cross-entropy rate of {q!r} on {p!r} has no closed form; use method='monte-carlo'"
            raise UndefinedError(message)
    if chosen == "one-sample":
        return one_sample(p, q, length, words).to(unit)
    return monte_carlo(p, q, length, rows, words).to(unit)


def kl_divergence_rate(
    p: Process,
    q: Process,
    *,
    method: Method = "auto",
    n: int = 100_000,
    paths: int = 32,
    seed: Seed = None,
    unit: Unit = "bits",
) -> Rate:
    """The information per step that the model `q` needs beyond that of the process `p`: cross-entropy minus entropy.

    The parameters are those of `cross_entropy_rate`.

    Examples
    --------
    >>> from bitmeter import Markov
    >>> p, q = Markov([[.9, .1], [.3, .7]]), Markov([[.8, .2], [.4, .6]])
    >>> print(kl_divergence_rate(p, q))
    0.04749023726 bits per step, closed form
    """
    cross = cross_entropy_rate(p, q, method=method, n=n, paths=paths, seed=seed, unit="nats")
    if math.isinf(cross.value):
        return cross.to(unit)
    if cross.standard_error == 0 and isinstance(p, Iid | Markov) and isinstance(q, Iid | Markov):
        return Rate.exact(_divergence(p, q)).to(unit)
    own = p.rate(unit="nats", seed=seed)
    # The two errors are not independent where one seed made both, so they are added.
    return Rate(
        cross.value - own.value,
        cross.lower - own.upper,
        cross.upper - own.lower,
        cross.standard_error + own.standard_error,
        f"cross-entropy ({cross.method}) minus entropy ({own.method})",
        "nats",
    ).to(unit)


def _exact(p: Process, q: Process) -> Rate | None:
    """The rate in nats where it has a closed form (or bounds, where it is p's own entropy)."""
    if q is p:
        own = p.rate(unit="nats")
        return None if own.standard_error > 0 else own
    if isinstance(q, Iid | Markov):
        return _exact_contextual(p, q)
    if isinstance(q, Mixture):
        return _exact_mixture(p, q)
    return None


def _exact_contextual(p: Process, q: Iid | Markov) -> Rate | None:
    size = q.order + 1
    if q.alphabet_size**size > MAX_WORDS:
        return None
    table = q._table[-(q.alphabet_size**q.order) :]
    if impossible(p, q):
        return Rate.exact(math.inf)
    value, *_ = _core.row_cross(p._steady_blocks(size)[None], table.reshape(1, -1))
    return Rate.exact(0.0 - float(value[0]) * check.nats_per("bits"))


def impossible(p: Process, q: Iid | Markov) -> bool:
    """Whether p ever produces what q gives probability 0, at the start or later."""
    table = q._table[-(q.alphabet_size**q.order) :]
    if (p._possible_blocks(q.order + 1) & (table.ravel() == 0)).any():
        return True
    first = max(q.order, 1)
    return bool(((p._blocks(first) > 0) & (q._blocks(first) == 0)).any())


def _exact_mixture(p: Process, q: Mixture) -> Rate | None:
    """A mixture is in the long run as good as the best of its components: on each of the laws p may settle into."""
    if isinstance(p, Mixture):
        mine = [(weight, _exact_mixture(part, q)) for _, weight, part in p._used()]
        known = [(weight, rate) for weight, rate in mine if rate is not None]
        return blend(known) if len(known) == len(mine) else None
    models = [model for _, _, model in q._used()]
    whole = [_exact(p, model) for model in models]
    rates = []
    for weight, part in p.ergodic_components:
        found = [_exact(part, model) for model in models]
        known_rates = [one for one in found if one is not None]
        if len(known_rates) < len(models) or any(
            ever is None or (math.isinf(ever.value) and math.isfinite(one.value))
            for ever, one in zip(whole, known_rates, strict=True)
        ):
            return None  # whether this model outlives the start of a path, or is ruled out by it, is a matter of chance
        rates.append((weight, min(known_rates, key=lambda one: one.value)))
    return blend(rates)


def _divergence(p: Iid | Markov, q: Iid | Markov) -> float:
    """Σ P(word) ln (p/q) over words one longer than either memory; no cancellation between two large rates."""
    order = max(p.order, q.order)
    joint = p._steady_blocks(order + 1)
    rows = q._table[-(q.alphabet_size**q.order) :]
    before = joint.reshape(-1, q.alphabet_size).sum(axis=1)
    model = before.reshape(-1, len(rows), 1) * rows
    value, *_ = _core.row_divergence(joint[None], model.reshape(1, -1))
    return max(float(value[0]) * check.nats_per("bits"), 0.0)


def long_run_costs(p: Process, q: Process) -> LongRun | None:
    """Mean and variance rate of -ln q along p, in nats, where both have short memory and p is ergodic; else None."""
    if not (isinstance(p, Iid | Markov) and isinstance(q, Iid | Markov)) or len(p.ergodic_components) > 1:
        return None
    order, size = max(p.order, q.order, 1), p.alphabet_size
    if size**order > DENSE_STATES or impossible(p, q):
        return None
    machine = Machine.of_contexts(_lifted(p, order))
    ((_, part),) = machine.absorption(p._steady_blocks(order))
    return machine.restrict(part).long_run(-safe_log(_lifted(q, order)[part.members]))


def _lifted(process: Iid | Markov, order: int) -> Floats:
    """The table of next-symbol probabilities, as that of a process of a higher order."""
    size = process.alphabet_size
    return np.tile(process._table[-(size**process.order) :], (size ** (order - process.order), 1))


__all__ = ["Method", "cross_entropy_rate", "impossible", "kl_divergence_rate", "long_run_costs"]
