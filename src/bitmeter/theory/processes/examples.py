"""Ready-made example processes: each shows one thing."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np

from bitmeter._util import check
from bitmeter.theory.processes.base import Process
from bitmeter.theory.processes.hidden import HiddenMarkov
from bitmeter.theory.processes.iid import Iid
from bitmeter.theory.processes.markov import Markov
from bitmeter.theory.processes.mixture import Mixture
from bitmeter.theory.processes.phases import Phases


def typewriter(keys: int = 26) -> Iid:
    """A typewriter whose `keys` are equally likely: log₂ `keys` bits per symbol, exactly so on every path.

    Examples
    --------
    >>> typewriter(32).entropy_rate
    5.0
    """
    return Iid(np.ones(check.integer(keys, "keys", low=1, high=2**20)), normalise=True)


def _fair_coin() -> Iid:
    """A fair coin: 1 bit per toss."""
    return Iid([0.5, 0.5])


def _two_state() -> Markov:
    """An ergodic chain: 0.57207 bits per step, and a variance rate of 1.193, not the 0.789 of independent steps."""
    return Markov([[0.9, 0.1], [0.3, 0.7]])


def _periodic() -> Markov:
    """A chain of period 2, between {0, 1} and {2, 3}: it still converges, to 0.83374 bits."""
    return Markov([[0, 0, 0.1, 0.9], [0, 0, 0.6, 0.4], [0.2, 0.8, 0, 0], [0.5, 0.5, 0, 0]])


def _sticky() -> Markov:
    """Two regimes, {0, 1} nearly a coin and {2, 3} nearly an alternation, that change once in 200 steps: slow."""
    stay, go = 0.995, 0.0025
    return Markov(
        [
            [stay * 0.5, stay * 0.5, go, go],
            [stay * 0.4, stay * 0.6, go, go],
            [go, go, stay * 0.05, stay * 0.95],
            [go, go, stay * 0.98, stay * 0.02],
        ]
    )


def _golden_mean() -> Markov:
    """No two 1s in a row, else a fair coin: 2/3 of a bit."""
    return Markov([[0.5, 0.5], [1.0, 0.0]])


def _even() -> HiddenMarkov:
    """Runs of 1s have even lengths: 2/3 of a bit, yet not a Markov chain of any order."""
    return HiddenMarkov([[0.5, 0.5, 0], [0, 0, 1], [0.5, 0.5, 0]], [[1, 0], [0, 1], [0, 1]])


def _noisy() -> HiddenMarkov:
    """A bit that flips with probability 0.1, seen through a noise of 0.1: 0.7665963 bits, found by bounds."""
    return HiddenMarkov([[0.9, 0.1], [0.1, 0.9]], [[0.9, 0.1], [0.1, 0.9]])


def _two_coins() -> Mixture:
    """One of two coins, chosen once: paths tend to 0.469 or to 1 bit, none to the process's rate of 0.734."""
    return Mixture([Iid([0.9, 0.1]), Iid([0.5, 0.5])])


def _swings() -> Phases:
    """A constant and a fair coin in phases of 1, 2, 4, … symbols: H(X₁…Xₙ)/n swings between 1/3 and 2/3 for ever."""
    return Phases([[1.0, 0.0], [0.5, 0.5]])


_MAKERS: dict[str, Callable[[], Process]] = {
    "fair-coin": _fair_coin,
    "typewriter": typewriter,
    "two-state": _two_state,
    "periodic": _periodic,
    "sticky": _sticky,
    "golden-mean": _golden_mean,
    "even": _even,
    "noisy": _noisy,
    "two-coins": _two_coins,
    "swings": _swings,
}

#: The names that `example_process` knows, and what each shows.
EXAMPLE_PROCESSES = MappingProxyType({name: (make.__doc__ or "").split("\n")[0] for name, make in _MAKERS.items()})


def example_process(name: Any) -> Process:
    """An example process by name; `EXAMPLE_PROCESSES` lists them.

    Examples
    --------
    >>> round(example_process("golden-mean").entropy_rate, 4)
    0.6667
    >>> ", ".join(EXAMPLE_PROCESSES)
    'fair-coin, typewriter, two-state, periodic, sticky, golden-mean, even, noisy, two-coins, swings'
    """
    return _MAKERS[check.choice(name, "name", _MAKERS)]()


__all__ = ["EXAMPLE_PROCESSES", "example_process", "typewriter"]
