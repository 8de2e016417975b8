"""What kind of network a configuration describes, for messages about those that are no causal language models."""

from __future__ import annotations

from typing import Any

from bitmeter.errors import ModelError

__all__ = ["check_kind", "described", "not_causal"]

_WHY = "so that it gives no probability to a text"
#: Of the tables of transformers, by which it knows the classes of a kind: the table, the kind, and what to use instead.
_TABLES = (
    ("MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES", "an encoder-decoder",
     "it predicts an output given an input and not a text by itself. Use a decoder-only model"),
    ("MODEL_FOR_MASKED_LM_MAPPING_NAMES", "a masked model",
     "it fills gaps from both sides, {why}. To compare sentences with it: bitmeter prefer mlm:FOLDER PAIRS"),
    ("MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES", "a classifier", "{why}. Use a causal language model"),
    ("MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES", "a tagger", "{why}. Use a causal language model"),
    ("MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES", "a reader of questions", "{why}. Use a causal language model"),
    ("MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES", "a speech recogniser", "{why}. Use a causal language model"),
    ("MODEL_FOR_CTC_MAPPING_NAMES", "a speech recogniser", "{why}. Use a causal language model"),
    ("MODEL_FOR_AUDIO_CLASSIFICATION_MAPPING_NAMES", "a model of sounds", "{why}. Use a causal language model"),
    ("MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES", "a model of images", "{why}. Use a causal language model"),
    ("MODEL_FOR_ZERO_SHOT_IMAGE_CLASSIFICATION_MAPPING_NAMES", "a model of images", "{why}. Use a causal one"),
    ("MODEL_FOR_PRETRAINING_MAPPING_NAMES", "a model for pre-training", "{why}. Use a causal language model"),
)  # fmt: skip
_CAUSAL = "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES"


def check_kind(config: Any, name: str, *, trusted: bool) -> None:
    """Refuse what its configuration shows to be no causal language model, before any weight is read.

    Parameters
    ----------
    config
        Of transformers.
    name
        The model, for messages.
    trusted
        Whether the user typed trust: classes that come with a model are not known here.
    """
    if config.is_encoder_decoder:
        raise _refused(config, name, "an encoder-decoder", dict(_kinds())["an encoder-decoder"])
    causal = _table(_CAUSAL)
    made = list(config.architectures or ())
    own_code = trusted and bool(getattr(config, "auto_map", None))
    if own_code or any(architecture in causal.values() for architecture in made) or _is_decoder(config):
        return
    for table, kind, remedy in _TABLES:
        others = _table(table)
        if any(architecture in others.values() for architecture in made) and not _bare(made):
            raise _refused(config, name, kind, remedy)
    if config.model_type not in causal:
        kind = described(config)
        raise _refused(config, name, kind, dict(_kinds()).get(kind, "{why}. Use a causal language model"))


def described(config: Any) -> str:
    """The kind of a network, as a phrase: by its class, else by what transformers makes of its type."""
    made = list(config.architectures or ())
    for table, kind, _ in _TABLES:
        if any(architecture in _table(table).values() for architecture in made):
            return kind
    for table, kind, _ in _TABLES:
        if config.model_type in _table(table):
            return kind
    return "a model without a head for the next token"


def not_causal(config: Any, name: str) -> ModelError:
    """The error for a network whose predictions changed with what comes later."""
    kind = described(config)
    what = f" ({kind}{_architecture(config)})" if kind == "a masked model" else _architecture(config)
    message = (
        f"{name}{what} is not a causal language model: what it predicts for a token changes with the tokens behind "
        f"it, {_WHY}. To compare sentences with a masked model: bitmeter prefer mlm:FOLDER PAIRS"
    )
    return ModelError(message, value=name)


def _kinds() -> list[tuple[str, str]]:
    return [(kind, remedy) for _, kind, remedy in _TABLES]


def _refused(config: Any, name: str, kind: str, remedy: str) -> ModelError:
    words = remedy.format(why=_WHY)
    sign = "," if words.startswith("so ") else ":"
    message = f"{name} is {kind}{_architecture(config)} and not a causal language model{sign} {words}"
    return ModelError(message, value=name)


def _architecture(config: Any) -> str:
    made = list(config.architectures or ())
    return f" ({made[0]:.60})" if made and isinstance(made[0], str) else f" ({config.model_type})"


def _is_decoder(config: Any) -> bool:
    """An encoder that was made to look back only, as BERT can be."""
    return getattr(config, "is_decoder", False) is True


def _bare(made: list[Any]) -> bool:
    """A body without a head, whose head may be its embeddings."""
    return all(str(architecture).endswith("Model") and "LMHead" not in str(architecture) for architecture in made)


def _table(name: str) -> dict[str, str]:
    from transformers.models.auto import modeling_auto

    found: dict[str, Any] = dict(getattr(modeling_auto, name, {}))
    return {key: value for key, value in found.items() if isinstance(value, str)}
