"""The text of an audit, as `print` and the command line show it."""

from __future__ import annotations

from bitmeter._util.width import line_width
from bitmeter.measure.audit.result import Audit, AuditCheck, Finding
from bitmeter.reports.figures import counted, figure_with_interval, folded, interval_words, short_names

__all__ = ["describe_audit"]

#: The column in which values begin.
_COLUMN = 15
_MARKS = {"passed": "ok", "failed": "WRONG", "partial": "partly", "impossible": "unknown"}
_VERDICTS = {
    "proven": "proven: every check was possible, and none failed",
    "unproven": "unproven: nothing refutes it, but not everything could be checked",
    "unsound": "UNSOUND: this figure is not what it says",
}


def describe_audit(audit: Audit) -> str:
    """An audit in lines: the figure, each check, each finding with its place and effect, and the verdict."""
    name = short_names([audit.text])[audit.text]
    sizes = f"{counted(audit.text_bytes, 'byte')}, {counted(audit.documents, 'document')}"
    lines = folded(f"{audit.subject} on {name}:", sizes, 2)
    lines += _figures(audit)
    if 0 < audit.sampled < audit.text_bytes:
        lines += folded("  tried on", f"{audit.sampled:,} of the {audit.text_bytes:,} bytes", _COLUMN)
    for assumption in audit.assumptions:
        lines += folded("  read as", assumption, _COLUMN)
    for names, check in _grouped(audit.checks):
        lines += folded(f"  {_MARKS[check.status]:<7}", f"{', '.join(names)}: {check.summary}", 10)
    for finding in audit.findings:
        lines += _finding(finding)
    lines += _verdict(audit)
    for difference in audit.differences:
        lines += folded("  differs", difference, _COLUMN)
    return "\n".join(lines)


def _figures(audit: Audit) -> list[str]:
    score = audit.score
    if score is None:
        return ["  bits/byte    none: see the findings"]
    figure = figure_with_interval(score)
    word = "recomputed from the table" if audit.kind == "table" else ""
    if audit.claimed is not None:
        word = f"{word}; claimed {audit.claimed:g}"
    title = f"bits/{score.figure_per}"
    lines = [f"  {title:<12} {figure:<24} {word}".rstrip()]
    if len(lines[0]) > line_width():
        lines = [f"  {title:<12} {figure}", *folded(" " * _COLUMN, word, _COLUMN)]
    if score.interval is not None:
        lines += folded("  interval", interval_words(score.interval), _COLUMN)
    fixed = audit.correction
    if fixed is not None:
        # Without any spread the sample says nothing of an interval.
        ends = f" [{fixed.low:.3f}, {fixed.high:.3f}]" if fixed.low < fixed.high else ""
        lines += folded(
            "  corrected",
            f"about {fixed.bits_per_byte:.3f}{ends} if its predictions were normalised "
            f"and did not look ahead, from {counted(fixed.positions, 'position')}",
            _COLUMN,
        )
    for note in score.notes:
        lines += folded("  note", note, _COLUMN)
    return [*lines, f"  signature    {score.signature.short}"]


def _grouped(checks: tuple[AuditCheck, ...]) -> list[tuple[list[str], AuditCheck]]:
    """Checks that came to the same for one reason share a line."""
    found: dict[tuple[str, str], tuple[list[str], AuditCheck]] = {}
    for check in checks:
        found.setdefault((check.status, check.summary), ([], check))[0].append(check.name)
    return list(found.values())


def _finding(finding: Finding) -> list[str]:
    title = "  finding" if finding.severity == "unsound" else "  note"
    place = []
    if finding.byte is not None:
        place.append(f"byte {finding.byte:,}")
    if finding.document is not None:
        place.append(f"document {finding.document}")
    if finding.unit:
        place.append(f"at {finding.unit}")
    text = finding.text + (f" ({', '.join(place)})" if place else "")
    effect = []
    if finding.bits is not None:
        effect.append(f"{finding.bits:+,.1f} bits")
    if finding.bits_per_byte is not None:
        effect.append(f"{finding.bits_per_byte:+.4f} bits per byte")
    said = f"; effect {', '.join(effect)}" if effect else ""
    if effect and finding.estimated:
        said += f" (of {finding.check} alone, estimated from {counted(finding.estimated, 'position')})"
    return folded(title, text + said, _COLUMN)


def _verdict(audit: Audit) -> list[str]:
    lines = folded("", _VERDICTS[audit.verdict], 0)
    if audit.verdict == "unproven":
        missing = ", ".join(check.name for check in audit.missing)
        lines += folded("", f"not checked, or only in part: {missing}", 2)
    return lines
