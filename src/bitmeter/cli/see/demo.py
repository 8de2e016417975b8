"""`bitmeter demo`: models and compressors on the end of the embedded text, some trained on its beginning."""

from __future__ import annotations

import textwrap
import time
from typing import Any

import typer

__all__ = ["demo"]

#: The name of each order that is trained.
_NAMES = {1: "unigram", 2: "bigram", 5: "5-gram"}
_COMPRESSORS = ("zlib", "bz2", "zstd:19", "xz")
_ABOUT = (
    "Words that the n-gram models do not know are spelled, so every row codes the same bytes. Rows that have read the "
    "first part are bounds only for a decoder that has read it, too; the others for any decoder."
)


def demo() -> None:
    """Train on most of the text that comes with Python; compare models and compressors on the rest."""
    from bitmeter._util.width import line_width
    from bitmeter.cli.output import say, show
    from bitmeter.measure.compare import compare_scores
    from bitmeter.measure.scoring import score
    from bitmeter.models.universal.model import Universal
    from bitmeter.reports.panel import remarks
    from bitmeter.text.corpus.corpus import Corpus
    from bitmeter.text.corpus.sample import SAMPLE_NAME, sample_parts

    started = time.perf_counter()
    train, rest = sample_parts()
    say(f"{SAMPLE_NAME}: {len(train):,} bytes to learn from, then {len(rest):,} to score.")
    for line in textwrap.wrap(_ABOUT, min(line_width(), 78)):
        typer.echo(line)
    typer.echo()
    corpus = Corpus.from_text(rest, docs="line", name="the rest")
    cold: list[Any] = ["uniform", *_COMPRESSORS, _named(Universal(), "universal")]
    warm = [*(_trained(order, train) for order in _NAMES), _named(Universal().with_prime(train), "universal primed")]
    found = compare_scores([score(model, corpus) for model in (*cold, *warm)], 0.95)
    show(_table(found, len(cold)))
    for line in remarks(found):
        for part in textwrap.wrap(line, line_width()):
            typer.echo(part)
    typer.echo()
    say(f"{time.perf_counter() - started:.1f} s. Next: bitmeter learn, or: bitmeter score FILE")


def _table(found: Any, cold: int) -> Any:
    """Narrower than that of `compare`: the difference and its p-value, and what was read beforehand."""
    from bitmeter.reports.tables import comparison_cells, plain_table

    titles = [("model", "left"), ("bits/byte", "right"), ("Δ [95 %]", "left"), ("p", "right"), ("has read", "left")]
    rows = [
        [*comparison_cells(row)[:4], "nothing" if number < cold else "first part"]
        for number, row in enumerate(found.rows)
    ]
    return plain_table(titles, rows)


def _named(model: Any, name: str) -> Any:
    model.name = name
    return model


def _trained(order: int, text: bytes) -> Any:
    from bitmeter.models.ngram.model import NGram

    return _named(NGram(order).fit(text), _NAMES[order])
