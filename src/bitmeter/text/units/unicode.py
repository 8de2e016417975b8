"""Units that Unicode defines: grapheme clusters and words; and sentences, by a simple rule."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Bools, Ints
from bitmeter._util.optional import require
from bitmeter.text.units.base import BLANK, Split
from bitmeter.text.units.vocabulary import VocabularyUnits

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Graphemes", "Sentences", "UnicodeWords"]


#: How far back from the end of a block to look for an easy cut.
TAIL = 4096

#: Characters beyond ASCII, with one ASCII character on each side: beyond that, clusters are single characters
#: (and CR LF).
_BEYOND_ASCII = re.compile(r"[\x00-\x7f]?(?:[^\x00-\x7f]+[\x00-\x7f]?)+")

#: A letter or digit after white space after a letter or digit: a word begins there, whatever is around.
_PLAIN_GAP = re.compile(rb"[0-9A-Za-z][ \n](?=[0-9A-Za-z])")

_CLOSE = rb"(?:[\"')\]}]|\xc2\xbb|\xe2\x80[\x99\x9d]|\xe3\x80[\x8d\x8f\x91]|\xef\xbc\x89)"
_SPACE = rb"(?:[ \t\r\n\v\f]|\xc2\xa0|\xe3\x80\x80)"
_STOP = rb"(?:[.?!]|\xe2\x80\xa6)"
_WIDE_STOP = rb"(?:\xe3\x80\x82|\xef\xbc[\x81\x9f]|\xef\xbd\xa1)"
_SENTENCE_END = re.compile(
    # A run of stops is tried only at its beginning: otherwise a page of dots would take quadratic time.
    rb"(?<![.?!])(?<!\xe2\x80\xa6)" + _STOP + rb"++" + _CLOSE + rb"*+" + _SPACE + rb"++"
    rb"|" + _WIDE_STOP + rb"(?:" + _STOP + rb"|" + _WIDE_STOP + rb")*+" + _CLOSE + rb"*+" + _SPACE + rb"*+"
    rb"|\n[ \t\r]*+\n" + _SPACE + rb"*+"
)  # fmt: skip


def _regex() -> ModuleType:
    return require("regex", "Splitting by the rules of Unicode")


@cache
def _clusters() -> Any:
    return _regex().compile(r"\X")


@cache
def _segments() -> Any:
    """The rules of UAX #29 for words as one pattern (regex's own word boundaries differ in places: U+1F1F7 U+00E9)."""
    kinds = {
        "A": r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]", "H": r"\p{WB=Hebrew_Letter}", "N": r"\p{WB=Numeric}",
        "K": r"\p{WB=Katakana}", "X": r"\p{WB=ExtendNumLet}", "R": r"\p{WB=Regional_Indicator}",
        "Q": r"\p{WB=Single_Quote}", "D": r"\p{WB=Double_Quote}",
        "L": r"[\p{WB=MidLetter}\p{WB=MidNumLet}\p{WB=Single_Quote}]",
        "M": r"[\p{WB=MidNum}\p{WB=MidNumLet}\p{WB=Single_Quote}]",
    }  # fmt: skip
    ignored = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*+"
    e = {kind: pattern + ignored for kind, pattern in kinds.items()}  # each with what WB4 attaches to it
    after_hebrew = rf"(?<={kinds['H']}{ignored[:-1]})"
    letters = rf"{e['A']}(?:{e['A']}|{e['L']}{e['A']}|{after_hebrew}{e['D']}{e['H']})*"
    digits = rf"{e['N']}(?:{e['N']}|{e['M']}{e['N']})*"
    run = rf"(?:(?:{letters}|{digits})+|(?:{e['K']})+)"
    word = rf"(?:{run}|(?:{e['X']})+(?:{run})?)(?:(?:{e['X']})+(?:{run})?)*(?:{after_hebrew}{e['Q']})?"
    newline = r"\r\n|[\p{WB=CR}\p{WB=LF}\p{WB=Newline}]"
    joined = rf"(?:{word}|\p{{WB=WSegSpace}}++{ignored}|{e['R']}(?:{e['R']})?|(?s:.){ignored})"
    plain = r"[0-9A-Za-z]++(?=[ \n])|[ ](?=[0-9A-Za-z])"  # implied by the rules below, but faster
    return _regex().compile(rf"{plain}|{newline}|{joined}(?:(?<=\u200d)(?=\p{{Extended_Pictographic}}){joined})*")


class _ByDocument(VocabularyUnits):
    """Splits one document at a time."""

    def _split(self, data: bytes, ends: Ints) -> Split:
        ids: list[Ints] = []
        cuts: list[Ints] = []
        bounds = [0]
        start = 0
        for end in ends.tolist():
            document = data[start:end]
            places, numbers = self._document(document) if document else (_NONE, _NONE)
            cuts.append(places + start)
            ids.append(numbers)
            bounds.append(bounds[-1] + len(numbers))
            start = end
        return Split(
            np.concatenate([_NONE, *ids]), np.concatenate([*cuts, [len(data)]]).astype(np.int64), np.array(bounds)
        )

    @abstractmethod
    def _document(self, data: bytes) -> tuple[Ints, Ints]:
        """Where the units of a document that is not empty begin, and their ids."""

    def _with_ids(self, data: bytes, starts: Ints) -> tuple[Ints, Ints]:
        return starts, self._ids(data, starts, np.append(starts[1:], np.int64(len(data))))


_NONE: Ints = np.empty(0, dtype=np.int64)


def _byte_offsets(data: bytes) -> Ints:
    """The byte offset of each character, and the length."""
    cuts: Ints = _core.split_chars(data, np.array([len(data)]))[1]
    return cuts


def _lengths(pieces: list[str]) -> Ints:
    return np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))


class Graphemes(_ByDocument):
    r"""What readers see as one character: Unicode's extended grapheme clusters, such as a letter with its accents.

    A byte that is not UTF-8 is a unit by itself; CR LF is one unit. Ids are hashes of the bytes, or indices in a
    vocabulary.

    Examples
    --------
    >>> text = "e\u0301té\r\n".encode()
    >>> Graphemes().split(text).pieces(text)
    [b'e\xcc\x81', b't', b'\xc3\xa9', b'\r\n']
    """

    def __init__(self, vocabulary: Iterable[str | bytes] | None = None) -> None:
        self._define("graphemes", "", vocabulary)
        self.fingerprint += f"+regex-{_regex().__version__}"

    def _document(self, data: bytes) -> tuple[Ints, Ints]:
        return self._with_ids(data, _grapheme_starts(data))

    def _cut(self, data: bytes) -> int:
        tail = np.frombuffer(data, dtype=np.uint8)[-TAIL:]
        plain = np.flatnonzero(_plain_breaks(tail))
        if len(plain):
            return int(plain[-1]) + 1 + len(data) - len(tail)
        whole = int(_core.chars_cut(data))
        # Whether a cluster begins before a character depends on what is before that character, and on itself.
        return int(_grapheme_starts(data[:whole])[-1]) if whole else 0


def _plain_breaks(points: NDArray[Any]) -> Bools:
    """Between which neighbours a cluster certainly ends: both ASCII, and not CR LF."""
    before, after = points[:-1], points[1:]
    found: Bools = (before < 128) & (after < 128) & ~((before == 13) & (after == 10))
    return found


def _grapheme_starts(data: bytes) -> Ints:
    if data.isascii():
        breaks = _plain_breaks(np.frombuffer(data, dtype=np.uint8))
        return np.concatenate(([0], np.flatnonzero(breaks) + 1))
    text = data.decode("utf-8", "surrogateescape")
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    starts = np.ones(len(points), dtype=np.bool_)
    starts[1:] = _plain_breaks(points)
    for run in _BEYOND_ASCII.finditer(text):
        inside = _lengths(_clusters().findall(run[0]))
        starts[run.start() + np.cumsum(inside[:-1])] = True
    return _byte_offsets(data)[np.flatnonzero(starts)]


class UnicodeWords(_ByDocument):
    """What lies between Unicode's word boundaries (UAX #29): words, numbers, and each mark of punctuation.

    White space belongs to the unit before it, and at the beginning of a document to the first unit; a document of white
    space alone is one unit with the id `BLANK`. An id comes from the unit's bytes without white space.

    Examples
    --------
    >>> text = b"It can't be 3.14, can it?"
    >>> UnicodeWords().split(text).pieces(text)
    [b'It ', b"can't ", b'be ', b'3.14', b', ', b'can ', b'it', b'?']
    """

    def __init__(self, vocabulary: Iterable[str | bytes] | None = None) -> None:
        self._define("unicode-words", "", vocabulary)
        self.fingerprint += f"+regex-{_regex().__version__}"

    def _document(self, data: bytes) -> tuple[Ints, Ints]:
        starts, stops = _word_segments(data)
        if not len(starts):
            return np.zeros(1, dtype=np.int64), np.array([BLANK])
        ids = self._ids(data, starts, stops)
        return np.concatenate(([0], starts[1:])), ids

    def _cut(self, data: bytes) -> int:
        start = max(len(data) - TAIL, 0)
        gap = 0
        for match in _PLAIN_GAP.finditer(data, start):
            gap = match.end()
        if gap:
            return gap
        whole = int(_core.chars_cut(data))
        # A boundary can depend on two characters after it: on a mark, and on whether a letter follows that.
        starts, stops = _word_segments(data[:whole]) if whole else (_NONE, _NONE)
        settled = starts[1:][starts[1:] < _last_segment(stops, whole)] if len(starts) else _NONE
        return int(settled[-1]) if len(settled) else 0


def _word_segments(data: bytes) -> tuple[Ints, Ints]:
    """Where each segment that is not white space begins and ends."""
    text = data.decode("utf-8", "surrogateescape")
    segments = _segments().findall(text)
    ends = np.cumsum(_lengths(segments))
    blank = np.fromiter(map(str.isspace, segments), dtype=np.bool_, count=len(segments))
    places = np.arange(len(data) + 1) if data.isascii() else _byte_offsets(data)
    return places[(ends - _lengths(segments))[~blank]], places[ends[~blank]]


def _last_segment(stops: Ints, size: int) -> int:
    """An offset before which every word segment is followed by another segment."""
    return int(stops[-1]) if stops[-1] < size else int(stops[-2]) if len(stops) > 1 else 0


class Sentences(_ByDocument):
    """Sentences by a simple rule, for regrouping; it knows no abbreviations, so it ends a sentence after "Mr. ".

    A sentence ends after a run of ``.``, ``?``, ``!`` or ``…``, closing quotes and brackets, and white space; after
    ``。``, ``！`` or ``？`` with closing quotes, and white space if any; and after a blank line. It keeps what ended
    it.

    Examples
    --------
    >>> text = 'He said "no." She left! 本当？はい。'.encode()
    >>> [piece.decode() for piece in Sentences().split(text).pieces(text)]
    ['He said "no." ', 'She left! ', '本当？', 'はい。']
    """

    def __init__(self) -> None:
        self._define("sentences", "", None)

    def _document(self, data: bytes) -> tuple[Ints, Ints]:
        ends = [match.end() for match in _SENTENCE_END.finditer(data)]
        starts = np.array([0, *ends], dtype=np.int64)
        return self._with_ids(data, starts[starts < len(data)])

    def _cut(self, data: bytes) -> int:
        whole = int(_core.chars_cut(data))
        last = 0
        for match in _SENTENCE_END.finditer(data, 0, whole):
            if match.end() < whole:  # what follows can no longer belong to it
                last = match.end()
        return last
