"""Words: what stands between separators, by the conventions of several tools."""

from __future__ import annotations

from collections.abc import Iterable

from bitmeter import _core
from bitmeter._util.arrays import Ints
from bitmeter._util.check import choice, shown
from bitmeter.errors import InputTypeError
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import Split, as_bytes
from bitmeter.text.units.vocabulary import VocabularyUnits

__all__ = ["Words"]


class Words(VocabularyUnits):
    r"""Runs of bytes between separators, each with the separators that follow it.

    White space before the first word of a document belongs to that word's unit; a document of white space alone is one
    unit with the id `BLANK` (-2). The id of a word depends on its own bytes, without white space: its index in the
    vocabulary (-1 if not there), or a 63-bit hash where there is no vocabulary.

    Parameters
    ----------
    separators
        Whose white space: "ascii" or "kenlm" (tab, newline, vertical tab, form feed, carriage return, space; as
        KenLM's query), "lmplz" (KenLM's estimator: also the zero byte, but neither vertical tab nor form feed),
        "srilm".
    vocabulary
        Words; the first has the id 0.

    Examples
    --------
    >>> words = Words(vocabulary=["to", "be", "or", "not"])
    >>> split = words.split(b"to be or not to see\n")
    >>> split.ids.tolist(), split.cuts.tolist()
    ([0, 1, 2, 3, 0, -1], [0, 3, 6, 9, 13, 16, 20])
    """

    def __init__(self, separators: str = "ascii", vocabulary: Iterable[str | bytes] | None = None) -> None:
        self.separators = SEPARATORS[choice(separators, "separators", SEPARATORS)]
        same_as_default = self.separators == SEPARATORS["ascii"]
        self._define("words", "" if same_as_default else f":{separators}", vocabulary)

    def _split(self, data: bytes, ends: Ints) -> Split:
        return Split(*_core.split_words(data, ends, self.separators, self._table))

    def _cut(self, data: bytes) -> int:
        return int(_core.words_cut(data, self.separators))

    def own(self, data: bytes, split: Split) -> tuple[Ints, Ints]:
        r"""Where each word itself begins and ends, without the white space around it.

        Examples
        --------
        >>> text = b" to  be\n"
        >>> starts, stops = Words().own(text, Words().split(text))
        >>> [text[a:b] for a, b in zip(starts, stops)]
        [b'to', b'be']
        """
        data = as_bytes(data)
        if not isinstance(split, Split) or split.cuts[-1] != len(data):
            message = f"split is {shown(split)}; it must be the split of this data"
            raise InputTypeError(message)
        return _core.trim(data, split.cuts, self.separators)
