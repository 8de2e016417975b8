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
from bitmeter.models.smoothing import Smoothing, told
from bitmeter.models.spelling import fit_section
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
    smoothing: Smoothing
    prune: tuple[int, ...]
    unk_word: bool
    threads: int
    plan: UnitPlan = field(default_factory=UnitPlan)
    units: Units | None = None
    vocabulary: Vocabulary = field(default_factory=Vocabulary)


def estimate(
    text: Any, settings: Settings, *, docs: str | None, heldout: Any, field: str | None, progress: Any
) -> _core.NgramModel:
    """The model of a text."""
    if heldout is not None and settings.smoothing.method != "jelinek-mercer":
        message = f"only jelinek-mercer learns from a heldout text; leave it out for {settings.smoothing}"
        raise InputError(message, value=heldout)
    if progress is not None and not callable(progress):
        message = f"progress is {progress!r:.40}; it must be a function of a stage and a share"
        raise InputTypeError(message, value=progress)
    tell: Progress = progress if progress is not None else _silent
    corpus = _corpus_of(text, docs, field)
    plan = settings.plan
    if plan.kind in ("bytes", "characters") and corpus.docs == "line":
        settings = replace(settings, plan=replace(plan, newline_ends=True))
    held = None if heldout is None else _corpus_of(heldout, docs, field)
    read = _read_words if plan.kind == "words" else _read_units
    estimation, spelled = read(corpus, held, settings, tell)
    if estimation.sentences == 0:
        message = f"{corpus.name} holds no sentence; an n-gram model is estimated from at least one"
        raise EmptyError(message)
    estimation.begin(settings.order, settings.threads)
    for stage in _STAGES:
        tell(_TOLD[stage], 0.0)
        if stage == "weigh":
            estimation.weigh(settings.smoothing.core_name, settings.smoothing.parameter, list(settings.prune))
        else:
            getattr(estimation, stage)()
    tell(_TOLD["model"], 0.0)
    model = estimation.model(
        note(
            smoothing=str(settings.smoothing),
            unk_word=settings.unk_word,
            text=corpus.name[-200:],
            words=estimation.words,
            sentences=estimation.sentences,
            **({"prune": settings.prune} if settings.prune else {}),
            **_said(estimation, settings),
        )
    )
    if spelled is not None:
        model.attach(spelled(settings.threads))
    return model


def spelling_of(text: Any, *, field: str | None, threads: int) -> bytes:
    """The section about spelling alone, for a model that was not estimated here."""
    corpus = _corpus_of(text, None, field)
    words = _core.NgramEstimation(SEPARATORS["kenlm"], "word")
    gaps = _core.GapCounts(SEPARATORS["kenlm"], corpus.docs == "line")

    def take(data: bytes, ends: Any) -> None:
        words.feed(data, ends)
        gaps.feed(data, ends)

    _feed(take, corpus, _silent)
    return fit_section(words.rare_words(), gaps, SEPARATORS["kenlm"], threads)


def _corpus_of(text: Any, docs: str | None, field: str | None) -> Corpus:
    return Corpus.of(text, docs=docs, field=field) if isinstance(text, Corpus) else _sentences(text, docs, field)


def _feed(take: Callable[[bytes, Any], None], corpus: Corpus, tell: Progress) -> None:
    """Hand a text over, block by block."""
    done = 0
    for block in corpus.blocks():
        tell(_TOLD["read"], done / corpus.total_bytes if corpus.total_bytes else 0.0)
        try:
            take(block.data, block.ends)
        except LookupError as error:
            raise _reserved(corpus.name, *error.args) from error
        done += len(block.data)


#: Fits the section about spelling, once it is time, by so many threads.
Spelled = Callable[[int], bytes]


def _read_words(
    corpus: Corpus, heldout: Corpus | None, settings: Settings, tell: Progress
) -> tuple[_core.NgramEstimation, Spelled | None]:
    """Words, found by the core in the bytes as they come."""
    # Where rare words become <unk>, one that stands in the text already is one of them.
    member = settings.vocabulary.chosen and not settings.unk_word
    unk = "word" if settings.unk_word else "member" if member else "reserved"
    estimation = _core.NgramEstimation(SEPARATORS["kenlm"], unk)
    gaps = _core.GapCounts(SEPARATORS["kenlm"], corpus.docs == "line")

    def take(data: bytes, ends: Any) -> None:
        estimation.feed(data, ends)
        gaps.feed(data, ends)

    _feed(take, corpus, tell)
    if heldout is not None:
        _feed(estimation.feed_heldout, heldout, tell)
    rare = estimation.rare_words()  # before a vocabulary leaves them out
    settings.vocabulary.apply(estimation)
    return estimation, lambda threads: fit_section(rare, gaps, SEPARATORS["kenlm"], threads)


def _read_units(
    corpus: Corpus, heldout: Corpus | None, settings: Settings, tell: Progress
) -> tuple[_core.NgramEstimation, Spelled | None]:
    """Other units, by their ids."""
    plan, units = settings.plan, settings.units
    assert units is not None
    estimation = _core.NgramEstimation.of_units(plan.kind, plan.ids, plan.end_unit, plan.closed)
    for held, source in ((False, corpus), (True, heldout)):
        if source is None:
            continue
        for piece in split_corpus(source, units):
            tell(_TOLD["read"], piece.offset / source.total_bytes if source.total_bytes else 0.0)
            estimation.feed_ids(piece.split.ids, piece.split.bounds, len(piece.ends), held)
    settings.vocabulary.apply(estimation)
    return estimation, None


def _said(estimation: _core.NgramEstimation, settings: Settings) -> dict[str, Any]:
    """What the file says of the units, the smoothing and the vocabulary."""
    said = {"units": settings.plan.to_note(), **told(estimation, settings.smoothing)}
    if estimation.unknown:
        said["notes"] = [*said["notes"], _vocabulary_note(estimation, settings.plan)]
    return said


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


def _reserved(name: str, word: bytes, sentence: int) -> InputError:
    shown = word.decode()
    remedy = "say unk_word=True (on the command line: --unk-word), or rename it" if word == b"<unk>" else "rename it"
    message = (
        f"{name}, sentence {sentence}: the word {shown} stands in the text, but the model keeps that name for itself; "
        f"{remedy}: sed 's/{shown.replace('/', chr(92) + '/')}/_{shown.strip('</>')}_/g'"
    )
    return InputError(message, index=sentence, value=shown)


def _vocabulary_note(estimation: _core.NgramEstimation, plan: UnitPlan) -> str:
    share = 100.0 * estimation.unknown / max(1, estimation.words)
    return (
        f"{estimation.unknown:,} of the text's {estimation.words:,} {plan.kind} ({share:.2f} %) are outside of the "
        "vocabulary; the model has learnt them as <unk>"
    )
