"""What every log holds, whoever wrote it: texts, what each cost, and if it says so what each token cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from bitmeter._util.fields import parse_json
from bitmeter._util.files import label
from bitmeter.errors import FileFormatError

__all__ = ["Item", "Log", "LogFile", "token_bytes"]

#: A log-probability may be above zero by so much through rounding.
_ABOVE_ZERO = 1e-6
#: No text costs more nats, but for an impossible one: sums of such figures stay finite.
_MOST_NATS = 1e15
#: What servers write for a probability of zero.
_FLOOR = -9000.0


@dataclass(slots=True)
class Item:
    """One text of a log.

    Attributes
    ----------
    text
        The bytes that were scored or, at its beginning, left out.
    logprob
        ln p of what was scored.
    tokens, logprobs
        The bytes of each token and ln p of it; None for a token that was not scored. Empty if the log has only sums.
    context
        What came before the text and was not scored.
    """

    text: bytes
    logprob: float
    tokens: list[bytes] = field(default_factory=list)
    logprobs: list[float | None] = field(default_factory=list)
    context: bytes = b""


@dataclass(slots=True)
class Log:
    """A log that was read.

    Attributes
    ----------
    tool
        Who wrote it: "lm-eval".
    kind
        What was scored: "text" (all of a text), "answer" (a given text after a context) or "sample" (what the model
        itself wrote).
    items
        Its texts, in the order of the log.
    model
        The name of the model; "" if the log has none.
    notes
        Remarks for the reader.
    """

    tool: str
    kind: str
    items: list[Item]
    model: str = ""
    notes: tuple[str, ...] = ()


class LogFile:
    """One object of a log, whose fields are checked as they are asked for."""

    def __init__(self, value: Any, name: str, tool: str) -> None:
        self.value, self.name, self.tool = value, name, tool

    @classmethod
    def parsed(cls, data: str | bytes, name: str, tool: str) -> LogFile:
        """From JSON."""
        try:
            return cls(parse_json(data), name, tool)
        except ValueError as error:
            cls(None, name, tool).fail(str(error))

    def fail(self, reason: str) -> NoReturn:
        """Raise the error of this log."""
        message = (
            f"{label(self.name)} cannot be read as a log of {self.tool}: {reason}. `bitmeter runs --help` says which "
            "logs can be read"
        )
        raise FileFormatError(message, value=self.name)

    def at(self, *path: str | int, optional: bool = False) -> LogFile:
        """What stands under these names and numbers; with `optional` null if there is nothing."""
        value, name = self.value, self.name
        for step in path:
            name += f"[{step}]" if isinstance(step, int) else f".{step}"
            fits = isinstance(value, dict) if isinstance(step, str) else isinstance(value, list)
            inside = fits and (step in value if isinstance(step, str) else -len(value) <= step < len(value))
            if not inside:
                if optional:
                    return LogFile(None, name, self.tool)
                self.fail(f"it has no {name.removeprefix(self.name).lstrip('.')}")
            value = value[step]
        return LogFile(value, name, self.tool)

    @property
    def is_null(self) -> bool:
        """Whether there is nothing."""
        return self.value is None

    def text(self) -> str:
        """A string without halves of surrogate pairs."""
        if not isinstance(self.value, str) or any("\ud800" <= letter <= "\udfff" for letter in self.value):
            self.fail(f"{self.name} is {self.value!r:.60}; it must be text")
        return self.value

    def each(self) -> Iterator[LogFile]:
        """The entries of a list."""
        if not isinstance(self.value, list):
            self.fail(f"{self.name} is {self.value!r:.60}; it must be a list")
        for index, value in enumerate(self.value):
            yield LogFile(value, f"{self.name}[{index}]", self.tool)

    def names(self) -> list[str]:
        """The names of an object."""
        if not isinstance(self.value, dict):
            self.fail(f"{self.name} is {self.value!r:.60}; it must be an object")
        return list(self.value)

    def integer(self) -> int:
        """A whole number, perhaps as text."""
        value = self.value
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
            return int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            self.fail(f"{self.name} is {value!r:.60}; it must be a whole number")
        return value

    def logprob(self) -> float:
        """ln p: a number that is not above zero, perhaps as text; −9999 and lower stand for a probability of zero."""
        value = self.value
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                self.fail(f"{self.name} is {value!r:.60}; it must be a log-probability")
        elif isinstance(value, int) and not isinstance(value, bool):
            value = float(value) if -_MOST_NATS < value < _MOST_NATS else math.nan
        if not isinstance(value, float) or math.isnan(value) or value > _ABOVE_ZERO or -math.inf < value < -_MOST_NATS:
            self.fail(f"{self.name} is {value!r:.60}; it must be a log-probability, which is not above 0")
        return min(0.0, float(value))

    def token_logprob(self) -> float:
        """The same for one token, where servers write −9999 for a probability of zero."""
        found = self.logprob()
        return -math.inf if found < _FLOOR else found


def token_bytes(token: LogFile, listed: LogFile) -> bytes:
    r"""The bytes of a token: those that are listed, or those of its text.

    OpenAI writes a token that is no text as `bytes:\xe2\x80`. A replacement character stands for bytes that the log
    does not have.
    """
    if not listed.is_null:
        values = [entry.integer() for entry in listed.each()]
        if not all(0 <= value < 256 for value in values):
            listed.fail(f"{listed.name} has numbers that are no bytes")
        return bytes(values)
    text = token.text()
    if text.startswith("bytes:"):
        parts = text.removeprefix("bytes:").split("\\x")[1:]
        if parts and all(len(part) == 2 and _is_hex(part) for part in parts):
            return bytes(int(part, 16) for part in parts)
    if "\N{REPLACEMENT CHARACTER}" in text:
        token.fail(f"{token.name} is a part of a character, and the log does not have its bytes")
    return text.encode("utf-8")


def _is_hex(text: str) -> bool:
    return all(letter in "0123456789abcdefABCDEF" for letter in text)
