"""Writes tables.inc: what the pre-tokenizers of tokenizer.json files need of Unicode, as `tokenizers` has it.

    python core/text/tokens/split/make_tables.py > core/text/tokens/split/tables.inc

Classes are asked of the package itself, by its own regular expressions, because its splits are reproduced. What is
already in normal form C is asked of Python; characters that it does not know are left to the package.
"""

from __future__ import annotations

import base64
import json
import struct
import sys
import unicodedata
from collections.abc import Iterable

import tokenizers
from tokenizers import Regex, normalizers, pre_tokenizers

#: Surrogates are no characters of UTF-8.
CHARACTERS = [c for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
ALL = "".join(map(chr, CHARACTERS))
#: Bits of a class, as classes.hpp names them.
LETTER, NUMBER, WHITE, UPPER, LOWER, DIGIT, EXTENDS, UNSETTLED = (1 << bit for bit in range(8))
#: Hangul letters that join the syllable before them.
JOINING = (range(0x1161, 0x1176), range(0x11A8, 0x11C3))
NOT_SETTLED = 255


def matching(pattern: str) -> set[int]:
    """The characters that a regular expression of the package matches."""
    left = normalizers.Replace(Regex(pattern), "").normalize_str(ALL)
    return set(CHARACTERS) - set(map(ord, left))


def digits() -> set[int]:
    """What the pre-tokenizer Digits sets apart."""
    found = pre_tokenizers.Digits(individual_digits=True).pre_tokenize_str("x".join(ALL))
    return {ord(text) for text, _ in found if len(text) == 1 and text != "x"}


def extending() -> set[int]:
    """What belongs to the character before it where the normaliser Precompiled looks: it is dropped with that."""
    units = [0] * 512
    units[0], units[0x161], units[0x160] = 0x100 << 10, 0x61 | 1 << 8 | 1 << 10, 1 << 31
    compiled = struct.pack("<I512I", 4 * len(units), *units) + b"X\0"
    spec = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(compiled).decode()}
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    state = json.loads(made.to_str()) | {"normalizer": spec}
    normalizer = tokenizers.Tokenizer.from_str(json.dumps(state)).normalizer
    return {c for c in CHARACTERS if c not in (10, 13) and normalizer.normalize_str("a" + chr(c)) == "X"}


def unsettled() -> dict[int, int]:
    """Combining classes, or NOT_SETTLED for what normal form C may change by itself or with what stands before it."""
    seconds = set()
    for c in CHARACTERS:
        parts = unicodedata.decomposition(chr(c)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            pair = chr(int(parts[0], 16)) + chr(int(parts[1], 16))
            if unicodedata.normalize("NFC", pair) == chr(c):
                seconds.add(int(parts[1], 16))
    found = {}
    for c in CHARACTERS:
        changes = unicodedata.normalize("NFC", chr(c)) != chr(c) or c in seconds or any(c in some for some in JOINING)
        if changes or unicodedata.category(chr(c)) == "Cn":
            found[c] = NOT_SETTLED
        elif unicodedata.combining(chr(c)):
            found[c] = unicodedata.combining(chr(c))
    return found


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


def main() -> None:
    """Write the file."""
    late = unsettled()
    sets = [
        (LETTER, matching(r"\p{L}")), (NUMBER, matching(r"\p{N}")), (WHITE, matching(r"\s")),
        (UPPER, matching(r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]")), (LOWER, matching(r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]")),
        (DIGIT, digits()), (EXTENDS, extending()), (UNSETTLED, set(late)),
    ]  # fmt: skip
    runs: list[tuple[int, int]] = []
    for c in range(sys.maxunicode + 1):
        bits = sum(bit for bit, some in sets if c in some)
        if not runs or runs[-1][1] != bits:
            runs.append((c, bits))
    print(f"// tokenizers {tokenizers.__version__}; Unicode {unicodedata.unidata_version} for normal form C.")
    print("// Written by make_tables.py: do not edit.")
    write("runs", "Run", (f"{{{c:#x}, {bits}}}" for c, bits in runs))
    rows: list[list[int]] = []
    for c, order in late.items():
        if rows and rows[-1][1] == c - 1 and rows[-1][2] == order:
            rows[-1][1] = c
        else:
            rows.append([c, c, order])
    write("orders", "Order", (f"{{{a:#x}, {b:#x}, {order}}}" for a, b, order in rows))


if __name__ == "__main__":
    main()
