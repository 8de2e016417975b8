"""The result of an audit: checks, findings, the figure, and the verdict."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal

from bitmeter._util.files import replacing
from bitmeter._util.rendering import rendered
from bitmeter.measure.score import Score

__all__ = ["CHECKS", "SCHEMA", "Audit", "AuditCheck", "Correction", "Finding", "Status", "Verification", "plural"]

SCHEMA = "bitmeter.audit/1"

#: What a check came to. "partial": nothing was refuted, but less was checked than would be needed.
Status = Literal["passed", "failed", "partial", "impossible"]
#: Whether a finding refutes the figure, or is only to be known.
Severity = Literal["unsound", "note"]

#: Each check, and what it asks. All of them must pass for the word "proven".
CHECKS = {
    "file": "the model's file is intact: every checksum and link",
    "bytes": "units partition the raw bytes, each byte exactly once",
    "values": "every log-probability is one",
    "sums": "predictions sum to one",
    "agreement": "a unit costs what was predicted",
    "spelling": "spellings of unknown words sum to one",
    "future": "what follows a unit changes nothing",
    "learning": "each unit is scored before the model learns from it",
    "pass": "one pass from left to right: later documents change nothing",
    "batch": "a document costs the same alone, among others, and in the run",
    "repeat": "the same call gives the same figures",
    "ids": "the ids are those of the tokenizer",
    "claim": "the claimed figure is that of the table",
}


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """One property, and how closely it holds.

    Attributes
    ----------
    name
        One of `CHECKS`.
    status
        "passed", "failed", "partial" (not refuted, but only partly checked) or "impossible".
    summary
        What was found, or why it could not be checked.
    worst
        The largest deviation, in the unit of the check; None where there is none.
    tolerance
        What `worst` may be.
    positions
        The units that were looked at, by index among those of the text, or of what was sampled of it.
    of
        How many there are.
    """

    name: str
    status: Status
    summary: str
    worst: float | None = None
    tolerance: float | None = None
    positions: tuple[int, ...] = ()
    of: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong, or that a reader must know, with its place and its effect.

    Attributes
    ----------
    check
        The check that found it.
    text
        What was found.
    severity
        "unsound" if the figure is refuted by it, else "note".
    byte, document
        Where it is first: the offset in the text, and the document, counted from 0.
    unit
        The unit there, as text.
    bits
        By how much it changes the total; above zero, the figure is too low. None if unknown.
    bits_per_byte
        The same per byte of the text.
    estimated
        From how many positions the effect is estimated; 0 where it was counted. Effects of several findings are each
        of that finding alone: they overlap and have no sum.
    """

    check: str
    text: str
    severity: Severity = "unsound"
    byte: int | None = None
    document: int | None = None
    unit: str | None = None
    bits: float | None = None
    bits_per_byte: float | None = None
    estimated: int = 0


@dataclass(frozen=True, slots=True)
class Correction:
    """What the text would cost if the model were a distribution that does not look ahead, from the sampled positions.

    Attributes
    ----------
    bits_per_byte, low, high
        The figure, and the interval that the sample allows; None where one position costs infinitely much more.
    positions
        How many positions it is from.
    """

    bits_per_byte: float
    low: float
    high: float
    positions: int


@dataclass(frozen=True)
class Audit:
    """Whether a figure can be trusted, and why.

    Attributes
    ----------
    subject, kind, fingerprint
        What was audited: its name, whether it is a "model", a "compressor" or a "table", and the model's fingerprint or
        the hash of the table.
    text, text_hash, text_bytes, documents
        On which text, its SHA-256, its size, and how many documents it has.
    checks
        Each property that was checked, or could not be.
    findings
        What is wrong, and what a reader must know.
    score
        The figure, with interval and signature: of a table, recomputed from its log-probabilities and the raw bytes.
        None where it cannot be computed; the findings say why.
    correction
        Of an unsound model, what the text would cost under its predictions, normalised and without look-ahead.
    sampled
        How many bytes of the text a model was tried on.
    claimed
        The bits per byte that somebody said it has.
    assumptions
        How columns of a table were read.
    seed, positions
        By which positions were drawn, and how many were asked for.
    farthest
        The longest history after which every next unit was scored; None where no position was left out for time.
    options
        What else was asked for, as words: columns, units, docs.
    environment
        Versions.
    differences
        What differs from the certificate that was repeated; empty if nothing does, or if there was none.

    Examples
    --------
    >>> import bitmeter as bm
    >>> found = bm.audit("kt", b"to be or not to be, that is the question")
    >>> found.verdict, found.findings
    ('proven', ())
    """

    subject: str
    kind: Literal["model", "compressor", "table"]
    fingerprint: str
    text: str
    text_hash: str
    text_bytes: int
    documents: int
    checks: tuple[AuditCheck, ...]
    findings: tuple[Finding, ...] = ()
    score: Score | None = None
    correction: Correction | None = None
    sampled: int = 0
    claimed: float | None = None
    assumptions: tuple[str, ...] = ()
    seed: int = 0
    positions: int = 64
    farthest: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict, compare=False)
    differences: tuple[str, ...] = ()

    @property
    def verdict(self) -> Literal["proven", "unproven", "unsound"]:
        """Whether all was checked and holds, nothing was refuted but not all could be checked, or it is refuted."""
        if any(finding.severity == "unsound" for finding in self.findings):
            return "unsound"
        return "proven" if all(check.status == "passed" for check in self.checks) else "unproven"

    @property
    def sound(self) -> bool | None:
        """True if proven, False if unsound, None if unproven."""
        return {"proven": True, "unproven": None, "unsound": False}[self.verdict]

    @property
    def missing(self) -> tuple[AuditCheck, ...]:
        """The checks that were impossible, or possible only in part."""
        return tuple(check for check in self.checks if check.status in ("impossible", "partial"))

    def check(self, name: str) -> AuditCheck | None:
        """The check of a name; None if it does not apply."""
        return next((check for check in self.checks if check.name == name), None)

    def _worst(self, name: str) -> float:
        found = self.check(name)
        return math.nan if found is None or found.worst is None else found.worst

    @property
    def predicts(self) -> bool:
        """Whether sums of predictions could be checked."""
        return not math.isnan(self.sums)

    @property
    def sums(self) -> float:
        """The largest distance of a prediction's sum from one; NaN if unknown."""
        return self._worst("sums")

    @property
    def agrees(self) -> float:
        """The largest difference, in nats, between what a unit costs and what its prediction says; NaN if unknown."""
        return self._worst("agreement")

    @property
    def peeks(self) -> float:
        """The largest difference, in nats, that what follows a unit makes to it; NaN if unknown."""
        return self._worst("future")

    @property
    def file(self) -> bool | None:
        """Whether the model's file was read and is intact; None if it has no file."""
        return None if self.check("file") is None else True

    def to_dict(self) -> dict[str, object]:
        """What `to_json` writes: the certificate."""
        score = self.score
        figures = (
            {
                "bits_per_byte": None,
                "signature": None,
            }
            if score is None
            else {
                "nats": _number(score.nats),
                "bytes": score.bytes,
                "tokens": score.tokens,
                "bits_per_byte": _number(score.per("byte")) if score.bytes and score.figure_per == "byte" else None,
                "interval": None if score.interval is None else [score.interval.low, score.interval.high],
                "confidence": score.confidence,
                "signature": str(score.signature),
            }
        )
        return {
            "schema": SCHEMA,
            "verdict": self.verdict,
            "subject": {"kind": self.kind, "name": self.subject, "fingerprint": self.fingerprint},
            "text": {
                "name": self.text,
                "sha256": self.text_hash,
                "bytes": self.text_bytes,
                "documents": self.documents,
            },
            "figures": figures,
            "sampled": self.sampled,
            "claimed": self.claimed,
            "correction": None if self.correction is None else _dict(self.correction),
            "checks": [_dict(check) for check in self.checks],
            "findings": [_dict(finding) for finding in self.findings],
            "assumptions": list(self.assumptions),
            "seed": self.seed,
            "positions": self.positions,
            "farthest": self.farthest,
            "options": dict(self.options),
            "differences": list(self.differences),
            "environment": dict(self.environment),
        }

    def to_json(self) -> str:
        """The certificate as JSON, at full precision."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the certificate, which `bitmeter audit --check` repeats."""
        with replacing(path, force=force) as beside:
            beside.write_text(json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n", "utf-8")

    def __str__(self) -> str:
        return rendered(self)


#: The name under which earlier versions have the result of `verify`.
Verification = Audit


def plural(count: int, one: str, more: str) -> str:
    """A count with the words that go with it.

    Examples
    --------
    >>> plural(1, "byte is", "bytes are"), plural(1200, "byte is", "bytes are")
    ('1 byte is', '1,200 bytes are')
    """
    return f"{count:,} {one if count == 1 else more}"


def _number(value: object) -> object:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _dict(found: AuditCheck | Finding | Correction) -> dict[str, object]:
    values = {f.name: getattr(found, f.name) for f in fields(found)}
    return {name: list(value) if isinstance(value, tuple) else _number(value) for name, value in values.items()}
