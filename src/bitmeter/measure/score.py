"""A score: sums and counts, never a rate, so that scores add up, split and regroup exactly. Rates are properties."""

from __future__ import annotations

import hashlib
import json
import math
import os
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import Unit, choice, nats_per
from bitmeter._util.files import as_path, replacing
from bitmeter.errors import FileFormatError, IncomparableError, InputTypeError, UndefinedError
from bitmeter.measure.aggregates import PER, BlockSums, DocumentSums, Per, WindowSums
from bitmeter.measure.interval.statistics import Interval, batch_means, cluster_ratio
from bitmeter.measure.signature import Signature
from bitmeter.measure.trace.trace import Trace

SCHEMA = "bitmeter.score/1"

#: Fewer documents than this say too little about each other: the interval is then taken along the text.
FEWEST_DOCUMENTS = 6

_LN2 = math.log(2.0)


@dataclass(frozen=True)
class Score:
    """What a text costs under a model, and under which conventions.

    Attributes
    ----------
    model, text
        Their names, for people; the signature holds their fingerprints.
    nats
        −ln P of all that was scored; inf where something impossible happened.
    known_nats
        The same without what the model does not know or holds impossible.
    bytes, chars, words, tokens, documents
        What the text consists of. Tokens are the units that the model predicted.
    oov, skipped, invalid, impossible
        Units unknown to the model, units that were not scored, bytes that are not UTF-8, units of probability zero.
    signature
        The conventions.
    interval
        Of the bits per byte; None with the reason among the notes.
    notes
        What a reader should be told.
    by_document, by_block, by_window
        Sums of each document, along the text, and of each window: what intervals, comparisons and the figures of other
        tools are made of.
    pieces
        How many words another tool counts, where its habits were asked for and it counts in its own way.

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
    seconds: float = field(default=0.0, compare=False)
    environment: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    _trace: Trace | None = field(default=None, compare=False, repr=False)

    # ---- rates ------------------------------------------------------------------------------------------------------

    @property
    def bits(self) -> float:
        """−log2 P of all that was scored."""
        return self.nats / _LN2

    @property
    def bits_per_byte(self) -> float:
        """Bits a byte: comparable between all models of the same text."""
        return self.rate("byte")

    @property
    def bits_per_char(self) -> float:
        """Bits a Unicode code point."""
        return self.rate("char")

    @property
    def bits_per_word(self) -> float:
        """Bits a word between white space."""
        return self.rate("word")

    @property
    def bits_per_token(self) -> float:
        """Bits a unit of the model: comparable only between models of the same units."""
        return self.rate("token")

    def count(self, per: Per) -> int:
        """How many there are."""
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

    def rate(self, per: Per = "byte", *, unit: Unit = "bits") -> float:
        """The cost a byte, character, word, token or document.

        Examples
        --------
        >>> import bitmeter as bm
        >>> s = bm.score("uniform", b"to be or not to be")
        >>> s.rate("word"), s.rate("char", unit="bits")
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
        """2 to the bits a unit; the same in every base."""
        bits = self.rate(per)
        if 1024.0 <= bits < math.inf:
            message = f"the perplexity a {per} is 2^{bits:.1f}, more than a double can hold; use the bits instead"
            raise UndefinedError(message, value=bits)
        return float(2.0**bits)

    def log_likelihood(self, unit: Unit = "nats") -> float:
        """log P of all that was scored."""
        return -self.nats / nats_per(unit)

    def interval_per(self, per: Per, confidence: float = 0.95) -> Interval | None:
        """The interval of the bits a byte, character, word or token, from the sums of the documents."""
        return interval_of(self, choice(per, "per", PER), confidence)[0]  # type: ignore[arg-type]

    # ---- the trace --------------------------------------------------------------------------------------------------

    @property
    def trace(self) -> Trace:
        """What each unit cost."""
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
        from bitmeter.measure.signature import differences

        apart = [d for d in differences(self.signature, other.signature) if d.key not in ("text", "docs", "interval")]
        kind = self.signature.docs.partition(".")[0], other.signature.docs.partition(".")[0]
        if apart or kind[0] != kind[1]:
            reason = "; ".join(map(str, apart)) or f"docs: {kind[0]} ≠ {kind[1]}"
            message = f"these scores cannot be added, because they were not taken alike: {reason}"
            raise IncomparableError(message, differences=tuple(apart))
        if self.by_document is None or other.by_document is None:
            message = (
                "scores without sums by document (compressors) cannot be added: a compressor's total is of one text"
            )
            raise UndefinedError(message)
        documents = self.by_document.joined(other.by_document)
        joined = replace(
            self,
            text=f"{self.text} + {other.text}",
            nats=self.nats + other.nats,
            known_nats=self.known_nats + other.known_nats,
            tokens=None if self.tokens is None or other.tokens is None else self.tokens + other.tokens,
            signature=self.signature.but(
                text=f"{self.signature.text}+{other.signature.text}",
                docs=f"{kind[0]}.{self.documents + other.documents}.{_joined_ends(self, other)}",
            ),
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            by_document=documents,
            by_block=None,
            by_window=self.by_window.joined(other.by_window) if self.by_window and other.by_window else None,
            pieces=None if self.pieces is None or other.pieces is None else self.pieces + other.pieces,
            seconds=self.seconds + other.seconds,
            _trace=None,
            **{name: getattr(self, name) + getattr(other, name) for name in _COUNTS},
        )
        return with_interval(joined)

    # ---- files ------------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """All of it but the trace, as JSON has it; infinity as the string "inf"."""
        return {
            "schema": SCHEMA,
            "model": self.model,
            "text": self.text,
            "nats": _number(self.nats),
            "known_nats": self.known_nats,
            "tokens": self.tokens,
            **{name: getattr(self, name) for name in _COUNTS},
            "bits_per_byte": _number(self.bits_per_byte) if self.bytes else None,
            "interval": None if self.interval is None else _interval_dict(self.interval),
            "signature": str(self.signature),
            "short": self.signature.short,
            "notes": list(self.notes),
            "by_document": None if self.by_document is None else _arrays(self.by_document),
            "by_block": None if self.by_block is None else _arrays(self.by_block),
            **({} if self.by_window is None else {"by_window": _arrays(self.by_window)}),
            **({} if self.pieces is None else {"pieces": self.pieces}),
            "seconds": self.seconds,
            "environment": self.environment,
        }

    def to_json(self) -> str:
        """JSON at full precision: reading it back gives the same score to the last bit."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the run as JSON."""
        with replacing(path, force=force) as beside:
            beside.write_text(self.to_json() + "\n", encoding="utf-8")

    @classmethod
    def from_json(cls, text: str, *, name: str = "the run") -> Score:
        """Read what `to_json` wrote."""
        try:
            return _from_dict(json.loads(text))
        except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, FileFormatError):
                raise
            reason = f"{type(error).__name__}: {error}"
            message = f"{name} is not a run of bitmeter: {reason}. `bitmeter score … -o FILE` writes one"
            raise FileFormatError(message) from error

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Score:
        """Open a saved run."""
        found = as_path(path)
        try:
            text = found.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            message = f"{found} cannot be read: {error}"
            raise FileFormatError(message, value=str(path)) from error
        return cls.from_json(text, name=str(found))

    def __str__(self) -> str:
        from bitmeter.reports.panel import describe

        return describe(self)


_COUNTS = ("bytes", "chars", "words", "documents", "oov", "skipped", "invalid", "impossible")


def _joined_ends(first: Score, second: Score) -> str:
    """Stands for where the documents of both end, one text behind the other."""
    both = "+".join(score.signature.docs.rpartition(".")[2] for score in (first, second))
    return hashlib.sha256(both.encode()).hexdigest()[:8]


def interval_of(score: Score, per: Per, confidence: float) -> tuple[Interval | None, str]:
    """The interval of the rate, and why there is none."""
    if math.isinf(score.nats):
        return None, "no interval: the score is infinite"
    documents, blocks = score.by_document, score.by_block
    if documents is not None and len(documents) >= FEWEST_DOCUMENTS:
        sizes = getattr(documents, f"{per}s")
        return _noted(cluster_ratio(documents.nats / _LN2, sizes, confidence))
    if blocks is None or len(blocks.nats) == 0:
        return None, "no interval: only the total is known"
    if score.count(per) == 0 or per == "document":
        return None, f"no interval: too few {per}s"
    # Along the text the denominator is bytes; another unit's rate is the same up to the units a byte.
    return _noted(batch_means(blocks.nats / _LN2, blocks.bytes * (score.count(per) / score.bytes), confidence))


def _noted(found: Interval) -> tuple[Interval, str]:
    return found, found.note if found.low is not None or not found.note else f"no interval: {found.note}"


def nothing_scored(score: Score) -> str:
    """Why a score is of nothing, and what to type instead."""
    if not score.skipped:
        return "the text is empty"
    why = f"the conventions leave out every one of its {score.skipped:,} units"
    kind, _, window = score.signature.ctx.partition(".")
    if kind == "half":
        return f"{why}: it does not fill a window of {window}; take a smaller one (--ctx half.64) or another way"
    return f"{why}: see first, oov and ctx in the signature"


def with_interval(score: Score, confidence: float = 0.95) -> Score:
    """The score with the interval of its bits per byte, its method in the signature, or the reason for none."""
    if score.bytes == 0:
        return replace(score, notes=(*score.notes, nothing_scored(score)))
    interval, note = interval_of(score, "byte", confidence)
    notes = (*score.notes, note) if note else score.notes
    if interval is None or interval.low is None:
        return replace(score, interval=None, notes=notes, signature=score.signature.but(interval="none"))
    method = f"{interval.method} {confidence:g}"
    return replace(score, interval=interval, notes=notes, signature=score.signature.but(interval=method))


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _arrays(sums: DocumentSums | BlockSums | WindowSums) -> dict[str, Any]:
    found = {f.name: getattr(sums, f.name) for f in fields(sums)}
    return {
        name: [_number(x) for x in value.tolist()] if isinstance(value, np.ndarray) else value
        for name, value in found.items()
        if value is not None
    }


def _interval_dict(interval: Interval) -> dict[str, Any]:
    return {f.name: getattr(interval, f.name) for f in fields(interval)}


def _from_dict(found: Any) -> Score:
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        version = found.get("schema") if isinstance(found, dict) else None
        message = f"expected the schema {SCHEMA!r}, found {version!r}"
        raise ValueError(message)
    documents, blocks, interval = found["by_document"], found["by_block"], found["interval"]
    return Score(
        model=str(found["model"]),
        text=str(found["text"]),
        nats=float(found["nats"]),
        known_nats=float(found["known_nats"]),
        tokens=None if found["tokens"] is None else int(found["tokens"]),
        signature=Signature.parse(found["signature"]),
        interval=None if interval is None else Interval(**interval),
        notes=tuple(map(str, found["notes"])),
        by_document=documents and _document_sums(documents),
        by_block=blocks
        and BlockSums(int(blocks["size"]), np.array(blocks["nats"], float), np.array(blocks["bytes"], np.int64)),
        by_window=_window_sums(found["by_window"]) if "by_window" in found else None,
        pieces=int(found["pieces"]) if "pieces" in found else None,
        seconds=float(found["seconds"]),
        environment=dict(found["environment"]),
        **_counts(found),
    )


def _counts(found: dict[str, Any]) -> Any:
    return {name: int(found[name]) for name in _COUNTS}


def _document_sums(found: dict[str, Any]) -> DocumentSums:
    columns: dict[str, Any] = {name: np.array(found[name], np.int64) for name in ("bytes", "chars", "words", "tokens")}
    if "sizes" in found:
        columns["sizes"] = np.array(found["sizes"], dtype=np.int64)
    return DocumentSums(np.array(found["nats"], dtype=np.float64), **columns)


def _window_sums(found: dict[str, Any]) -> WindowSums:
    nats, squares = (np.array(found[name], dtype=np.float64) for name in ("nats", "squares"))
    return WindowSums(nats, squares, *(np.array(found[name], dtype=np.int64) for name in ("tokens", "opening")))


def as_score(value: Any) -> Score:
    """A Score, or the saved run at a path."""
    if isinstance(value, Score):
        return value
    if isinstance(value, str | os.PathLike):
        return Score.load(value)
    message = f"{value!r:.60} is not a score; it must be a Score or the path of a saved run"
    raise InputTypeError(message, value=value)
