"""Scores and signatures in words, for people: pure functions to plain text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bitmeter.measure.conventions import CONVENTIONS, MEANINGS, Convention
from bitmeter.measure.signature import MAY_DIFFER, MUST_AGREE, Difference, Signature, differences

if TYPE_CHECKING:
    from bitmeter.measure.score import Score


def number(value: float, digits: int = 4) -> str:
    """A figure with so many significant digits, ∞ for infinity, thousands apart when it is large, 1.2e34 beyond."""
    if math.isinf(value):
        return "∞"
    if value >= 1e9:
        return f"{value:.{digits - 1}e}".replace("e+", "e")
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
    if half is None or half == 0.0:
        return f"{value:.4f}" + (" ± 0" if half == 0.0 else "")
    decimals = min(8, max(3, 1 - math.floor(math.log10(half))))
    return f"{value:.{decimals}f} ± {half:.{decimals}f}"


def describe(score: Score) -> str:
    """A score in a few lines, as the command line prints it."""
    sizes = [f"{score.documents:,} doc{'s' * (score.documents != 1)}", f"{score.bytes:,} bytes"]
    lines = [
        f"{score.model} on {score.text}",
        f"  bits/byte    {figure_with_interval(score):<24} {' · '.join(sizes)}",
    ]
    parts = []
    for per in ("token", "word", "char"):
        if (per == "token" and score.tokens is None) or not score.count(per):
            continue
        parts.append(f"{_perplexity(score, per)} /{per}")
    if parts:
        lines.append(f"  perplexity   {'   '.join(parts)}")
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
    if odd:
        lines.append(f"  of which     {', '.join(odd)}")
    for name, value in CONVENTIONS[score.signature.like].figures(score).items() if score.bytes else ():
        lines.append(f"  {score.signature.like}: {name} = {value:.10g}")
    lines += [f"  note: {note}" for note in score.notes]
    lines.append(f"  signature    {score.signature.short}")
    return "\n".join(lines)


def _perplexity(score: Score, per: Any) -> str:
    bits = score.rate(per)
    return "∞" if math.isinf(bits) else number(2.0**bits) if bits < 1000 else f"2^{bits:.1f}"


def explain_signature(signature: Signature) -> list[tuple[str, str, str]]:
    """Each key, its value, and what they mean."""
    rows = []
    for key, meaning in (*MUST_AGREE.items(), *MAY_DIFFER.items()):
        value = getattr(signature, key)
        rows.append((key, value, _value_in_words(key, value) or meaning))
    return rows


def _value_in_words(key: str, value: str) -> str:
    known = MEANINGS.get(key, {}).get(value.partition(".")[0], "")
    if key == "docs" and known:
        count = value.split(".")[1] if "." in value else ""
        return f"{known}: {int(count):,} in all" if count.isdecimal() else known
    if key == "text" and value:
        hashed, _, size = value.rpartition(".")
        return f"{int(size):,} bytes with the hash {hashed}" if size.isdecimal() else ""
    if key == "ctx" and value == "full":
        return "all of the document before is seen"
    if key == "like" and value in CONVENTIONS:
        return " ".join(CONVENTIONS[value].habits)
    return known


def explain_difference(difference: Difference) -> str:
    """What it means that two runs differ in this."""
    a = _value_in_words(difference.key, difference.first) or difference.first or "nothing"
    b = _value_in_words(difference.key, difference.second) or difference.second or "nothing"
    if difference.key == "text":
        return f"other bytes were scored ({a}; {b}): a figure compares models on one text, never two texts"
    return f"{difference.meaning}: {a}; against: {b}"


def explain_two(first: Signature, second: Signature) -> tuple[str, list[Difference]]:
    """A verdict, and the differences behind it."""
    found = list(differences(first, second))
    decisive = [d for d in found if d.decisive]
    if not found:
        return "The two were taken in the same way in every respect.", found
    if not decisive:
        return "The two compare: what differs is allowed to differ.", found
    keys = ", ".join(d.key for d in decisive)
    return f"The two must not be compared: they disagree on {keys}.", found


def explain_conventions(first: Convention, second: Convention) -> list[tuple[str, str, str]]:
    """For each keyword in which two tools' habits differ: the keyword and what each does."""
    keys = ("docs", "first", "eos", "oov", "den", "norm", "ctx")
    plain = {"docs": "file", "first": "bos", "eos": "no", "oov": "none", "den": "scored", "norm": "none", "ctx": "full"}
    rows = []
    for key in keys:
        a, b = first.settings.get(key, plain[key]), second.settings.get(key, plain[key])
        if a != b:
            meanings = MEANINGS.get(key, {})
            rows.append((key, f"{a}: {meanings.get(a, _CTX.get(a, a))}", f"{b}: {meanings.get(b, _CTX.get(b, b))}"))
    return rows


_CTX = {
    "full": "all of the text before is seen",
    "rolling": "windows that follow each other with one token of context",
    "half": "disjoint windows, of which only the second half is scored",
}
