"""What all causal language models share, whatever runs them: tokens, windows, and log-probabilities put in place.

A kind of model says how it rates sequences of token ids (`rate`), and, if it can, gives whole predictions
(`predictions`) and goes token by token (`stepper`). All else is here: which tokens stand in which window, what stands
before a text, and how the answers come back into the order of the text.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import choice
from bitmeter.errors import ModelError
from bitmeter.models.causal.windows import Plan, Reading, parse_context, plan_windows, settle_reading
from bitmeter.models.outcomes import Details, details_of_rows, joined_details
from bitmeter.text.units.base import Units

__all__ = ["FIRST_WAYS", "Causal", "Stepper"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: Told how many windows of how many are done.
Watch = Callable[[int, int], None]

#: What may stand before a document's first token.
FIRST_WAYS = ("bos", "eos", "skip", "uniform")
#: How many whole predictions are held at once.
_ROWS = 256


class Stepper(Protocol):
    """A model going through a document token by token, as a coder needs it."""

    def predict(self) -> Floats:
        """ln p of each id as the next token; the probabilities sum to one."""

    def take(self, number: int) -> None:
        """Tell which token came."""


class Causal(ABC):
    """A model that predicts each token from those before it.

    Attributes
    ----------
    name, units, fingerprint
        As of every model; the units are tokens.
    precision
        The arithmetic, for the signature: "float32", or "bfloat16, logits float32".
    size
        How many ids a prediction speaks of.
    context
        How many tokens are seen at once; None for no bound.
    bos_id, eos_id
        The tokens for the beginning and the end of a text, where there are such.
    adds_bos
        Whether the tokenizer by itself puts BOS before a text.
    llama_adds_bos
        Whether llama.cpp's would; None where it is the same.
    caveats
        What a reader of a score should be told of this model.
    """

    #: Bytes of text that are rated at once: few, because neural models are slow and progress should show.
    block_size = 1 << 16
    #: Whether predictions may differ in their last bits on another machine, so that an archive opens only here.
    same_machine = True
    #: Whether it knows the whole distribution of the next token.
    gives_predictions = True

    name: str
    precision: str
    size: int
    context: int | None
    bos_id: int | None = None
    eos_id: int | None = None
    adds_bos: bool = False
    llama_adds_bos: bool | None = None
    caveats: tuple[str, ...] = ()
    _reading: Reading | None = None

    # ---- what a kind of model must say ---------------------------------------------------------------------------

    @property
    @abstractmethod
    def units(self) -> Units:
        """The tokens."""

    @property
    @abstractmethod
    def weights_fingerprint(self) -> str:
        """Changes with anything that can change a probability, but for how the text is read."""

    @abstractmethod
    def rate(self, sequences: Sequence[Ints], firsts: Sequence[int], watch: Watch | None = None) -> list[Floats]:
        """ln p(sequence[i] | sequence[:i]) for i from `first` (at least 1) to the end, for each sequence."""

    def predictions(self, sequence: Ints, first: int) -> Iterator[NDArray[Any]]:
        """Rows of ln p of every id in place of sequence[i], for i from `first` (at least 1) to the end, in chunks."""
        message = f"{self.name} cannot tell what else it held likely"
        raise ModelError(message)

    def stepper(self) -> Stepper:
        """Begin a document token by token."""
        message = f"{self.name} cannot be asked token by token"
        raise ModelError(message)

    # ---- reading -------------------------------------------------------------------------------------------------

    @property
    def predicts_end(self) -> bool:
        """Whether the end of a document has a token of its own."""
        return self.eos_id is not None

    @property
    def end_id(self) -> int | None:
        """The token for the end of a document."""
        return self.eos_id

    @property
    def usual_first(self) -> str:
        """What is done about a document's first token where nobody says otherwise."""
        return "uniform" if self.bos_id is None and self.eos_id is None else "bos"

    @property
    def reading(self) -> Reading:
        """How long documents are read."""
        return self._reading or self.with_reading("auto", self.usual_first).reading

    def with_reading(self, ctx: str, first: str) -> Self:
        """The same model, reading in another way.

        Parameters
        ----------
        ctx
            "auto" (windows as long as the model sees, half of each new), "full", "WINDOW.STRIDE", "disjoint",
            "rolling" or "half".
        first
            "bos" (BOS, or EOS where the tokenizer has no BOS, stands before the text), "eos", "skip" or "uniform".
        """
        way = choice(first, "first", FIRST_WAYS)
        parse_context(ctx)
        other = copy.copy(self)
        # llama.cpp puts BOS into each window where the tokenizer would, and only there.
        own = self.bos_id if (self.adds_bos if self.llama_adds_bos is None else self.llama_adds_bos) else None
        prefix = own if ctx.startswith("half") else self._before_text(way)
        other._reading = settle_reading(ctx, self.context, prefix, self.name)
        return other

    def _before_text(self, way: str) -> int | None:
        if way in ("skip", "uniform"):
            return None
        found = self.eos_id if way == "eos" or self.bos_id is None else self.bos_id
        if found is None:
            message = (
                f"{self.name} has no token for the {'end' if way == 'eos' else 'beginning or end'} of a text, from "
                "which a document's first token could be predicted; use first='uniform' or 'skip' (--first)"
            )
            raise ModelError(message, value=way)
        return found

    @property
    def fingerprint(self) -> str:
        """The weights, and what stands before a text."""
        return f"{self.weights_fingerprint}-before{self.reading.prefix}"

    def plan(self, bounds: Ints) -> Plan:
        """The windows over these documents."""
        return plan_windows(self.reading, bounds, self.name)

    # ---- as a model ----------------------------------------------------------------------------------------------

    @property
    def outcome_names(self) -> tuple[bytes, ...]:
        """The bytes of each id; empty for an id that stands for none."""
        names: Sequence[bytes | None] = self.units.token_bytes or ()
        return tuple(name or b"" for name in names) + (b"",) * (self.size - len(names))

    def logprobs(self, ids: NDArray[Any], bounds: Ints) -> Floats:
        """ln p of each token given those before it in its window; 0 for those that no window answers for."""
        return self.rated(ids, bounds)[0]

    def rated(
        self, ids: NDArray[Any], bounds: Ints, alternatives: int | None = None, watch: Watch | None = None
    ) -> tuple[Floats, Details | None]:
        """The same, with the details of each prediction where asked for."""
        tokens = np.asarray(ids, dtype=np.int64)
        if self._doubles_bos:
            return self._rated_behind_two(tokens, bounds, alternatives, watch)
        known = (tokens >= 0) & (tokens < self.size)
        plan = self.plan(bounds)
        logs = np.zeros(len(tokens))
        if not known.all():
            return self._rated_around(tokens, known, bounds, alternatives, watch)
        sequences, firsts = self.sequences(tokens, plan)
        if alternatives is None:
            found = self.rate(sequences, firsts, watch)
            for first, stop, values in zip(plan.first.tolist(), plan.stop.tolist(), found, strict=True):
                logs[first:stop] = values
            return logs, None
        names = self.outcome_names
        details = _no_details(len(tokens), min(alternatives, self.size), names)
        for number, (sequence, lead, first, stop) in enumerate(
            zip(sequences, firsts, plan.first.tolist(), plan.stop.tolist(), strict=True)
        ):
            values, told = self._detailed(sequence, lead, alternatives, names)
            logs[first:stop] = values
            _put(details, told, first, stop)
            if watch is not None:
                watch(number + 1, len(plan))
        return logs, details

    @property
    def _doubles_bos(self) -> bool:
        """lm-eval puts BOS before tokens to which the tokenizer has given BOS already, and has that scored too."""
        return self.reading.kind == "rolling" and self.adds_bos and self.reading.prefix == self.bos_id

    def _rated_behind_two(
        self, tokens: Ints, bounds: Ints, alternatives: int | None, watch: Watch | None
    ) -> tuple[Floats, Details | None]:
        """With a second BOS that is predicted from the first; what it costs is added to the document's first token."""
        single = copy.copy(self)
        single.adds_bos = False
        full = np.diff(bounds) > 0
        starts = bounds[:-1][full]
        grown = bounds + np.concatenate(([0], np.cumsum(full)))
        logs, told = single.rated(np.insert(tokens, starts, self.bos_id or 0), grown, alternatives, watch)
        added = starts + np.arange(len(starts))
        own = np.delete(np.arange(len(logs)), added)
        found = logs[own]
        found[starts] += logs[added]
        if told is None:
            return found, None
        kept = Details(told.entropy[own], told.rank[own], told.top[own], told.top_logprobs[own], told.names)
        return found, kept

    def _rated_around(
        self, tokens: Ints, known: NDArray[np.bool_], bounds: Ints, alternatives: int | None, watch: Watch | None
    ) -> tuple[Floats, Details | None]:
        """Ids that stand for no token (a document of which the tokenizer kept nothing) are passed over."""
        kept = np.concatenate(([0], np.cumsum(known)))
        logs = np.zeros(len(tokens))
        inner, told = self.rated(tokens[known], kept[bounds], alternatives, watch)
        logs[known] = inner
        if told is None:
            return logs, None
        names = told.names
        details = _no_details(len(tokens), told.top.shape[1], names)
        for name in ("entropy", "rank", "top", "top_logprobs"):
            getattr(details, name)[known] = getattr(told, name)
        return logs, details

    def sequences(self, tokens: Ints, plan: Plan) -> tuple[list[Ints], list[int]]:
        """What each window holds, with the token before the text where it has one, and where its answers begin."""
        prefix = self.reading.prefix
        before = np.array([] if prefix is None else [prefix], dtype=np.int64)
        found = [
            np.concatenate((before, tokens[start:stop])) if led else tokens[start:stop]
            for start, stop, led in zip(plan.start.tolist(), plan.stop.tolist(), plan.led.tolist(), strict=True)
        ]
        answers = (plan.stop - plan.first).tolist()
        return found, [len(sequence) - number for sequence, number in zip(found, answers, strict=True)]

    def _detailed(
        self, sequence: Ints, first: int, alternatives: int, names: tuple[bytes, ...]
    ) -> tuple[Floats, Details]:
        """From whole predictions, a chunk at a time."""
        parts, values, at = [], [np.zeros(0)], first
        for rows in self.predictions(sequence, first):
            table = np.asarray(rows, dtype=np.float64)
            truth = sequence[at : at + len(table)]
            values.append(np.take_along_axis(table, truth[:, None], axis=1)[:, 0])
            parts.append(details_of_rows(table, truth, alternatives, names))
            at += len(table)
        told = joined_details(parts) if parts else _no_details(0, min(alternatives, self.size), names)
        return np.concatenate(values), told

    def predict(self, history: NDArray[Any]) -> Floats:
        """ln p of each id after this history of one document; the probabilities sum to one."""
        tokens = np.asarray(history, dtype=np.int64)
        sequence = self._window_for_next(tokens)
        if len(sequence) == 0:  # nothing stands before a text: by the convention, all are as likely
            return np.full(self.size, -np.log(self.size))
        *_, rows = self.predictions(np.append(sequence, 0), len(sequence))
        return np.asarray(rows[-1], dtype=np.float64)

    def _window_for_next(self, tokens: Ints) -> Ints:
        """What the model sees when the token after these is predicted."""
        if self.reading.kind in ("half", "rolling"):
            message = f"with ctx={self.reading} what {self.name} sees depends on what is still to come; choose another"
            raise ModelError(message)
        size = len(tokens)
        plan = plan_windows(self.reading, np.array([0, size + 1]), self.name)
        start = int(plan.start[-1])
        prefix = self.reading.prefix
        lead = [prefix] if prefix is not None and bool(plan.led[-1]) else []
        return np.concatenate((np.array(lead, dtype=np.int64), tokens[start:]))


def _no_details(size: int, alternatives: int, names: tuple[bytes, ...]) -> Details:
    return Details(
        np.zeros(size),
        np.zeros(size, dtype=np.int64),
        np.zeros((size, alternatives), dtype=np.int64),
        np.zeros((size, alternatives)),
        names,
    )


def _put(into: Details, part: Details, first: int, stop: int) -> None:
    for name in ("entropy", "rank", "top", "top_logprobs"):
        getattr(into, name)[first:stop] = getattr(part, name)
