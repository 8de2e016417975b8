"""`bitmeter demo`: n-gram models trained on most of the embedded text, measured on the rest beside compressors."""

from __future__ import annotations

import time
from typing import Any

import typer

#: The orders that are trained.
_NAMES = {1: "unigram", 2: "bigram", 5: "5-gram"}
_COMPRESSORS = ("zlib", "bz2", "zstd:19", "xz")


def demo() -> None:
    """Train on the larger part of the text that comes with Python; compare models and compressors on the rest."""
    from bitmeter.cli.common import show
    from bitmeter.measure.compare import compare_scores
    from bitmeter.measure.scoring import score
    from bitmeter.reports.panel import remarks
    from bitmeter.reports.tables import comparison_table
    from bitmeter.text.corpus.corpus import Corpus
    from bitmeter.text.corpus.sample import SAMPLE_NAME, sample_parts

    started = time.perf_counter()
    train, rest = sample_parts()
    typer.echo(f"{SAMPLE_NAME}: trained on {len(train):,} bytes, measured on the {len(rest):,} after them.")
    typer.echo("Words that the n-gram models never saw are spelled, so that every row pays for the same bytes.\n")
    corpus = Corpus.from_text(rest, docs="line", name="the rest")
    models: list[Any] = ["uniform", *(_trained(order, train) for order in _NAMES), *_COMPRESSORS]
    found = compare_scores([score(model, corpus) for model in models], 0.95)
    show(comparison_table(found))
    for line in remarks(found):
        typer.echo(line)
    typer.echo(f"\n{time.perf_counter() - started:.1f} s. Next: bitmeter learn, or: bitmeter score FILE")


def _trained(order: int, text: bytes) -> Any:
    from bitmeter.models.ngram.model import NGram

    model = NGram(order).fit(text)
    model.name = _NAMES[order]
    return model
