"""What all causal language models share, whatever runs them: tokens, windows, and the order of log-probabilities.

A backend scores sequences of token ids (`score_sequences`) and, if it predicts, gives whole predictions
(`predictions`) and a stepper. All else is here: which tokens are in which window, which token precedes a text, and how
log-probabilities return to the order of the text.
"""

from __future__ import annotations

import copy
import hashlib
from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter._util.check import choice
from bitmeter.errors import ModelError
from bitmeter.models.outcomes import Details, Outcomes, details_of_rows, empty_details, joined_details
from bitmeter.models.protocols import Options, Session, Traits, Windowed, WindowedPredictor
from bitmeter.models.session import Batch, End, PredictingSession, Scored, Stepper, UnitSession, Watch
from bitmeter.models.windows import (
    BOS_RULES,
    Plan,
    Windowing,
    bos_rule,
    parse_context,
    plan_answers,
    plan_windows,
    settle_windowing,
)

__all__ = ["FIRST_WAYS", "Causal", "CausalPredictor"]

#: What may stand before a document's first token.
FIRST_WAYS = ("bos", "eos", "skip", "uniform")
#: The note of a model that was asked to take names for tokens.
SPECIAL = "names of special tokens in the text were taken for those tokens (special=yes)"


class Causal(Windowed):
    """A model that predicts each token from those before it.

    Attributes
    ----------
    name, units, fingerprint
        As of every model; the units are tokens.
    precision
        The arithmetic, for the signature: "float32", or "bfloat16, logits float32".
    size
        How many token ids there are.
    context
        How many tokens are seen at once; None for no bound.
    bos_id, eos_id
        The tokens for the beginning and the end of a text, where there are such.
    adds_bos
        Whether the tokenizer by itself puts BOS before a text.
    llama_adds_bos
        Whether llama.cpp's would; None where it is the same.
    block_bytes
        Bytes of text per batch: few, because networks are slow and progress should show.
    caveats
        What a reader of its score should know.
    lead
        Tokens that stand before each text instead of BOS, such as those of a chat template; mostly none.
    """

    name: str
    precision: str
    size: int
    context: int | None
    bos_id: int | None = None
    eos_id: int | None = None
    adds_bos: bool = False
    llama_adds_bos: bool | None = None
    block_bytes: int = 1 << 16
    caveats: tuple[str, ...] = ()
    lead: tuple[int, ...] = ()
    _windowing: Windowing | None = None

    # ---- what a backend implements ---------------------------------------------------------------------------------

    @property
    @abstractmethod
    def weights_fingerprint(self) -> str:
        """Changes with anything that can change a probability, but for how the text is read."""

    @abstractmethod
    def score_sequences(
        self, sequences: Sequence[Ints], firsts: Sequence[int], watch: Watch | None = None
    ) -> list[Floats]:
        """ln p(sequence[i] | sequence[:i]) for i from `first` (at least 1) to the end, for each sequence."""

    # ---- windows ---------------------------------------------------------------------------------------------------

    @property
    def traits(self) -> Traits:
        """It is given whole documents, a few at a time."""
        return Traits(
            vocabulary=self.size,
            end=None if self.eos_id is None else End(self.eos_id),
            whole_documents=True,
            block_bytes=self.block_bytes,
            precision=self.precision,
            caveats=self.caveats,
        )

    @property
    def default_first(self) -> str:
        """From BOS or EOS where the tokenizer has one; else all tokens are equally likely."""
        return "uniform" if self.bos_id is None and self.eos_id is None else "bos"

    @property
    def windowing(self) -> Windowing:
        """How long documents are laid out in windows."""
        return self._windowing or self.with_context("auto", self.default_first).windowing

    def with_windowing(self, windowing: Windowing) -> Self:
        """The same model with the windows of another."""
        other = copy.copy(self)
        other._windowing = windowing
        return other

    def with_context(self, ctx: str, first: str, bos: str | None = None) -> Self:
        """The same model with another windowing.

        Parameters
        ----------
        ctx
            "auto" (windows as long as the model sees, half of each new), "full", "WINDOW.STRIDE", "disjoint",
            "rolling" or "half".
        first
            "bos" (BOS, or EOS where the tokenizer has no BOS, stands before the text), "eos", "skip" or "uniform".
        bos
            One of `windows.BOS_RULES`; None for what the kind of windows implies.
        """
        way = choice(first, "first", FIRST_WAYS)
        parse_context(ctx)
        rule = bos_rule(ctx) if bos is None else choice(bos, "bos", BOS_RULES)
        if self.lead:
            return self._behind_lead(ctx, way, rule)
        prefix = self._tokenizer_bos if rule == "tokenizer" else self._before_text(way)
        return self.with_windowing(settle_windowing(ctx, self.context, prefix, self.name, rule))

    def _behind_lead(self, ctx: str, way: str, rule: str) -> Self:
        if way != "bos" or rule != "window":
            given = f"first={way}" if way != "bos" else f"ctx={ctx}"
            message = f"{self.name} has a template before each text, so {given} cannot be used; leave it out"
            raise ModelError(message, value=way)
        return self.with_windowing(settle_windowing(ctx, self.context, self.lead[0], self.name, rule, lead=self.lead))

    @property
    def _tokenizer_bos(self) -> int | None:
        """BOS, if llama.cpp's tokenizer adds it by itself."""
        return self.bos_id if (self.adds_bos if self.llama_adds_bos is None else self.llama_adds_bos) else None

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
        before = self.windowing.before
        tokens = "+".join(map(str, before)) or "None"
        if len(before) > 1:
            tokens = hashlib.sha256(tokens.encode()).hexdigest()[:16]
        return f"{self.weights_fingerprint}-before{tokens}"

    def plan(self, bounds: Ints, context: Ints | None = None) -> Plan:
        """The windows over these documents, of which the first tokens, so many of each, are context alone."""
        if context is None:
            return plan_windows(self.windowing, bounds, self.name)
        return plan_answers(self.windowing, bounds, context, self.name, adds_bos=self.adds_bos)

    # ---- as a model ------------------------------------------------------------------------------------------------

    def open(self, options: Options = Options()) -> Session:  # noqa: B008
        """Begin a text, in whole documents."""
        return CausalSession(self)

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """ln p of each token given those before it in its window; 0 for those outside all windows."""
        return self.scored(ids, bounds)[0]

    def scored(
        self,
        ids: Ids,
        bounds: Ints,
        alternatives: int | None = None,
        watch: Watch | None = None,
        context: Ints | None = None,
    ) -> tuple[Floats, Details | None]:
        """The same, with the details of each prediction where asked for, and the tokens of contexts not scored."""
        tokens = np.asarray(ids, dtype=np.int64)
        if context is None and self._doubles_bos:
            return self._scored_behind_two(tokens, bounds, alternatives, watch)
        known = (tokens >= 0) & (tokens < self.size)
        if not known.all():
            return self._scored_around(tokens, known, bounds, alternatives, watch, context)
        plan = self.plan(bounds, context)
        sequences, firsts = self.sequences(tokens, plan)
        if alternatives is not None:
            return self._detailed(sequences, firsts, plan, len(tokens), alternatives, watch)
        logs = np.zeros(len(tokens))
        found = self.score_sequences(sequences, firsts, watch)
        for first, stop, values in zip(plan.first.tolist(), plan.stop.tolist(), found, strict=True):
            logs[first:stop] = values
        return logs, None

    def _detailed(
        self,
        sequences: list[Ints],
        firsts: list[int],
        plan: Plan,
        size: int,
        alternatives: int,
        watch: Watch | None,
    ) -> tuple[Floats, Details]:
        message = f"{self.name} does not expose its next-token distribution; leave alternatives out"
        raise ModelError(message)

    @property
    def _doubles_bos(self) -> bool:
        """Whether BOS is put before tokens to which the tokenizer has added BOS already, which is then scored too."""
        return self.windowing.bos == "twice" and self.adds_bos and self.windowing.prefix == self.bos_id

    def _scored_behind_two(
        self, tokens: Ints, bounds: Ints, alternatives: int | None, watch: Watch | None
    ) -> tuple[Floats, Details | None]:
        """With a second BOS that is predicted from the first; its cost is added to the document's first token."""
        single = copy.copy(self)
        single.adds_bos = False
        full = np.diff(bounds) > 0
        starts = bounds[:-1][full]
        grown = bounds + np.concatenate(([0], np.cumsum(full)))
        logs, details = single.scored(np.insert(tokens, starts, self.bos_id or 0), grown, alternatives, watch)
        added = starts + np.arange(len(starts))
        own = np.delete(np.arange(len(logs)), added)
        found = logs[own]
        found[starts] += logs[added]
        return found, None if details is None else details.taken(own)

    def _scored_around(
        self,
        tokens: Ints,
        known: Ids,
        bounds: Ints,
        alternatives: int | None,
        watch: Watch | None,
        context: Ints | None,
    ) -> tuple[Floats, Details | None]:
        """Leaves out ids that are not tokens (a document of which the tokenizer kept nothing)."""
        kept = np.concatenate(([0], np.cumsum(known)))
        logs = np.zeros(len(tokens))
        before = None if context is None else kept[bounds[:-1] + context] - kept[bounds[:-1]]
        logs[known], inner = self.scored(tokens[known], kept[bounds], alternatives, watch, before)
        if inner is None:
            return logs, None
        details = empty_details(len(tokens), inner.top.shape[1], inner.names)
        details.put(inner, known)
        return logs, details

    def sequences(self, tokens: Ints, plan: Plan) -> tuple[list[Ints], list[int]]:
        """The ids of each window, with the token before the text if any, and the index of the first scored id."""
        before = np.array(self.windowing.before, dtype=np.int64)
        found = [
            np.concatenate((before, tokens[start:stop])) if led else tokens[start:stop]
            for start, stop, led in zip(plan.start.tolist(), plan.stop.tolist(), plan.led.tolist(), strict=True)
        ]
        counts = (plan.stop - plan.first).tolist()
        return found, [len(sequence) - scored for sequence, scored in zip(found, counts, strict=True)]


class CausalSession(UnitSession):
    """Scores a text in whole documents."""

    def __init__(self, model: Causal) -> None:
        self._model = model

    def score(self, batch: Batch, details: int | None = None, watch: Watch | None = None) -> Scored:
        """Score whole documents, in windows."""
        split, answers = batch.split, batch.answers(batch.split)
        context = None if answers is None else answers.first - split.bounds[:-1]
        logs, found = self._model.scored(split.ids, split.bounds, details, watch, context)
        return Scored(split, batch.blank, logs, found, self._model.plan(split.bounds, context))

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """ln p of each token of whole documents."""
        return self._model.logprobs(ids, bounds)

    def details(
        self,
        ids: Ids,
        bounds: Ints,
        continues: bool,  # noqa: FBT001
        alternatives: int,
        watch: Watch | None = None,
    ) -> Details:
        """Of each token of whole documents."""
        found = self._model.scored(ids, bounds, alternatives, watch)[1]
        assert found is not None
        return found


class CausalPredictor(Causal, WindowedPredictor):
    """A causal model that exposes the distribution of the next token.

    Examples
    --------
    >>> import bitmeter as bm
    >>> issubclass(bm.Neural, bm.CausalPredictor), issubclass(bm.Endpoint, bm.CausalPredictor)
    (True, False)
    """

    @property
    def outcomes(self) -> Outcomes:
        """The token ids."""
        return Outcomes(self.size, names=lambda: self._names())

    def _names(self) -> tuple[bytes, ...]:
        """The bytes of each id; empty for an id that stands for none."""
        names: Sequence[bytes | None] = self.units.token_bytes or ()
        return tuple(name or b"" for name in names) + (b"",) * (self.size - len(names))

    @property
    def boundary_ids(self) -> Sequence[int]:
        """EOS and BOS, where the tokenizer has them."""
        return [special for special in (self.eos_id, self.bos_id) if special is not None]

    def open(self, options: Options = Options()) -> Session:  # noqa: B008
        """Begin a text, in whole documents."""
        return CausalPredictingSession(self)

    def _detailed(
        self,
        sequences: list[Ints],
        firsts: list[int],
        plan: Plan,
        size: int,
        alternatives: int,
        watch: Watch | None,
    ) -> tuple[Floats, Details]:
        names = self.outcomes.names
        logs, details = np.zeros(size), empty_details(size, min(alternatives, self.size), names)
        windows = zip(sequences, firsts, plan.first.tolist(), plan.stop.tolist(), strict=True)
        for i, (sequence, lead, first, stop) in enumerate(windows):
            logs[first:stop], part = self.detailed_sequence(sequence, lead, alternatives, names)
            details.put(part, slice(first, stop))
            if watch is not None:
                watch(i + 1, len(plan))
        return logs, details

    def detailed_sequence(
        self, sequence: Ints, first: int, alternatives: int, names: tuple[bytes, ...]
    ) -> tuple[Floats, Details]:
        """ln p and details of sequence[i] for i from `first` on, from whole predictions, a block at a time."""
        parts, values, at = [], [np.zeros(0)], first
        for rows in self.predictions(sequence, first):
            table = np.asarray(rows, dtype=np.float64)
            truth = sequence[at : at + len(table)]
            values.append(np.take_along_axis(table, truth[:, None], axis=1)[:, 0])
            parts.append(details_of_rows(table, truth, alternatives, names))
            at += len(table)
        details = joined_details(parts) if parts else empty_details(0, min(alternatives, self.size), names)
        return np.concatenate(values), details

    def predict(self, history: Ids) -> Floats:
        """ln p of each id after this history of one document; the probabilities sum to one."""
        tokens = np.asarray(history, dtype=np.int64)
        sequence = self._window_for_next(tokens)
        if len(sequence) == 0:  # nothing stands before a text: by the convention, all are equally likely
            return np.full(self.size, -np.log(self.size))
        *_, rows = self.predictions(np.append(sequence, 0), len(sequence))
        return np.asarray(rows[-1], dtype=np.float64)

    def _window_for_next(self, tokens: Ints) -> Ints:
        """What the model sees when the token after these is predicted."""
        windowing = self.windowing
        if windowing.kind in ("half", "rolling"):
            message = f"with ctx={windowing} what {self.name} sees depends on what is still to come; choose another"
            raise ModelError(message)
        plan = plan_windows(windowing, np.array([0, len(tokens) + 1]), self.name)
        lead = list(windowing.before) if bool(plan.led[-1]) else []
        return np.concatenate((np.array(lead, dtype=np.int64), tokens[int(plan.start[-1]) :]))


class CausalPredictingSession(CausalSession, PredictingSession):
    """Scores whole documents; steppers begin a new one."""

    def __init__(self, model: CausalPredictor) -> None:
        super().__init__(model)
        self._predictor = model

    @property
    def outcomes(self) -> Outcomes:
        """The token ids."""
        return self._predictor.outcomes

    def stepper(self) -> Stepper:
        """Begins a document."""
        return self._predictor.stepper()
