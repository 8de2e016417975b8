"""Answers that are given contexts: contexts condition what follows them, and are in neither sum nor count.

This is decided here for all models. A batch holds each context with its answer as one document and says where the
context ends; once it is scored, contexts are taken out, and all that follows sees a text of answers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from bitmeter._util.arrays import Bools
from bitmeter.errors import ModelError
from bitmeter.measure.options import Settings
from bitmeter.measure.sums import Counted
from bitmeter.models.protocols import Batch, Model, Scored
from bitmeter.text.blocks import UnitBlock
from bitmeter.text.borders import without_contexts
from bitmeter.text.corpus.corpus import Corpus

__all__ = ["Conditions"]


class Conditions:
    """The contexts of a corpus of answers, as they go by.

    Parameters
    ----------
    model
        What predicts the answers.
    corpus
        The answers; `take_contexts` gives their contexts.
    settings
        The keywords of `score`, settled.
    """

    def __init__(self, model: Model, corpus: Corpus, settings: Settings) -> None:
        if settings.border == "apart" and not model.units.joins:
            message = (
                f"{model.name} predicts {model.units.name}, which lie between separators, so a context and an answer "
                "cannot be split apart; leave border out (--border), and write a space between them (--between ' ')"
            )
            raise ModelError(message, value=settings.border)
        self._model, self._corpus, self._settings = model, corpus, settings
        self._hash = hashlib.sha256()
        self._bytes = self._records = self._empty = 0
        self._across = self._unpaid = self._cut = self._cut_tokens = 0

    def batches(self, block: UnitBlock, most: int) -> Iterator[Batch]:
        """Contexts and answers as documents, at most about so many bytes at once.

        A model that learns gets one document at a time.
        """
        contexts = self._corpus.take_contexts(len(block.ends))
        ends = block.ends.tolist()
        first, done = 0, 0
        while first < len(ends):
            last, size, parts = first, 0, []
            while last < len(ends) and (last == first or (size < most and not self._model.traits.learns)):
                answer = block.data[ends[last - 1] if last else 0 : ends[last]]
                parts += [contexts[last], answer]
                size += len(contexts[last]) + len(answer)
                last += 1
            lengths = np.array([len(part) for part in parts], dtype=np.int64)
            context, size_of_answers = lengths[::2].copy(), int(lengths[1::2].sum())
            self._note(contexts[first:last])
            yield Batch(
                b"".join(parts), np.cumsum(lengths)[1::2].copy(), self._model.units, block.offset + done,
                eos=self._settings.eos, end=self._model.traits.end, context=context, border=self._settings.border,
            )  # fmt: skip
            done += size_of_answers
            first = last

    def _note(self, contexts: list[bytes]) -> None:
        for context in contexts:
            self._hash.update(len(context).to_bytes(8, "little") + context)
            self._empty += not context
        self._bytes += sum(map(len, contexts))
        self._records += len(contexts)

    def answers(self, batch: Batch, scored: Scored, skipped: Bools) -> Counted:
        """The answers of a scored batch alone."""
        found, context = batch.answers(scored.split), batch.context
        assert found is not None
        assert context is not None, "batches() gives both"
        self._across += found.across
        self._unpaid += found.unpaid
        if scored.plan is not None:
            opening = np.diff(scored.plan.document, prepend=-1) > 0
            missing = (scored.plan.start - scored.split.bounds[scored.plan.document])[opening]
            self._cut += int(np.count_nonzero(missing))
            self._cut_tokens += int(missing.sum())
        split, ends, kept = without_contexts(scored.split, batch.ends, context, found.first)
        starts = np.concatenate(([0], batch.ends[:-1])) + context
        spans = zip(starts.tolist(), batch.ends.tolist(), strict=True)
        logs = np.asarray(scored.logprobs)
        if logs.shape != skipped.shape:
            message = f"{self._model.name} gave {logs.shape} log-probabilities for {len(skipped)} units"
            raise ModelError(message)
        answers = Batch(
            b"".join(batch.data[a:b] for a, b in spans), ends, batch.units, batch.offset, eos=batch.eos, end=batch.end
        )
        counted = Scored(
            split,
            scored.blank[kept],
            logs[kept],
            None if scored.details is None else scored.details.taken(kept),
            owned=True,
        )
        return Counted(answers, counted, skipped[kept], found.first > scored.split.bounds[:-1])

    @property
    def value(self) -> str:
        """What the signature says of the contexts: the rule for the border, their bytes, and a hash of them."""
        return f"{self._settings.border}.{self._bytes}.{self._hash.hexdigest()[:8]}"

    def notes(self) -> tuple[str, ...]:
        """What a reader of the score should know about the contexts."""
        notes = [f"each answer is given its context ({self._bytes:,} bytes in all), which is not counted"]
        if self._empty:
            notes[0] += f"; {self._empty:,} of {self._records:,} contexts are empty"
        if self._model.traits.learns:
            notes.append(f"{self._model.name} starts afresh for each record: it learns from the context alone")
        if self._across:
            notes.append(
                f"{self._across:,} of {self._records:,} answers begin within a unit of the context, which is counted "
                "with the answer; write a space between them (--between ' '), or split both apart (--border apart)"
            )
        if self._unpaid:
            notes.append(
                f"of white space before an answer, {self._unpaid:,} bytes lie in the unit of the context's last word, "
                "so that their cost is not in the sum"
                if self._unpaid > 1
                else "one byte of white space before an answer lies in the unit of the context's last word, so that "
                "its cost is not in the sum"
            )
        if self._cut:
            notes.append(
                f"{self._cut:,} of {self._records:,} contexts are longer than the model sees, and are cut on the left: "
                f"{self._cut_tokens:,} tokens are not seen"
            )
        return tuple(notes)
