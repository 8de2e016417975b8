"""`bitmeter score` with a model whose scores do not sum to one: the sum of its scores, and no perplexity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bitmeter.models.protocols import Model
    from bitmeter.models.scored_text import ScoredText

__all__ = ["ranks"]

_WHY = (
    "Stupid back-off gives scores that do not sum to one. They rank words and sentences; they have no bits and no "
    "perplexity."
)
#: The options that only a distribution has a use for, with their defaults.
_DEFAULTS = {
    "like": "bitmeter", "first": None, "den": None, "norm": None, "ctx": None, "confidence": 0.95, "trace": None,
    "alternatives": None,
}  # fmt: skip


def ranks(model: Any, text: str, keywords: dict[str, Any], *, json: bool) -> str | None:
    """The sum of the scores of a text, as a sentence or as JSON with the score of every sentence.

    None if the model is a distribution, or if an option was given that only distributions have a use for: those are
    scored, or refused with the reason, like all others.
    """
    from bitmeter.models.protocols import SentenceScorer
    from bitmeter.text.units.words import Words

    if not isinstance(model, SentenceScorer) or model.traits.is_distribution or not isinstance(model.units, Words):
        return None
    settings = {key: keywords[key] for key in ("docs", "field", "eos", "oov")}
    if any(keywords[key] != default for key, default in _DEFAULTS.items()):
        return None
    if settings["oov"] not in (None, "class", "none"):
        return None
    found = model.score(text, **{key: value for key, value in settings.items() if value is not None})
    if json:
        return _as_json(model, text, found)
    unknown = int(found.unknown.sum())
    sentences = len(found.bounds) - 1
    return (
        f"{model.name} on {text}: {sentences:,} sentence{'s' * (sentences != 1)}, {found.tokens:,} words and ends, "
        f"{unknown:,} of them unknown\nln of the scores {found.logprob:,.4f} in all\n{_WHY}"
    )


def _as_json(model: Model, text: str, found: ScoredText) -> str:
    import json as encoder
    import math

    from bitmeter._version import __version__

    def finite(value: float) -> float | str:
        return value if math.isfinite(value) else "-inf"

    result = {
        "schema": "bitmeter.ranks/1", "version": __version__, "model": model.name,
        "fingerprint": model.fingerprint, "text": text, "tokens": found.tokens, "unknown": int(found.unknown.sum()),
        "ln_score": finite(found.logprob), "perplexity": None,
        "ln_score_of_sentences": [finite(value) for value in found.sentences.tolist()],
        "note": _WHY,
    }  # fmt: skip
    return encoder.dumps(result)
