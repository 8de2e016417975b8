"""The forms of an n-gram model: the fast one, the compact one with rounded figures, and the binaries of KenLM."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Self

from bitmeter import _core
from bitmeter._util.check import integer
from bitmeter.models.ngram.base import NGramBase
from bitmeter.models.ngram.estimate.memory import Allowance
from bitmeter.models.ngram.files import QUANTISED, ROUNDED, CoreModel, format_errors, metadata, read_metadata

__all__ = ["DEFAULT_BITS", "NGramForms", "open_model"]

DEFAULT_BITS = 8
_LEAST_BITS, _MOST_BITS = 4, 14
#: Back-offs have more, since they are rounded down and not to the nearest.
_MORE_FOR_BACKOFFS = 2


def open_model(name: str) -> CoreModel:
    """A .bmn file of either form, or a binary of KenLM, mapped."""
    with format_errors(name):
        with Path(name).open("rb") as file:
            head = file.read(len(_core.KENLM_MAGIC))
        if head == _core.KENLM_MAGIC:
            return _open_kenlm(name)
        compact = head.startswith(_core.COMPACT_MAGIC)
        return _core.CompactNgram.open(name) if compact else _core.NgramModel.open(name)


def _open_kenlm(name: str) -> _core.KenlmModel:
    model = _core.KenlmModel.open(name)
    notes = [f"a binary of KenLM: {model.kind}"]
    if model.is_quantised:
        notes.append(f"{QUANTISED}; predictions need not sum to one")
    model.set_metadata(metadata(smoothing="from KenLM", notes=notes))
    return model


class NGramForms(NGramBase):
    """What `NGram` offers to go from one form to the other."""

    @property
    def is_compact(self) -> bool:
        """Whether it is in the compact form.

        Examples
        --------
        >>> import bitmeter as bm
        >>> model = bm.NGram(order=2).fit(b"to be or not to be")
        >>> model.is_compact, model.compact().is_compact
        (False, True)
        """
        return isinstance(self.form, _core.CompactNgram)

    @property
    def is_rounded(self) -> bool:
        """Whether its figures were rounded for the compact form, so that predictions may sum to a little less than one.

        Examples
        --------
        >>> import bitmeter as bm
        >>> bm.NGram(order=2).fit(b"to be or not to be").compact().fast().is_rounded
        True
        """
        return any(line.startswith(ROUNDED) for line in self.notes)

    def compact(self, bits: int = DEFAULT_BITS, *, memory: int | str | None = None, temp: Any = None) -> Self:
        r"""The same model in the compact form: a file a quarter of the size, half as fast.

        Probabilities are rounded to one of 2^bits values per order. Each history's back-off is then recomputed for
        the rounded probabilities and rounded down, with two bits more: so predictions never sum to more than one, and
        perplexity is never understated. Single words keep their exact figures, and so does an order that has no more
        different ones than the table holds. `notes` says what predictions sum to at least.

        Scoring, predictions and states work on this form as it is. Compressing and sampling need the fast one, which
        is then made in memory once.

        Parameters
        ----------
        bits
            Of a probability, 4 to 14.
        memory, temp
            As for `fit`: how much memory packing may use beside what the process has already, and where temporary files
            go. The result is the same to the last bit.

        Returns
        -------
        NGram
            A new model; `save` writes it.

        Examples
        --------
        >>> import bitmeter as bm
        >>> model = bm.NGram(order=3).fit(b"to be or not to be\nthat is the question\n")
        >>> model.compact().logprob("to be") == model.logprob("to be")  # so few figures that none is changed
        True
        """
        width = integer(bits, "bits", low=_LEAST_BITS, high=_MOST_BITS)
        allowance = Allowance.of(memory, temp)
        with format_errors(self.name):
            packer = _core.NgramPacker(
                self.fast_form, width, width + _MORE_FOR_BACKOFFS, self.threads, allowance.memory, allowance.folder
            )
            about = read_metadata(self.fast_form.metadata)
            about["bits"] = width
            notes = [line for line in self.notes if not line.startswith(ROUNDED)]
            about["notes"] = [*notes, _rounding_note(packer, width)]
            return self._with_form(packer.pack(metadata(**about)))

    def fast(self) -> Self:
        r"""The same model in the fast form: the very same figures, four times the size, twice as fast.

        Examples
        --------
        >>> import bitmeter as bm
        >>> small = bm.NGram(order=2).fit(b"to be or not to be").compact()
        >>> small.fast().logprob("to be") == small.logprob("to be")
        True
        """
        with format_errors(self.name):
            return self._with_form(self.fast_form)


def _rounding_note(packer: _core.NgramPacker, bits: int) -> str:
    text = f"{ROUNDED}: {bits} bits per probability, {bits + _MORE_FOR_BACKOFFS} per back-off"
    if packer.unsummed:
        return text
    least = min(math.floor(packer.least_sum * 1e4 + 1e-2) / 1e4, 1.0)
    return f"{text}; predictions sum to {'one' if least == 1.0 else f'between {least:.4f} and 1'}"
