"""Finds where articles, chapters and other sections of a text begin, as its bytes go by."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bitmeter._util.lazy import np
from bitmeter.errors import ChoiceError, InputError

if TYPE_CHECKING:
    from bitmeter._util.arrays import Ints

__all__ = ["HEADINGS", "Sections", "line_pattern"]

#: A longer line is no heading and is not blank; a pattern is searched for in so many bytes of it.
LONGEST_LINE = 1 << 10
#: The most sections of one kind that are kept; when there are more, every other is dropped.
MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class Heading:
    """One way in which texts write headings: how the line begins, which is searched for, and all of it."""

    begin: bytes
    #: A regular expression; it is compiled when a line begins so, which takes longer than to find that none does.
    line: bytes


def _heading(begin: str, line: str) -> Heading:
    return Heading(begin.encode(), line.encode())


_NUMBER = r"(?:[IVXLCDM]+|[0-9]+|[A-Z][a-z]+|[A-Z]+)\b.{0,80}"
_ENDS = re.compile(rb"\n+")
#: The ways that are known, those of larger sections first. Each stands after a blank line.
HEADINGS = (
    _heading(" = ", r" = (?!= ).{1,200}?(?<! =) = *\r?"),
    _heading("Request for Comments:", r"Request for Comments: *[0-9]+.*"),
    _heading("# ", r"# [^#].*"),
    *(_heading(f"{word} ", rf"{word} {_NUMBER}") for word in ("CHAPTER", "Chapter", "CHAPITRE", "KAPITEL", "ACT")),
)
#: The begin of a line that may be a heading, of whatever kind: one search takes a tenth of the time of one for each.
_BEGIN = re.compile(b"\n(" + b"|".join(re.escape(kind.begin) for kind in HEADINGS) + b")")
_KIND = {kind.begin: number for number, kind in enumerate(HEADINGS)}


def line_pattern(text: str) -> re.Pattern[bytes]:
    """The pattern of a line at which a section begins, as a user gives it.

    Examples
    --------
    >>> line_pattern("^Chapter [0-9]+$").pattern
    b'^Chapter [0-9]+$'
    >>> line_pattern("(")
    Traceback (most recent call last):
    bitmeter.errors.ChoiceError: '(' is not a regular expression: missing ), unterminated subpattern at position 0
    """
    try:
        pattern = re.compile(text.encode("utf-8", "surrogateescape"), re.MULTILINE)
    except (re.error, UnicodeError, RecursionError, OverflowError) as error:
        message = f"{text!r:.60} is not a regular expression: {error}"
        raise ChoiceError(message, value=text) from error
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
        The pattern of the line at which a section begins, searched for in the first 1,024 bytes of each line; None for
        headings and blank lines.

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
        #: The bytes that were searched or are held.
        self._length = 0
        #: The line that has not ended and where it begins; of a long one only the first bytes.
        self._line, self._begin = b"", 0
        #: The line before it, which tells whether that is blank.
        self._before = b""
        #: The number of line ends that came last, and whether nothing came before them.
        self._ends, self._is_begin = 0, True

    def add(self, data: bytes) -> None:
        """Search the next bytes of the text."""
        if not data:
            return
        if self._pattern is not None:
            self._add_lines(self._pattern, data)
        else:
            self._add_headings(data)
            self._add_blanks(data)
        self._length += len(data)

    def finish(self) -> None:
        """The text has ended, and with it its last line."""
        if self._line:
            self.add(b"\n")

    def _add_lines(self, pattern: re.Pattern[bytes], data: bytes) -> None:
        lines = data.split(b"\n")
        starts = np.cumsum([self._length + 1, *map(len, lines[:-1])]) + np.arange(-1, len(lines) - 1)
        starts[0] = self._begin
        lines[0] = self._line + lines[0]
        for number, line in enumerate(lines[:-1]):
            # Each line is searched alone, so that it does not matter which lines come in one block.
            whole = line.removesuffix(b"\r") if len(line) <= LONGEST_LINE else line
            if pattern.search(whole, 0, LONGEST_LINE) is not None:
                self._places[0].add(int(starts[number]))
        self._line, self._begin = lines[-1][: LONGEST_LINE + 1], int(starts[-1])

    def _add_headings(self, data: bytes) -> None:
        held = self._before + b"\n" + self._line
        text, shift = held + data, self._length - len(held)
        until = text.rfind(b"\n")
        for found in _BEGIN.finditer(text, len(self._before), until):
            kind = _KIND[found[1]]
            if _is_heading(text, found.start(), re.compile(HEADINGS[kind].line)):
                self._places[kind].add(shift + found.start() + 1)
        if until > len(self._before):  # else no line has ended
            before = text[text.rfind(b"\n", 0, until) + 1 : until]
            self._before = before if len(before) <= LONGEST_LINE else b"x"
        self._line = text[until + 1 :][: LONGEST_LINE + 1]

    def _add_blanks(self, data: bytes) -> None:
        """Where something follows two blank lines or more, but not at the begin of the text."""
        leading = len(data) - len(data.lstrip(b"\n"))
        self._ends += leading
        if leading == len(data):
            return
        if self._ends >= 3 and not self._is_begin:
            self._places[-1].add(self._length + leading)
        at = data.find(b"\n\n\n", leading)
        while (run := _ENDS.match(data, at) if at >= 0 else None) is not None and run.end() < len(data):
            self._places[-1].add(self._length + run.end())
            at = data.find(b"\n\n\n", run.end())
        self._ends, self._is_begin = len(data) - len(data.rstrip(b"\n")), False

    def headings(self, fewest: int = 1) -> Ints:
        """The offsets of headings, of the first way of writing them that occurs so often; none if none does."""
        kinds = self._places if self._pattern is not None else self._places[:-1]
        return next((_array(kind) for kind in kinds if kind.seen >= fewest), np.zeros(0, dtype=np.int64))

    def has_headings(self, fewest: int) -> bool:
        """Whether there are headings of a kind that occurs so often."""
        return any(kind.seen >= fewest for kind in self._places[: None if self._pattern is not None else -1])

    def blanks(self) -> Ints:
        """The offsets of what follows two blank lines or more."""
        return _array(self._places[-1])


def _array(places: _Places) -> Ints:
    return np.array(places.offsets, dtype=np.int64)


def _is_heading(text: bytes, at: int, pattern: re.Pattern[bytes]) -> bool:
    """Whether the line after the line end at `at` is a heading, and the line before it is blank."""
    before = text.rfind(b"\n", 0, at) + 1
    if at - before > LONGEST_LINE or text[before:at].strip():
        return False
    end = text.find(b"\n", at + 1)
    return end - at - 1 <= LONGEST_LINE and pattern.fullmatch(text, at + 1, end) is not None
