"""Random sequences over a finite alphabet: independent draws, Markov chains, hidden Markov processes, mixtures.

Each can be sampled and rates sequences; each says whether it is stationary and ergodic, and why; each has an entropy
rate: exact where there is a formula, bounded or estimated where there is none.
"""

from __future__ import annotations

from bitmeter.theory.hidden import HiddenMarkov
from bitmeter.theory.iid import Iid
from bitmeter.theory.markov import Markov
from bitmeter.theory.mixtures import Mixture
from bitmeter.theory.process_base import Process
from bitmeter.theory.process_rates import cross_entropy_rate, kl_divergence_rate
from bitmeter.theory.process_results import Rate, StateClass, Verdict

__all__ = [
    "HiddenMarkov",
    "Iid",
    "Markov",
    "Mixture",
    "Process",
    "Rate",
    "StateClass",
    "Verdict",
    "cross_entropy_rate",
    "kl_divergence_rate",
]
