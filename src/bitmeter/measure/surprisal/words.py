r"""What each word of a text cost under a model of tokens, with the space that ends it accounted for.

Most tokenizers write the space before a word into the word's first token. So the probability of a word's tokens holds
that the word before has ended, and lacks that this one does. The correction of Pimentel and Meister (2024) and of Oh
and Schuler (2024) moves that back: with B the probability that the next token begins a word (or ends the text),
p(word) = p(its tokens) · B(after it) / B(before it).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.asking import ask
from bitmeter._util.check import choice, flag, shown
from bitmeter._util.frames import Column, Tabular
from bitmeter._util.jobs import Executor, PartsStep, Report, Task
from bitmeter._util.progress import Progress, Step
from bitmeter._util.rendering import InNotebooks
from bitmeter.errors import BitmeterError, InputError, InputTypeError, ModelError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.divergence import as_predictor
from bitmeter.measure.options import settle
from bitmeter.measure.run import signature_of
from bitmeter.measure.scoring import _corpus
from bitmeter.measure.signature import Signature, units_value
from bitmeter.measure.sums import CountTotals
from bitmeter.measure.surprisal.predictions import ENDS, Predicted, predicted, starts_of, word_ends
from bitmeter.measure.surprisal.segment import Segment, check_unspaced, segment_of, segment_value
from bitmeter.measure.window_sums import with_windows
from bitmeter.models.protocols import Predictor
from bitmeter.text.blocks import SplitBlock, split_corpus
from bitmeter.text.boundaries import Whole
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.formats import SEPARATORS

__all__ = ["WordSurprisals", "word_surprisals"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_LN2 = math.log(2.0)
_SPACE = SEPARATORS["ascii"]


@dataclass(frozen=True, slots=True, eq=False)
class WordSurprisals(Tabular, InNotebooks):
    """What each word cost.

    Attributes
    ----------
    words
        The bytes of each, with the white space before it.
    doc
        The number of its document.
    tokens
        How many tokens it was cut into.
    nats
        What it cost, in nats.
    corrected
        Whether the end of the word is part of that, instead of the end of the word before.
    start, end, char_start, char_end
        Offsets of each word, without white space, in its document: in bytes and in characters.
    plain
        What the tokens of each cost, in nats, without the correction.
    entropy
        Of the prediction before the first token of each, in nats.
    crossed
        Whether a token of the word holds bytes of another word, too; it is counted where it starts.
    spaces
        What the white space behind the last word of each document cost, in nats. It is no part of a word.
    signature
        The conventions.
    """

    words: tuple[bytes, ...]
    doc: Ints
    tokens: Ints
    nats: Floats
    corrected: bool
    start: Ints
    end: Ints
    char_start: Ints
    char_end: Ints
    plain: Floats
    entropy: Floats
    crossed: NDArray[np.bool_]
    spaces: float
    signature: Signature

    def __len__(self) -> int:
        return len(self.words)

    @property
    def bits(self) -> Floats:
        """What each cost, in bits."""
        return self.nats / _LN2

    @property
    def texts(self) -> list[str]:
        """Each word without the white space around it."""
        return [word.strip(_SPACE).decode("utf-8", "backslashreplace") for word in self.words]

    def to_columns(self) -> dict[str, Column]:
        """One row per word, for `to_pandas`, `to_polars` and `to_arrow`, with the names of `bitmeter surprisal`.

        Examples
        --------
        >>> import bitmeter as bm
        >>> columns = bm.word_surprisals("uniform", b"one two").to_columns()
        >>> columns["word"], columns["plain_bits"].tolist()
        (['one', 'two'], [24.0, 32.0])
        """
        return {
            "doc": self.doc, "word": self.texts, "start": self.start, "end": self.end, "char_start": self.char_start,
            "char_end": self.char_end, "surprisal_bits": self.bits, "surprisal_nats": self.nats,
            "plain_bits": self.plain / _LN2, "plain_nats": self.plain, "entropy_bits": self.entropy / _LN2,
            "surplus_bits": (self.nats - self.entropy) / _LN2, "tokens": self.tokens, "crossed": self.crossed,
        }  # fmt: skip

    def _metadata(self) -> dict[str, str]:
        return {"signature": str(self.signature)}

    def __repr__(self) -> str:
        return f"WordSurprisals({len(self):,} words, {self.signature.short})"

    def __str__(self) -> str:
        width = max(map(len, self.texts), default=0)
        pairs = zip(self.texts, self.bits.tolist(), strict=True)
        return "\n".join(f"{word:<{width}}  {bits:8.3f}" for word, bits in pairs)


def word_surprisals(
    model: Any,
    text: Any,
    *,
    corrected: bool = True,
    docs: str | None = None,
    field: str | None = None,
    ctx: str | None = None,
    first: str | None = None,
    like: str = "bitmeter",
    ends: str | None = None,
    words: str | Segment = "space",
    progress: Progress | None = None,
    workers: int | None = None,
    engine: str = "local",
    address: str | None = None,
) -> WordSurprisals:
    """What each word of a text costs under a model that exposes its predictions.

    Parameters
    ----------
    model
        A model of tokens, such as "hf:PATH", an n-gram model, or one of bytes.
    text
        As for `score`.
    corrected
        Count the end of each word with the word itself, as its probability asks for. Without it, a word costs what its
        tokens cost, and the sum over words and `spaces` is exactly that of `score`.
    docs, field, ctx, first, like
        As for `score`.
    ends
        Which tokens end the word before them: "all" (the default: those that begin with white space, such as a newline,
        and the tokens around a text), or "space" (those that begin with a space alone, as minicons counts).
    words
        What a word is: "space" (between white space), "icu" or "icu:LOCALE" (by the rules and dictionaries of ICU, for
        scripts without spaces), or a function from the bytes of a document to the offsets of its words.
    progress
        Called as the text goes by.
    workers, engine, address
        How many processes share the work, and whose: of this machine ("local"), or of Ray ("ray", at an address). The
        figures are the same.

    Examples
    --------
    >>> import bitmeter as bm
    >>> found = bm.word_surprisals(bm.Uniform(), b"one two")  # by hand: 8 bits per letter, and 1/42.7 for an end
    >>> found.texts, found.tokens.tolist(), (found.plain / math.log(2)).tolist()
    (['one', 'two'], [3, 4], [24.0, 32.0])
    >>> found.nats.tolist() == (found.plain + math.log(256 / 6) * np.array([1, 0])).tolist()
    True
    """
    correct = flag(corrected, "corrected")
    tool = convention(like)
    chosen = settle(tool, docs, field, None, first, None, None, None, ctx, 0.95)
    if isinstance(text, Corpus):  # which knows its documents, whatever the tool would make of a text
        chosen = replace(chosen, docs=docs)
    ending = tool.word_ends if ends is None else choice(ends, "ends", ENDS)
    anything: Any = words
    if not isinstance(anything, str) and not callable(anything):
        message = f"words is {shown(words)}; it must be 'space', 'icu', or a function that gives the offsets of words"
        raise InputTypeError(message, value=words)
    segment = segment_of(words) if isinstance(words, str) else words
    found, settled = with_windows(as_predictor(model, "a surprisal of words needs one that does"), chosen)
    assert isinstance(found, Predictor)
    begins = word_ends(found, ending)
    corpus, counts = _corpus(text, chosen), CountTotals()
    plan = _Plan(bool(begins.any()) and correct, starts_of(ending), settled.first == "skip", words == "space")
    gathered = _Gathered(plan)
    shared = engine != "local" or (workers or 1) > 1
    blocks = _counted(split_corpus(corpus, Whole(found.units), found.traits.block_bytes), counts)
    if shared:
        with ask("an executor", workers, engine, address) as executor:
            _share(gathered, found, blocks, begins, words, corpus, executor, progress)
    else:
        for block in blocks:
            gathered.add(block, predicted(found, block, begins), segment, corpus.name)
            if progress is not None:
                progress(Step(block.offset + len(block.data), corpus.total_bytes))
    length = int(counts.finished()[0].sum(axis=0)[0])
    kind = segment_value(words) if isinstance(words, str) else "given"
    signature = signature_of(found.name, found.fingerprint, corpus, settled, length, counts.documents).but(
        units=f"{units_value(found.units)} by word({kind},{ending}{',corrected' if correct else ''})",
        precision=found.traits.precision,
    )
    return gathered.finished(correct, signature)


def _counted(blocks: Iterator[SplitBlock], counts: CountTotals) -> Iterator[SplitBlock]:
    for block in blocks:
        counts.add(block.data, block.ends)
        yield block


def _share(
    gathered: _Gathered, model: Predictor, blocks: Iterator[SplitBlock], begins: NDArray[np.bool_],
    words: str | Segment, corpus: Corpus, executor: Executor, progress: Progress | None,
) -> None:  # fmt: skip
    """Blocks of whole documents by several processes, joined in their order."""
    if model.traits.learns:
        message = f"{model.name} learns from all it has read, so parts of a text cannot be measured apart; "
        raise ModelError(message + "leave --workers and --engine out", value=model.name)
    sent = ask("a model to send", model)
    ends: dict[int, int] = {}
    waiting: dict[int, _Gathered] = {}

    def tasks() -> Iterator[Task]:
        documents = 0
        for number, block in enumerate(blocks):
            # A function stays here: it cannot be sent, and may count the documents that it has seen.
            given = words if isinstance(words, str) else _spans(words, block)
            ends[number] = block.offset + len(block.data)
            arguments = (sent, block, begins, gathered.plan, documents, given, corpus.name)
            yield Task(number, surprise_block, arguments, f"{corpus.name}, from document {documents + 1}")
            documents += len(block.ends)

    joined = 0
    for ended in executor.run(tasks(), _ignore):
        waiting[ended.number] = ended.result()
        while joined in waiting:
            gathered.join(waiting.pop(joined))
            if progress is not None:
                progress(PartsStep(ends.pop(joined), corpus.total_bytes, **executor.state()))
            joined += 1


def _spans(segment: Segment, block: SplitBlock) -> list[Any]:
    return [_segmented(segment, block.data[start:end]) for start, end in pairwise([0, *block.ends.tolist()])]


def surprise_block(
    model: bytes, block: SplitBlock, begins: NDArray[np.bool_], plan: _Plan, documents: int, words: Any, name: str,
    report: Report,
) -> _Gathered:  # fmt: skip
    """The words of a block of whole documents, before which so many documents came."""
    gathered = _Gathered(plan, documents)
    given = iter(()) if isinstance(words, str) else iter(words)
    segment = segment_of(words) if isinstance(words, str) else lambda data: next(given)
    gathered.add(block, predicted(ask("a sent model", model), block, begins), segment, name)
    return gathered


def _ignore(number: int, more: float) -> None:
    """Blocks are small."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """How words are cut and corrected."""

    correct: bool
    starts: tuple[bytes, ...]
    skips: bool
    by_space: bool


class _Gathered:
    """The words so far."""

    def __init__(self, plan: _Plan, documents: int = 0) -> None:
        self.plan = plan
        self._correct, self._starts, self._skips, self._by_space = plan.correct, plan.starts, plan.skips, plan.by_space
        self._words: list[bytes] = []
        self._rows: list[tuple[Any, ...]] = []
        self._spaces: list[float] = []
        self._documents = documents

    def join(self, other: _Gathered) -> None:
        """Add the words of the documents that follow."""
        self._words += other._words
        self._rows += other._rows
        self._spaces += other._spaces
        self._documents = other._documents

    def add(self, block: SplitBlock, found: Predicted, segment: Segment, name: str) -> None:
        """Add the documents of a block, of which each is whole."""
        data, ends, cuts, bounds = block.data, block.ends, block.split.cuts, block.split.bounds
        begin = 0
        for number, end in enumerate(ends.tolist()):
            first, last = int(bounds[number]), int(bounds[number + 1])
            own = Predicted(*(column[first + number : last + number + 1] for column in found))
            if self._by_space:
                check_unspaced(data[begin:end], f"{name}, document {self._documents + 1}")
            self._document(data[begin:end], cuts[first : last + 1] - begin, own, segment)
            begin = end
            self._documents += 1

    def _document(self, data: bytes, cuts: Ints, found: Predicted, segment: Segment) -> None:
        spans = np.array(_checked(_segmented(segment, data), len(data)), dtype=np.int64).reshape(-1, 2)
        places = cuts.tolist()
        pieces = [data[a:b] for a, b in pairwise(places)]
        # A token belongs to the word of its first byte that is not white space; white space alone to the next word.
        leads = np.array([len(piece) - len(piece.lstrip(_SPACE)) for piece in pieces], dtype=np.int64)
        sizes = np.diff(cuts)
        tails = [place + len(piece.rstrip(_SPACE)) for place, piece in zip(places, pieces, strict=False)]
        firsts = cuts[:-1] + np.where(leads < sizes, leads, 0)
        word = np.searchsorted(spans[:, 1], firsts, side="right")
        word = np.maximum.accumulate(word) if len(word) else word
        edges = np.searchsorted(word, np.arange(len(spans) + 1))
        chars = np.concatenate([[0], np.cumsum((np.frombuffer(data, dtype=np.uint8) & 0xC0) != 0x80)])
        before = 0
        for index, (start, stop) in enumerate(spans.tolist()):
            a, b = int(edges[index]), int(edges[index + 1])
            plain = -math.fsum(found.logs[a:b]) + 0.0
            nats = plain
            if self._correct and b > a:
                nats -= self._end(pieces, found, b) - (self._end(pieces, found, a) if a else 0.0)
            crossed = b == a or tails[b - 1] > stop or (a > 0 and tails[a - 1] > start)
            self._words.append(data[before:stop])
            self._rows.append(
                (self._documents, b - a, nats, start, stop, int(chars[start]), int(chars[stop]), plain,
                 float(found.entropy[a]), bool(crossed))
            )  # fmt: skip
            before = stop
        self._spaces.append(-math.fsum(found.logs[int(edges[-1]) : len(pieces)]) + 0.0)

    def _end(self, pieces: list[bytes], found: Predicted, at: int) -> float:
        """ln of the chance that a word ends before a token, if one does; behind the last token, it does."""
        if (self._skips and at == 1) or (at < len(pieces) and pieces[at][:1] not in self._starts):
            return 0.0
        return float(found.ends[at])

    def finished(self, corrected: bool, signature: Signature) -> WordSurprisals:  # noqa: FBT001
        """All words."""
        kinds = {
            "doc": np.int64, "tokens": np.int64, "nats": np.float64, "start": np.int64, "end": np.int64,
            "char_start": np.int64, "char_end": np.int64, "plain": np.float64, "entropy": np.float64,
            "crossed": np.bool_,
        }  # fmt: skip
        columns: list[tuple[Any, ...]] = list(zip(*self._rows, strict=True)) if self._rows else [()] * len(kinds)
        arrays: dict[str, Any] = {
            name: np.array(column, dtype=kind) for (name, kind), column in zip(kinds.items(), columns, strict=True)
        }
        return WordSurprisals(
            words=tuple(self._words), corrected=corrected, spaces=math.fsum(self._spaces), signature=signature, **arrays
        )


def _segmented(segment: Segment, data: bytes) -> Any:
    """The words that a function finds; what it raises is said to be its own."""
    try:
        return segment(data)
    except BitmeterError:
        raise
    except Exception as error:
        message = f"the function that was given as words failed on {shown(data)}: {type(error).__name__}: {error}"
        raise InputError(message, value=data) from error


def _checked(spans: Any, length: int) -> list[tuple[int, int]]:
    found = [(int(start), int(end)) for start, end in spans]
    last = 0
    for start, end in found:
        if not last <= start < end <= length:
            message = f"the offsets of words must ascend and lie within the document; found {start} to {end}"
            raise InputTypeError(message, value=(start, end))
        last = end
    return found
