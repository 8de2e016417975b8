"""Coding by an n-gram model of words, in the core."""

from __future__ import annotations

from bitmeter import _core
from bitmeter.models.coder import Coder, decode_errors, impossible
from bitmeter.models.ngram.files import format_errors

__all__ = ["NGramCoder"]


class NGramCoder(Coder):
    """Words by an n-gram model, unknown ones and white space by its spelling."""

    def __init__(self, name: str, model: _core.NgramModel, spelling: _core.Spelling) -> None:
        self._name = name
        self._done = 0
        with format_errors(name):
            self._core = _core.NgramTextCoder(model, spelling)

    @property
    def bits(self) -> float:
        """What was encoded so far, before it became whole bytes."""
        return self._core.bits

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        """Code whole words; with `final`, everything."""
        with format_errors(self._name):
            try:
                coded, taken = self._core.encode(data, final)
            except _core.CodeError as error:
                left = data[self._core.reached :]
                unit = (left.split(maxsplit=1) or [left])[0]  # or the end of the text, after white space
                offset = self._core.reached + left.index(unit)
                raise impossible(self._name, unit, self._done + offset) from error
        self._done += taken
        return coded, taken

    def decode(self, coded: bytes, size: int) -> bytes:
        """The `size` bytes of one block."""
        with decode_errors(), format_errors(self._name):
            return self._core.decode(coded, size)
