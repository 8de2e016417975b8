"""Writes tables.inc: what the normalisers need of Unicode, as the Python that runs this script knows it.

    python3.11 core/text/normalise/make_tables.py > core/text/normalise/tables.inc

Every property is asked of `str` and `unicodedata`, because the normalisers reproduce programs that ask the same.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterable

#: Surrogates are no characters of UTF-8; Hangul syllables are decomposed by arithmetic.
CHARACTERS = [c for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
HANGUL = range(0xAC00, 0xD7A4)
DOTTED_I, SIGMA, FINAL_SIGMA = 0x130, 0x3A3, "\u03c2"


def ranges(holds: Callable[[str], bool]) -> list[tuple[int, int]]:
    """First and last of each run of characters that have a property."""
    found: list[tuple[int, int]] = []
    for c in CHARACTERS:
        if holds(chr(c)):
            if found and found[-1][1] == c - 1:
                found[-1] = (found[-1][0], c)
            else:
                found.append((c, c))
    return found


def lower_runs() -> list[tuple[int, int, int, int]]:
    """First, last, step and distance of the lower case; U+0130 alone has two characters, and is left to the code."""
    found: list[tuple[int, int, int, int]] = []
    for c in CHARACTERS:
        lower = chr(c).lower()
        if lower == chr(c) or c == DOTTED_I:
            continue
        assert len(lower) == 1, hex(c)
        distance = ord(lower) - c
        if found:
            first, last, step, before = found[-1]
            gap = c - last
            if before == distance and gap in (1, 2) and (first == last or gap == step):
                found[-1] = (first, c, gap, distance)
                continue
        found.append((c, c, 1, distance))
    return found


def is_mark(c: str) -> bool:
    """Whether it is a mark that accent stripping drops."""
    return unicodedata.category(c) == "Mn"


def decompositions() -> list[tuple[int, list[int]]]:
    """The canonical decompositions without those marks; nothing is left of a decomposition into marks alone."""
    found = []
    for c in CHARACTERS:
        full = unicodedata.normalize("NFD", chr(c))
        if c not in HANGUL and full != chr(c) and not is_mark(chr(c)):
            found.append((c, [ord(x) for x in full if not is_mark(x)]))
    return found


def is_ignorable(c: str) -> bool:
    """Whether the rule for a final sigma looks past it."""
    return not is_cased(c) and ("A" + c + chr(SIGMA)).lower().endswith(FINAL_SIGMA)


def is_cased(c: str) -> bool:
    """Whether a sigma behind it is final."""
    return (c + chr(SIGMA)).lower().endswith(FINAL_SIGMA)


def write(name: str, kind: str, rows: Iterable[str]) -> None:
    """One array of the file, in lines of at most 120 characters."""
    line = ""
    print(f"constexpr {kind} {name}[] = {{")
    for row in rows:
        if len(line) + len(row) + 2 > 116:
            print(f"    {line.rstrip()}")
            line = ""
        line += row + ", "
    print(f"    {line.rstrip()}\n}};")


def write_ranges(name: str, holds: Callable[[str], bool]) -> None:
    """The runs of characters that have a property."""
    write(name, "Range", (f"{{{first:#x}, {last:#x}}}" for first, last in ranges(holds)))


def main() -> None:
    """Write the file."""
    split = decompositions()
    assert max(len(to) for _, to in split) <= 3
    late = [
        c for c in CHARACTERS
        if unicodedata.combining(chr(c)) and not is_mark(chr(c))
    ]  # fmt: skip
    python = ".".join(map(str, sys.version_info[:2]))
    version = unicodedata.unidata_version
    print(f"// Unicode {version}, as Python {python} has it. Written by make_tables.py: do not edit.")
    print(f'constexpr char version[] = "{version}";')
    write("lower_runs", "LowerRun", (f"{{{a:#x}, {b:#x}, {step}, {d}}}" for a, b, step, d in lower_runs()))
    pairs = [(c, to) for c, to in split if len(to) == 1]
    write("decomposed", "Pair", (f"{{{c:#x}, {to[0]:#x}}}" for c, to in pairs))
    longer = [(c, [*to, 0, 0][:3]) for c, to in split if len(to) != 1]
    write("decomposed_longer", "Longer", (f"{{{c:#x}, {{{', '.join(f'{x:#x}' for x in to)}}}}}" for c, to in longer))
    write("late_classes", "Pair", (f"{{{c:#x}, {unicodedata.combining(chr(c))}}}" for c in late))
    write_ranges("moving_marks", lambda c: is_mark(c) and unicodedata.combining(c) > 0)
    write_ranges("fixed_marks", lambda c: is_mark(c) and unicodedata.combining(c) == 0)
    write_ranges("digits", str.isdecimal)
    write_ranges("white", str.isspace)
    write_ranges("cased", is_cased)
    write_ranges("ignorable", is_ignorable)


if __name__ == "__main__":
    main()
