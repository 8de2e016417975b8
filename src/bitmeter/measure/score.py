"""A score: sums and counts, never quotients, so that scores add up, split and regroup exactly."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from bitmeter._util.check import Unit, choice, nats_per
from bitmeter._util.files import as_path, read_whole, replacing, unread
from bitmeter._util.frames import Column, Tabular
from bitmeter._util.lazy import np
from bitmeter._util.rendering import InNotebooks, rendered
from bitmeter.errors import FileFormatError, IncomparableError, InputTypeError, UndefinedError
from bitmeter.measure.aggregates import COUNTS, PER, SCHEMA, BlockSums, DocumentSums, Per, WindowSums
from bitmeter.measure.exact import Parts, exact_parts, rounded
from bitmeter.measure.interval.base import Interval, Measured
from bitmeter.measure.signature import Signature, covers_all_texts, differences, joined_text

if TYPE_CHECKING:  # imported where they are used: showing the score of a short text needs none of them
    from bitmeter.measure.groups.rows import Group
    from bitmeter.measure.groups.sums import GroupSums
    from bitmeter.measure.trace.trace import Trace

#: Finds the interval of a score, and notes.
Finder: TypeAlias = Callable[[Measured, Per, float], tuple[Interval | None, tuple[str, ...]]]

_LN2 = math.log(2.0)
_TOTALS = ("nats", "known_nats")

#: The most bytes of a saved run; what it keeps of each document makes it long.
_LARGEST_RUN = 1 << 30


@dataclass(frozen=True)
class Score(Tabular, InNotebooks):
    """The cost of a text under a model, and the conventions of the measurement.

    Attributes
    ----------
    model, text
        Their names; the signature holds their fingerprints.
    nats
        −ln P of all that was scored; inf if something had probability zero.
    known_nats
        The same without unknown and impossible units.
    bytes, chars, words, tokens, documents
        Counts of the text. Tokens are the units that the model predicted.
    oov, skipped, invalid, impossible
        Units unknown to the model, units that were not scored, bytes that are not UTF-8, units of probability zero.
    signature
        The conventions.
    interval
        Of the bits per byte, or per token for a closed vocabulary (`figure_per`); None with the reason among the notes.
    confidence
        The level of the interval.
    notes
        Remarks for the reader.
    by_document, by_block, by_window
        Sums per document, per block along the text, and per window: intervals, comparisons and the figures of other
        tools are computed from these.
    pieces
        The number of words as another tool counts them, if its convention has a word counter of its own.
    learns
        Whether the model learned from the text as it read it, so that its costs fall along it.
    exact
        `nats` and `known_nats` before they are rounded, each as numbers of which it is the exact sum, so that the sum
        of scores is the score of the whole to the last bit.
    by_group
        Sums per group, if it was scored with `group`.

    Examples
    --------
    >>> import bitmeter as bm
    >>> s = bm.score(bm.Distribution({"a": 0.25, "b": 0.5, "c": 0.25}), b"abba")
    >>> s.bits, s.bits_per_byte, s.tokens
    (6.0, 1.5, 4)
    >>> round(s.perplexity("char"), 4), round(s.log_likelihood("bits"), 4)
    (2.8284, -6.0)
    >>> bm.Score.from_json(s.to_json()) == s
    True

    Scores of the parts of a text add up to the score of the whole:

    >>> parts = [bm.score("uniform", part) for part in (b"one ", b"two")]
    >>> whole = parts[0] + parts[1]
    >>> whole.bits, whole.documents
    (56.0, 2)
    """

    model: str
    text: str
    nats: float
    known_nats: float
    bytes: int
    chars: int
    words: int
    tokens: int | None
    documents: int
    oov: int
    skipped: int
    invalid: int
    impossible: int
    signature: Signature
    interval: Interval | None = None
    notes: tuple[str, ...] = ()
    by_document: DocumentSums | None = field(default=None, repr=False)
    by_block: BlockSums | None = field(default=None, repr=False)
    by_window: WindowSums | None = field(default=None, repr=False)
    pieces: int | None = None
    learns: bool = False
    confidence: float = 0.95
    exact: tuple[Parts, Parts] | None = field(default=None, repr=False)
    by_group: GroupSums | None = field(default=None, repr=False)
    seconds: float = field(default=0.0, compare=False)
    environment: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    _trace: Trace | None = field(default=None, compare=False, repr=False)

    # ---- quotients --------------------------------------------------------------------------------------------------

    @property
    def bits(self) -> float:
        """−log2 P of all that was scored."""
        return self.nats / _LN2

    @property
    def figure_per(self) -> Per:
        """What the figure of this score is per: bytes, or tokens where the model is no distribution over texts.

        With a closed vocabulary (an unknown word costs its class, or nothing) bytes are left unpaid, and a quotient of
        bits and bytes does not compare with the bits per byte of other models.
        """
        return "byte" if self.tokens is None or covers_all_texts(self.signature) else "token"

    @property
    def bits_per_byte(self) -> float:
        """Bits per byte: comparable between all models on the same text, if each pays for all bytes: `figure_per`."""
        return self.per("byte")

    @property
    def bits_per_char(self) -> float:
        """Bits per Unicode code point."""
        return self.per("char")

    @property
    def bits_per_word(self) -> float:
        """Bits per word, as delimited by white space."""
        return self.per("word")

    @property
    def bits_per_token(self) -> float:
        """Bits per unit of the model: comparable only between models with the same units."""
        return self.per("token")

    @property
    def docs(self) -> str:
        """What one document is: "file", "line", "blank", "record" and so on."""
        return self.signature.docs.partition(".")[0]

    def count(self, per: Per) -> int:
        """The number of bytes, characters, words, tokens or documents."""
        name = choice(per, "per", PER)
        number = {
            "byte": self.bytes,
            "char": self.chars,
            "word": self.words,
            "token": self.tokens,
            "document": self.documents,
        }[name]
        if number is None:
            message = f"{self.model} gives only a total, so there are no tokens to divide by; choose byte, char or word"
            raise UndefinedError(message, value=per)
        return number

    def per(self, per: Per = "byte", *, unit: Unit = "bits") -> float:
        """The cost per byte, character, word, token or document.

        Examples
        --------
        >>> import bitmeter as bm
        >>> s = bm.score("uniform", b"to be or not to be")
        >>> s.per("word"), s.per("char", unit="bits")
        (24.0, 8.0)
        """
        number = self.count(per)
        if number == 0:
            message = (
                f"the text {self.text} has no {per}s, so there is nothing to divide by"
                if not self.skipped
                else f"no {per}s of {self.text} were scored, so there is nothing to divide by: {nothing_scored(self)}"
            )
            raise UndefinedError(message, value=per)
        return self.nats / number / nats_per(unit)

    def perplexity(self, per: Per = "token") -> float:
        """Two to the bits per unit; the same in every base."""
        bits = self.per(per)
        if 1024.0 <= bits < math.inf:
            message = f"the perplexity per {per} is 2^{bits:.1f}, more than a double can hold; use the bits instead"
            raise UndefinedError(message, value=bits)
        return float(2.0**bits)

    def log_likelihood(self, unit: Unit = "nats") -> float:
        """log P of all that was scored."""
        return -self.nats / nats_per(unit)

    def interval_per(self, per: Per, confidence: float | None = None) -> Interval | None:
        """The interval of the bits per byte, word or other unit; by default at the confidence of the score."""
        from bitmeter.measure.interval.inputs import read_confidence
        from bitmeter.measure.interval.registry import interval_of

        choice(per, "per", PER)
        level = self.confidence if confidence is None else read_confidence(confidence)
        return interval_of(self, per, level)[0]

    @property
    def macro(self) -> Interval | None:
        r"""The mean over documents of the bits per byte of each (macro average), where `bits_per_byte` is over bytes.

        None if the documents are not known one by one. Of a closed vocabulary, bits per token.

        Examples
        --------
        >>> import bitmeter as bm
        >>> s = bm.score(bm.Distribution({"a": 0.5, "b": 0.25, "c": 0.25}), b"a\nbbb\n", docs="line", oov="skipped")
        >>> s.macro.estimate, round(s.bits_per_byte, 3)
        (1.5, 1.75)
        """
        from bitmeter.measure.groups.averages import macro_of_documents

        return macro_of_documents(self.by_document, self.docs, self.figure_per, self.confidence)

    @property
    def groups(self) -> tuple[Group, ...]:
        """One figure per group of documents, with an interval; the score must have been taken with `group`."""
        from bitmeter.measure.groups.rows import groups_of

        return groups_of(self)

    # ---- the trace --------------------------------------------------------------------------------------------------

    @property
    def trace(self) -> Trace:
        """The cost of each unit."""
        if self._trace is None and self.tokens is None:
            message = f"{self.model} gives only a total, so there is no trace of single units; use a model such as kt"
            raise UndefinedError(message)
        if self._trace is None:
            message = (
                "this score has no trace: it was loaded from a file, or the text was too long to keep one in memory. "
                "Score with trace='run.parquet' (--trace run.parquet), and open that with bitmeter.Trace.load"
            )
            raise UndefinedError(message)
        return self._trace

    # ---- sums -------------------------------------------------------------------------------------------------------

    def __add__(self, other: Score) -> Score:
        if not isinstance(other, Score):
            return NotImplemented
        apart = [d for d in differences(self.signature, other.signature) if d.key not in ("text", "docs", "interval")]
        kind = self.signature.docs.partition(".")[0], other.signature.docs.partition(".")[0]
        if apart or kind[0] != kind[1]:
            reason = "; ".join(map(str, apart)) or f"docs: {kind[0]} ≠ {kind[1]}"
            message = f"these scores cannot be added, because they were measured differently: {reason}"
            raise IncomparableError(message, differences=tuple(apart))
        if self.by_document is None or other.by_document is None:
            message = (
                "scores without sums by document (compressors) cannot be added: a compressor's total is for one text"
            )
            raise UndefinedError(message)
        if self.confidence != other.confidence:
            message = (
                f"these scores cannot be added: one has an interval of {100 * self.confidence:g} %, the other of "
                f"{100 * other.confidence:g} %, and the sum would have to choose. Score both with one confidence"
            )
            raise IncomparableError(message)
        documents = self.by_document.joined(other.by_document)
        text, where = joined_text(self.signature, other.signature)
        nats, known = (exact_parts((*a, *b)) for a, b in zip(self._exact(), other._exact(), strict=True))
        joined = replace(
            self,
            text=f"{self.text} + {other.text}",
            nats=rounded(nats),
            known_nats=rounded(known),
            exact=(nats, known),
            tokens=None if self.tokens is None or other.tokens is None else self.tokens + other.tokens,
            signature=self.signature.but(text=text, docs=f"{kind[0]}.{self.documents + other.documents}.{where}"),
            notes=tuple(dict.fromkeys((*self.own_notes, *other.own_notes))),
            by_document=documents,
            by_block=None,
            learns=False,  # it began again with each part
            by_group=None,
            by_window=self.by_window.joined(other.by_window) if self.by_window and other.by_window else None,
            pieces=None if self.pieces is None or other.pieces is None else self.pieces + other.pieces,
            seconds=self.seconds + other.seconds,
            _trace=None,
            **{name: getattr(self, name) + getattr(other, name) for name in COUNTS},
        )
        from bitmeter.measure.clusters import changed_clusters

        result = with_interval(joined, self.confidence)
        methods = [s.signature.interval for s in (result, self, other) if s.documents]
        note = changed_clusters(methods[0], methods[1:]) if methods else ""
        return result if not note or note in result.notes else replace(result, notes=(*result.notes, note))

    @property
    def own_notes(self) -> tuple[str, ...]:
        """The notes but for those of the interval: what was left out, what was not found, what a model warns of."""
        of_interval = () if self.interval is None else self.interval.notes
        return tuple(n for n in self.notes if n not in of_interval and not n.startswith("no interval: "))

    def _exact(self) -> tuple[Parts, Parts]:
        return self.exact or (exact_parts([self.nats]), exact_parts([self.known_nats]))

    # ---- files ------------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """All but the trace, ready for JSON; infinity is the string "inf"."""
        return {
            "schema": SCHEMA,
            "model": self.model,
            "text": self.text,
            "nats": _number(self.nats),
            "known_nats": self.known_nats,
            "exact": {name: list(map(_number, parts)) for name, parts in zip(_TOTALS, self._exact(), strict=True)},
            "tokens": self.tokens,
            **{name: getattr(self, name) for name in COUNTS},
            **self._figures(),
            "interval": None if self.interval is None else _interval_dict(self.interval),
            **self._averages(),
            "confidence": self.confidence,
            "signature": str(self.signature),
            "short": self.signature.short,
            **({} if self.signature.test_set is None else {"test_set": self.signature.test_set}),
            "notes": list(self.notes),
            "by_document": None if self.by_document is None else _arrays(self.by_document),
            "by_block": None if self.by_block is None else _arrays(self.by_block),
            **({} if self.by_window is None else {"by_window": _arrays(self.by_window)}),
            **({} if self.pieces is None else {"pieces": self.pieces}),
            **({"learns": True} if self.learns else {}),
            **({} if self.by_group is None else {"by_group": self.by_group.to_dict()}),
            "seconds": self.seconds,
            "environment": self.environment,
        }

    def _averages(self) -> dict[str, Any]:
        """The macro average of answers, and the figures of groups, where there are some."""
        if self.signature.given == "none" and self.by_group is None:
            return {}
        from bitmeter.measure.groups.rows import ends, groups_dict

        return {
            **({} if self.signature.given == "none" else {"macro": ends(self.macro)}),
            **({} if self.by_group is None else {"groups": groups_dict(self, self.interval)}),
        }

    def _figures(self) -> dict[str, float | str | None]:
        """Bits per byte; none for a closed vocabulary, but bits per token."""
        per = self.figure_per
        figure = _number(self.per(per)) if self.bytes and self.count(per) else None
        return {"bits_per_byte": figure} if per == "byte" else {"bits_per_byte": None, "bits_per_token": figure}

    def to_json(self) -> str:
        """JSON at full precision: `from_json` restores the same score to the last bit."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the run as JSON."""
        with replacing(path, force=force) as beside:
            beside.write_text(self.to_json() + "\n", encoding="utf-8")

    @classmethod
    def from_json(cls, text: object, *, name: str = "the run") -> Score:
        """Read what `to_json` wrote."""
        if not isinstance(text, str):
            message = f"{text!r:.60} is not the text of a run; it must be a string, as to_json gives it"
            raise InputTypeError(message, value=text)
        from bitmeter.measure.saved import read_run

        return cls(**read_run(text, name))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Score:
        """Open a saved run."""
        found = as_path(path)
        try:
            data = read_whole(found, _LARGEST_RUN)
        except OSError as error:
            message = f"{found} {unread(error)}"
            raise FileFormatError(message, value=str(path)) from error
        from bitmeter.measure.saved import read_run

        return cls(**read_run(data, str(found)))

    # ---- for people and tables --------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return rendered(self)

    def __repr__(self) -> str:
        per = self.figure_per
        figure = f"{self.per(per):.6g} bits/{per}" if self.bytes and self.count(per) else "nothing scored"
        return f"Score({self.model} on {self.text}: {figure}, {self.signature.short})"

    def to_columns(self) -> dict[str, Column]:
        r"""One row per document, for `to_pandas`, `to_polars` and `to_arrow`.

        In a text of more than a million documents, neighbours share a row: `documents` says how many. If only a total
        is known (compressors), it is the one row. A quotient of nothing is missing.

        Examples
        --------
        >>> import bitmeter as bm
        >>> s = bm.score("uniform", b"a\nbbb\n", docs="line")
        >>> {name: column.tolist() for name, column in s.to_columns().items() if name in ("doc", "bytes", "bits")}
        {'doc': [0, 1], 'bytes': [2, 4], 'bits': [16.0, 32.0]}
        """
        found = self.by_document
        columns: dict[str, Column]
        if found is None:
            totals = {"bytes": self.bytes, "chars": self.chars, "words": self.words}
            columns = {name: np.array([value], dtype=np.int64) for name, value in totals.items()}
            documents, nats, sizes = np.array([self.documents]), np.array([self.nats]), np.array([self.bytes])
        else:
            names = ("bytes", "chars", "words", "tokens")
            columns = {name: getattr(found, name) for name in names}
            documents, nats, sizes = found.documents, found.nats, found.bytes
        first = np.cumsum(documents) - documents
        columns = {"doc": first, "documents": documents, **columns, "nats": nats, "bits": nats / _LN2}
        # What is not paid for byte by byte has no bits per byte.
        quotients = {"bits_per_byte": sizes} if self.figure_per == "byte" else {}
        if found is not None:
            quotients["bits_per_token"] = found.tokens
        for name, count in quotients.items():
            columns[name] = np.where(count > 0, nats / _LN2 / np.maximum(count, 1), np.nan)
        if self.by_group is not None and self.by_group.rows is not None:
            columns["group"] = [self.by_group.names[row] for row in self.by_group.rows.tolist()]
        return columns

    def _metadata(self) -> dict[str, str]:
        return {"model": self.model, "text": self.text, "signature": str(self.signature)}


def nothing_scored(score: Score) -> str:
    """Why nothing was scored, and what to type instead."""
    if not score.skipped:
        return "the text is empty"
    why = f"the conventions leave out all of its {score.skipped:,} units"
    kind, _, window = score.signature.ctx.partition(".")
    if kind == "half":
        return f"{why}: it does not fill a window of {window}; choose a smaller one (--ctx half.64) or another context"
    return f"{why}: see first, oov and ctx in the signature"


def with_interval(score: Score, confidence: float, find: Finder | None = None) -> Score:
    """The score with the interval of its figure and its method in the signature, or with the reason for none.

    `find` finds the interval; by default, that is the best method for the score.
    """
    score = replace(score, confidence=confidence)
    if score.bytes == 0:
        return replace(score, notes=(*score.notes, nothing_scored(score)))
    if not score.count(score.figure_per):
        return replace(score, notes=(*score.notes, "the text has no tokens"))
    interval, more = (find or _best_interval())(score, score.figure_per, confidence)
    notes = (*score.notes, *more)
    if interval is None or interval.low is None:
        return replace(score, interval=None, notes=notes, signature=score.signature.but(interval="none"))
    method = f"{interval.method} {confidence:g}"
    return replace(score, interval=interval, notes=notes, signature=score.signature.but(interval=method))


def _best_interval() -> Finder:
    from bitmeter.measure.interval.registry import interval_of  # slow to import

    return interval_of


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _arrays(sums: DocumentSums | BlockSums | WindowSums) -> dict[str, Any]:
    found = {f.name: getattr(sums, f.name) for f in fields(sums)}
    return {
        name: value if isinstance(value, int | str) else [_number(x) for x in value.tolist()]
        for name, value in found.items()
        if value is not None and not (name == "kind" and not value)
    }


def _interval_dict(interval: Interval) -> dict[str, Any]:
    return {f.name: getattr(interval, f.name) for f in fields(interval)} | {"notes": list(interval.notes)}


def as_score(value: object) -> Score:
    """A Score, or the saved run at a path."""
    if isinstance(value, Score):
        return value
    if isinstance(value, str | os.PathLike):
        return Score.load(value)
    message = f"{value!r:.60} is not a score; it must be a Score or the path of a saved run"
    raise InputTypeError(message, value=value)
