"""Splitting, counting and normalising text in the core, against Python's own bytes.split(), bytes.decode() and loops.

    python benchmarks/text.py [FILE] [--size 32] [--repeat 5]

One core, the best of several runs, in MB per CPU second and per wall second. Without a file, the language reference
that comes with Python is repeated up to the size in MB. Text goes in blocks of 1 MB, as a corpus gives it; each row
checks that both sides agree on the count. The peers of normalisers do in Python what CCNet, edugp, ROOTS and datatrove
do: regular expressions, unicodedata and a loop over characters.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from stopwatch import Seconds, best, header

from bitmeter import _core
from bitmeter.text.blocks import split_corpus
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.normalise import normaliser
from bitmeter.text.corpus.sample import sample_text
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import Units
from bitmeter.text.units.counts import TextCounter
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.words import Words

BLOCK = 1 << 20

MARKS = "，。、„”“«»１」「《》´∶：？！（）；–—．～’…━〈〉【】％►"
PLAIN = [*',.,""""""""""', "'", *"::?!();-", " - ", ". ", *"~'", "...", *"-<>[]%-"]
PUNCTUATION = dict(zip(MARKS, PLAIN, strict=True))
DIGIT, NUMBER = re.compile(r"\d"), re.compile(r"\d+([.,،٫⎖⎗⎘]\d+)?")
CONTROL = re.compile("[" + "".join(map(chr, [*range(32), *range(127, 160)])) + "]")
SPACES = set(" \u2009\u200a\u202f\u2005\u3000\u2002\xa0\u2008\u2003\ufffc")


def unaccented(text: str) -> str:
    """Decomposed, without accents."""
    return "".join([char for char in unicodedata.normalize("NFD", text) if unicodedata.category(char) != "Mn"])


def plain(text: str) -> str:
    """Punctuation by the list."""
    return "".join(PUNCTUATION.get(char, char) for char in text)


#: Loops over the characters of a text, as perplexity filters have them.
LOOPS: dict[str, Callable[[str], str]] = {
    "ccnet": lambda text: CONTROL.sub("", plain(DIGIT.sub("0", unaccented(text.strip().lower())))),
    "edugp": lambda text: CONTROL.sub("", plain(DIGIT.sub("0", text.strip()))),
    "roots": lambda text: plain(
        DIGIT.sub("0", "".join([" " if char in SPACES else char for char in CONTROL.sub("", text).strip()]))
    ),
    "datatrove": lambda text: CONTROL.sub("", plain(unaccented(NUMBER.sub("0", text.lower())).strip())),
}


def normalised(name: str, blocks: list[bytes]) -> tuple[str, Callable[[], int], str, Callable[[], int]]:
    """Each block as a document: by the core, and by a loop in Python, which also decodes and encodes."""
    change, loop = normaliser(name), LOOPS[name]
    few = blocks[:2]  # of which a loop takes long enough
    assert [change(block) for block in few] == [looped(loop, block) for block in few], name
    ours: Callable[[], int] = lambda: sum(len(change(block)) for block in few)  # noqa: E731
    theirs: Callable[[], int] = lambda: sum(len(looped(loop, block)) for block in few)  # noqa: E731
    return f"normalised: {name}", ours, "a loop in Python", theirs


def looped(loop: Callable[[str], str], block: bytes) -> bytes:
    return loop(block.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def streamed(path: Path, units: Units, docs: str = "file") -> Callable[[], int]:
    """From the disk to the units, all that scoring does before the model."""
    return lambda: sum(len(block.split) for block in split_corpus(Corpus(path, docs=docs), units))


def rows(blocks: list[bytes], path: Path) -> list[tuple[str, Callable[[], int], str, Callable[[], int]]]:
    vocabulary = sorted({word for block in blocks[:2] for word in block.split()})
    words, known, chars, data = Words(), Words(vocabulary=vocabulary), Characters(), Bytes()
    split = "bytes.split()", lambda: sum(len(block.split()) for block in blocks)
    decode = "bytes.decode()", lambda: sum(len(block.decode("utf-8", "surrogateescape")) for block in blocks)
    lines = "bytes.split(b'\\n')", lambda: sum(len(block.split(b"\n")) - 1 for block in blocks)

    def counted(what: str) -> Callable[[], int]:
        def run() -> int:
            total = 0
            for block in blocks:  # each by itself, so that the peers' counts are the same
                counter = TextCounter()
                counter.feed(block)
                total += getattr(counter.finish(), what)
            return total

        return run

    whole = "read and bytes.split()", lambda: len(path.read_bytes().split())
    return [
        ("words, hashed", lambda: sum(len(words.split(block)) for block in blocks), *split),
        ("words, ids by a vocabulary", lambda: sum(len(known.split(block)) for block in blocks), *split),
        ("words, counted (with characters)", counted("words"), *split),
        ("characters", lambda: sum(len(chars.split(block)) for block in blocks), *decode),
        ("characters, counted (with words)", counted("chars"), *decode),
        ("line ends", lambda: sum(len(_core.line_ends(block)) for block in blocks), *lines),
        ("file to words, hash of the text included", streamed(path, words), *whole),
        ("file to bytes, hash of the text included", streamed(path, data), "read", lambda: len(path.read_bytes())),
        ("file to words of lines", streamed(path, words, "line"), "", lambda: 0),
    ]


def speeds(text: bytes, taken: Seconds) -> tuple[str, str]:
    """Megabytes per CPU second and per wall second."""
    return f"{len(text) / 1e6 / taken.cpu:,.0f}", f"{len(text) / 1e6 / taken.wall:,.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Splitting and counting, against Python's own.")
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--size", type=int, default=32, help="MB of text")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    print(header())
    text = arguments.file.read_bytes() if arguments.file else sample_text().encode()
    text = (text * (arguments.size * 1_000_000 // len(text) + 1))[: arguments.size * 1_000_000]
    blocks = [text[i : i + BLOCK] for i in range(0, len(text), BLOCK)]
    assert SEPARATORS["ascii"] == bytes(b for b in range(256) if bytes([b]).isspace())
    table = Table(title=f"{len(text) / 1e6:.0f} MB, one core", box=None)
    for column in ("task", "MB/CPU s", "MB/s", "peer", "MB/CPU s", "MB/s", "CPU ratio"):
        table.add_column(column, justify="left" if column in ("task", "peer") else "right")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_bytes(text)
        few = b"".join(blocks[:2])
        tasks = [(text, row) for row in rows(blocks, path)] + [(few, normalised(name, blocks)) for name in LOOPS]
        for part, (title, ours, peer, theirs) in tasks:
            seconds, count = best(ours, arguments.repeat)
            other, expected = best(theirs, arguments.repeat)
            if not peer:
                table.add_row(title, *speeds(part, seconds), "", "", "", "")
                continue
            assert np.isclose(count, expected, rtol=0), (title, count, expected)
            ratio = f"{other.cpu / seconds.cpu:.1f}"
            table.add_row(title, *speeds(part, seconds), peer, *speeds(part, other), ratio)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
