"""Estimating an n-gram model from a text, stage by stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bitmeter import _core
from bitmeter.errors import EmptyError, InputError, InputTypeError
from bitmeter.models.ngram_files import note
from bitmeter.models.smoothing import Smoothing, told
from bitmeter.models.spelling import fit_section
from bitmeter.text.corpus import Corpus
from bitmeter.text.units import SEPARATORS

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


def estimate(text: Any, settings: Settings, *, heldout: Any, field: str | None, progress: Any) -> _core.NgramModel:
    """The model of a text."""
    if heldout is not None and settings.smoothing.method != "jelinek-mercer":
        message = f"only jelinek-mercer learns from a heldout text; leave it out for {settings.smoothing}"
        raise InputError(message, value=heldout)
    if progress is not None and not callable(progress):
        message = f"progress is {progress!r:.40}; it must be a function of a stage and a share"
        raise InputTypeError(message, value=progress)
    tell: Progress = progress if progress is not None else _silent
    estimation = _core.NgramEstimation(SEPARATORS["kenlm"], settings.unk_word)
    corpus = _corpus_of(text, field)
    gaps = _core.GapCounts(SEPARATORS["kenlm"], corpus.docs == "line")

    def take(data: bytes, ends: Any) -> None:
        estimation.feed(data, ends)
        gaps.feed(data, ends)

    _feed(take, corpus, tell)
    if heldout is not None:
        _feed(estimation.feed_heldout, _corpus_of(heldout, field), tell)
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
    rare = estimation.rare_words()
    model = estimation.model(
        note(
            smoothing=str(settings.smoothing),
            unk_word=settings.unk_word,
            text=corpus.name[-200:],
            words=estimation.words,
            sentences=estimation.sentences,
            **({"prune": settings.prune} if settings.prune else {}),
            **told(estimation, settings.smoothing),
        )
    )
    model.attach(fit_section(rare, gaps, SEPARATORS["kenlm"], settings.threads))
    return model


def spelling_of(text: Any, *, field: str | None, threads: int) -> bytes:
    """The section about spelling alone, for a model that was not estimated here."""
    corpus = _corpus_of(text, field)
    words = _core.NgramEstimation(SEPARATORS["kenlm"], True)
    gaps = _core.GapCounts(SEPARATORS["kenlm"], corpus.docs == "line")

    def take(data: bytes, ends: Any) -> None:
        words.feed(data, ends)
        gaps.feed(data, ends)

    _feed(take, corpus, _silent)
    return fit_section(words.rare_words(), gaps, SEPARATORS["kenlm"], threads)


def _corpus_of(text: Any, field: str | None) -> Corpus:
    return Corpus.of(text, field=field) if isinstance(text, Corpus) else _lines(text, field)


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


def _silent(stage: str, done: float) -> None:
    """Nobody wants to know."""


def _lines(text: Any, field: Any) -> Corpus:
    """A corpus whose sentences are lines, or records where the source has them."""
    if isinstance(text, bytes | bytearray | memoryview):
        return Corpus.from_text(bytes(text), docs="line")
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
