"""Words that readers of the field stumble over, and what to say instead: part of `make lint`.

    python tests/words.py

Prints file:line, the word and the plain one, and exits with 1 if there are any. Names count, too: `_` and a capital
inside of a name separate words. The glossary is in CONTRIBUTING.md.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = (
    "README.md", "CONTRIBUTING.md", "SECURITY.md", "Makefile", "CMakeLists.txt", "mkdocs.yml", "docs", "benchmarks",
    "src", "core", "tests", "fuzz", "faults", "cmake", ".github",
)  # fmt: skip
SUFFIXES = {".md", ".py", ".pyi", ".cpp", ".hpp", ".inc", ".yml", ".js", ".svg", ""}
#: This file and its test hold the words themselves.
OWN = ("tests/words.py", "tests/test_words.py")
#: The text that the transcripts measure: its words are data there. Our messages are read in src, too.
MEASURED = ROOT / "tests" / "cli" / "texts.py"
TRANSCRIPTS = ROOT / "tests" / "cli" / "golden"

COUNTED = "bits?|nats|hartleys|tokens|bytes|words|characters|figures|MB|kB|perplexity|rows?|sums?|one|once|costs?"
EACH = (
    "byte|word|token|char|character|second|CPU|step|symbol|unit|document|sentence|n-gram|order|row|line|prediction|"
    "probability|back-off|window|file|label"
)
WORDS = {
    r"foret(?:ell|old)\w*": "predict, predicted",
    rf"\b(?:{COUNTED}) an? (?:{EACH})\b": "per: bits per byte, one row per prediction",
    r"\bsend(?:s|ing)? for\b": "prefetch, fetch",
    r"\bnobody\b": "no caller, no model, unused: name what is meant",
    r"\bseldom\b": "rare, rarely",
    r"\bby heart\b": "overfit, memorise",
    r"\bh(?:o|e)lds? (?:\w+ ){0,6}likel(?:y|iest)\b": "predict, assign probability, the likeliest token",
    r"\bunasked\b": "by default; without --force",
    r"\bhabits?\b": "convention",
    r"\bparted\b": "split 8:1:1",
    r"\btold\b": "given, metadata, printed",
    r"\bnone of a distribution\b": "not a probability distribution",
    r"\bstretch(?:es)?\b": "block, batch",
    r"\banew\b": "again, afresh, recomputed",
    r"\bdearest\b": "slowest, most expensive",
    r"\bunless you say otherwise\b": "by default",
}
#: What joins the words of a name: snake_case and CamelCase.
_JOINED = re.compile(r"_|(?<=[a-z])(?=[A-Z])")


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a file; of Markdown, only what lies outside of code, output and the glossary."""
    fenced = glossary = False
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        if path.suffix == ".md":
            glossary = line.startswith("| say | not |") or (glossary and line.startswith("|"))
            if line.lstrip().startswith("```"):
                fenced = not fenced
                continue
            if fenced or glossary:
                continue
        yield number, line


def found(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, word and what to say instead."""
    data = MEASURED.read_text(encoding="utf-8") if path == MEASURED or TRANSCRIPTS in path.parents else ""
    for number, line in prose(path):
        words = _JOINED.sub(" ", line)
        for pattern, plain in WORDS.items():
            for match in re.finditer(pattern, words, re.IGNORECASE):
                if match[0] not in data:
                    yield number, match[0], plain


def files() -> Iterator[Path]:
    for place in PLACES:
        path = ROOT / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            inside = file.relative_to(ROOT).as_posix()
            # Transcripts are our messages; other text files are data.
            read = file.suffix in SUFFIXES or TRANSCRIPTS in file.parents or file.name == "CMakeLists.txt"
            if file.is_file() and read and inside not in OWN:
                yield file


def main() -> int:
    wrong = 0
    for path in files():
        for number, word, plain in found(path):
            print(f"{path.relative_to(ROOT).as_posix()}:{number}: {word!r}: say {plain}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
