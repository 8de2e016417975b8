"""Scores and signatures in words, for people: pure functions to plain text."""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bitmeter.errors import UndefinedError
from bitmeter.measure.conventions.base import Convention
from bitmeter.measure.conventions.registry import CONVENTIONS
from bitmeter.measure.conventions.settings import DEFAULTS, MEANINGS
from bitmeter.measure.signature import MAY_DIFFER, MUST_AGREE, Difference, Signature, differences
from bitmeter.models.causal.windows import context_in_words

if TYPE_CHECKING:
    from bitmeter.measure.score import Score

#: Longer lines are folded.
WIDTH = 80
#: Where the values of a score's lines begin.
_COLUMN = 15

_INTERVALS = {
    "none": "there is none",
    "cluster": "each document is one observation",
    "batch": "long stretches of the text are the observations",
}


# ---- figures ---------------------------------------------------------------------------------------------------------


def number(value: float, digits: int = 4) -> str:
    """A figure with so many significant digits, ∞ for infinity, thousands apart when it is large, 1.2e34 beyond."""
    if math.isinf(value):
        return "∞"
    if value >= 1e6:
        return f"{value:.{digits - 1}e}".replace("e+0", "e").replace("e+", "e")
    if value >= 10**digits:
        return f"{value:,.0f}"
    return f"{value:#.{digits}g}".rstrip(".") if value else "0"


def figure_with_interval(score: Score) -> str:
    """The bits a byte to as many decimals as the interval allows, and one more."""
    if score.bytes == 0:
        return "–"
    value = score.bits_per_byte
    if math.isinf(value):
        return "∞"
    half = None if score.interval is None else score.interval.half_width
    if half is None:
        return f"{value:.4f}"
    if half <= 1e-12 * value:  # no more than the rounding of the sums
        return f"{value:.4f} ± 0"
    decimals = min(8, max(3, 1 - math.floor(math.log10(half))))
    return f"{value:.{decimals}f} ± {half:.{decimals}f}"


def perplexity(score: Score, per: Any) -> str:
    """A perplexity in few digits; – where the model has none, 2^x where it is astronomical."""
    if (per == "token" and score.tokens is None) or not score.count(per):
        return "–"
    bits = score.rate(per)
    return "∞" if math.isinf(bits) else number(2.0**bits) if bits < 64 else f"2^{bits:.1f}"


def counted(count: int, noun: str) -> str:
    """A count with its noun: 1 byte, 2 bytes.

    Examples
    --------
    >>> counted(1, "byte"), counted(1200, "byte")
    ('1 byte', '1,200 bytes')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Each name without the folders that are not needed to tell it from the others.

    Examples
    --------
    >>> short_names(["data/a/x.txt", "data/b/x.txt", "data/y.txt"])
    {'data/a/x.txt': 'a/x.txt', 'data/b/x.txt': 'b/x.txt', 'data/y.txt': 'y.txt'}
    """
    parts = {name: name.rstrip("/").replace(os.sep, "/").split("/") for name in names}
    found = {}
    for name, own in parts.items():
        others = [other for key, other in parts.items() if key != name]
        least = 2 if any(sign in own[-1] for sign in "*?[") else 1  # a pattern alone says nothing of where
        length = next((k for k in range(least, len(own)) if all(own[-k:] != o[-k:] for o in others)), len(own))
        found[name] = "/".join(own[-length:]) or name
    return found


def tool_figures(score: Score) -> tuple[dict[str, float], str]:
    """What the tool whose habits were followed would print, or why that cannot be said."""
    if score.bytes == 0:
        return {}, ""
    try:
        return CONVENTIONS[score.signature.like].figures(score), ""
    except UndefinedError as error:
        return {}, f"no figures as {score.signature.like} prints them: {error}"


def tool_number(value: float) -> str:
    """A figure as other tools print it: ten digits, whole numbers whole."""
    return "∞" if math.isinf(value) else f"{value:.10g}"


# ---- a score ---------------------------------------------------------------------------------------------------------


def describe(score: Score) -> str:
    """A score in a few lines, as the command line prints it."""
    figure = figure_with_interval(score)
    if score.interval is not None and score.interval.confidence != 0.95:
        figure += f" ({100 * score.interval.confidence:g} %)"
    sizes = f"{counted(score.documents, 'doc')} · {counted(score.bytes, 'byte')}"
    lines = [f"{score.model} on {short_names([score.text])[score.text]}", f"  bits/byte    {figure:<24} {sizes}"]
    parts = [f"{perplexity(score, per)} /{per}" for per in ("token", "word", "char")]
    parts = [part for part in parts if not part.startswith("–")]
    if parts:
        lines.append(f"  perplexity   {'   '.join(parts)}")
    lines += _oddities(score)
    figures, reason = tool_figures(score)
    width = max(map(len, figures), default=0)
    for place, (name, value) in enumerate(figures.items()):
        lines.append(f"  {'' if place else score.signature.like:<12} {name:<{width}}  {tool_number(value)}")
    for note in (*score.notes, *([reason] if reason else [])):
        lines += folded("  note", note, _COLUMN)
    return "\n".join([*lines, f"  signature    {score.signature.short}"])


def _oddities(score: Score) -> list[str]:
    odd = [
        f"{count:,} {name}"
        for name, count in (
            ("unknown", score.oov),
            ("not scored", score.skipped),
            ("impossible", score.impossible),
            ("bytes not UTF-8", score.invalid),
        )
        if count
    ]
    return [f"  of which     {', '.join(odd)}"] if odd else []


def folded(title: str, text: str, column: int) -> list[str]:
    """Text behind a title, folded so that it stays in its column.

    Examples
    --------
    >>> folded("  note", "a word and another " * 5, 8)[1]
    '        another a word and another'
    """
    lines = textwrap.wrap(text, WIDTH - column, break_long_words=False, break_on_hyphens=False) or [""]
    begin = title.ljust(column)
    begin += " " * (not begin.endswith(" "))
    return [(begin if place == 0 else " " * column) + line for place, line in enumerate(lines)]


def notes_of(scores: Sequence[Score]) -> list[str]:
    """The notes of several scores, each said once, with whom it concerns."""
    names = short_names([score.text for score in scores])
    several = len(names) > 1
    whose: dict[str, list[Score]] = {}
    for score in scores:
        _, reason = tool_figures(score)
        for note in dict.fromkeys((*score.notes, *([reason] if reason else []))):
            whose.setdefault(note, []).append(score)
    lines = []
    for note, found in whose.items():
        labels = []
        for score in found:
            everywhere = sum(s.model == score.model for s in found) == sum(s.model == score.model for s in scores)
            labels.append(score.model if everywhere or not several else f"{score.model} on {names[score.text]}")
        lines.append(f"{', '.join(dict.fromkeys(labels))}: {note}")
    return lines


# ---- signatures ------------------------------------------------------------------------------------------------------


def value_shown(key: str, value: str) -> str:
    """A value of a signature as people want to see it: without the digits of long hashes."""
    parts = value.split(".")
    if key == "text" and value:
        pieces = [piece.rpartition(".") for piece in value.split("+")]
        return " + ".join(
            f"{counted(int(size), 'byte')}, {hashed.removeprefix('sha256-')[:8]}" if size.isdecimal() else size
            for hashed, _, size in pieces
        )
    if key == "docs" and len(parts) > 1 and parts[1].isdecimal():
        return f"{parts[0]}, {counted(int(parts[1]), 'document')}"
    if key == "interval" and " " in value:
        method, _, level = value.rpartition(" ")
        return f"{method}, {100 * float(level):g} %" if level.replace(".", "", 1).isdecimal() else value
    if key in ("units", "model"):
        name, slash, fingerprint = value.partition("/")
        return f"{name} ({fingerprint})" if slash else value
    return value


def value_in_words(key: str, value: str) -> str:
    """What a value means; "" where it speaks for itself."""
    if key == "ctx":
        return context_in_words(value)
    if key == "interval":
        return _INTERVALS.get(value.partition("-")[0], "")
    if key == "like" and value in CONVENTIONS:
        return " ".join(CONVENTIONS[value].statements)
    return MEANINGS.get(key, {}).get(value.partition(".")[0], "")


def explain_signature(signature: Signature) -> list[tuple[str, str, str]]:
    """Each key, its value, and what they mean."""
    rows = []
    for key, meaning in (*MUST_AGREE.items(), *MAY_DIFFER.items()):
        value = getattr(signature, key)
        rows.append((key, value_shown(key, value), value_in_words(key, value) or meaning))
    return rows


def explain_difference(difference: Difference, first: str = "A", second: str = "B") -> str:
    """What it means that two runs differ in this."""
    key = difference.key
    consequence = {
        "schema": "other versions of bitmeter wrote them",
        "text": "a figure compares models on one text, never two texts",
        "units": "figures a token do not compare; bits a byte do",
        "model": "what is compared",
        "interval": "how the ± was taken; the figure itself does not depend on it",
        "precision": "the arithmetic of the model",
        "version": "other versions of bitmeter took them",
    }.get(key, "")
    if consequence:
        return consequence
    a, b = value_in_words(key, difference.first), value_in_words(key, difference.second)
    if not a or not b or a == b:
        return {"docs": "documents end in other places"}.get(key, difference.meaning)
    return f"{first}: {a.rstrip('.')}; {second}: {b.rstrip('.')}"


def telling(found: Iterable[Difference]) -> list[Difference]:
    """The differences without what follows from another: two texts have their documents' ends in other places."""
    listed = list(found)
    other_text = any(d.key == "text" for d in listed)

    def follows(d: Difference) -> bool:
        return d.key == "docs" and other_text and d.first.partition(".")[0] == d.second.partition(".")[0]

    return [d for d in listed if not follows(d)]


def refusal(found: Iterable[Difference]) -> str:
    """Why two scores must not be compared, in a sentence."""
    return "; ".join(
        f"{d.key} differs ({value_shown(d.key, d.first)} ≠ {value_shown(d.key, d.second)}): {explain_difference(d)}"
        for d in telling(found)
    )


def explain_two(first: Signature, second: Signature) -> tuple[str, list[Difference]]:
    """A verdict, and the differences behind it."""
    found = telling(differences(first, second))
    decisive = [d for d in found if d.decisive]
    if not found:
        return "The two were taken in the same way in every respect.", found
    if not decisive:
        return "The two compare: what differs is allowed to differ.", found
    keys = ", ".join(d.key for d in decisive)
    return f"The two must not be compared: they disagree on {keys}.", found


# ---- tools -----------------------------------------------------------------------------------------------------------


def habit(convention: Convention, key: str) -> str:
    """What a tool does about a keyword."""
    return convention.settings.get(key, DEFAULTS[key])


def explain_conventions(first: Convention, second: Convention) -> list[Difference]:
    """The keywords in which two tools' habits differ."""
    return [
        Difference(key, habit(first, key), habit(second, key), key in MUST_AGREE, "")
        for key in DEFAULTS
        if habit(first, key) != habit(second, key)
    ]


def explain_run_and_tool(signature: Signature, tool: Convention) -> list[Difference]:
    """The keywords in which a run differs from what a tool does."""
    own = {key: getattr(signature, key).partition(".")[0] for key in DEFAULTS}
    if own["ctx"].isdecimal():
        own["ctx"] = signature.ctx
    usual = habit(tool, "ctx") == "auto" and (own["ctx"] == "full" or own["ctx"] == signature.ctx)
    return [
        Difference(key, own[key], habit(tool, key), key in MUST_AGREE, "")
        for key in DEFAULTS
        if own[key] != habit(tool, key) and not (key == "ctx" and usual)
    ]
