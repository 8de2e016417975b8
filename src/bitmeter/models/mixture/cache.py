"""A cache of recent units, which are likely to recur. A component of mixtures."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.check import integer, real
from bitmeter.errors import ChoiceError

__all__ = ["Cache"]

#: The highest order, and how much can be remembered.
MAX_ORDER, MAX_SIZE = 8, 100_000_000
_FORM = re.compile(r"cache(?::(?P<settings>.*))?")


class Cache:
    r"""Predicts one of the last words, the more recent the likelier; for use in a `MixtureModel`.

    It runs on from document to document, and knows only what came before: a word is remembered after it was predicted.
    Where it remembers nothing, all words are equally likely; a word that it does not remember is impossible to it, and
    left to the other models of the mixture.

    Parameters
    ----------
    size
        How many words are remembered.
    decay
        A word weighs this much less than the one after it; 1 for all alike.
    order
        1: any of those words. n: those that followed the same n − 1 words as now; where there are none, n − 2, and so
        on.
    rare
        Weigh each word by its probability to the power of −rare, so that names count for more than articles.

    Examples
    --------
    >>> import bitmeter as bm
    >>> model = bm.NGram(order=2).fit(b"a rose is a rose\na daisy is a flower\n")
    >>> mixture = bm.MixtureModel([model, bm.Cache(100)], weights=[0.9, 0.1])
    >>> text = b"rose rose rose rose rose\n"
    >>> bm.score(mixture, text).bits < bm.score(model, text).bits
    True
    """

    def __init__(self, size: int = 2000, decay: float = 1.0, *, order: int = 1, rare: float = 0.0) -> None:
        self.size = integer(size, "size", low=1, high=MAX_SIZE)
        self.decay = real(decay, "decay", low=0.5, high=1.0)
        self.order = integer(order, "order", low=1, high=MAX_ORDER)
        self.rare = real(rare, "rare", low=0.0, high=2.0)

    @property
    def name(self) -> str:
        """As it is typed: `cache:size=2000,decay=1,order=1,rare=0`."""
        return f"cache:size={self.size},decay={self.decay!r},order={self.order},rare={self.rare!r}"

    @classmethod
    def parse(cls, text: str) -> Cache:
        """A cache from its name, in which each setting may be missing.

        Examples
        --------
        >>> Cache.parse("cache:size=500,order=2")
        <Cache order 2, 500 words, decay 1.0>
        """
        found = _FORM.fullmatch(text) if isinstance(text, str) else None
        settings: dict[str, Any] = {}
        for part in (found["settings"] or "").split(",") if found else ():
            key, _, value = part.partition("=")
            if not part:
                continue
            try:
                settings[key] = int(value) if key in ("size", "order") else float(value)
            except ValueError:
                found = None
            if key not in ("size", "decay", "order", "rare"):
                found = None
        if found is None:
            message = f"{text!r:.60} is not a cache; type it like cache:size=2000,decay=0.999,order=2,rare=0.5"
            raise ChoiceError(message, value=text)
        return cls(**settings)

    def begin(self, unigram: NDArray[np.float64]) -> _core.HistoryCache:
        """An empty one for these outcomes, given by ln p of each alone."""
        weights = np.zeros(0)
        if self.rare:
            weights = np.exp(-self.rare * np.where(np.isfinite(unigram), unigram, 0.0))
        return _core.HistoryCache(self.order, self.size, self.decay, len(unigram), weights)

    @property
    def kinds(self) -> int:
        """How many kinds of histories it has for the gate of a mixture."""
        return _core.HistoryCache(self.order, 1, self.decay, 1, np.zeros(0)).kinds

    def __repr__(self) -> str:
        rare = f", rare {self.rare}" if self.rare else ""
        return f"<Cache order {self.order}, {self.size} words, decay {self.decay}{rare}>"


def is_cache_name(spec: Any) -> bool:
    """Whether this is how a cache is typed."""
    return isinstance(spec, str) and (spec == "cache" or spec.startswith("cache:"))
