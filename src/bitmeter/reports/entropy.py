"""A survey as a table for people and as JSON for machines."""

from __future__ import annotations

import json
import math
import textwrap

from rich.text import Text

from bitmeter._util.width import LONGEST, line_width
from bitmeter._version import __version__
from bitmeter.measure.survey import PRIMED, RELIABLE_COVERAGE, UNIVERSAL, Row, Survey, singular
from bitmeter.theory.estimators.alphabets import number_bits

__all__ = ["as_json", "figure", "footer", "header", "table"]

_NATS_PER_UNIT = {"bits": math.log(2.0), "nats": 1.0, "hartleys": math.log(10.0)}
_GROUPS = {
    "order": "Entropy of a {unit} by order: given the preceding ones",
    "estimate": "Entropy of a single {unit}, estimated",
    "rate": "Entropy rate: of a {unit}, given the whole past",
}
_LABELS = {
    "maximum-likelihood": "maximum likelihood",
    "miller-madow": "Miller-Madow",
    "grassberger": "Grassberger",
    "chao-shen": "Chao-Shen",
    "chao-wang-jost": "Chao-Wang-Jost",
    "zhang": "Zhang",
    "james-stein": "James-Stein",
    "nsb": "NSB",
    UNIVERSAL: "universal model",
    PRIMED: "universal primed",
    "ctw": "context trees (CTW)",
    "lz76": "Lempel-Ziv 1976",
    "lz78": "Lempel-Ziv 1978",
    "match-b": "match lengths",
    "match-a": "match lengths (A)",
    "block": "block differences",
}
#: Remarks on rates that are not bounds, short enough for a table.
_SHORT_NOTES = {
    PRIMED: "bound, given prime",
    "lz76": "no bound, slow",
    "lz78": "no bound, slow",
}
_HEADINGS = {"order": ("corrected", "coverage"), "estimate": ("95 %", ""), "rate": ("", "")}


def figure(nats: float, unit: str) -> float:
    """A figure in the requested unit."""
    return nats / _NATS_PER_UNIT[unit]


def header(survey: Survey) -> str:
    """What was measured, in one line."""
    parts = [survey.source, f"{survey.symbols:,} {survey.units}", f"{survey.kinds:,} distinct"]
    if survey.units != "bytes":
        parts.append(f"{survey.byte_count:,} bytes")
    if survey.undecoded:
        parts.append(f"{survey.undecoded:,} bytes are not UTF-8, each counted as a char")
    return (
        "\n".join(textwrap.wrap(" · ".join(parts), line_width(), break_long_words=False))
        if _is_narrow()
        else " · ".join(parts)
    )


def table(survey: Survey, unit: str) -> Text:
    """All figures in one table, in groups."""
    one = singular(survey.units)
    result = Text()
    for group, title in _GROUPS.items():
        result.append("\n".join(textwrap.wrap(title.format(unit=one), line_width())) + "\n", style="bold cyan")
        result.append(_line("", f"{unit}/{one}", *_HEADINGS[group]) + "\n", style="dim")
        for row in survey.rows:
            if row.group == group:
                result.append_text(_row(row, survey, unit)).append("\n")
        result.append("\n")
    result.rstrip()
    return result


def _line(label: str, value: str, second: str, third: str) -> str:
    if _is_narrow():
        head = f"  {label}\n" if label else ""
        return head + f"{value:>14}{second:>12}{third:>11}".rstrip()
    return f"  {label:<22}{value:>12}{second:>12}{third:>11}".rstrip()


def _is_narrow() -> bool:
    """Whether a row takes two lines: the label and the remark, and the figures below."""
    return line_width() < LONGEST


def _row(row: Row, survey: Survey, unit: str) -> Text:
    second = "" if row.corrected is None else f"{figure(row.corrected, unit):.4f}"
    if row.interval is not None:
        second = f"± {figure((row.interval[1] - row.interval[0]) / 2, unit):.4f}"
    third = "" if row.coverage is None or row.group != "order" else f"{math.floor(1e4 * row.coverage) / 100:.2f} %"
    remark, style = _remark(row)
    label = f"{_label(row)}, {remark}" if remark and _is_narrow() else _label(row)
    text = Text(_line(label, f"{figure(row.nats, unit):.4f}", second, third))
    if row is survey.headline:
        text.stylize("bold")
    elif not row.reliable:
        text.stylize("dim")
    if remark and not _is_narrow():
        text.pad_right(61 - len(text.plain))
        text.append(remark, style=style)
    return text


def _label(row: Row) -> str:
    if row.group == "order":
        return "no context" if row.name == "0" else f"{row.name} before"
    return _LABELS.get(row.name, row.name)


def _remark(row: Row) -> tuple[str, str]:
    if row.upper_bound:
        return "upper bound", "green"
    if row.group == "rate":
        return _SHORT_NOTES.get(row.name, "no bound"), "dim"
    if not row.reliable:
        if row.group == "order":
            return "too low", "yellow"
        covered = row.coverage is not None and row.coverage >= RELIABLE_COVERAGE
        return ("not well sampled" if covered else "undersampled"), "yellow"
    return ("estimate, of 256" if row.name == "nsb" else "estimate"), "dim"


def footer(survey: Survey, unit: str) -> str:
    """The conclusion in a few sentences."""
    best = survey.best_bound
    one = singular(survey.units)
    plain = f", against {figure(8 * math.log(2.0), unit):.4g} uncompressed" if survey.units == "bytes" else ""
    lines = [
        f"Best bound: {figure(best.nats, unit):.4f} {unit} per {one} by {_label(best)}{plain};",
        f"as uncertain as {_choices(best.nats)} equally likely {survey.units}.",
    ]
    if survey.units == "words":
        lines.append("CTW codes words and spells each once; the others code white space, too.")
    if any(row.name == UNIVERSAL for row in survey.rows):
        cost = figure(number_bits(survey.byte_count) * math.log(2.0), unit)
        lines.append(f"The universal row pays {cost:.1f} {unit} for the length of the text, unlike score.")
    if any(row.name == PRIMED for row in survey.rows):
        lines.append("The primed row holds only for a decoder that has read the priming text, too.")
    low = [row for row in survey.rows if not row.reliable]
    if low:
        lines.append(
            f"Marked rows observed less than {RELIABLE_COVERAGE:.0%} of the distribution, or too little\n"
            "of its tail: they need more data."
        )
    if _is_narrow():
        lines = textwrap.wrap(" ".join(lines).replace("\n", " "), line_width())
    return "\n".join(lines)


def _choices(nats: float) -> str:
    return f"{math.exp(nats):,.1f}" if nats < 35 else "very many"


def as_dict(survey: Survey, unit: str) -> dict[str, object]:
    """Every figure to full precision; in bits and nats beside the unit that was asked for."""
    return {
        "schema": "bitmeter.entropy/1",
        "version": __version__,
        "source": survey.source,
        "units": survey.units,
        "unit": unit,
        "symbols": survey.symbols,
        "kinds": survey.kinds,
        "bytes": survey.byte_count,
        "undecoded": survey.undecoded,
        "headline": {"name": survey.headline.name, "value": figure(survey.headline.nats, unit)},
        "rows": [_json_row(row, unit) for row in survey.rows],
    }


def as_json(survey: Survey, unit: str) -> str:
    """The same as JSON."""
    return json.dumps(as_dict(survey, unit), indent=2, ensure_ascii=False, allow_nan=False)


def _json_row(row: Row, unit: str) -> dict[str, object]:
    name: dict[str, object] = {"order": int(row.name)} if row.group == "order" else {"method": row.name}
    return {
        "group": row.group,
        **name,
        "value": figure(row.nats, unit),
        "bits": figure(row.nats, "bits"),
        "nats": figure(row.nats, "nats"),
        "corrected": None if row.corrected is None else figure(row.corrected, unit),
        "interval": None if row.interval is None else [figure(end, unit) for end in row.interval],
        "coverage": row.coverage,
        "upper_bound": row.upper_bound,
        "reliable": row.reliable,
        "note": row.note,
    }
