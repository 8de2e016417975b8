"""The text of a score and of a comparison, as `print` and the command line show them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bitmeter._util.width import line_width
from bitmeter.measure.aggregates import Per
from bitmeter.reports.figures import (
    convention_words,
    counted,
    figure_with_interval,
    folded,
    interval_words,
    perplexity,
    short_names,
    tool_figures,
    tool_number,
)

if TYPE_CHECKING:
    from bitmeter.measure.compare import Comparison, Refusal
    from bitmeter.measure.divergence import Divergence
    from bitmeter.measure.score import Score
    from bitmeter.measure.signature import Difference

#: The column in which the values of a score's lines begin.
_COLUMN = 15
#: Below this width, what else stands side by side has a line each.
_NARROW = 60
#: The denominators of the perplexities shown.
_SHOWN: tuple[Per, ...] = ("token", "word", "char")


def describe(score: Score) -> str:
    """A score in a few lines, as the command line prints it."""
    figure = figure_with_interval(score)
    sizes = f"{counted(score.documents, 'doc')} · {counted(score.count(score.figure_per), score.figure_per)}"
    title = f"bits/{score.figure_per}"
    narrow = line_width() < _NARROW
    lines = folded("", f"{score.model} on {short_names([score.text])[score.text]}", 0)
    lines += (
        [f"  {title:<12} {figure}", f"  size         {sizes}"] if narrow else [f"  {title:<12} {figure:<24} {sizes}"]
    )
    if score.interval is not None:
        lines += folded("  interval", interval_words(score.interval), _COLUMN)
    if score.signature.given != "none" and (mean := score.macro) is not None:
        from bitmeter.reports.groups import with_ends

        value = with_ends(mean.estimate, mean)
        if narrow:
            lines += folded("  macro", f"{value}, mean over answers", _COLUMN)
        else:
            lines.append(f"  macro        {value:<24} mean over answers")
    # Characters are paid for where bytes are.
    shown = [per for per in _SHOWN if per != "char" or score.figure_per == "byte"]
    parts = [f"{perplexity(score, per)} /{per}" for per in shown]
    parts = [part for part in parts if not part.startswith("–")]
    if parts:
        rows = parts if narrow else ["   ".join(parts)]
        lines += [f"  {'' if index else 'perplexity':<12} {row}" for index, row in enumerate(rows)]
    convention = convention_words(score.signature)
    if parts and convention:
        lines += folded("  convention", convention, _COLUMN)
    lines += _exceptions(score)
    known = score.signature.test_set
    if known is not None and known != score.text:
        lines += folded("  test set", f"{known}, by its hash", _COLUMN)
    figures, reason = tool_figures(score)
    lines += _tool_lines(score.signature.like, figures)
    for note in (*score.notes, *([reason] if reason else [])):
        lines += folded("  note", note, _COLUMN)
    if score.by_group is not None:
        from bitmeter.reports.groups import group_lines

        lines += group_lines(score)
    return "\n".join([*lines, f"  signature    {score.signature.short}"])


def _exceptions(score: Score) -> list[str]:
    counts = [
        f"{count:,} {name}"
        for name, count in (
            ("unknown", score.oov),
            ("not scored", score.skipped),
            ("impossible", score.impossible),
            ("bytes not UTF-8", score.invalid),
        )
        if count
    ]
    return folded("  of which", ", ".join(counts), _COLUMN) if counts else []


def _tool_lines(tool: str, figures: Mapping[str, float]) -> list[str]:
    """The figures of another tool beside its name; below it at a narrow terminal."""
    width = max(map(len, figures), default=0)
    cells = [(name, tool_number(value)) for name, value in figures.items()]
    lines = [f"  {'' if k else tool:<12} {name:<{width}}  {value}" for k, (name, value) in enumerate(cells)]
    if max(map(len, lines), default=0) <= line_width():
        return lines
    lines = [f"  {tool}"]
    for name, value in cells:
        line = f"    {name:<{width}}  {value}"
        lines += [line] if len(line) <= line_width() else [f"    {name}", f"      {value}"]
    return lines


def notes_of(scores: Sequence[Score]) -> list[str]:
    """The notes of several scores, each once, with the scores that it is about."""
    names = short_names([score.text for score in scores])
    several = len(names) > 1
    about: dict[str, list[Score]] = {}
    for score in scores:
        _, reason = tool_figures(score)
        for note in dict.fromkeys(filter(None, (convention_words(score.signature), *score.notes, reason))):
            about.setdefault(note, []).append(score)
    lines = []
    for note, found in about.items():
        labels = []
        for score in found:
            everywhere = sum(s.model == score.model for s in found) == sum(s.model == score.model for s in scores)
            labels.append(score.model if everywhere or not several else f"{score.model} on {names[score.text]}")
        lines.append(f"{', '.join(dict.fromkeys(labels))}: {note}")
    return lines


# ---- comparisons -----------------------------------------------------------------------------------------------------


def describe_comparison(comparison: Comparison) -> str:
    """A comparison with one line per model, and the remarks."""
    width = max(len(row.score.model) for row in comparison.rows)
    lines = []
    for row in comparison.rows:
        change = "baseline" if row.reason == "baseline" else f"{row.difference:+.6f}"
        if row.low is not None and row.high is not None:
            change += f" [{row.low:+.6f}, {row.high:+.6f}]"
        if row.p_value is not None:
            change += "  p < .001" if row.p_value < 0.001 else f"  p = {row.p_value:.3f}"
        per = comparison.per
        lines.append(f"{row.score.model:<{width}}  {row.score.per(per):.6f} bits/{per}  {change}")
    return "\n".join([*lines, *remarks(comparison)])


def remarks(comparison: Comparison) -> list[str]:
    """How to read the figures of a comparison: how they were computed, and why some are missing."""
    base = comparison.baseline
    text = short_names([base.text])[base.text]
    per = comparison.per
    lines = folded("", f"Δ is in bits per {per} against {base.model} on {text}; below zero is better.", 0)
    if per != "byte":
        convention = f"{convention_words(base.signature)}. Compare only models that know the same words."
        lines += folded("", f"{convention[:1].upper()}{convention[1:]}", 0)
    if comparison.weights == "document":
        lines += folded("", f"Δ weighs every document alike (macro average); bits/{per} weighs every {per} alike.", 0)
    if comparison.method != "totals only":
        caveats = sorted({row.caveat for row in comparison.rows if row.caveat})
        lines += folded("", f"Intervals and tests: {'; '.join([comparison.method, *caveats])}.", 0)
    tests = sum(row.p_value is not None for row in comparison.rows)
    if tests > 1:
        lines += folded("", f"p is corrected for {tests} comparisons (Holm).", 0)
    reasons: dict[str, list[str]] = {}
    for k, row in enumerate(comparison.rows):
        missing = row.reason if not row.reason or row.reason.startswith("no ") else f"no p-value: {row.reason}"
        for remark in (*([missing] if missing and k else []), *row.notes):
            reasons.setdefault(remark, []).append(row.score.model)
    found = [f"{', '.join(dict.fromkeys(models))}: {reason}" for reason, models in reasons.items()]
    return lines + [part for line in found for part in textwrap.wrap(line, line_width(), subsequent_indent="  ")]


def describe_refusal(found: Refusal) -> str:
    """Why two scores must not be compared, and what to type instead."""
    from bitmeter.reports.explain import refusal

    first, second = found.first, found.second
    names = short_names((first.text, second.text))
    a, b = f"{first.model} on {names[first.text]}", f"{second.model} on {names[second.text]}"
    return (
        f"{a} and {b} must not be compared: {refusal(found.differences)}. "
        f"Score both again on the same text with the same conventions{_options(found.differences)}"
    )


def _options(found: Sequence[Difference]) -> str:
    """The options that set the conventions that differ; none if the texts differ already."""
    if any(d.key == "text" for d in found):
        return ""
    listed = ", ".join(f"--{d.key}" for d in found if d.key in ("docs", "norm", "first", "eos", "oov", "den"))
    spelled = any(d.key == "oov" and "spelled" in (d.first, d.second) for d in found)
    spells = "; bitmeter convert MODEL new.bmn --spelling TEXT adds a spelling model to a model from ARPA"
    if any(d.key == "units" for d in found):
        listed += ", with models of the same units, or with a model of words that has a spelling (--oov spelled)"
        spelled = True
    return (f": {listed.removeprefix(', ')}" if listed else "") + (spells if spelled else "")


def describe_divergence(found: Divergence) -> str:
    """A divergence in a few lines: the mean, its percentiles, what it costs, and both signatures."""
    parts = [f"{share:g} %: {found.percentile(share):.6f}" for share in (50, 90, 99)]
    parts.append(f"most: {found.percentile(100):.6f}")
    rows = {
        "divergence": f"{found.mean:.6f} ± {found.error:.6f} bits per token, over {len(found):,} tokens",
        "of which": "   ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts),
        "same top": f"{100 * found.same_top_rate:.3f} %",
        "cost": f"{found.log_ratio:+.6f} bits per token; probability of the truth off by "
        f"{100 * found.probability_error:.3f} % (root mean square)",
        "signatures": " ".join(signature.short for signature in found.signatures),
    }
    name = short_names([found.text])[found.text]
    lines = folded("", f"{found.second} against {found.first} on {name}", 0)
    for title, text in rows.items():
        lines += [line.replace("\N{NO-BREAK SPACE}", " ") for line in folded(f"  {title}", text, 15)]
    return "\n".join(lines)
