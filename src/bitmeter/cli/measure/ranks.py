"""`bitmeter score` of a model whose scores do not sum to one: what it gives, and no perplexity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bitmeter.models.ngram.model import NGram
    from bitmeter.models.ngram.query import ScoredText

_WHY = (
    "Stupid back-off gives scores that do not sum to one. They rank words and sentences; they have no bits and no "
    "perplexity."
)
#: Options of a measurement; scores that are not probabilities are shown only if all of them have their defaults.
_MEASURING = ("like", "first", "den", "norm", "ctx", "confidence", "trace", "alternatives")


def ranks(model: Any, text: str, keywords: dict[str, Any], *, json: bool) -> str | None:
    """The sum of the scores of a text, in words or as JSON with those of all sentences.

    None where the model is a distribution, or where something is asked that there is only of distributions: those are
    measured, or refused with the reason, like all others.
    """
    from inspect import signature

    from bitmeter.measure.scoring import score
    from bitmeter.models.ngram.model import NGram

    if not isinstance(model, NGram) or model.is_distribution or not model.of_words:
        return None
    settings = {key: keywords[key] for key in ("docs", "field", "eos", "oov")}
    defaults = signature(score).parameters
    changed = any(keywords[key] != defaults[key].default for key in _MEASURING)
    if changed or settings["oov"] not in (None, "class", "none"):
        return None
    rated = model.score(text, **{key: value for key, value in settings.items() if value is not None})
    if json:
        return _as_json(model, text, rated)
    unknown = int(rated.unknown.sum())
    number = len(rated.bounds) - 1
    return (
        f"{model.name} on {text}: {number:,} sentence{'s' * (number != 1)}, {rated.tokens:,} words and ends, "
        f"{unknown:,} of them unknown\nln of the scores {rated.logprob:,.4f} in all\n{_WHY}"
    )


def _as_json(model: NGram, text: str, rated: ScoredText) -> str:
    import json as encoder
    import math

    def finite(value: float) -> float | str:
        return value if math.isfinite(value) else "-inf"

    found = {
        "schema": "bitmeter.ranks/1", "model": model.name, "fingerprint": model.fingerprint, "text": text,
        "tokens": rated.tokens, "unknown": int(rated.unknown.sum()), "ln_score": finite(rated.logprob),
        "ln_score_of_sentences": [finite(value) for value in rated.sentences.tolist()], "perplexity": None,
        "note": _WHY,
    }  # fmt: skip
    return encoder.dumps(found)
