r"""What each word of a text cost under a model of tokens, with the space that ends it accounted for.

Most tokenizers write the space before a word into the word's first token. So the probability of a word's tokens holds
that the word before has ended, and lacks that this one does. The correction of Pimentel and Meister (2024) and of Oh
and Schuler (2024) moves that back: with B the probability that the next token begins a word (or ends the text),
p(word) = p(its tokens) · B(after it) / B(before it).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import flag
from bitmeter.errors import ModelError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import settle
from bitmeter.measure.scoring import _corpus
from bitmeter.measure.window_sums import in_windows
from bitmeter.models.protocols import WindowedPredictor
from bitmeter.models.registry import resolve
from bitmeter.text.blocks import split_corpus
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import Split

__all__ = ["WordSurprisals", "word_surprisals"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_LN2 = math.log(2.0)
_SPACE = SEPARATORS["ascii"]


@dataclass(frozen=True, slots=True, eq=False)
class WordSurprisals:
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
    """

    words: tuple[bytes, ...]
    doc: Ints
    tokens: Ints
    nats: Floats
    corrected: bool

    def __len__(self) -> int:
        return len(self.words)

    @property
    def bits(self) -> Floats:
        """What each cost, in bits."""
        return self.nats / _LN2

    def __str__(self) -> str:
        shown = [word.decode("utf-8", "backslashreplace").strip() for word in self.words]
        width = max(map(len, shown), default=0)
        return "\n".join(f"{word:<{width}}  {bits:8.3f}" for word, bits in zip(shown, self.bits.tolist(), strict=True))


def word_surprisals(
    model: Any,
    text: Any,
    *,
    corrected: bool = True,
    docs: str | None = None,
    field: str | None = None,
    ctx: str | None = None,
) -> WordSurprisals:
    """What each word of a text costs under a model of tokens.

    Parameters
    ----------
    model
        A model of tokens, such as "hf:PATH".
    text
        As for `score`.
    corrected
        Count the end of each word with the word itself, as its probability asks for. Without it, a word costs what its
        tokens cost, and the sum over words is exactly that of `score`.
    docs, field, ctx
        As for `score`.

    Examples
    --------
    >>> import bitmeter as bm
    >>> bm.word_surprisals("kt", b"one two")
    Traceback (most recent call last):
    bitmeter.errors.ModelError: kt does not expose a distribution over tokens; ...
    """
    correct = flag(corrected, "corrected")
    chosen = settle(convention("bitmeter"), docs, field, None, None, None, None, None, ctx, 0.95)
    found = resolve(model)
    if not isinstance(found, WindowedPredictor):
        message = f"{found.name} does not expose a distribution over tokens; use a model such as hf:PATH"
        raise ModelError(message, value=model)
    reader, _ = in_windows(found, chosen)
    begins_word = _beginners(reader)
    words: list[bytes] = []
    columns: list[tuple[int, int, float]] = []
    document = 0
    for piece in split_corpus(_corpus(text, chosen), reader.units, reader.traits.block_bytes):
        pieces = piece.split.pieces(piece.data)
        logs, ends = _logs_and_ends(reader, piece.split, begins_word)
        for number, (begin, end) in enumerate(zip(piece.split.bounds[:-1], piece.split.bounds[1:], strict=True)):
            own = pieces[begin:end]
            masses = ends[begin + number : end + number + 1]
            for first, last in _groups(own):
                nats = -math.fsum(logs[begin + first : begin + last])
                if correct:
                    before = masses[first] if first and own[first][:1] in _WHITE else 0.0
                    nats -= float(masses[last]) - float(before)
                words.append(b"".join(own[first:last]))
                columns.append((document, last - first, nats))
            document += 1
    doc, tokens, nats_column = (np.array(column) for column in zip(*columns, strict=True)) if columns else (
        np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    )  # fmt: skip
    return WordSurprisals(tuple(words), doc, tokens, nats_column, correct)


_WHITE = tuple(bytes([letter]) for letter in _SPACE)


def _beginners(model: WindowedPredictor) -> NDArray[np.bool_]:
    """The ids after which a word has ended: tokens that begin with white space, and the end of the text."""
    found = np.array([name[:1] in _WHITE for name in model.outcomes.names], dtype=np.bool_)
    found[list(model.boundary_ids)] = True
    if not found.any():
        message = f"no token of {model.name} begins with white space, so that words have no ends to account for"
        raise ModelError(message)
    return found


def _logs_and_ends(model: WindowedPredictor, split: Split, begins_word: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """ln p of each token, and before each token and behind each document ln of the chance that a word begins."""
    ids = np.asarray(split.ids, dtype=np.int64)
    known = (ids >= 0) & (ids < len(model.outcomes))
    stops = split.bounds[1:]
    filler = 0 if model.traits.end is None else model.traits.end.id
    # One more token behind each document, whatever it is, has the prediction after the last word computed.
    tokens = np.insert(np.where(known, ids, filler), stops, filler)
    bounds = split.bounds + np.arange(len(split.bounds))
    logs, ends = np.zeros(len(tokens)), np.zeros(len(tokens))
    plan = model.plan(bounds)
    for sequence, lead, first in zip(*model.sequences(tokens, plan), plan.first.tolist(), strict=True):
        at = first
        if lead == len(sequence):
            continue
        for rows in model.predictions(sequence, lead):
            part = slice(at, at + len(rows))
            logs[part] = np.take_along_axis(rows, tokens[part, None], axis=1)[:, 0]
            chosen = rows[:, begins_word]
            top = chosen.max(axis=1, keepdims=True)
            ends[part] = top[:, 0] + np.log(np.exp(chosen - top).sum(axis=1))
            at += len(rows)
    inner = np.ones(len(tokens), dtype=np.bool_)
    inner[bounds[1:] - 1] = False
    return np.where(known, logs[inner], 0.0), ends


def _groups(pieces: list[bytes]) -> list[tuple[int, int]]:
    """Which tokens make up each word: white space goes with what follows it."""
    starts: list[int] = []
    filled = spaced = False
    for place, piece in enumerate(pieces):
        if not starts or (filled and (piece[:1] in _WHITE or spaced)):
            starts.append(place)
            filled = False
        own = bool(piece.strip(_SPACE))
        filled = filled or own
        spaced = own and piece[-1:] in _WHITE
    return list(pairwise([*starts, len(pieces)]))
