"""A mixture whose parts are chosen: of many caches those that make a held-out text likelier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter._util.check import items
from bitmeter.errors import EmptyError
from bitmeter.models.mixture.cache import Cache
from bitmeter.models.mixture.model import MixtureModel
from bitmeter.models.mixture.weights import best_weights

__all__ = ["CANDIDATES", "Chosen", "auto_mixture"]


def _candidates() -> tuple[Cache, ...]:
    """Caches from a paragraph to a long document, of all words or of rare ones, and of what followed the same words.

    A cache with decay remembers eight times as many words as its decay takes to fall to 1/e.
    """
    found = []
    for reach, rare in (
        (150, 0.0), (500, 0.0), (500, 0.5), (2000, 0.0), (2000, 0.3), (2000, 0.7), (8000, 0.3), (8000, 0.7),
    ):  # fmt: skip
        found.append(Cache(8 * reach, 1.0 - 1.0 / reach, rare=rare))
    for order in (2, 3, 4):
        found += [Cache(8 * reach, 1.0 - 1.0 / reach, order=order) for reach in (500, 4000)]
        found.append(Cache(200_000, order=order))
    found.append(Cache(200_000, order=6))
    return tuple(found)


#: The caches among which `auto_mixture` chooses unless others are given.
CANDIDATES = _candidates()

#: Units of the held-out text by which parts are chosen; the weights are fitted on all of it.
_UNITS = 1 << 19
#: The gain, in nats per unit, below which no further part is taken, and how many are taken at most.
_GAIN, _PARTS = 5e-4, 16
_ROUNDS, _SETTLING = 12, 40


@dataclass(frozen=True, slots=True)
class Chosen:
    """A part that was chosen.

    Attributes
    ----------
    name
        Of the model or the cache.
    perplexity
        Of the held-out text with it and all parts before it, with one set of weights.
    """

    name: str
    perplexity: float


def auto_mixture(
    models: Any, heldout: Any, *, optional: Any = (), caches: Any = CANDIDATES, field: str | None = None
) -> tuple[MixtureModel, tuple[Chosen, ...]]:
    r"""A mixture of models with the caches that a held-out text asks for, and weights by the history.

    All models are taken. Optional models and caches are added one at a time, each time the one that makes the held-out
    text likelier by the most, until none gains enough. Then the gate of the mixture is fitted on the same text. Nothing
    else is looked at: the mixture has not seen the text that it is to be measured on.

    Parameters
    ----------
    models
        Models that are part of it: at least one that is not a cache.
    heldout
        A text that no model was trained on.
    optional
        Models to choose from, such as n-grams of lower orders.
    caches
        Caches to choose from.
    field
        The field of JSON lines or the column of Parquet that holds the text.

    Returns
    -------
    tuple
        The mixture, and what was chosen in that order; its first entry is all the given models together.

    Examples
    --------
    >>> import bitmeter as bm
    >>> model = bm.NGram(order=2).fit(b"a rose is a rose\na daisy is a flower\n")
    >>> mixture, chosen = bm.auto_mixture([model], b"daisy daisy daisy daisy\n" * 9, caches=[bm.Cache(50)])
    >>> [part.name for part in chosen][1:]
    ['cache:size=50,decay=1.0,order=1,rare=0.0']
    """
    given = list(items(models, "models", "a list of models"))
    offered = [*items(optional, "optional", "a list of models"), *items(caches, "caches", "a list of caches")]
    every = MixtureModel([*given, *offered])
    logs = every.component_logs(heldout, field=field, most=_UNITS)
    order, steps = _chosen(logs, len(given))
    parts = [every.components[index] for index in sorted(order)]
    names = [every.components[index].name for index in order[len(given) :]]
    first = " + ".join(part.name for part in every.components[: len(given)])
    mixture = MixtureModel(parts, gate=True).fit(heldout, field=field)
    return mixture, tuple(Chosen(*each) for each in zip([first, *names], steps, strict=True))


def _chosen(logs: Floats, fixed: int) -> tuple[list[int], list[float]]:
    """Rows to take, the fixed ones first, and the perplexity with the fixed ones and after each that was added."""
    possible = np.isfinite(logs[:fixed].max(axis=0)) if logs.size else np.zeros(0, dtype=np.bool_)
    if not possible.any():
        message = "the held-out text has no unit to which the models give a probability; parts cannot be chosen by it"
        raise EmptyError(message)
    top = logs[:, possible].max(axis=0)
    scaled = np.exp(logs[:, possible] - top)
    taken = list(range(fixed))
    weights, _ = best_weights(logs[:fixed][:, possible])
    mixture = weights @ scaled[taken]
    found = [_perplexity(mixture, top)]
    while len(taken) < min(len(logs), fixed + _PARTS):
        gains = {index: _gain(mixture, scaled[index]) for index in range(fixed, len(logs)) if index not in taken}
        best = max(gains, key=lambda index: (gains[index], -index))
        if gains[best] < _GAIN:
            break
        taken.append(best)
        weights = _settled(scaled[taken], np.append(weights * 0.9, 0.1))
        mixture = weights @ scaled[taken]
        found.append(_perplexity(mixture, top))
    return taken, found


def _gain(mixture: Floats, other: Floats) -> float:
    """By how much the mean of ln p rises if another part is added with its best weight."""
    share = 0.1
    for _ in range(_ROUNDS):
        own = share * other
        share = float((own / (own + (1.0 - share) * mixture)).mean())
    return float(np.log(share * other / mixture + (1.0 - share)).mean())


def _settled(scaled: Floats, weights: Floats) -> Floats:
    for _ in range(_SETTLING):
        shares = weights[:, None] * scaled
        weights = (shares / shares.sum(axis=0)).mean(axis=1)
    return np.asarray(weights / weights.sum())


def _perplexity(mixture: Floats, top: Floats) -> float:
    return float(np.exp(-(np.log(mixture) + top).mean()))
