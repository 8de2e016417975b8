"""The audit of a table: what can be seen from somebody else's log-probabilities and the raw text."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from bitmeter._util.arrays import Bools
from bitmeter._util.check import real
from bitmeter._util.progress import Progress, Step
from bitmeter.errors import InputError
from bitmeter.measure.audit.result import Audit, AuditCheck, Finding, plural
from bitmeter.measure.audit.tables.claims import Facts, claim_tolerance, explanations, facts_of
from bitmeter.measure.audit.tables.columns import TableColumns, read_columns
from bitmeter.measure.audit.tables.reading import read_table
from bitmeter.measure.audit.tables.rows import check_rows
from bitmeter.measure.audit.tables.scored import score_table
from bitmeter.measure.audit.tables.sizes import size_findings
from bitmeter.measure.audit.tables.tiling import RawText, Tiling, tile
from bitmeter.measure.score import Score
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Units
from bitmeter.text.units.named import units_of

__all__ = ["audit_table"]

_LN2 = math.log(2.0)
_UNSEEN = ("future", "learning", "pass", "repeat")
_WHY = "how the model came to its figures cannot be seen from a table; audit the model itself"
_NUMBER = re.compile(r"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")


def audit_table(
    source: Any, corpus: Corpus, wanted: dict[str, Any], *, seed: int, confidence: float, progress: Progress
) -> Audit:
    """All checks of a table against its text."""
    claimed = _claim(wanted["claimed"])
    table = read_table(source)
    units = None if wanted["units"] is None else units_of(wanted["units"])
    columns = read_columns(table, wanted["columns"], wanted["unit"])
    progress(Step(0, 4, "steps", stage="text"))
    text = _text(corpus)
    tiling = tile(columns, text, units, table.name)
    progress(Step(1, 4, "steps", stage="rows"))
    findings, checks = list(tiling.findings), [_bytes_check(tiling, text)]
    value_check, wrong = _values(columns, tiling, text)
    checks.append(value_check)
    findings += wrong
    rows, wrong = check_rows(columns, tiling, text)
    checks += rows
    findings += wrong
    progress(Step(2, 4, "steps", stage="units"))
    more, wrong = _segmentation(columns, tiling, text, units)
    checks += more
    findings += wrong
    checks += [AuditCheck(name, "impossible", _WHY) for name in _UNSEEN]
    special = tiling.special
    findings += _specials(columns, tiling, text, special)
    fits = tiling.laid is None or tiling.laid.broken is None
    usable = fits and not tiling.unpaid and value_check.status == "passed" and len(text.data) > 0
    score = None
    facts = None
    if usable:
        score = score_table(
            table.name,
            table.digest,
            table.precision,
            corpus,
            text,
            start=tiling.start,
            logs=columns.logprobs,
            ids=columns.ids,
            counts=tiling.counts,
            units=units if units is not None and units.joins else None,
            confidence=confidence,
            progress=None,
        )
        facts = facts_of(tiling, text, columns.logprobs, special, columns.counted, columns.scored)
        if columns.counted is not None:
            findings += size_findings(columns.counted, columns.scored, tiling, text, score.bits)
    if claimed is not None:
        more, wrong = _claimed(claimed, score, facts)
        checks += more
        findings += wrong
    progress(Step(4, 4, "steps", stage="done"))
    return Audit(
        subject=table.name,
        kind="table",
        fingerprint=f"sha256-{table.digest}",
        text=corpus.name,
        text_hash=corpus.fingerprint(),
        text_bytes=len(text.data),
        documents=len(text.ends),
        checks=tuple(checks),
        findings=tuple(findings),
        score=score,
        claimed=None if claimed is None else float(claimed),
        assumptions=tuple(dict.fromkeys(columns.assumptions)),
        seed=seed,
        positions=len(table),
    )


def _claim(claimed: object) -> float | str | None:
    """The claim, as it was written."""
    if claimed is None:
        return None
    if isinstance(claimed, str):
        if not _NUMBER.fullmatch(claimed.strip()):
            message = f"claimed is {claimed!r:.40}; it must be a number of bits per byte, such as 0.9485"
            raise InputError(message, value=claimed)
        return claimed.strip()
    return real(claimed, "claimed", low=0.0)


def _text(corpus: Corpus) -> RawText:
    parts, ends, offset = [], [np.zeros(0, dtype=np.int64)], 0
    for block in corpus.blocks():
        parts.append(block.data)
        ends.append(block.ends + offset)
        offset += len(block.data)
    return RawText(b"".join(parts), np.concatenate(ends).astype(np.int64))


def _bytes_check(tiling: Tiling, text: RawText) -> AuditCheck:
    wrong = [finding for finding in tiling.findings if finding.severity == "unsound"]
    if wrong:
        return AuditCheck("bytes", "failed", "units do not partition the text: " + wrong[0].text)
    number = int(tiling.counts.sum())
    return AuditCheck(
        "bytes",
        "passed",
        f"{plural(number, 'unit partitions', 'units partition')} the {plural(len(text.data), 'byte', 'bytes')}, "
        "each byte in one unit",
    )


def _values(columns: TableColumns, tiling: Tiling, text: RawText) -> tuple[AuditCheck, list[Finding]]:
    """No NaN and no probability above one among the units that count."""
    logs = columns.logprobs
    bad = tiling.counts & ~(logs <= 1e-9)
    if not bad.any():
        counted = logs[tiling.counts]
        infinite = int(np.isneginf(counted).sum())
        zero = int((counted == 0.0).sum())
        findings = []
        if zero > max(3, 0.2 * len(counted)):
            at = int(np.argmax(tiling.counts & (logs == 0.0)))
            findings.append(
                Finding(
                    "values",
                    f"{zero:,} of {len(counted):,} units cost nothing, as if they were certain: an "
                    "unscored unit is often written so",
                    "note",
                    byte=int(tiling.start[at]),
                    document=text.document(int(tiling.start[at])),
                )
            )
        said = "every log-probability is a number, and none is above zero" + (
            f"; {infinite:,} are −∞" if infinite else ""
        )
        return AuditCheck("values", "passed", said), findings
    at = int(np.argmax(bad))
    what = "NaN (not scored?)" if math.isnan(logs[at]) else f"ln p = {logs[at]:g}, a probability above 1"
    start, end = int(tiling.start[at]), int(tiling.end[at])
    said = f"{plural(int(bad.sum()), 'unit has', 'units have')} no log-probability; the first, unit {at}, has {what}"
    return AuditCheck("values", "failed", said), [
        Finding("values", said, byte=start, document=text.document(start), unit=text.shown(start, end))
    ]


def _segmentation(
    columns: TableColumns, tiling: Tiling, text: RawText, units: Units | None
) -> tuple[list[AuditCheck], list[Finding]]:
    """Whether the ids are those into which the tokenizer splits the text."""
    if columns.ids is None or units is None:
        return [], []
    split = units.split(text.data, text.ends)
    ours, theirs = split.ids, columns.ids[tiling.counts]
    if len(ours) == len(theirs) and (ours == theirs).all():
        return [AuditCheck("ids", "passed", f"the {len(ours):,} ids are those of {units.name}")], []
    size = min(len(ours), len(theirs))
    differing = np.flatnonzero(ours[:size] != theirs[:size])
    at = int(differing[0]) if len(differing) else size
    byte = int(split.cuts[min(at, len(split.cuts) - 1)])
    said = (
        f"{units.name} splits the text otherwise from unit {at} on: any partition is paid for in full, but it is not "
        "the one that this tokenizer gives"
    )
    return [AuditCheck("ids", "partial", said)], [
        Finding("ids", said, "note", byte=byte, document=text.document(byte), unit=text.shown(byte, byte + 16))
    ]


def _specials(columns: TableColumns, tiling: Tiling, text: RawText, special: Bools) -> list[Finding]:
    """Units that stand for no byte: their cost is left out of the figure, and said."""
    chosen = special & columns.scored & ~np.isnan(columns.logprobs)
    nats = -columns.logprobs[chosen]
    number = int(chosen.sum())
    if not number or not float(nats.sum()):
        return []
    at = int(np.argmax(chosen))
    start = int(tiling.start[at])
    bits = -math.fsum(nats.tolist()) / _LN2
    said = (
        f"{plural(number, 'unit stands', 'units stand')} for no byte of the text, as special tokens do; the table has "
        "a cost for that, which is no part of the text's cost and is left out here"
    )
    return [
        Finding(
            "bytes",
            said,
            "note",
            byte=start,
            document=text.document(start),
            bits=bits if math.isfinite(bits) else None,
            bits_per_byte=bits / len(text.data) if math.isfinite(bits) and text.data else None,
        )
    ]


def _claimed(claimed: float | str, score: Score | None, facts: Facts | None) -> tuple[list[AuditCheck], list[Finding]]:
    value = float(claimed)
    if score is None or facts is None:
        return [AuditCheck("claim", "impossible", "the table has no figure with which the claim could be compared")], []
    ours = score.bits_per_byte
    within = claim_tolerance(claimed)
    if abs(ours - value) <= within * 1.0001:
        return [
            AuditCheck(
                "claim",
                "passed",
                f"the claimed {claimed} bits per byte are those of the table",
                abs(ours - value),
                within,
            )
        ], []
    found = explanations(claimed, facts)
    why = " or: ".join(one.text for one in found) or "no mistake that is known here gives that figure"
    said = f"{claimed} bits per byte were claimed, and it is {ours:.6f} (ratio {value / ours:.4f}): {why}"
    finding = Finding("claim", said, bits=(ours - value) * facts.bytes, bits_per_byte=ours - value)
    check = AuditCheck(
        "claim", "failed", f"{claimed} bits per byte are not those of the table", abs(ours - value), within
    )
    return [check], [finding]
