"""The outcomes of a prediction, and what is known of each prediction beside the probability of the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints

__all__ = ["BYTE_NAMES", "Details", "Outcomes", "byte_outcomes", "details_of_rows", "empty_details", "joined_details"]

BYTE_NAMES = tuple(bytes([byte]) for byte in range(256))


class Outcomes:
    """What the entries of a predicted row stand for.

    Parameters
    ----------
    size
        The number of entries of a row.
    ids
        Gives the unit id of each entry; negative for an entry that stands for no unit or for several, such as `<unk>`.
        None: entry i has id i.
    names
        Gives the bytes of each entry; None where the model does not name its outcomes.
    index
        From unit ids to their entries; None: an id is its own entry.

    Examples
    --------
    >>> import bitmeter as bm
    >>> outcomes = bm.load("kt").outcomes
    >>> len(outcomes), outcomes.names[97]
    (256, b'a')
    """

    def __init__(
        self,
        size: int,
        ids: Callable[[], Ints] | None = None,
        names: Callable[[], tuple[bytes, ...]] | None = None,
        index: Callable[[Ids], Ints] | None = None,
    ) -> None:
        self.size = size
        self._make_ids, self._make_names, self._index = ids, names, index

    def __len__(self) -> int:
        return self.size

    @cached_property
    def ids(self) -> Ints:
        """The unit id of each entry; negative for one that stands for no unit or for several."""
        return np.arange(self.size, dtype=np.int64) if self._make_ids is None else self._make_ids()

    @property
    def named(self) -> bool:
        """Whether the entries have names."""
        return self._make_names is not None

    @cached_property
    def names(self) -> tuple[bytes, ...]:
        """The bytes of each entry, empty for one that stands for none; () where the entries have no names."""
        return () if self._make_names is None else self._make_names()

    def index(self, ids: Ids) -> Ints:
        """The entry of each unit id."""
        return np.asarray(ids, dtype=np.int64) if self._index is None else self._index(ids)


def byte_outcomes() -> Outcomes:
    """The 256 bytes, each its own id."""
    return Outcomes(256, names=lambda: BYTE_NAMES)


@dataclass(frozen=True, slots=True)
class Details:
    """What is known of each prediction.

    Attributes
    ----------
    entropy
        Of the prediction, in nats.
    rank
        Of the truth: 1 plus the number of outcomes that were more likely.
    top
        Indices into `names` of the most likely outcomes, the most likely first; one row per prediction.
    top_logprobs
        ln p of those.
    names
        The bytes of each outcome.
    """

    entropy: Floats
    rank: Ints
    top: Ints
    top_logprobs: Floats
    names: tuple[bytes, ...]

    def part(self, first: int, last: int) -> Details:
        """The predictions from `first` to before `last`."""
        return self.taken(slice(first, last))

    def taken(self, which: slice | Ints) -> Details:
        """Some of the predictions, by their indices."""
        return Details(self.entropy[which], self.rank[which], self.top[which], self.top_logprobs[which], self.names)

    def put(self, other: Details, where: slice | Ids) -> None:
        """Overwrite some of the predictions by others."""
        self.entropy[where], self.rank[where] = other.entropy, other.rank
        self.top[where], self.top_logprobs[where] = other.top, other.top_logprobs


def empty_details(size: int, alternatives: int, names: tuple[bytes, ...]) -> Details:
    """Zeros for `size` predictions, to be overwritten."""
    tops = (size, alternatives)
    return Details(
        np.zeros(size), np.zeros(size, dtype=np.int64), np.zeros(tops, dtype=np.int64), np.zeros(tops), names
    )


def details_of_rows(logs: Floats, truth: Ints, alternatives: int, names: tuple[bytes, ...]) -> Details:
    """From predicted rows: ln p of every outcome, one row per prediction, and the entry of the outcome that came."""
    with np.errstate(invalid="ignore"):
        terms = np.where(np.isneginf(logs), 0.0, np.exp(logs) * logs)
    entropy = np.maximum(-terms.sum(axis=1), 0.0)
    own = np.take_along_axis(logs, truth[:, None], axis=1) if len(truth) else np.zeros((0, 1))
    rank = 1 + (logs > own).sum(axis=1)
    most = min(alternatives, logs.shape[1])
    order = np.argsort(-logs, axis=1, kind="stable")[:, :most]
    return Details(
        entropy, rank.astype(np.int64), order.astype(np.int64), np.take_along_axis(logs, order, axis=1), names
    )


def joined_details(parts: list[Details]) -> Details:
    """Several batches one after the other; they have the same outcomes."""
    return Details(
        np.concatenate([part.entropy for part in parts]),
        np.concatenate([part.rank for part in parts]),
        np.concatenate([part.top for part in parts]),
        np.concatenate([part.top_logprobs for part in parts]),
        parts[0].names,
    )
