"""Words of an n-gram model that are the pieces of a SentencePiece model: CCNet's `en.arpa.bin` and `en.sp.model`."""

from __future__ import annotations

from itertools import islice, pairwise

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Ints
from bitmeter.errors import ModelError
from bitmeter.models.ngram.files import CoreModel, content_mark
from bitmeter.text.units.base import BLANK, Split, Units
from bitmeter.text.units.sentencepiece import SentencePiece
from bitmeter.text.units.tokenizers import META

__all__ = ["PieceWords", "holds_pieces"]
#: Pieces that are looked up together.
_AT_ONCE = 256


def _found(model: CoreModel, words: list[bytes]) -> Ints:
    """The model's ids of words; -1 for those that it does not know."""
    stops = np.cumsum([len(word) for word in words], dtype=np.int64)
    starts = stops - np.array([len(word) for word in words], dtype=np.int64)
    return np.asarray(_core.ngram_find(model, b"".join(words), starts, stops))


def holds_pieces(model: CoreModel, units: SentencePiece) -> bool:
    """Whether the words of a model are pieces of a SentencePiece model: one that begins with a space is among them."""
    pieces = (piece.encode() for piece in units.pieces if piece.startswith(META) and piece != META)
    # The most likely ones come first, so that a few are enough where there are any.
    while some := list(islice(pieces, _AT_ONCE)):
        if (_found(model, some) >= 0).any():
            return True
    return False


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
        self._words = None if inner.encoder is None else _core.PieceWords(model, inner.encoder)

    @property
    def piece_words(self) -> tuple[_core.PieceEncoder, _core.PieceWords] | None:
        """What the core splits and numbers by; None where a package splits."""
        return None if self.inner.encoder is None or self._words is None else (self.inner.encoder, self._words)

    @property
    def vocabulary_size(self) -> int:
        """How many ids there are, those of `<unk>`, `<s>` and `</s>` included."""
        return self._model.words

    def _split(self, data: bytes, ends: Ints) -> Split:
        if self.piece_words is not None:
            encoder, words = self.piece_words
            return Split(*words.split(encoder, data, ends))
        split = self.inner.split(data, ends)
        ids = np.array(split.ids, dtype=np.int64)
        for first, last in pairwise(split.bounds.tolist()):
            if last > first and ids[first] != BLANK:
                ids[first:last] = self._written(data[split.cuts[first] : split.cuts[last]], last - first)
        return Split(ids, split.cuts, split.bounds, split.lossy)

    def _written(self, document: bytes, size: int) -> Ints:
        """The model's ids of the pieces of one document."""
        written = self.inner.written(document)
        if len(written) != size:
            message = f"{self.name} splits a text in two ways, so its pieces cannot be looked up in the model"
            raise ModelError(message, value=self.name)
        return _found(self._model, [piece.encode() for piece in written])

    def _cut(self, data: bytes) -> int:
        return self.inner.cut(data)
