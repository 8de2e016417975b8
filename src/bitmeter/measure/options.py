"""The keywords of score() settled: what the convention says, what was given beside it, and what the model can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bitmeter._util.check import choice, real
from bitmeter.errors import InputError, InputTypeError, ModelError
from bitmeter.measure.clusters import check_cluster
from bitmeter.measure.conventions.base import Convention
from bitmeter.measure.conventions.settings import DEFAULTS, setting
from bitmeter.models.arithmetic import OWN
from bitmeter.models.protocols import Model, OpenVocabulary
from bitmeter.models.windows import parse_context
from bitmeter.text.borders import BORDERS


@dataclass(frozen=True, slots=True)
class Settings:
    """The keywords of score() with the defaults of the convention filled in; each is in the signature."""

    docs: str | None
    field: str | None
    norm: str
    #: None until the model is known, unless the user gave one.
    first: str | None
    eos: str
    oov: str
    den: str
    #: How much is seen; None until the model is known, unless the user gave one.
    ctx: str | None
    #: The convention's own, where the user gave none.
    default_ctx: str
    #: The convention's rule for BOS, where its own windows are used; None for what the windows imply.
    bos: str | None
    like: str
    confidence: float
    #: Which documents belong together, for the interval.
    cluster: str = "auto"
    #: The field of the contexts of answers; None for no contexts.
    given: str | None = None
    #: What stands between a context and its answer, and how the border between them is drawn.
    between: str = ""
    border: str = "whole"
    #: By what figures are given apart: a field, "file" or "folder"; None for nothing.
    group: str | None = None
    #: The convention's own way from logits to log-probabilities, which a model may follow; part of the precision.
    arithmetic: str = OWN


def settle(
    tool: Convention,
    docs: str | None,
    field: Any,
    norm: str | None,
    first: str | None,
    eos: str | None,
    oov: str | None,
    den: str | None,
    ctx: str | None,
    confidence: float,
    cluster: str = "auto",
    given: str | None = None,
    between: str | None = None,
    border: str | None = None,
    group: str | None = None,
) -> Settings:
    """What is given goes before what the convention says, and that before the defaults."""
    stated = {"norm": norm, "eos": eos, "oov": oov, "den": den}
    defaults = {**DEFAULTS, **tool.settings}
    values = {key: setting(key, defaults[key] if value is None else value) for key, value in stated.items()}
    beginning = first if first is not None else tool.settings.get("first")
    if beginning is not None:
        setting("first", beginning)
    if field is not None and not isinstance(field, str):
        message = f"field is {field!r:.40}; it must be the name of a field or column"
        raise InputTypeError(message, value=field)
    _check_answers(given, between, border, group)
    boundaries = docs if docs is not None else tool.settings.get("docs")
    if boundaries is not None:
        setting("docs", boundaries)
    if ctx is not None:
        parse_context(ctx)
    level = real(confidence, "confidence", low=0.5, high=0.9999)
    return Settings(
        docs=boundaries,
        field=field,
        first=beginning,
        ctx=ctx,
        default_ctx=defaults["ctx"],
        bos=_bos(tool, ctx, given),
        like=tool.name,
        confidence=level,
        cluster=check_cluster(cluster),
        given=given,
        between=between or "",
        border=border or ("whole" if given is None else tool.border),
        group=group,
        arithmetic=tool.arithmetic,
        **values,
    )


def _bos(tool: Convention, ctx: str | None, given: str | None) -> str | None:
    """The convention's rule for BOS; None for what the windows imply."""
    if given is not None:
        return tool.bos_of_answers
    return tool.bos if ctx is None and "ctx" in tool.settings else None


def _check_answers(given: Any, between: Any, border: Any, group: Any) -> None:
    """The keywords for answers and groups, and that those of contexts come with contexts."""
    for name, value in (("given", given), ("group", group)):
        if value is not None and (not isinstance(value, str) or not value):
            message = f"{name} is {value!r:.40}; it must be the name of a field or column"
            raise InputTypeError(message, value=value)
    if between is not None and not isinstance(between, str):
        message = f"between is {between!r:.40}; it must be a string, such as ' '"
        raise InputTypeError(message, value=between)
    if border is not None:
        choice(border, "border", BORDERS)
    if given is None and (between or border):
        name = "between" if between else "border"
        message = f"{name} is about contexts and answers; name the field of the contexts with --given (given=)"
        raise InputError(message)


def check_abilities(model: Model, settings: Settings) -> None:
    """Refuse what the model cannot do, before anything is read."""
    traits = model.traits
    if not traits.is_distribution:
        message = (
            f"{model.name} gives scores that do not sum to one, so they say nothing about perplexity: a model that "
            "gave every word a score of 1 would win; train with another smoothing, such as modified-kneser-ney, or "
            "take the scores alone: bitmeter score MODEL TEXT without options, in Python model.score(text) or "
            "model.logprobs(ids, bounds)"
        )
        raise ModelError(message)
    if settings.eos != "no" and traits.end is None:
        why = f", as the conventions of {settings.like} ask" if settings.like != "bitmeter" else ""
        message = f"{model.name} does not predict the end of a document{why}; eos must be 'no' (--eos no)"
        raise ModelError(message)
    if settings.oov in ("class", "spelled") and settings.oov not in traits.oov:
        ways = "'none'"
        if isinstance(model, OpenVocabulary):
            if settings.oov == "spelled":
                model.for_bytes()  # says what is missing, if the model could spell
            ways = "'none' or 'skipped'"
        message = f"{model.name} has no way {settings.oov!r} for unknown units; oov can be {ways} (--oov)"
        raise ModelError(message)
    if settings.oov == "skipped" and not isinstance(model, OpenVocabulary):
        message = f"{model.name} has no unknown units, so oov must be 'none' (--oov none)"
        raise ModelError(message)
    if settings.first == "uniform" and traits.vocabulary is None:
        message = (
            f"{model.name} has no fixed number of units, so a first unit cannot cost their logarithm; use first='skip'"
        )
        raise ModelError(message)
