"""Texts coded by any predictor of words, one prediction after the other, with unknown words and white space spelled.

The same steps as the coder of n-gram models in the core: what comes next first (a word, or the end of the line), then
the white space before it, then the bytes of an unknown word. The end of the text is not coded, because its length is
known; only white space at the very end, with no newline after it, is coded as the end of a line that has none.
"""

from __future__ import annotations

import re

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats
from bitmeter.errors import FileFormatError, ModelError
from bitmeter.models.coder import NORMALISED, Coder, CodeWatch, decode_errors, not_normalised
from bitmeter.models.session import Stepper

__all__ = ["SpelledCoder"]

_UNKNOWN, _END, _FIRST = 0, 2, 3
#: What ends a spelling: the symbol after all bytes.
_STOP = 256


class SpelledCoder(Coder):
    """One text in one direction.

    Parameters
    ----------
    name
        The model's.
    stepper
        The model at the beginning of a text; entry 0 of its predictions is any unknown word, 2 the end of a sentence,
        after which the next begins.
    names
        The bytes of each entry.
    spelling
        What unknown words and white space cost.
    separators
        The bytes that separate words.
    watch
        Called with the number of bytes coded so far in a block.
    """

    def __init__(
        self,
        name: str,
        stepper: Stepper,
        names: tuple[bytes, ...],
        spelling: _core.Spelling,
        separators: bytes,
        watch: CodeWatch | None = None,
    ) -> None:
        self._name, self._watch = name, watch
        self._stepper, self._spelling = stepper, spelling
        self._names = names
        self._numbers = {names[i]: i for i in range(_FIRST, len(names))}
        white = bytes(separators)
        within = white.replace(b"\n", b"") if self._spelling.lines else white
        ending = b"(\n)|" if self._spelling.lines else b"()"  # white space, then the end of a line or a word
        self._piece = re.compile(b"([%b]*)(?:%b([^%b]+))" % (re.escape(within), ending, re.escape(white)))
        self._gaps = {place: _Gaps(self._spelling, place) for place in ("lead", "between", "tail", "blank")}
        self._newline = np.array([self._spelling.newline, self._spelling.no_newline])
        self._worded = False
        self._bits = 0.0

    @property
    def bits(self) -> float:
        """What was encoded so far, before it became whole bytes."""
        return self._bits

    # ---- there ---------------------------------------------------------------------------------------------------

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        """The coded bytes of whole words and lines, with `final` of everything; and how many bytes they hold."""
        out = _core.RowEncoder()
        done = 0
        while done < len(data):
            found = self._piece.match(data, done)
            if found is None:  # white space alone is left
                if final:
                    self._put_end(out, data[done:], newline=False)
                    done = len(data)
                break
            gap, newline, word = found.groups()
            if newline:
                self._put_end(out, gap, newline=True)
            elif found.end() == len(data) and not final:
                break  # a word that may go on
            else:
                self._put_word(out, gap, word)
            done = found.end()
            if self._watch is not None:
                self._watch(done)
        self._bits += out.bits
        return out.finish(), done

    def _put_word(self, out: _core.RowEncoder, gap: bytes, word: bytes) -> None:
        number = self._numbers.get(word, _UNKNOWN)
        self._put_outcome(out, number, word)
        self._put_gap(out, "between" if self._worded else "lead", gap)
        if number == _UNKNOWN:
            for i in range(len(word) + 1):
                _put(out, self._spelling.predict(word[:i]), word[i] if i < len(word) else _STOP, self._name)
        self._worded = True

    def _put_end(self, out: _core.RowEncoder, gap: bytes, *, newline: bool) -> None:
        self._put_outcome(out, _END, b"\n")
        if self._spelling.lines:
            out.put(self._newline, 0 if newline else 1)
        self._put_gap(out, "tail" if self._worded else "blank", gap)
        self._worded = False

    def _put_outcome(self, out: _core.RowEncoder, number: int, word: bytes) -> None:
        total, coded = out.put(np.ascontiguousarray(self._stepper.predict(), dtype=np.float64), number)
        if not abs(total - 1.0) <= NORMALISED:
            raise not_normalised(self._name, total)
        if not coded:
            shown = word.decode("utf-8", "backslashreplace")
            message = f"{self._name} gives {shown!r:.40} no probability here, so no code has a word for it"
            raise ModelError(message, value=word)
        self._stepper.take(number)

    def _put_gap(self, out: _core.RowEncoder, place: str, gap: bytes) -> None:
        table = self._gaps[place]
        found = table.places.get(gap, 0)
        _put(out, table.shares, found, self._name)
        if found == 0:
            last = -1
            for byte in (*gap, _STOP):
                _put(out, self._spelling.predict_gap(last), byte, self._name)
                last = byte

    # ---- and back ------------------------------------------------------------------------------------------------

    def decode(self, coded: bytes, size: int) -> bytes:
        """The `size` bytes of one block."""
        source = _core.RowDecoder(coded)
        text = bytearray()
        with decode_errors():
            while len(text) < size:
                self._get(source, text, size)
                if len(text) > size:
                    message = "the coded bytes lead beyond the end of the text"
                    raise FileFormatError(message)
                if self._watch is not None:
                    self._watch(len(text))
            source.finish()
        return bytes(text)

    def _get(self, source: _core.RowDecoder, text: bytearray, size: int) -> None:
        number = source.get(np.ascontiguousarray(self._stepper.predict(), dtype=np.float64))
        self._stepper.take(number)
        if number == _END:
            newline = not self._spelling.lines or source.get(self._newline) == 0
            self._get_gap(source, "tail" if self._worded else "blank", text, size)
            self._worded = False
            if newline and self._spelling.lines:
                text += b"\n"
            elif len(text) != size:
                message = "the coded text ends too early"
                raise FileFormatError(message)
            return
        self._get_gap(source, "between" if self._worded else "lead", text, size)
        self._worded = True
        word = self._names[number] if number >= _FIRST else self._get_spelling(source, size - len(text))
        if not word:
            message = "the coded bytes lead to a word without bytes"
            raise FileFormatError(message)
        text += word

    def _get_gap(self, source: _core.RowDecoder, place: str, text: bytearray, size: int) -> None:
        table = self._gaps[place]
        found = source.get(_logs(table.shares))
        if found:
            text += table.listed[found - 1]
            return
        last = -1
        while (last := source.get(_logs(self._spelling.predict_gap(last)))) != _STOP:
            text.append(last)
            _within(len(text), size)

    def _get_spelling(self, source: _core.RowDecoder, room: int) -> bytes:
        word = bytearray()
        while (symbol := source.get(_logs(self._spelling.predict(bytes(word))))) != _STOP:
            word.append(symbol)
            _within(len(word), room)
        return bytes(word)


class _Gaps:
    """The white space of one position: an escape, then each string that the spelling lists."""

    def __init__(self, spelling: _core.Spelling, place: str) -> None:
        found = spelling.gaps(place)
        self.listed = [gap for gap, _ in found]
        self.places = {gap: i + 1 for i, gap in enumerate(self.listed)}
        self.shares = np.array([spelling.escape(place), *(share for _, share in found)])


def _within(size: int, most: int) -> None:
    if size > most:
        message = "the coded bytes lead beyond the end of the text"
        raise FileFormatError(message)


def _logs(shares: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(shares)


def _put(out: _core.RowEncoder, shares: Floats, symbol: int, name: str) -> None:
    _, coded = out.put(_logs(shares), symbol)
    if not coded:
        message = f"the spelling of {name} leaves out the byte {symbol}; fetch or train it again"
        raise FileFormatError(message, value=symbol)
