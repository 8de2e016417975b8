"""Finds where articles, chapters and other sections of a text begin, as its bytes go by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter.errors import InputError

__all__ = ["HEADINGS", "Sections", "line_pattern"]

#: A longer line is no heading.
LONGEST_LINE = 1 << 10
#: The most sections of one kind that are kept; when there are more, every other is dropped.
MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class Heading:
    """One way in which texts write headings: how the line begins, which is searched for, and all of it."""

    begin: bytes
    line: re.Pattern[bytes]


def _heading(begin: str, line: str) -> Heading:
    return Heading(begin.encode(), re.compile(line.encode()))


_NUMBER = r"(?:[IVXLCDM]+|[0-9]+|[A-Z][a-z]+|[A-Z]+)\b.{0,80}"
#: Two blank lines or more, and the line after them.
_BLANKS = re.compile(rb"\n{3,}+(?=[^\n])")
#: The ways that are known, those of larger sections first. Each stands after a blank line.
HEADINGS = (
    _heading(" = ", r" = (?!= ).{1,200}?(?<! =) = *\r?"),
    _heading("Request for Comments:", r"Request for Comments: *[0-9]+.*"),
    _heading("# ", r"# [^#].*"),
    *(_heading(f"{word} ", rf"{word} {_NUMBER}") for word in ("CHAPTER", "Chapter", "CHAPITRE", "KAPITEL", "ACT")),
)


def line_pattern(text: str) -> re.Pattern[bytes]:
    """The pattern of a line at which a section begins, as a user gives it.

    Examples
    --------
    >>> line_pattern("^Chapter [0-9]+$").pattern
    b'^Chapter [0-9]+$'
    >>> line_pattern("(")
    Traceback (most recent call last):
    bitmeter.errors.InputError: '(' is not a regular expression: missing ), unterminated subpattern at position 0
    """
    try:
        pattern = re.compile(text.encode("utf-8", "surrogateescape"), re.MULTILINE)
    except (re.error, UnicodeError, RecursionError, OverflowError) as error:
        message = f"{text!r:.60} is not a regular expression: {error}"
        raise InputError(message, value=text) from error
    if pattern.match(b"") is not None:
        message = (
            f"{text!r:.60} matches an empty line, so that every line would begin a section; give one that does not"
        )
        raise InputError(message, value=text)
    return pattern


@dataclass(slots=True)
class _Places:
    """Offsets at which sections begin; every other is dropped when there are too many."""

    offsets: list[int] = field(default_factory=list)
    step: int = 1
    seen: int = 0

    def add(self, offset: int) -> None:
        if self.seen % self.step == 0:
            self.offsets.append(offset)
            if len(self.offsets) > MOST:
                self.offsets, self.step = self.offsets[::2], 2 * self.step
        self.seen += 1


class Sections:
    r"""Where sections begin, by heading, by several blank lines, or by the pattern of a line.

    Parameters
    ----------
    pattern
        The pattern of the line at which a section begins; None for headings and blank lines.

    Examples
    --------
    >>> found = Sections()
    >>> found.add(b" = One = \n \n text \n \n = Two")
    >>> found.add(b" = \n \n = = Part = = \n \n text\n")
    >>> found.headings().tolist()
    [0, 21]
    """

    def __init__(self, pattern: re.Pattern[bytes] | None = None) -> None:
        self._pattern = pattern
        self._places = [_Places() for _ in range(1 if pattern else len(HEADINGS) + 1)]
        #: What was not searched yet: from the last line end on, after the line before it; and the offset of its begin.
        self._held, self._offset = b"\n\n", -2
        #: The last line end in it: lines before that were searched.
        self._last = 1
        #: Where the last section after blank lines begins.
        self._after = 0

    def add(self, data: bytes) -> None:
        """Search the next bytes of the text."""
        text, begin = self._held + data, self._offset
        until = text.rfind(b"\n")
        if until < 0:
            self._hold(text, until)
            return
        if self._pattern is not None:
            self._matched(self._pattern, text, until)
        else:
            for kind, places in zip(HEADINGS, self._places, strict=False):
                for at in _found(text, b"\n" + kind.begin, self._last, until):
                    if _is_heading(text, at, kind.line):
                        places.add(begin + at + 1)
            for run in _BLANKS.finditer(text):
                self._after_blanks(begin + run.start(), begin + run.end())
        self._hold(text, until)

    def finish(self) -> None:
        """The text has ended, and with it its last line."""
        if self._held and not self._held.endswith(b"\n"):
            self.add(b"\n")

    def _matched(self, pattern: re.Pattern[bytes], text: bytes, until: int) -> None:
        if until <= self._last:
            return
        for found in pattern.finditer(text, self._last + 1, until):
            line = text.rfind(b"\n", 0, found.start() + 1) + 1
            offsets = self._places[0].offsets
            if not offsets or offsets[-1] < self._offset + line:
                self._places[0].add(self._offset + line)

    def _after_blanks(self, start: int, end: int) -> None:
        if start >= 0 and end > self._after:  # not before the text, and not what was held and found before
            self._places[-1].add(end)
            self._after = end

    def _hold(self, text: bytes, until: int) -> None:
        """Keep the line that has not ended, and the end of the one before it, which tells whether that is blank."""
        start = text.rfind(b"\n", 0, max(until, 0))
        blank = len(text[: until + 1].rstrip(b"\n"))
        keep = max(min(start, blank), until - LONGEST_LINE, 0)
        if len(text) - until > LONGEST_LINE:  # too long for a heading: what follows it has no line end before
            keep = len(text)
        self._held, self._offset, self._last = text[keep:], self._offset + keep, max(until - keep, 0)

    def headings(self, fewest: int = 1) -> Ints:
        """The offsets of headings, of the first way of writing them that occurs so often; none if none does."""
        kinds = self._places if self._pattern is not None else self._places[:-1]
        return next((_array(kind) for kind in kinds if kind.seen >= fewest), np.zeros(0, dtype=np.int64))

    def blanks(self) -> Ints:
        """The offsets of what follows two blank lines or more."""
        return _array(self._places[-1])


def _array(places: _Places) -> Ints:
    return np.array(places.offsets, dtype=np.int64)


def _found(text: bytes, what: bytes, start: int, until: int) -> Iterator[int]:
    """Where something stands that is followed by the end of a line."""
    at = text.find(what, start, until)
    while at >= 0:
        yield at
        at = text.find(what, at + 1, until)


def _is_heading(text: bytes, at: int, pattern: re.Pattern[bytes]) -> bool:
    """Whether the line after the line end at `at` is a heading, and the line before it is blank."""
    if text[text.rfind(b"\n", 0, at) + 1 : at].strip():
        return False
    end = text.find(b"\n", at + 1)
    return end - at <= LONGEST_LINE and pattern.fullmatch(text, at + 1, end) is not None
