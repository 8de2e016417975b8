"""Estimating an n-gram model from a text, stage by stage."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from bitmeter import _core
from bitmeter._util.asking import ask
from bitmeter._util.jobs import Executor, PartsStep
from bitmeter._util.progress import Step, as_progress
from bitmeter.errors import EmptyError, InputError, RecordError
from bitmeter.models.ngram.estimate.memory import Allowance, amount
from bitmeter.models.ngram.estimate.smoothing import Smoothing, smoothing_metadata
from bitmeter.models.ngram.estimate.vocabulary import Vocabulary
from bitmeter.models.ngram.files import Report, metadata
from bitmeter.models.ngram.units import UnitPlan
from bitmeter.models.openvocab.words import fit_section
from bitmeter.text.blocks import split_corpus
from bitmeter.text.boundaries import sentences_of
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.normalise import normalised
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import Units

#: Bytes that are read while those before are split among the threads.
_BLOCK = 1 << 22
_STAGES = ("sort", "grow", "link", "weigh")
_STAGE_NAMES = {
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
    allowance: Allowance = field(default_factory=lambda: Allowance.of(None, None))
    norm: str = "none"
    separators: str = "kenlm"  # whose white space separates words
    most_keys: int = 0  # of one run of sorted n-grams; 0: as many as the allowance holds


def by_stages(progress: object, executor: Executor | None = None) -> Report:
    """A function of a stage and a share that calls the user's callback with a `Step`; a no-op for None."""
    if progress is None:
        return _silent
    call = as_progress(progress)
    if executor is not None:
        return lambda stage, share: call(PartsStep(share, 1.0, "", stage, **executor.state()))
    return lambda stage, share: call(Step.of_share(stage, share))


def estimate(
    text: Any,
    settings: Settings,
    *,
    docs: str | None,
    heldout: Any,
    field: str | None,
    progress: Any,
    executor: Executor | None = None,
    work: Any = None,
) -> _core.NgramModel:
    """The model of a text; an executor counts it in parts, with the files between its stages in the folder `work`."""
    if heldout is not None and not settings.smoothing.tunes:
        message = (
            "only jelinek-mercer and modified-kneser-ney learn from a heldout text; leave it out for "
            f"{settings.smoothing}"
        )
        raise InputError(message, value=heldout)
    report = by_stages(progress, executor)
    corpus = _sentences(text, docs, field, settings.norm)
    plan = settings.plan
    if plan.kind in ("bytes", "characters") and corpus.docs == "line":
        settings = replace(settings, plan=replace(plan, newline_ends=True))
    held = None if heldout is None else _sentences(heldout, docs, field, settings.norm)
    if held is not None and held.total_bytes == 0:
        message = f"{held.name} is empty, and {settings.smoothing} learns from it; give another text"
        raise EmptyError(message)
    if executor is not None and held is None and settings.smoothing.method == "jelinek-mercer":
        message = (
            "jelinek-mercer holds out a part of the text, which several processes do not have in one place; give a "
            "heldout text (--heldout), or leave --workers and --engine out"
        )
        raise InputError(message)
    with ExitStack() as stack:
        begun = stack.enter_context(_disk(settings))
        counted: Any = None
        if executor is None:
            estimation, spelled = _read(corpus, held, settings, report)
        else:
            counted = stack.enter_context(
                ask("counts in parts", corpus, settings, lambda: _begun(corpus, settings), executor, work, report)
            )
            estimation = counted.estimation
            spelled = _spelled(counted.rare, counted.gaps, settings)
            if held is not None:
                _take(estimation, None, held, settings, report, held=True)
        begun.append(estimation)
        if estimation.sentences == 0:
            message = f"{corpus.name} holds no sentence; an n-gram model is estimated from at least one"
            raise EmptyError(message)
        in_slices = counted is not None and counted.estimate is not None
        if in_slices and _core.smooths_in_slices(settings.smoothing.core_name):
            _begin(estimation, settings, lambda share: report(_STAGE_NAMES["model"], share))
            counted.estimate()
        else:
            _run_stages(estimation, settings, report, None if counted is None else counted.files)
    model = estimation.model(
        metadata(
            smoothing=str(settings.smoothing),
            unk_word=settings.unk_word,
            text=corpus.name[-200:],
            words=estimation.words,
            sentences=estimation.sentences,
            **({"prune": settings.prune} if settings.prune else {}),
            **({"norm": settings.norm} if settings.norm != "none" else {}),
            **_said(estimation, settings),
        )
    )
    if spelled is not None:
        model.attach(spelled(settings.threads))
    return model


def _sentences(text: Any, docs: str | None, field: str | None, norm: str) -> Corpus:
    corpus = sentences_of(text, docs=docs, field=field)
    return corpus if norm == "none" else normalised(corpus, norm)


def _begin(estimation: _core.NgramEstimation, settings: Settings, progress: Callable[[float], object]) -> None:
    allowance = settings.allowance
    least = estimation.least_memory(settings.order, settings.threads)
    if least > allowance.memory:
        raise allowance.too_small(least, estimation.kinds)
    raw = bool(settings.prune) or not settings.smoothing.adjusted
    estimation.begin(settings.order, raw, most_keys=settings.most_keys, progress=progress)


def _run_stages(estimation: _core.NgramEstimation, settings: Settings, report: Report, files: list[str] | None) -> None:
    """All that comes after the text was read, telling how far it is; Ctrl-C is answered on the way."""
    stage = ""
    _begin(estimation, settings, lambda share: report(stage, share))
    if files is not None:
        estimation.use_runs(files)
    for name in _STAGES:
        stage = _STAGE_NAMES[name]
        if name == "sort" and not estimation.fits(settings.order):
            stage += f" on disk, up to {amount(estimation.most_disk(settings.order))}"
        elif estimation.on_disk:
            stage += " on disk"
        if name == "weigh":
            estimation.weigh(settings.smoothing.core_name, settings.smoothing.parameter, list(settings.prune))
        else:
            {"sort": estimation.sort, "grow": estimation.grow, "link": estimation.link}[name]()
    stage = _STAGE_NAMES["model"]


def _both(estimation: _core.NgramEstimation, gaps: _core.GapCounts) -> Callable[[bytes, Any], None]:
    """Words are numbered in the background, while what stands between them is counted."""

    def take(data: bytes, ends: Any) -> None:
        estimation.feed(data, ends)
        gaps.feed(data, ends)

    return take


def spelling_of(text: Any, *, field: str | None, threads: int) -> bytes:
    """The section about spelling alone, for a model that was not estimated here."""
    corpus, allowance = sentences_of(text, field=field), Allowance.of(None, None)
    words = _core.NgramEstimation(SEPARATORS["kenlm"], "word", allowance.memory, allowance.folder, threads)
    gaps = _core.GapCounts(SEPARATORS["kenlm"], corpus.docs == "line")
    _feed(_both(words, gaps), corpus, words, allowance, _silent)
    words.finish()
    return fit_section(words.rare_words(), gaps, SEPARATORS["kenlm"], threads, allowance.memory, allowance.folder)


def _feed(
    take: Callable[[bytes, Any], None], corpus: Corpus, estimation: _core.NgramEstimation, allowance: Allowance,
    report: Report,
) -> None:  # fmt: skip
    """Hand a text over, block by block."""
    done, before = 0, _core.resident_bytes()
    try:
        for block in corpus.blocks(_BLOCK):
            report(_STAGE_NAMES["read"], done / corpus.total_bytes if corpus.total_bytes else 0.0)
            take(block.data, block.ends)
            done += len(block.data)
            # Word ids are on disk by then: what has grown is the vocabulary.
            if (held := _core.resident_bytes() - before) > allowance.memory:
                estimation.finish()
                raise allowance.too_small(2 * held, estimation.kinds)
        estimation.wait()
    except LookupError as error:
        raise _reserved(corpus.name, *error.args) from error
    except OverflowError as error:
        raise _too_long(corpus.name, *error.args) from error


@contextmanager
def _disk(settings: Settings) -> Iterator[list[_core.NgramEstimation]]:
    """Turns what the system says of temporary files into an error that says what to do."""
    begun: list[_core.NgramEstimation] = []
    try:
        yield begun
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EROFS, errno.EIO):
            raise
        most = begun[0].most_disk(settings.order) if begun else None
        raise settings.allowance.full(error, most) from error


#: Fits the section about spelling, once it is time, by so many threads.
Spelled = Callable[[int], bytes]


def _begun(corpus: Corpus, settings: Settings) -> tuple[_core.NgramEstimation, _core.GapCounts | None]:
    """An estimation without a text, and for words the counts of what stands between them."""
    plan, allowance = settings.plan, settings.allowance
    if plan.kind != "words":
        assert settings.units is not None
        estimation = _core.NgramEstimation.of_units(
            plan.kind, plan.ids, plan.end_unit, plan.closed, allowance.memory, allowance.folder, settings.threads
        )
        return estimation, None
    # Where rare words become <unk>, one that stands in the text already is one of them.
    member = settings.vocabulary.chosen and not settings.unk_word
    unk = "word" if settings.unk_word else "member" if member else "reserved"
    separators = SEPARATORS[settings.separators]
    estimation = _core.NgramEstimation(separators, unk, allowance.memory, allowance.folder, settings.threads)
    return estimation, _core.GapCounts(SEPARATORS["kenlm"], corpus.docs == "line")


def _take(
    estimation: _core.NgramEstimation, gaps: _core.GapCounts | None, corpus: Corpus, settings: Settings,
    report: Report, *, held: bool = False,
) -> None:  # fmt: skip
    """Read a text: words are found by the core in the bytes as they come, other units come by their ids."""
    if settings.plan.kind == "words":
        take = estimation.feed_heldout if held else estimation.feed if gaps is None else _both(estimation, gaps)
        _feed(take, corpus, estimation, settings.allowance, report)
        return
    assert settings.units is not None
    for piece in split_corpus(corpus, settings.units):
        report(_STAGE_NAMES["read"], piece.offset / corpus.total_bytes if corpus.total_bytes else 0.0)
        estimation.feed_ids(piece.split.ids, piece.split.bounds, len(piece.ends), held)


def read_text(
    corpus: Corpus, settings: Settings, report: Report
) -> tuple[_core.NgramEstimation, _core.GapCounts | None]:
    """A text, or a part of one, as it is read; its vocabulary is not settled."""
    estimation, gaps = _begun(corpus, settings)
    _take(estimation, gaps, corpus, settings, report)
    return estimation, gaps


def _read(
    corpus: Corpus, heldout: Corpus | None, settings: Settings, report: Report
) -> tuple[_core.NgramEstimation, Spelled | None]:
    """All that is read, with its vocabulary settled."""
    estimation, gaps = read_text(corpus, settings, report)
    if heldout is not None:
        _take(estimation, None, heldout, settings, report, held=True)
    estimation.finish()
    rare = b"" if gaps is None else estimation.rare_words()  # before a vocabulary leaves them out
    settings.vocabulary.apply(estimation)
    return estimation, _spelled(rare, gaps, settings)


def _spelled(rare: bytes, gaps: _core.GapCounts | None, settings: Settings) -> Spelled | None:
    # Where others separate words, a word may hold what separates them in a text that is scored, so none is spelled.
    if gaps is None or settings.separators != "kenlm":
        return None
    allowance = settings.allowance
    return lambda threads: fit_section(rare, gaps, SEPARATORS["kenlm"], threads, allowance.memory, allowance.folder)


def _said(estimation: _core.NgramEstimation, settings: Settings) -> dict[str, Any]:
    """What the file says of the units, the smoothing and the vocabulary."""
    described = {"units": settings.plan.to_metadata(), **smoothing_metadata(estimation, settings.smoothing)}
    if estimation.unknown:
        described["notes"] = [*described["notes"], _vocabulary_note(estimation, settings.plan)]
    return described


def _silent(stage: str, done: float) -> None:
    """No-op progress callback."""


def _reserved(name: str, word: bytes, sentence: int) -> InputError:
    shown = word.decode()
    remedy = "say unk_word=True (on the command line: --unk-word), or rename it" if word == b"<unk>" else "rename it"
    message = (
        f"{name}, sentence {sentence}: the word {shown} occurs in the text, but the model reserves that name; "
        f"{remedy}: sed 's/{shown.replace('/', chr(92) + '/')}/_{shown.strip('</>')}_/g'"
    )
    return InputError(message, index=sentence, value=shown)


def _too_long(name: str, most: int, sentence: int) -> RecordError:
    message = (
        f"{name}, sentence {sentence}: a word has more than {most:,} bytes, and what is learned from a word takes many "
        "times its bytes; put white space into it, or train a model of bytes (on the command line: --units bytes)"
    )
    return RecordError(message, path=name, line=sentence)


def _vocabulary_note(estimation: _core.NgramEstimation, plan: UnitPlan) -> str:
    share = 100.0 * estimation.unknown / max(1, estimation.words)
    return (
        f"{estimation.unknown:,} of the text's {estimation.words:,} {plan.kind} ({share:.2f} %) are outside of the "
        "vocabulary; the model has learned them as <unk>"
    )
