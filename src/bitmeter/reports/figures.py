"""Figures, counts and names as text, in the form that people read."""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bitmeter._util.width import LONGEST, line_width
from bitmeter.errors import UndefinedError
from bitmeter.measure.aggregates import Per
from bitmeter.measure.interval.base import BY_BLOCK, BY_CLUSTER, NOUNS, Interval, decimals
from bitmeter.measure.signature import Signature, covers_all_texts

if TYPE_CHECKING:
    from bitmeter.measure.score import Score

#: What units are, for people.
_NOUNS = {"words": "word", "unicode-words": "word", "chars": "character", "graphemes": "grapheme"}
#: Longer lines are folded; at a narrow terminal, shorter ones are, too.
WIDTH = LONGEST


def number(value: float, digits: int = 4) -> str:
    """A figure with this many significant digits; with thousands separators if it is large, 1.2e34 beyond.

    Examples
    --------
    >>> number(3.14159), number(123456.0), number(1.25e34), number(float("inf"))
    ('3.142', '123,456', '1.250e34', '∞')
    """
    if math.isinf(value):
        return "∞"
    if value >= 1e6:
        return f"{value:.{digits - 1}e}".replace("e+0", "e").replace("e+", "e")
    if value >= 10**digits:
        return f"{value:,.0f}"
    return f"{value:#.{digits}g}".rstrip(".") if value else "0"


def figure(score: Score) -> str:
    """Bits per `score.figure_per` in four decimals."""
    if score.bytes == 0 or not score.count(score.figure_per):
        return "–"
    value = score.per(score.figure_per)
    return "∞" if math.isinf(value) else f"{value:.4f}"


def figure_with_interval(score: Score) -> str:
    """Bits per `score.figure_per` with as many decimals as the interval supports, and the ends of the interval."""
    found = score.interval
    if found is None or found.low is None or found.high is None:
        return figure(score)
    value = score.per(score.figure_per)
    if found.high - found.low <= 1e-12 * value:  # rounding of the sums
        return f"{value:.4f} ± 0"
    places = min(8, decimals(found.high - found.low, least=3))
    return f"{value:.{places}f} [{found.low:.{places}f}, {found.high:.{places}f}]"


def interval_words(found: Interval) -> str:
    """The level of an interval, and what its observations are.

    Examples
    --------
    >>> interval_words(Interval(1.9, 2.2, 2.0, 0.05, 0.95, "serial-clusters(heading)", 60, 59.0))
    '95 %, by section (60)'
    >>> interval_words(Interval(1, 3, 2, 0.5, 0.9, "serial-clusters(file)", 30, 29.0, caveat="a kind may be missing"))
    '90 %, by document (30); a kind may be missing'
    >>> interval_words(Interval(1.9, 2.2, 2.0, 0.05, 0.99, "serial-blocks(64)", 4096, 4095.0))
    '99 %, along this text (4,096 blocks of 64 bytes)'
    """
    name, _, rest = found.method.partition("(")
    kind = rest.removesuffix(")").removesuffix(",learning")
    level = f"{100 * found.confidence:g} %"
    if name == BY_BLOCK:
        return f"{level}, along this text ({found.clusters:,} blocks of {kind} bytes)"
    if name != BY_CLUSTER:
        return f"{level}, {found.method} ({found.clusters:,})"
    head, _, field = kind.partition(".")
    by = f"field {field}" if head == "field" else NOUNS.get(head, ("document", True))[0]
    return f"{level}, by {by} ({found.clusters:,})" + (f"; {found.caveat}" if found.caveat else "")


def perplexity(score: Score, per: Per) -> str:
    """A perplexity in four digits; – if there is none, 2^x if it is astronomical."""
    if (per == "token" and score.tokens is None) or not score.count(per):
        return "–"
    bits = score.per(per)
    return "∞" if math.isinf(bits) else number(2.0**bits) if bits < 64 else f"2^{bits:.1f}"


def convention_words(signature: Signature) -> str:
    """What a perplexity depends on beside its denominator: what unknown words cost, and whether ends count.

    Examples
    --------
    >>> convention_words(Signature(units="words/words/1", oov="skipped", eos="nonblank"))
    'closed vocabulary: unknown words are left out, white space costs nothing; ends are predicted and counted'
    >>> convention_words(Signature(units="bytes/bytes/1"))
    ''
    """
    head = signature.units.partition("/")[0].partition(":")[0]
    noun, spaces = _NOUNS.get(head, "unit"), head == "words"
    parts = []
    if signature.oov == "spelled":
        parts.append(f"open vocabulary: unknown {noun}s are spelled")
    elif not covers_all_texts(signature):
        closed = {
            "class": f"an unknown {noun} costs <unk> alone" + ", white space nothing" * spaces,
            "skipped": f"unknown {noun}s are left out" + ", white space costs nothing" * spaces,
        }
        unpaid = "spelling and white space cost nothing" if spaces else "spelling costs nothing"
        parts.append(f"closed vocabulary: {closed.get(signature.oov, unpaid)}")
    if signature.eos != "no":
        parts.append("ends are predicted and counted")
    return "; ".join(parts)


def counted(count: int, noun: str) -> str:
    """A count with its noun: 1 byte, 2 bytes.

    Examples
    --------
    >>> counted(1, "byte"), counted(1200, "byte")
    ('1 byte', '1,200 bytes')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Each name without the folders that are not needed to distinguish it from the others.

    Examples
    --------
    >>> short_names(["data/a/x.txt", "data/b/x.txt", "data/y.txt"])
    {'data/a/x.txt': 'a/x.txt', 'data/b/x.txt': 'b/x.txt', 'data/y.txt': 'y.txt'}
    """
    parts = {name: name.rstrip("/").replace(os.sep, "/").split("/") for name in names}
    found = {}
    for name, own in parts.items():
        others = [other for key, other in parts.items() if key != name]
        least = 2 if any(sign in own[-1] for sign in "*?[") else 1  # a pattern alone does not say in which folder
        length = next((k for k in range(least, len(own)) if all(own[-k:] != o[-k:] for o in others)), len(own))
        found[name] = "/".join(own[-length:]) or name
    return found


def tool_figures(score: Score) -> tuple[dict[str, float], str]:
    """The figures that the tool of the convention would print, or the reason why there are none."""
    if score.bytes == 0 or score.signature.like == "bitmeter":  # our own convention has no figures of others
        return {}, ""
    from bitmeter.measure.conventions.registry import CONVENTIONS

    try:
        return CONVENTIONS[score.signature.like].figures(score), ""
    except UndefinedError as error:
        return {}, f"no figures as {score.signature.like} prints them: {error}"


def tool_number(value: float) -> str:
    """A figure as other tools print it: ten digits, integers without decimals."""
    return "∞" if math.isinf(value) else f"{value:.10g}"


def folded(title: str, text: str, column: int) -> list[str]:
    """A title and a text that is folded to stay in its column.

    Examples
    --------
    >>> folded("  note", "a word and another " * 5, 8)[1]
    '        another a word and another'
    """
    begin = title.ljust(column)
    begin += " " * (bool(begin) and not begin.endswith(" "))
    lines = textwrap.wrap(
        text, max(column + 12, line_width()), initial_indent=begin, subsequent_indent=" " * column,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return lines or [begin]
