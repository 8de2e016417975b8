"""What a network that is trained here reads: its units learnt from the text, and texts as one row of ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.optional import require
from bitmeter.errors import EmptyError
from bitmeter.text.units.base import BLANK, Units
from bitmeter.text.units.plain import Bytes
from bitmeter.text.units.tokenizers import Tokenizer
from bitmeter.text.units.words import Words

__all__ = ["KINDS_OF_UNITS", "Alphabet", "learn_alphabet", "word_alphabet"]

Ints = NDArray[np.int64]
KINDS_OF_UNITS = ("bytes", "bpe", "words")
#: A word must come so often to be known; the others teach what an unknown word is like.
_LEAST = 2
#: The ids of what is no word, as in an n-gram model: an unknown word, the beginning (never predicted), a line's end.
UNKNOWN_WORD, BEGIN, END = 0, 1, 2
_NO_WORDS = (b"<unk>", b"<s>", b"</s>")


@dataclass(frozen=True, slots=True)
class Alphabet:
    """What a network predicts.

    Attributes
    ----------
    kind
        One of `KINDS_OF_UNITS`.
    units
        How a text is split.
    size
        How many ids there are, that of the boundary included.
    boundary
        The id that stands before each document; for words, after each line.
    never
        An id that never comes, or -1.
    source
        From which the units can be made again: a tokenizer's file, or words with a line feed between two.
    """

    kind: str
    units: Units
    size: int
    boundary: int
    never: int = -1
    source: bytes = b""

    def row(self, documents: Sequence[bytes]) -> Ints:
        """Documents as one row of ids, each after a boundary."""
        before = np.array([self.boundary], dtype=np.int64)
        parts: list[Ints] = []
        for document in documents:
            parts.append(before)
            if self.kind == "words":
                parts.append(self._lines(document))
            else:
                parts.append(np.asarray(self.units.split(document).ids, dtype=np.int64))
        row = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
        shown: Ints = row[row != BLANK]
        return shown

    def _lines(self, document: bytes) -> Ints:
        """Words, with an end after each line."""
        ends = np.flatnonzero(np.frombuffer(document, dtype=np.uint8) == ord("\n")) + 1
        split = self.units.split(document, ends)
        ids = np.asarray(split.ids, dtype=np.int64)
        ids = np.where(ids == -1, UNKNOWN_WORD, ids)
        with_ends: Ints = np.insert(ids, split.bounds[1:], END)
        return with_ends


def learn_alphabet(kind: str, documents: Sequence[bytes], vocabulary: int) -> Alphabet:
    """Units of a kind, from the text that the network will be trained on.

    Examples
    --------
    >>> learn_alphabet("words", [b"to be or not to be"], 100).size
    5
    """
    if kind == "bytes":
        return Alphabet("bytes", Bytes(), 257, 256)
    if kind == "bpe":
        return bpe_alphabet(_learn_pairs(documents, vocabulary))
    counts = Counter(word for document in documents for word in document.split() if word not in _NO_WORDS)
    # Counter keeps the order of first appearance, so that words that are as frequent have an order of their own.
    known = [word for word, count in counts.most_common() if count >= _LEAST][: max(0, vocabulary - len(_NO_WORDS))]
    if not counts:
        message = "the text holds no word, so there is nothing to predict; take units='bytes'"
        raise EmptyError(message)
    return word_alphabet(known)


def bpe_alphabet(data: bytes) -> Alphabet:
    """From the file of a tokenizer."""
    units = Tokenizer.from_data(data, "bpe")
    return Alphabet("bpe", units, units.vocabulary_size + 1, units.vocabulary_size, source=data)


def word_alphabet(known: Sequence[bytes]) -> Alphabet:
    """From the words that are known."""
    units = Words(vocabulary=[*_NO_WORDS, *known])
    return Alphabet("words", units, len(known) + len(_NO_WORDS), END, BEGIN, b"\n".join(known))


def _learn_pairs(documents: Sequence[bytes], vocabulary: int) -> bytes:
    """A byte-level BPE tokenizer of so many tokens, or fewer if the text has no more pairs."""
    tokenizers = require("tokenizers", "Learning byte pairs")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocabulary,
        show_progress=False,
        initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()),
    )
    tokenizer.train_from_iterator((document.decode("utf-8", "replace") for document in documents), trainer)
    data: str = tokenizer.to_str()
    return data.encode()
