"""The certificate of an audit: read, and held against the audit that repeats it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import zip_longest

from bitmeter._util.fields import Fields, read_fields
from bitmeter._util.files import as_path, unread
from bitmeter.errors import FileFormatError
from bitmeter.measure.audit.result import CHECKS, SCHEMA, Audit
from bitmeter.measure.score import Score

__all__ = ["Certificate", "differences", "read_certificate"]

#: By how much figures may differ, relatively: the last digits depend on the processor and the library.
_TOLERANCE = 1e-6
_MOST_BYTES = 1 << 26
_FIGURES = {"bits_per_byte": "bits per byte", "low": "its lower end", "high": "its upper end"}


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a certificate says."""

    path: str
    verdict: str
    kind: str
    name: str
    fingerprint: str
    text_hash: str
    text_bytes: int
    documents: int
    figures: Mapping[str, object]
    sampled: int
    claimed: float | None
    correction: Mapping[str, object]
    checks: Mapping[str, str]
    positions_of: Mapping[str, tuple[int, ...]]
    worst_of: Mapping[str, float | None]
    said: tuple[str, ...]
    effects: tuple[float, ...]
    seed: int
    positions: int
    farthest: int | None
    options: Mapping[str, str]
    version: str


def read_certificate(path: object) -> Certificate:
    """Read a certificate; FileFormatError says which field is wrong."""
    file = as_path(path)
    fault, remedy = f"{file} is not a certificate", "`bitmeter audit … -o FILE` writes one"
    try:
        if file.stat().st_size > _MOST_BYTES:
            message = f"{fault}: it has more than {_MOST_BYTES:,} bytes. {remedy}"
            raise FileFormatError(message, value=str(file))
        data = file.read_bytes()
    except OSError as error:
        message = f"{file} {unread(error)}"
        raise FileFormatError(message, value=str(file)) from error
    fields = read_fields(data, str(file), fault, remedy)
    if "schema" not in fields or fields.value("schema") != SCHEMA:
        fields.fail(f"expected the schema {SCHEMA!r}")
    subject, text, figures = fields.fields("subject"), fields.fields("text"), fields.fields("figures")
    checks, findings = fields.list_of_fields("checks"), fields.list_of_fields("findings")
    if len({one.text("name") for one in checks}) < len(checks):
        fields.fail("it has a check twice")
    return Certificate(
        path=str(file),
        verdict=fields.text("verdict", ("proven", "unproven", "unsound")),
        kind=subject.text("kind", ("model", "compressor", "table")),
        name=subject.text("name"),
        fingerprint=subject.text("fingerprint"),
        text_hash=text.text("sha256"),
        text_bytes=text.count("bytes"),
        documents=text.count("documents"),
        figures=_figures(figures),
        sampled=fields.count("sampled"),
        claimed=_optional(fields, "claimed"),
        correction={} if fields.is_null("correction") else _correction(fields.fields("correction")),
        checks={one.text("name", tuple(CHECKS)): one.text("status") for one in checks},
        positions_of={one.text("name"): tuple(one.counts("positions").tolist()) for one in checks},
        worst_of={one.text("name"): _optional(one, "worst") for one in checks},
        said=_wording([one.text("summary") for one in checks], [one.text("text") for one in findings]),
        effects=tuple(_optional(one, "bits") or 0.0 for one in findings),
        seed=fields.count("seed"),
        positions=fields.count("positions"),
        farthest=None if "farthest" not in fields or fields.is_null("farthest") else fields.count("farthest"),
        options=_texts(fields.fields("options")),
        version=fields.fields("environment").text("bitmeter"),
    )


def _figures(fields: Fields) -> dict[str, object]:
    """What is said of the score; without one, that there is none."""
    found: dict[str, object] = {"bits_per_byte": _optional(fields, "bits_per_byte")}
    found["signature"] = None if fields.is_null("signature") else fields.text("signature")
    if found["signature"] is None:
        return found
    found["nats"] = fields.real("nats", infinite=True)
    found |= {name: fields.count(name) for name in ("bytes", "tokens")}
    found["confidence"] = fields.real("confidence", low=0.0, high=1.0)
    ends = None if fields.is_null("interval") else fields.reals("interval", infinite=True).tolist()
    if ends is not None and len(ends) != 2:
        fields.fail("interval must hold two numbers")
    found["interval"] = None if ends is None else tuple(ends)
    return found


def _correction(fields: Fields) -> dict[str, object]:
    ends: dict[str, object] = {name: fields.real(name) for name in ("bits_per_byte", "low", "high")}
    return ends | {"positions": fields.count("positions")}


def _optional(fields: Fields, name: str) -> float | None:
    return None if fields.is_null(name) else fields.real(name, infinite=True)


def _texts(fields: Fields) -> dict[str, str]:
    known = ("docs", "field", "unit", "columns", "units", "claimed")
    unknown = [name for name in fields if name not in known]
    if unknown:
        fields.fail(f"options has the unknown field {unknown[0]!r:.60}")
    return {name: fields.text(name) for name in fields}


def differences(found: Audit, before: Certificate) -> tuple[str, ...]:
    """What an audit finds otherwise than the certificate says.

    Counts and the signature must be the same; other figures may differ by 1e-6 of their size.
    """
    pairs: list[tuple[str, object, object]] = [
        ("the text's SHA-256", before.text_hash, found.text_hash),
        ("the text's bytes", before.text_bytes, found.text_bytes),
        ("documents", before.documents, found.documents),
        (f"the {before.kind}'s fingerprint", before.fingerprint, found.fingerprint),
        ("the verdict", before.verdict, found.verdict),
        ("the bytes that were tried", before.sampled, found.sampled),
        ("the claim", before.claimed, found.claimed),
    ]
    now = {check.name: check for check in found.checks}
    for name, status in before.checks.items():
        pairs.append((f"the check {name}", status, now[name].status if name in now else "missing"))
        if name in now:
            pairs.append((f"the positions of {name}", before.positions_of[name], now[name].positions))
            if not _same_worst(before.worst_of[name], now[name].worst, now[name].tolerance):
                pairs.append((f"the largest deviation of {name}", before.worst_of[name], now[name].worst))
    pairs += [
        (f"the check {name}", "missing", check.status) for name, check in now.items() if name not in before.checks
    ]
    words = _wording([check.summary for check in found.checks], [finding.text for finding in found.findings])
    if before.version == found.environment.get("bitmeter"):  # another version may say it in other words
        pairs += [
            (f"the words of {_named(found, k)}", was, now_is)
            for k, (was, now_is) in enumerate(zip_longest(before.said, words, fillvalue="none"))
        ]
    pairs.append(("the effects of findings", before.effects, tuple(one.bits or 0.0 for one in found.findings)))
    pairs.append(("the longest history", before.farthest, found.farthest))
    figures, correction = figures_of(found.score), {} if found.correction is None else asdict(found.correction)
    for name in dict.fromkeys([*before.figures, *figures]):
        was, now_is = before.figures.get(name), figures.get(name)
        if name == "signature" and isinstance(was, str) and isinstance(now_is, str):
            pairs.append((name, *_parts(was, now_is)))
        else:
            pairs.append((_FIGURES.get(name, name), was, now_is))
    for name in dict.fromkeys([*before.correction, *correction]):
        said = f"the correction ({_FIGURES.get(name, name)})"
        pairs.append((said, before.correction.get(name), correction.get(name)))
    return tuple(f"{what}: {_apart(a, b)}" for what, a, b in pairs if not _same(a, b))


def _apart(before: object, now: object) -> str:
    """Two values that differ, short; only that they differ where they begin alike."""
    was, now_is = _short(before), _short(now)
    return "not as in the certificate" if was == now_is else f"{was} in the certificate, {now_is} now"


def figures_of(score: Score | None) -> dict[str, object]:
    """What a certificate says of a score."""
    if score is None:
        return {"bits_per_byte": None, "signature": None}
    return {
        "nats": score.nats,
        "bytes": score.bytes,
        "tokens": score.tokens,
        "bits_per_byte": score.per("byte") if score.bytes and score.figure_per == "byte" else None,
        "interval": None if score.interval is None else (score.interval.low, score.interval.high),
        "confidence": score.confidence,
        "signature": str(score.signature),
    }


def _parts(first: str, second: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parts of two signatures that the other does not have."""
    one, other = first.split("|"), second.split("|")
    return tuple(part for part in one if part not in other), tuple(part for part in other if part not in one)


def _wording(summaries: list[str], findings: list[str]) -> tuple[str, ...]:
    """What is said, without its numbers: they are compared by themselves, and their last digits may differ."""
    return tuple(re.sub(r"[0-9][0-9.,]*(e[-+]?[0-9]+)?", "#", text) for text in (*summaries, *findings))


def _named(found: Audit, index: int) -> str:
    if index < len(found.checks):
        return f"the check {found.checks[index].name}"
    return f"finding {index - len(found.checks) + 1}"


def _same_worst(first: float | None, second: float | None, tolerance: float | None) -> bool:
    """What is within the tolerance of a check is rounding."""
    if first is None or second is None:
        return first == second
    limit = tolerance or 0.0
    return (first <= limit and second <= limit) or math.isclose(first, second, rel_tol=1e-3)


def _same(first: object, second: object) -> bool:
    """Numbers that are not whole may differ in their last digits."""
    if isinstance(first, float) and isinstance(second, float):
        return first == second or math.isclose(first, second, rel_tol=_TOLERANCE)
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(_same, first, second))
    return first == second


def _short(value: object) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], float):
        return "[" + ", ".join(map(_short, value)) + "]"
    if isinstance(value, tuple) and value and isinstance(value[0], str):
        return "|".join(value)[:200]
    if isinstance(value, tuple):
        return f"{len(value)} positions from {value[0] if value else 'none'}"
    if value is None:
        return "none"
    return f"{value:.6f}" if isinstance(value, float) else str(value)[:24]
