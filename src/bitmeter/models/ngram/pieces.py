"""Words of an n-gram model that are the pieces of a SentencePiece model: CCNet's `en.arpa.bin` and `en.sp.model`."""

from __future__ import annotations

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Ints
from bitmeter.errors import ModelError
from bitmeter.models.ngram.files import CoreModel, content_mark
from bitmeter.text.units.base import UNKNOWN, Split, Units
from bitmeter.text.units.sentencepiece import SentencePiece
from bitmeter.text.units.tokenizers import META

__all__ = ["PieceWords", "holds_pieces"]

#: How many words with unknown characters are kept.
_MOST_WORDS = 1 << 16


def _found(model: CoreModel, words: list[bytes]) -> Ints:
    """The model's ids of words; -1 for those that it does not know."""
    stops = np.cumsum([len(word) for word in words], dtype=np.int64)
    starts = stops - np.array([len(word) for word in words], dtype=np.int64)
    return np.asarray(_core.ngram_find(model, b"".join(words), starts, stops))


def holds_pieces(model: CoreModel, units: SentencePiece) -> bool:
    """Whether the words of a model are pieces of a SentencePiece model: one that begins with a space is among them."""
    pieces = [piece.encode() for piece in units.pieces if piece.startswith(META) and piece != META]
    return bool(pieces) and bool((_found(model, pieces) >= 0).any())


class PieceWords(Units):
    """The pieces of a text by a SentencePiece model, with the ids that a model of words has for them.

    Each piece is looked up as it is written, as KenLM does it with the pieces joined by spaces. What SentencePiece does
    not know is a piece, too, in its own characters: a model that was trained on such pieces may know it.

    Parameters
    ----------
    model
        The compiled model.
    inner
        Splits a text into pieces.
    """

    def __init__(self, model: CoreModel, inner: SentencePiece) -> None:
        if not holds_pieces(model, inner):
            message = (
                f"no piece of {inner.name} that begins with a space is a word of the model, so that it was not trained "
                "on its pieces; give the SentencePiece model of the training, or leave it out"
            )
            raise ModelError(message, value=inner.name)
        self._model, self.inner = model, inner
        self.name = inner.name
        self.fingerprint = f"pieces/1@{inner.fingerprint}+ngram-{content_mark(model)}"
        self._ids = _found(model, [piece.encode() for piece in inner.pieces])
        self._own_unknown = np.array([text is None for text in inner.token_bytes])
        self._known = {piece for piece, text in zip(inner.pieces, inner.token_bytes, strict=True) if text is not None}
        self._memo: dict[bytes, list[int]] = {}

    @property
    def vocabulary_size(self) -> int:
        """How many ids there are, those of `<unk>`, `<s>` and `</s>` included."""
        return self._model.words

    def _split(self, data: bytes, ends: Ints) -> Split:
        split = self.inner.split(data, ends)
        numbers = np.asarray(split.ids, dtype=np.int64)
        known = numbers >= 0
        places = np.where(known, numbers, 0)
        ids = np.where(known, self._ids[places], numbers)
        strange = known & self._own_unknown[places]
        if strange.any():
            self._look_up(data, split, strange, ids)
        return Split(ids, split.cuts, split.bounds, split.lossy)

    def _look_up(self, data: bytes, split: Split, strange: Bools, ids: Ints) -> None:
        """The ids of what SentencePiece does not know, as it is written: word by word, since words come again."""
        units = np.flatnonzero(strange)
        documents = np.searchsorted(split.bounds, units, side="right") - 1
        begins, stops = split.cuts[split.bounds[documents]], split.cuts[split.bounds[documents + 1]]
        words: dict[tuple[int, int], list[int]] = {}
        for unit, at, begin, stop in zip(
            units.tolist(), split.cuts[units].tolist(), begins.tolist(), stops.tolist(), strict=True
        ):
            start = max(begin, data.rfind(b" ", begin, at + 1))
            end = data.find(b" ", at + 1, stop)
            words.setdefault((start, stop if end < 0 else end), []).append(unit)
        doubtful = set()
        for (start, end), own in words.items():
            found = self._strange_ids(data[start:end])
            if len(found) == len(own):
                ids[own] = found
            else:
                doubtful.add(own[0])
        for document in np.unique(np.searchsorted(split.bounds, sorted(doubtful), side="right") - 1).tolist():
            self._look_up_whole(data, split, document, strange, ids)
        ids[strange & (ids < 0)] = UNKNOWN

    def _strange_ids(self, word: bytes) -> list[int]:
        """The model's ids of what a word has that SentencePiece does not know."""
        found = self._memo.get(word)
        if found is None:
            written = [piece.encode() for piece in self.inner.written(word) if piece not in self._known]
            found = _found(self._model, written).tolist() if written else []
            if len(self._memo) >= _MOST_WORDS:
                self._memo.clear()
            self._memo[word] = found
        return found

    def _look_up_whole(self, data: bytes, split: Split, document: int, strange: Bools, ids: Ints) -> None:
        """The same for a document in which a word alone is not split as it is among others."""
        first, last = int(split.bounds[document]), int(split.bounds[document + 1])
        written = self.inner.written(data[split.cuts[first] : split.cuts[last]])
        if len(written) != last - first:
            message = f"{self.name} splits a text in two ways, so its pieces cannot be looked up in the model"
            raise ModelError(message, value=self.name)
        places = first + np.flatnonzero(strange[first:last])
        ids[places] = _found(self._model, [written[place - first].encode() for place in places.tolist()])

    def _cut(self, data: bytes) -> int:
        return self.inner.cut(data)
