"""A model partway through a text: a `Session` scores batches of it, a `Stepper` goes unit by unit.

A batch holds the bytes of some documents, of which the first may continue the batch before and the last may be
unfinished. It splits itself into units only when a session asks, because splitting and scoring in one pass over the
bytes is much faster where a model can do that.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter.models.outcomes import Details, Outcomes, details_of_rows, joined_details
from bitmeter.models.windows import Plan
from bitmeter.text.borders import Answers, answer_units, split_apart
from bitmeter.text.boundaries import with_ends
from bitmeter.text.units.base import BLANK, Split, Units

__all__ = [
    "Batch",
    "End",
    "HistoryStepper",
    "Options",
    "PredictingSession",
    "Scored",
    "Session",
    "Stepper",
    "Totals",
    "UnitSession",
]

#: Called with how much is done, of how much.
Watch = Callable[[int, int], object]
#: Predicted probabilities that are held at once.
_AT_ONCE = 1 << 20
#: Units for which a history has room at first.
_FEWEST = 64


@dataclass(frozen=True, slots=True)
class End:
    """How a model predicts the end of a document.

    Attributes
    ----------
    id
        The unit id of the end.
    is_unit
        Whether a unit of the text is the end, such as the newline of a line; a document that ends in it needs no other.
    """

    id: int
    is_unit: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """What a session is opened for.

    Attributes
    ----------
    eos
        Whether the end of each document is scored as one more unit: "no", "yes", or "nonblank" (documents that hold
        more than white space).
    """

    eos: str = "no"


@dataclass(eq=False)
class Batch:
    """Documents, or parts of them, as bytes; units on demand.

    Attributes
    ----------
    data
        The bytes: whole units.
    ends
        Offsets at which documents end.
    units
        Into what it splits.
    offset
        Where it begins in the corpus.
    continues
        Whether the first document continues the batch before.
    unfinished
        Whether the last document continues in the next batch.
    eos, end
        Whether the end of each finished document is one more unit, and which.
    context
        How many bytes at the beginning of each document are its context, which conditions what follows and is not
        scored; None where all is scored. Documents with contexts come whole. A session may score contexts or leave
        their log-probabilities 0: they are not used.
    border
        How the border between a context and what follows is drawn: one of `text.borders.BORDERS`.
    """

    data: bytes
    ends: Ints
    units: Units
    offset: int = 0
    continues: bool = False
    unfinished: bool = False
    eos: str = "no"
    end: End | None = None
    context: Ints | None = None
    border: str = "whole"
    #: As `lossy`, of a session that splits the bytes itself.
    lossy_apart: int = field(default=0, init=False, repr=False)

    @property
    def all_ends(self) -> Ints:
        """The ends, with that of an unfinished document."""
        return np.append(self.ends, np.int64(len(self.data))) if self.unfinished else self.ends

    @cached_property
    def _plain(self) -> Split:
        if self.context is not None and self.border == "apart":
            return split_apart(self.units, self.data, self.ends, self.context)
        return self.units.split(self.data, self.ends)

    @cached_property
    def _tokens(self) -> tuple[Split, Bools]:
        split = self._plain
        blank = self.units.blank(split)
        if self.eos == "no" or self.end is None:
            return split, blank
        keep = self.eos == "nonblank"
        return with_ends(split, blank, len(self.ends), self.end.id, keep_blank=keep, shown=self.end.is_unit)

    @property
    def split(self) -> Split:
        """The units, with the ends of documents where they are scored."""
        return self._tokens[0]

    @property
    def blank(self) -> Bools:
        """Which units are documents without a word or token, such as white space alone.

        They cost nothing and are not counted as tokens; where unknown words are spelled, their white space is paid for.
        """
        return self._tokens[1]

    def answers(self, split: Split) -> Answers | None:
        """Where what follows the contexts begins among these units of the batch; None where there are no contexts."""
        if self.context is None:
            return None
        return answer_units(split, self.data, self.ends, self.context, self.units, self.border)

    @property
    def lossy(self) -> int:
        """Bytes in documents that the ids alone would not give back; 0 if no session asked for units."""
        return self._plain.lossy if "_plain" in self.__dict__ else self.lossy_apart


@dataclass(slots=True)
class Scored:
    """A batch, scored.

    Attributes
    ----------
    split, blank
        Its units, and which of them are blank documents.
    logprobs
        ln p of each unit.
    details
        What is known of each prediction, where it was asked for.
    plan
        The windows in which a model with a bounded context saw it.
    owned
        Whether nothing else holds the arrays, so that they may be kept without a copy.
    """

    split: Split
    blank: Bools
    logprobs: Floats
    details: Details | None = None
    plan: Plan | None = None
    owned: bool = False


class Totals(NamedTuple):
    """Sums of the documents of a batch, one entry each.

    Attributes
    ----------
    logprobs
        The sum of ln p, rounded once.
    tokens
        How many units were scored, ends included where they are.
    unknown
        How many of them the model does not know.
    most
        The largest ln p of any unit.
    """

    logprobs: Floats
    tokens: Ints
    unknown: Ints
    most: float


class Session(ABC):
    """Scores one text, batch after batch.

    Examples
    --------
    >>> import bitmeter as bm
    >>> import numpy as np
    >>> batch = bm.Batch(b"ab", np.array([2]), bm.Uniform().units)
    >>> (bm.load("uniform").open().score(batch).logprobs / np.log(2)).round(3).tolist()
    [-8.0, -8.0]
    """

    @abstractmethod
    def score(self, batch: Batch, details: int | None = None, watch: Watch | None = None) -> Scored:
        """Score the next batch.

        Parameters
        ----------
        batch
            What follows the batch before.
        details
            How many of the most likely alternatives to give for each unit, with entropy and rank; None for no details.
        watch
            Called with progress while a batch takes long.
        """

    def restart(self) -> bool:
        """Begin another text as a new session would, in the memory of this one; False where it cannot: open another."""
        return False

    def copy(self) -> Session | None:
        """A session at the same point of the text, to go on apart; None where that costs as much as a new one."""
        return None

    def totals(self, batch: Batch) -> Totals | None:
        """The sums of a batch of whole documents, where they cost less than its units; None where not: score it."""
        return None


class UnitSession(Session):
    """A session that needs the ids of units alone.

    Examples
    --------
    >>> import bitmeter as bm
    >>> import numpy as np
    >>> session = bm.load("kt").open()
    >>> session.logprobs(np.array([97, 97]), np.array([0, 2]), continues=False).round(3).tolist()
    [-5.545, -4.454]
    """

    def score(self, batch: Batch, details: int | None = None, watch: Watch | None = None) -> Scored:
        """Score the units of the next batch."""
        split = batch.split
        # Details first: they describe predictions from the state before the batch.
        found = None if details is None else self.details(split.ids, split.bounds, batch.continues, details, watch)
        return Scored(split, batch.blank, self.logprobs(split.ids, split.bounds, batch.continues), found)

    @abstractmethod
    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """ln p of each unit of the documents ids[bounds[j]:bounds[j+1]]; with `continues`, the first goes on."""

    @abstractmethod
    def details(
        self,
        ids: Ids,
        bounds: Ints,
        continues: bool,  # noqa: FBT001
        alternatives: int,
        watch: Watch | None = None,
    ) -> Details:
        """Of the units that `logprobs` with the same arguments would score next; the session does not move.

        It takes much longer than they do, so `watch` is called on the way.
        """


class PredictingSession(UnitSession):
    """A session from which one can go on unit by unit.

    Examples
    --------
    >>> import bitmeter as bm
    >>> import numpy as np
    >>> session = bm.load("kt").open()
    >>> session.logprobs(np.array([97]), np.array([0, 1]), continues=False).round(3).tolist()
    [-5.545]
    >>> round(float(session.stepper().predict()[97]), 3)
    -4.454
    """

    @property
    @abstractmethod
    def outcomes(self) -> Outcomes:
        """What the entries of a predicted row stand for."""

    @abstractmethod
    def stepper(self) -> Stepper:
        """A stepper that goes on from here; the session does not move with it."""

    def details(
        self,
        ids: Ids,
        bounds: Ints,
        continues: bool,  # noqa: FBT001
        alternatives: int,
        watch: Watch | None = None,
    ) -> Details:
        """By one prediction after the other."""
        outcomes, stepper = self.outcomes, self.stepper()
        blank = np.asarray(ids) == BLANK  # costs nothing, so its rank means nothing, and nothing follows from it
        index = np.where(blank, 0, outcomes.index(ids))
        starts = set(bounds[1 if continues else 0 : -1].tolist())
        at_once = max(1, _AT_ONCE // len(outcomes))
        parts = []
        for first in range(0, max(1, len(ids)), at_once):
            here = ids[first : first + at_once].tolist()
            rows = np.empty((len(here), len(outcomes)))
            for i, unit in enumerate(here):
                if first + i in starts:
                    stepper.begin()
                rows[i] = stepper.predict()
                if unit != BLANK:
                    stepper.take(unit)
            parts.append(details_of_rows(rows, index[first : first + at_once], alternatives, outcomes.names))
            if watch is not None:
                watch(min(first + at_once, len(ids)), max(1, len(ids)))
        return joined_details(parts)


class Stepper(ABC):
    """A model in the middle of a document, one unit after the other: what coding and sampling need.

    Examples
    --------
    >>> import bitmeter as bm
    >>> import numpy as np
    >>> stepper = bm.load("kt").stepper()
    >>> stepper.take(97)
    >>> round(float(np.exp(stepper.predict()[97])), 4)
    0.0116
    """

    @abstractmethod
    def begin(self) -> None:
        """Begin a new document."""

    @abstractmethod
    def predict(self) -> Floats:
        """ln p of each outcome of the next unit; the probabilities sum to one."""

    @abstractmethod
    def take(self, unit: int) -> None:
        """Take the id of the unit that came."""

    @abstractmethod
    def copy(self) -> Self:
        """Another stepper in the same state."""


class HistoryStepper(Stepper):
    """A stepper over any function from a history to a prediction.

    Parameters
    ----------
    predict
        Gives ln p of each outcome after a history of one document.
    reach
        How many of the last units it looks at; None for all.
    history
        The units of the document so far.

    Examples
    --------
    >>> import numpy as np
    >>> stepper = HistoryStepper(lambda history: np.full(2, -np.log(2)), reach=1)
    >>> stepper.take(1)
    >>> stepper.predict().round(3).tolist()
    [-0.693, -0.693]
    """

    def __init__(self, predict: Callable[[Ints], Floats], reach: int | None = None, history: Ids | None = None) -> None:
        self._predict, self._reach = predict, reach
        self._size = 0 if history is None else len(history)
        self._ids = np.zeros(max(_FEWEST, 2 * self._size), dtype=np.int64)
        if history is not None:
            self._ids[: self._size] = history

    def begin(self) -> None:
        """Begin a new document."""
        self._size = 0
        self._ids = np.zeros(_FEWEST, dtype=np.int64)  # whoever keeps the history of the document before still has it

    def predict(self) -> Floats:
        """ln p of each outcome, from as much of the history as is looked at, which is not copied: it is read-only."""
        first = 0 if self._reach is None else max(0, self._size - self._reach)
        history = self._ids[first : self._size]
        history.flags.writeable = False
        return np.asarray(self._predict(history))

    def take(self, unit: int) -> None:
        """Add a unit to the history."""
        if self._size == len(self._ids):  # doubled, or the time would be quadratic
            self._ids = np.concatenate((self._ids, np.zeros_like(self._ids)))
        self._ids[self._size] = unit
        self._size += 1

    def copy(self) -> Self:
        """The same history in an array of its own."""
        other = copy.copy(self)
        other._ids = self._ids.copy()
        return other
