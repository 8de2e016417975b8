"""How far counts alone go: n-gram models and caches mixed, with weights found on the validation text.

    python benchmarks/mixture.py TRAIN VALID TEST [--no-unk-word]

Lines are sentences, their ends are predicted and counted, and <unk> in the text is a word, as is common with WikiText
and the Penn Treebank. Each row adds to the one before, but for the last two: tuned discounts alone, and
`bitmeter mix --auto`, which chooses everything by VALID. Weights are fitted on VALID alone. In the rows before, the
caches' settings were set by hand, and how histories are sorted into kinds (--buckets) was chosen among a few variants
with the figures of both the validation and the test text of WikiText-2 known: on that test text the row of the kinds
of history is slightly optimistic. The goal of `mix --auto` is to be below the row of the cache of words.
"""

from __future__ import annotations

import argparse

from goals import Goal, show_goals
from stopwatch import header, used

import bitmeter as bm

#: Set by hand; only the weights are fitted.
CACHES = {
    "a cache of words": [bm.Cache(2000, 0.999)],
    "caches of pairs and triples": [
        bm.Cache(5000, 0.9995, order=2),
        bm.Cache(5000, order=3),
    ],
    "more caches": [
        bm.Cache(500, 0.995),
        bm.Cache(4000, rare=0.3),
        bm.Cache(4000, 0.9995, rare=0.7),
        bm.Cache(8000, order=4),
    ],
}


def main() -> None:
    """Print one row per mixture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("valid")
    parser.add_argument("test")
    parser.add_argument("--no-unk-word", action="store_true", help="the text holds no <unk>")
    options = parser.parse_args()
    print(header())
    models = [bm.NGram(order, unk_word=not options.no_unk_word).fit(options.train) for order in (5, 3, 2, 1)]
    print("| model | valid | test | below | CPU seconds |\n|---|--:|--:|--:|--:|")
    plain = row("5-gram, modified Kneser-Ney", bm.MixtureModel(models[:1]), options, None)
    parts: list[bm.NGram | bm.Cache] = [models[0]]
    with_caches = []
    for name, caches in CACHES.items():
        parts = [*parts, *caches]
        with_caches.append(row(f"+ {name}", bm.MixtureModel(parts), options, plain))
    row("+ orders 3, 2 and 1", bm.MixtureModel([*parts, *models[1:]]), options, plain)
    row("+ weights by kind of history", bm.MixtureModel([*parts, *models[1:]], buckets=True), options, plain)
    started = used()
    tuned = [
        bm.NGram(order, unk_word=not options.no_unk_word).fit(options.train, heldout=options.valid)
        for order in (5, 3, 2, 1)
    ]
    row("5-gram, discounts tuned on VALID", bm.MixtureModel(tuned[:1]), options, plain)
    chosen, _ = bm.auto_mixture(tuned[:1], options.valid, optional=tuned[1:])
    reached = measured("bitmeter mix --auto", chosen, options, plain, started)
    print()
    show_goals([Goal("perplexity of mix --auto, below the 5-gram with a cache of words", "<", with_caches[0], reached)])


def row(name: str, mixture: bm.MixtureModel, options: argparse.Namespace, plain: float | None) -> float:
    """Fit on the validation text, measure on the test text."""
    started = used()
    mixture.fit(options.valid)
    return measured(name, mixture, options, plain, started)


def measured(
    name: str, mixture: bm.MixtureModel, options: argparse.Namespace, plain: float | None, started: float
) -> float:
    """Measure a fitted mixture on the test text."""
    assert mixture.fitted is not None
    score = bm.score(mixture, options.test, docs="line", eos="yes", oov="class")
    found = score.perplexity("token")
    below = "" if plain is None else f"{1 - found / plain:.1%}"
    seconds = used() - started
    print(f"| {name} | {mixture.fitted.perplexity:.2f} | {found:.2f} | {below} | {seconds:.1f} |", flush=True)
    return found


if __name__ == "__main__":
    main()
