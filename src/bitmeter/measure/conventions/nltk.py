"""NLTK: `nltk.lm`, `LanguageModel.perplexity`."""

from __future__ import annotations

from bitmeter.measure.conventions.base import Convention, token_perplexity

CONVENTION = Convention(
    name="nltk",
    settings={"docs": "line", "eos": "yes", "oov": "class"},
    statements=(
        "Two to the mean of −log2 p over all n-grams, sentence ends included.",
        "Unknown words are mapped to <UNK>.",
    ),
    figures=token_perplexity,
    needs="an end of sentence and <unk>",
)
