"""A check as text, as JUnit XML for continuous integration, and as Markdown for a summary."""

from __future__ import annotations

import html
import math
import re
import textwrap
from xml.sax.saxutils import escape, quoteattr

from bitmeter._util.width import line_width
from bitmeter.measure.gate.check import Check
from bitmeter.measure.gate.limits import Limit
from bitmeter.measure.interval.base import bracketed, decimals
from bitmeter.reports.figures import short_names

__all__ = ["describe_check", "junit_xml", "markdown_summary"]

_TITLES = {
    "better": "passed: better",
    "equal": "passed: equal within what is allowed",
    "worse": "failed: worse than allowed",
    "undecided": "undecided",
}
#: What XML 1.0 cannot hold, even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: What Markdown or HTML would take for more than text.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~-])")


def describe_check(check: Check) -> str:
    """A check in a few lines: the verdict, and each figure with its limit."""
    title = _TITLES[check.verdict] + (" (--strict: failed)" if check.verdict == "undecided" and check.strict else "")
    text = short_names([check.base.text])[check.base.text]
    lines = [title, *_wrapped(f"{check.new.model} against {check.base.model} on {text}")]
    width = max(len(limit.name) for limit in check.limits)
    for limit in check.limits:
        lines += _wrapped(f"  {limit.name:<{width}}  {_figure(limit)} {limit.unit}", width + 4)
        lines += _wrapped(f"  {'':<{width}}  {sentence(check, limit)}", width + 4)
    for note in check.comparison.rows[1].notes:
        lines += _wrapped(f"  note: {note}", 8)
    return "\n".join(lines)


def sentence(check: Check, limit: Limit) -> str:
    """What the interval says about the limit."""
    allowed = f"the {_allowed(check, limit)} allowed"
    if limit.verdict == "better":
        return f"better (at most {_allowed(check, limit)} worse was allowed)"
    if limit.verdict == "equal":
        return f"{'equal ' if limit.name == 'difference' else ''}within {allowed}"
    if limit.verdict == "worse":
        return f"worse than {allowed}" + (f": {limit.reason}" if limit.reason else "")
    if limit.reason:
        return f"undecided against {allowed}: {limit.reason}"
    if limit.more is None:
        return f"undecided against {allowed}: so close to it that more text would not decide"
    return f"undecided against {allowed}: about {limit.more:,} more {limit.noun}{'s' * (limit.more != 1)} would do"


def junit_xml(check: Check, seconds: float = 0.0) -> str:
    """One test case per limit, as JUnit writes it; an undecided one is skipped, or with `strict` failed."""
    failed = [limit for limit in check.limits if _fails(check, limit)]
    skipped = [limit for limit in check.limits if limit.verdict == "undecided" and not check.strict]
    counts = f'tests="{len(check.limits)}" failures="{len(failed)}" errors="0" skipped="{len(skipped)}"'
    name = _attribute(f"{check.new.model} against {check.base.model} on {check.base.text}")
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    lines.append(f'  <testsuite name="bitmeter check" {counts} time="{seconds:.3f}">')
    for limit in check.limits:
        message = f"{_figure(limit)} {limit.unit}: {sentence(check, limit)}"
        lines.append(f"    <testcase classname={name} name={_attribute(limit.name)}>")
        if limit in failed:
            kind = _attribute(limit.verdict)
            lines.append(f"      <failure type={kind} message={_attribute(message)}>{_text(message)}</failure>")
        elif limit in skipped:
            lines.append(f"      <skipped message={_attribute(message)}/>")
        else:
            lines.append(f"      <system-out>{_text(message)}</system-out>")
        lines.append("    </testcase>")
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def markdown_summary(check: Check) -> str:
    """A heading, a table with one row per limit, and the signatures."""
    title = f"### bitmeter check: {_TITLES[check.verdict]}"
    about = f"{_plain(check.new.model)} against {_plain(check.base.model)} on {_plain(check.base.text)}"
    lines = [title, "", about, "", "| figure | value | verdict |", "|---|---|---|"]
    for limit in check.limits:
        cells = (limit.name, f"{_figure(limit)} {limit.unit}", sentence(check, limit))
        lines.append(f"| {' | '.join(map(_plain, cells))} |")
    level = f"{100 * check.comparison.confidence:g} %"
    method = f"Intervals: {level}, {check.comparison.method}."
    signatures = f"Signatures: `{check.base.signature.short}`, `{check.new.signature.short}`."
    return "\n".join([*lines, "", f"{_plain(method)} {signatures}", ""])


def _fails(check: Check, limit: Limit) -> bool:
    return limit.verdict == "worse" or (check.strict and limit.verdict == "undecided")


def _is_share(limit: Limit) -> bool:
    return limit.unit == "of tokens"


def _number(limit: Limit, value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{100 * value:.4g} %" if _is_share(limit) else f"{value:.4g}"


def _figure(limit: Limit) -> str:
    """The figure with its interval."""
    if math.isinf(limit.value):
        return _number(limit, limit.value)
    signed = limit.name == "difference"
    scale, mark = (100.0, " %") if _is_share(limit) else (1.0, "")
    if limit.low is None or limit.high is None:
        return f"{scale * limit.value:{'+' if signed else ''}.4f}{mark}"
    places = min(8, decimals(scale * (limit.high - limit.low), least=3))
    ends = bracketed(scale * limit.low, scale * limit.high, places, sign=signed)
    return f"{scale * limit.value:{'+' if signed else ''}.{places}f}{mark} {ends}"


def _allowed(check: Check, limit: Limit) -> str:
    share = f" ({check.allow})" if limit.name == "difference" and check.allow.endswith("%") else ""
    return f"{_number(limit, limit.most)}{share}"


def _wrapped(line: str, indent: int = 2) -> list[str]:
    return textwrap.wrap(
        line, line_width(), subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )


def _xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _attribute(text: str) -> str:
    return quoteattr(_xml(text))


def _text(text: str) -> str:
    return escape(_xml(text))


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _MARKDOWN.sub(r"\\\1", html.escape(" ".join(text.split()), quote=False))
