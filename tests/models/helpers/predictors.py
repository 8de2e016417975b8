"""One predictor of every kind, with a text that it knows: for the tests that hold for all of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import bitmeter as bm
from tests.coding.models import TEXT, Plain, byte_mixture, chain, letters, word_mixture, words
from tests.models.helpers.plugins import PlainWords

#: With words that none of the models of words knows.
UNHEARD = b"to be or xyzzy\nnot to be the plugh\n"


@functools.cache
def network(kind: str, units: str) -> bm.Neural:
    """A small network, trained in a moment."""
    model = bm.Neural(kind, units, width=8, context=8, threads=1, vocabulary=300)
    model.fit(TEXT * 4, epochs=1, batch=2)
    return model.with_oov("class") if units == "words" else model


#: Made when they are asked for: some take a moment.
PREDICTORS: dict[str, tuple[Callable[[], Any], bytes]] = {
    "uniform": (bm.Uniform, TEXT),
    "kt": (bm.KrichevskyTrofimov, TEXT),
    "universal": (lambda: bm.Universal("small"), TEXT),
    "universal, primed": (lambda: bm.Universal("small").with_prime(TEXT), TEXT),
    "universal, frozen": (lambda: bm.Universal("small").with_prime(TEXT).freeze(), TEXT),
    "distribution": (lambda: bm.TableModel(letters()), b"to be or not"),
    "conditional": (lambda: bm.TableModel(chain()), b"abc cab"),
    "ngram of words": (lambda: words().with_oov("class"), UNHEARD),
    "ngram of words, compact": (lambda: words().compact().with_oov("class"), UNHEARD),
    "ngram of bytes": (lambda: bm.NGram(order=3, units="bytes").fit(TEXT), UNHEARD),
    "ngram of characters": (lambda: bm.NGram(order=3, units="chars").fit(TEXT).with_oov("class"), "né\nto".encode()),
    "ngram, files as sentences": (lambda: bm.NGram(order=3, units="bytes").fit(TEXT, docs="file"), UNHEARD),
    "mixture of words": (lambda: word_mixture().with_oov("class"), UNHEARD),
    "mixture of bytes": (byte_mixture, UNHEARD),
    "lstm": (lambda: network("lstm", "bytes"), UNHEARD),
    "transformer": (lambda: network("transformer", "bytes"), UNHEARD),
    "lstm of words": (lambda: network("lstm", "words"), UNHEARD),
    "transformer of words": (lambda: network("transformer", "words"), UNHEARD),
    "plug-in of bytes": (Plain, UNHEARD),
    "plug-in of words": (lambda: bm.load(PlainWords()).with_oov("class"), UNHEARD),
}
