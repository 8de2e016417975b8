"""A code as a tree of lines."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping

from bitmeter._util.check import shown

_LONE = re.compile(r"\\udc([89a-f][0-9a-f])")


def draw_tree(words: Mapping[Hashable, str], deepest: int) -> str:
    """One line a word; what lies deeper than `deepest` bits is only counted."""
    lines: list[str] = []
    _draw({word: label for label, word in reversed(list(words.items()))}, "", "", "", deepest, lines)
    return "\n".join(lines)


def _draw(labels: Mapping[str, Hashable], path: str, first: str, rest: str, deepest: int, lines: list[str]) -> None:
    below = {word: label for word, label in labels.items() if len(word) > len(path)}
    here = f" {label_name(labels[path])}" if path in labels else ""
    if not below:
        lines.append(f"{first}{here}")
        return
    if len(path) == deepest:
        noun = "word" if len(below) == 1 else "words"
        lines.append(f"{first}{here} … {len(below)} {noun}")
        return
    sides = [(bit, {w: x for w, x in below.items() if w[len(path)] == bit}) for bit in "01"]
    sides = [(bit, side) for bit, side in sides if side]
    own = f"{here} " if here else ""  # a word that begins others stands where they part
    for place, (bit, side) in enumerate(sides):
        last = place == len(sides) - 1
        joint = ("─" if last else "┬") if place == 0 else "└"
        start = first + own if place == 0 else rest + " " * len(own)
        onward = rest + " " * len(own) + ("    " if last else "│   ")
        _draw(side, path + bit, f"{start}{joint}─{bit}─", onward, deepest, lines)


def label_name(label: Hashable) -> str:
    r"""A label as it is shown; a byte that is no UTF-8, which travels as a lone surrogate, as the byte.

    Examples
    --------
    >>> print(label_name("é"), label_name("\udcff"))
    'é' '\xff'
    """
    return _LONE.sub(r"\\x\1", shown(label))
