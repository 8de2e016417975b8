"""Estimating an n-gram model from a text, stage by stage."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from bitmeter import _core
from bitmeter.errors import EmptyError, InputError, InputTypeError
from bitmeter.models.ngram_files import Progress, note
from bitmeter.models.ngram_memory import Allowance, amount
from bitmeter.models.smoothing import Smoothing, told
from bitmeter.models.spelling import fit_section
from bitmeter.text.corpus import Corpus
from bitmeter.text.units import SEPARATORS
from bitmeter.theory._check import shown

#: Bytes that are read while those before are split among the threads.
_BLOCK = 1 << 22
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
    allowance: Allowance = field(default_factory=lambda: Allowance.of(None, None))
    most_keys: int = 0  # of one run of sorted n-grams; 0: as many as the allowance holds


def as_progress(progress: Any) -> Progress:
    """A function of a stage and a share; None for one that tells nobody."""
    if progress is not None and not callable(progress):
        message = f"progress is {shown(progress)}; it must be a function of a stage and a share"
        raise InputTypeError(message, value=progress)
    return _silent if progress is None else progress


def estimate(text: Any, settings: Settings, *, heldout: Any, field: str | None, progress: Any) -> _core.NgramModel:
    """The model of a text."""
    if heldout is not None and settings.smoothing.method != "jelinek-mercer":
        message = f"only jelinek-mercer learns from a heldout text; leave it out for {settings.smoothing}"
        raise InputError(message, value=heldout)
    tell = as_progress(progress)
    allowance = settings.allowance
    estimation = _core.NgramEstimation(
        SEPARATORS["kenlm"], settings.unk_word, allowance.memory, allowance.folder, settings.threads
    )
    corpus = _corpus_of(text, field)
    gaps = _core.GapCounts(SEPARATORS["kenlm"], corpus.docs == "line")
    with _disk(estimation, settings):
        _feed(_both(estimation, gaps), corpus, estimation, allowance, tell)
        if heldout is not None:
            _feed(estimation.feed_heldout, _corpus_of(heldout, field), estimation, allowance, tell)
        estimation.finish()
        if estimation.sentences == 0:
            message = f"{corpus.name} holds no sentence; an n-gram model is estimated from at least one"
            raise EmptyError(message)
        run_stages(estimation, settings, tell)
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


def run_stages(estimation: _core.NgramEstimation, settings: Settings, tell: Progress) -> None:
    """All that comes after the text was read, telling how far it is; Ctrl-C is answered on the way."""
    allowance, stage = settings.allowance, ""
    least = estimation.least_memory(settings.order, settings.threads)
    if least > allowance.memory:
        raise allowance.too_small(least, estimation.kinds)
    raw = bool(settings.prune) or not settings.smoothing.adjusted
    estimation.begin(settings.order, raw, most_keys=settings.most_keys, tell=lambda share: tell(stage, share))
    for name in _STAGES:
        stage = _TOLD[name]
        if name == "sort" and not estimation.fits(settings.order):
            stage += f" on disk, up to {amount(estimation.most_disk(settings.order))}"
        elif estimation.on_disk:
            stage += " on disk"
        if name == "weigh":
            estimation.weigh(settings.smoothing.core_name, settings.smoothing.parameter, list(settings.prune))
        else:
            getattr(estimation, name)()
    stage = _TOLD["model"]


def _both(estimation: _core.NgramEstimation, gaps: _core.GapCounts) -> Callable[[bytes, Any], None]:
    """Words are numbered in the background, while what stands between them is counted."""

    def take(data: bytes, ends: Any) -> None:
        estimation.feed(data, ends)
        gaps.feed(data, ends)

    return take


def spelling_of(text: Any, *, field: str | None, threads: int) -> bytes:
    """The section about spelling alone, for a model that was not estimated here."""
    corpus, allowance = _corpus_of(text, field), Allowance.of(None, None)
    words = _core.NgramEstimation(SEPARATORS["kenlm"], True, allowance.memory, allowance.folder, threads)
    gaps = _core.GapCounts(SEPARATORS["kenlm"], corpus.docs == "line")
    _feed(_both(words, gaps), corpus, words, allowance, _silent)
    words.finish()
    return fit_section(words.rare_words(), gaps, SEPARATORS["kenlm"], threads)


def _corpus_of(text: Any, field: str | None) -> Corpus:
    return Corpus.of(text, field=field) if isinstance(text, Corpus) else _lines(text, field)


def _feed(
    take: Callable[[bytes, Any], None], corpus: Corpus, estimation: _core.NgramEstimation, allowance: Allowance,
    tell: Progress,
) -> None:  # fmt: skip
    """Hand a text over, block by block."""
    done, before = 0, _core.resident_bytes()
    try:
        for block in corpus.blocks(_BLOCK):
            tell(_TOLD["read"], done / corpus.total_bytes if corpus.total_bytes else 0.0)
            take(block.data, block.ends)
            done += len(block.data)
            # The numbers of the words are on the disk by then: what has grown is the vocabulary.
            if (held := _core.resident_bytes() - before) > allowance.memory:
                estimation.finish()
                raise allowance.too_small(2 * held, estimation.kinds)
        estimation.wait()
    except LookupError as error:
        raise _reserved(corpus.name, *error.args) from error


@contextmanager
def _disk(estimation: _core.NgramEstimation, settings: Settings) -> Iterator[None]:
    """Turns what the system says of temporary files into an error that tells what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EROFS, errno.EIO):
            raise
        raise settings.allowance.full(error, estimation.most_disk(settings.order)) from error


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
