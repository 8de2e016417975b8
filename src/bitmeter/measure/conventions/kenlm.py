"""KenLM: `query`."""

from __future__ import annotations

from bitmeter.measure.conventions.base import Convention, perplexity
from bitmeter.measure.score import Score


def _figures(score: Score) -> dict[str, float]:
    tokens = score.count("token")
    # "Excluding OOVs" leaves out their cost too; a score that skipped them has left it out already.
    return {
        "Perplexity including OOVs": perplexity(score.nats, tokens),
        "Perplexity excluding OOVs": perplexity(score.known_nats, tokens - score.oov),
        "OOVs": float(score.oov),
        "Tokens": float(tokens),
    }


CONVENTION = Convention(
    name="kenlm",
    settings={"docs": "line", "eos": "yes", "oov": "class"},
    statements=(
        "Each line is a sentence, even a blank one, and its end is predicted and counted.",
        "An unknown word costs <unk> only; perplexity is given with and without unknown words.",
        "Divided by words and sentence ends.",
    ),
    figures=_figures,
    needs="an end of sentence and <unk>",
)
