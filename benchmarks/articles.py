"""Real texts as articles, and what each of their lines costs under three models: what coverage is measured on.

Every other article trains the models; the rest is what articles are drawn from.
"""

from __future__ import annotations

import gzip
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bitmeter as bm

Floats = NDArray[np.float64]

#: The most articles of a corpus, and the most bytes of an article.
MOST, LONGEST = 240, 200_000


@dataclass(frozen=True)
class Article:
    """The lines of an article: what each costs in bits, by quantity; their sizes; and where paragraphs begin."""

    costs: dict[str, Floats]
    sizes: Floats
    paragraphs: NDArray[np.int64]


def corpora(shared: Path | None, rfc: Path | None) -> Iterator[tuple[str, list[bytes]]]:
    """The corpora that this machine has, each a list of articles."""
    yield "Python's library", _files(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    yield "man pages", _files(Path("/usr/share/man/man1").glob("*.gz"))
    yield "Debian changelogs", _files(Path("/usr/share/doc").glob("*/changelog.Debian.gz"))
    if shared is not None:
        wiki = b"".join((shared / "wikitext-2" / f"wiki.{part}.tokens").read_bytes() for part in ("valid", "test"))
        yield "WikiText-2", _split(wiki, rb"(?m)^ = (?!= ).*(?<! =) = *$")
        pride = (shared / "books" / "en_pride_1342.txt").read_bytes()
        yield "Pride and Prejudice", _split(pride, rb"(?m)^(?:Chapter|CHAPTER) .*$")
        bovary = (shared / "books" / "fr_bovary_14155.txt").read_bytes()
        yield "Madame Bovary", _split(bovary, rb"(?m)^[IVX]+\r?$")
        yield "PUD", _pud(shared / "pud")
    if rfc is not None:
        yield "RFCs", _rfcs(rfc)


def _files(paths: Iterator[Path]) -> list[bytes]:
    found = []
    for path in sorted(paths):
        data = path.read_bytes()
        text = gzip.decompress(data) if path.suffix == ".gz" else data
        if 1000 <= len(text) <= LONGEST:
            found.append(text if text.endswith(b"\n") else text + b"\n")
    return found[:: max(1, len(found) // MOST)][:MOST]


def _split(text: bytes, heading: bytes) -> list[bytes]:
    starts = [found.start() for found in re.finditer(heading, text)]
    parts = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    return [part for part in parts if len(part) >= 500]


def _pud(folder: Path) -> list[bytes]:
    """Sentences of one article have names that begin alike: n01001011 is the eleventh of n01001."""
    lines = (folder / "en.txt").read_bytes().splitlines(keepends=True)
    names = (folder / "sent_ids.txt").read_text().split()
    found: dict[str, list[bytes]] = {}
    for name, line in zip(names, lines, strict=True):
        found.setdefault(name[:6], []).append(line)
    return [b"".join(part) for part in found.values()]


def _rfcs(path: Path) -> list[bytes]:
    with path.open("rb") as file:
        text = file.read(40_000_000)
    parts = [part for part in _split(text, rb"(?m)^Request for Comments: ") if len(part) <= LONGEST]
    return parts[:: max(1, len(parts) // MOST)][:MOST]


def measured(articles: list[bytes]) -> list[Article]:
    """What the lines of every second article cost under models that were trained on the others."""
    articles = [re.sub(rb"<(/?)s>", rb"_\1s_", article) for article in articles]  # the marks of a sentence's ends
    train, drawn = b"".join(articles[1::2]), articles[0::2]
    words, pairs = (bm.NGram(order=order, unk_word=b"<unk>" in train).fit(train) for order in (3, 2))
    letters = bm.NGram(order=5, units="bytes").fit(train)
    text = b"".join(drawn)
    found = {
        name: bm.score(model, bm.Corpus.from_text(text, docs="line"), eos="yes", oov=oov, cluster="none").by_document
        for name, model, oov in (("words", words, "class"), ("pairs", pairs, "class"), ("letters", letters, None))
    }
    bits = {name: sums.nats / np.log(2.0) for name, sums in found.items() if sums is not None}
    costs = {
        "3-gram": bits["words"],
        "3-gram − 2-gram": bits["words"] - bits["pairs"],
        "3-gram − bytes": bits["words"] - bits["letters"],
    }
    assert found["words"] is not None
    sizes = found["words"].bytes.astype(np.float64)
    ends = np.searchsorted(np.cumsum(sizes), np.cumsum([len(article) for article in drawn]))
    begins = np.append(0, ends[:-1] + 1)
    result = []
    for begin, end, article in zip(begins.tolist(), (ends + 1).tolist(), drawn, strict=True):
        blank = np.array([not line.strip() for line in article.splitlines(keepends=True)][: end - begin])
        blank = np.append(blank, np.zeros(end - begin - len(blank), dtype=bool))
        starts = np.flatnonzero(np.append(True, blank[:-1] & ~blank[1:]))
        result.append(Article({name: cost[begin:end] for name, cost in costs.items()}, sizes[begin:end], starts))
    return result


def joined(drawn: list[Article], quantity: str, units: str) -> tuple[Floats, Floats]:
    """The costs and sizes of the lines, paragraphs or articles of a sample, in order."""
    if units == "lines":
        return np.concatenate([a.costs[quantity] for a in drawn]), np.concatenate([a.sizes for a in drawn])
    if units == "articles":
        return np.array([a.costs[quantity].sum() for a in drawn]), np.array([a.sizes.sum() for a in drawn])
    return (
        np.concatenate([np.add.reduceat(a.costs[quantity], a.paragraphs) for a in drawn]),
        np.concatenate([np.add.reduceat(a.sizes, a.paragraphs) for a in drawn]),
    )
