"""Estimating an n-gram model from a text, stage by stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from bitmeter import _core
from bitmeter.errors import EmptyError, InputError, InputTypeError
from bitmeter.models.ngram_files import note
from bitmeter.models.ngram_units import UnitPlan
from bitmeter.models.ngram_vocabulary import Vocabulary
from bitmeter.text.corpus import Corpus
from bitmeter.text.stream import split_corpus
from bitmeter.text.units import SEPARATORS, Units

#: Called between the stages of training: what comes next, and how much of it is done (0 to 1).
Progress = Callable[[str, float], None]

_STAGES = ("sort", "grow", "link", "weigh")
_TOLD = {
    "read": "reading the text", "sort": "sorting n-grams", "grow": "counting n-grams", "link": "adjusting counts",
    "weigh": "estimating", "model": "finishing",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides an estimation."""

    order: int
    smoothing: str
    unk_word: bool
    threads: int
    plan: UnitPlan = field(default_factory=UnitPlan)
    units: Units | None = None
    vocabulary: Vocabulary = field(default_factory=Vocabulary)


def estimate(
    text: Any, settings: Settings, *, docs: str | None = None, field: str | None, progress: Any
) -> _core.NgramModel:
    """The model of a text."""
    if progress is not None and not callable(progress):
        message = f"progress is {progress!r:.40}; it must be a function of a stage and a share"
        raise InputTypeError(message, value=progress)
    tell: Progress = progress if progress is not None else _silent
    corpus = Corpus.of(text, docs=docs, field=field) if isinstance(text, Corpus) else _sentences(text, docs, field)
    plan = settings.plan
    if plan.kind in ("bytes", "characters") and corpus.docs == "line":
        plan = replace(plan, newline_ends=True)
    settings = replace(settings, plan=plan)
    estimation = _read_words(corpus, settings, tell) if plan.kind == "words" else _read_units(corpus, settings, tell)
    if estimation.sentences == 0:
        message = f"{corpus.name} holds no sentence; an n-gram model is estimated from at least one"
        raise EmptyError(message)
    settings.vocabulary.apply(estimation)
    estimation.begin(settings.order, settings.threads)
    for stage in _STAGES:
        tell(_TOLD[stage], 0.0)
        getattr(estimation, stage)()
    tell(_TOLD["model"], 0.0)
    discounts = estimation.statistics()
    undefined = [order for order, row in enumerate(discounts, start=1) if row[3]]
    notes = [_fallback_note(undefined)] if undefined else []
    if estimation.unknown:
        notes.append(_vocabulary_note(estimation, plan))
    return estimation.model(
        note(
            smoothing=settings.smoothing,
            unk_word=settings.unk_word,
            text=corpus.name[-200:],
            words=estimation.words,
            sentences=estimation.sentences,
            discounts=[row[:3] for row in discounts],
            units=plan.to_note(),
            notes=notes,
        )
    )


def _silent(stage: str, done: float) -> None:
    """Nobody wants to know."""


def _sentences(text: Any, docs: str | None, field: Any) -> Corpus:
    """A corpus whose sentences are lines if nothing else is said, or records where the source has them."""
    if isinstance(text, bytes | bytearray | memoryview):
        return Corpus.from_text(bytes(text), docs="line" if docs is None else docs)
    if docs is not None:
        return Corpus(text, docs=docs, field=field)
    found = Corpus(text, field=field)
    return found if found.docs == "record" else Corpus(text, docs="line", field=field)


def _read_words(corpus: Corpus, settings: Settings, tell: Progress) -> _core.NgramEstimation:
    """Words, found by the core in the bytes as they come."""
    # Where rare words become <unk>, one that stands in the text already is one of them.
    member = settings.vocabulary.chosen and not settings.unk_word
    unk = "word" if settings.unk_word else "member" if member else "reserved"
    estimation = _core.NgramEstimation(SEPARATORS["kenlm"], unk)
    done = 0
    for block in corpus.blocks():
        tell(_TOLD["read"], done / corpus.total_bytes if corpus.total_bytes else 0.0)
        try:
            estimation.feed(block.data, block.ends)
        except LookupError as error:
            raise _reserved(corpus.name, *error.args) from error
        done += len(block.data)
    return estimation


def _read_units(corpus: Corpus, settings: Settings, tell: Progress) -> _core.NgramEstimation:
    """Other units, by their ids."""
    plan, units = settings.plan, settings.units
    assert units is not None
    estimation = _core.NgramEstimation.of_units(plan.kind, plan.ids, plan.end_unit, plan.closed)
    for piece in split_corpus(corpus, units):
        tell(_TOLD["read"], piece.offset / corpus.total_bytes if corpus.total_bytes else 0.0)
        estimation.feed_ids(piece.split.ids, piece.split.bounds, len(piece.ends))
    return estimation


def _reserved(name: str, word: bytes, sentence: int) -> InputError:
    shown = word.decode()
    remedy = "say unk_word=True (on the command line: --unk-word), or rename it" if word == b"<unk>" else "rename it"
    message = (
        f"{name}, sentence {sentence}: the word {shown} stands in the text, but the model keeps that name for itself; "
        f"{remedy}: sed 's/{shown.replace('/', chr(92) + '/')}/_{shown.strip('</>')}_/g'"
    )
    return InputError(message, index=sentence, value=shown)


def _fallback_note(orders: list[int]) -> str:
    return (
        f"the text is too small or too odd to estimate the discounts of order {', '.join(map(str, orders))}; "
        "0.5, 1 and 1.5 stand for them"
    )


def _vocabulary_note(estimation: _core.NgramEstimation, plan: UnitPlan) -> str:
    share = 100.0 * estimation.unknown / max(1, estimation.words)
    return (
        f"{estimation.unknown:,} of the text's {estimation.words:,} {plan.kind} ({share:.2f} %) are outside of the "
        "vocabulary; the model has learnt them as <unk>"
    )
