"""`bitmeter score`: how many bits a model needs for a text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.cli.common import (
    Alternatives,
    Confidence,
    Ctx,
    Den,
    Docs,
    Eos,
    Field,
    First,
    Force,
    Json,
    Like,
    Norm,
    Oov,
    check_free,
    scoring_progress,
)
from bitmeter.cli.quick import shown

if TYPE_CHECKING:
    from bitmeter.measure.score import Score

_PER = ("byte", "char", "word", "token", "document")


def score(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] TEXT…", help="A model (universal if none is named), then the texts (- for stdin)."
        ),
    ],
    models: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A model; may come several times. All words are then texts."),
    ] = None,
    per: Annotated[str, typer.Option(help="What -q divides by: byte, char, word, token or document.")] = "byte",
    prime: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Have a model that learns as it reads (universal) read this before."),
    ] = None,
    docs: Docs = None,
    field: Field = None,
    like: Like = "bitmeter",
    first: First = None,
    eos: Eos = None,
    oov: Oov = None,
    den: Den = None,
    norm: Norm = None,
    ctx: Ctx = None,
    confidence: Confidence = 0.95,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save the run as JSON.")] = None,
    trace: Annotated[Path | None, typer.Option(help="Save what each unit cost as Parquet.")] = None,
    alternatives: Alternatives = None,
    force: Force = False,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the number alone.")] = False,
    prove: Annotated[
        bool, typer.Option("--prove", help="Code the text by the model, decode it, and compare bits with the score.")
    ] = False,
) -> None:
    """Measure how many bits a model needs for a text, per byte, character, word and token.

    With no model named it is `universal`, which needs no training. Several models (-m A -m B) and several texts give
    one table. `bitmeter models` lists the models.
    """
    if json and quiet:
        message = "--json and -q ask for two different outputs; give one of them"
        raise typer.BadParameter(message)
    if per not in _PER:
        message = f"--per is {per}; it must be one of {', '.join(_PER)}"
        raise typer.BadParameter(message)
    chosen, texts, by_default = _models_and_texts(words, models)
    if (output or trace) and len(chosen) * len(texts) > 1:
        message = "-o and --trace save one run; give one model and one text"
        raise typer.BadParameter(message)
    keywords: dict[str, Any] = {
        "docs": docs, "field": field, "like": like, "first": first, "eos": eos, "oov": oov, "den": den, "norm": norm,
        "ctx": ctx, "confidence": confidence, "trace": trace, "force": force, "alternatives": alternatives,
    }  # fmt: skip
    check_free(output, force=force)
    check_free(trace, force=force)
    ready = [_ready(model, prime) for model in chosen]
    if prove:
        set_aside = {"docs": docs, "first": first, "eos": eos, "oov": oov, "den": den, "ctx": ctx, "trace": trace,
                     "output": output, "alternatives": alternatives, "json": json or None, "quiet": quiet or None,
                     "like": None if like == "bitmeter" else like}  # fmt: skip
        _prove(ready, texts, field, norm, [key for key, value in set_aside.items() if value is not None])
        return
    if not (quiet or output) and len(chosen) == len(texts) == 1:
        from bitmeter.cli.measure.ranks import ranks

        alone = ranks(ready[0], texts[0], keywords, json=json)
        if alone is not None:
            typer.echo(alone)
            return
    scores = [_measure(model, text, keywords) for text in texts for model in ready]
    if output is not None:
        scores[0].save(output, force=force)
    _print(scores, per, json=json, quiet=quiet)
    if by_default and not json and not quiet:
        typer.echo(f"No model was named, so this is {DEFAULT}, which learns as it reads.")


def _prove(models: list[Any], texts: list[str], field: str | None, norm: str | None, others: list[str]) -> None:
    if others:
        message = f"--prove takes a text as a file holds it, whole and of one document; leave out --{others[0]}"
        raise typer.BadParameter(message)
    from bitmeter.cli.common import byte_progress
    from bitmeter.coding.prove import prove
    from bitmeter.errors import ModelError

    failed = []
    for text in texts:
        for model in models:
            name = getattr(model, "name", model)
            with byte_progress("coding", f"{name} on {text}") as progress:
                proof = prove(model, text, field=field, norm=norm or "none", progress=progress)
            typer.echo(f"{proof.score}\n\n{proof}")
            if not proof.holds:
                failed.append(name)
    if failed:
        message = f"the file of {failed[0]} is not as long as its score says, so the score is none of a distribution"
        raise ModelError(message)


#: The model of `bitmeter score TEXT`.
DEFAULT = "universal"


def _models_and_texts(words: list[str], models: list[str] | None) -> tuple[list[str], list[str], bool]:
    """The models, the texts, and whether the model is the default one."""
    if models:
        return models, words, False
    if not _is_text(words[0]):
        if len(words) == 1:
            message = (
                f"a text is needed; {words[0]!r} is no file, or names a model. Type: bitmeter score TEXT, or "
                "bitmeter score MODEL TEXT, such as bitmeter score kt README.md; `bitmeter models` lists the models"
            )
            raise typer.BadParameter(message)
        return [words[0]], words[1:], False
    return [DEFAULT], words, True


def _is_text(word: str) -> bool:
    """Whether the first word is a text: what is a model's name or its file is not, even if there is such a file."""
    from bitmeter.models.registry import names_model

    return not names_model(word) and (
        word == "-" or "://" in word or any(c in word for c in "*?[") or Path(word).exists()
    )


def _ready(model: str, prime: str | None) -> Any:
    """The model's name; or the model, where it is at hand at once or has a text to read before."""
    from bitmeter.models.ngram.files import SUFFIX
    from bitmeter.models.registry import load

    if prime is None:
        return load(model) if model.endswith(SUFFIX) else model
    from bitmeter.models.registry import primed

    return primed(load(model), prime)


def _measure(model: Any, text: str, keywords: dict[str, Any]) -> Score:
    from bitmeter.measure.scoring import score as measure

    with scoring_progress(f"{getattr(model, 'name', model)} on {text}") as progress:
        return measure(model, text, progress=progress, **keywords)


def _print(scores: list[Score], per: str, *, json: bool, quiet: bool) -> None:
    lines = [shown(score, per, json=json, quiet=quiet) for score in scores]
    if json:
        typer.echo(lines[0] if len(lines) == 1 else "[" + ",\n".join(lines) + "]")
    elif quiet or len(lines) == 1:
        for line in lines:
            typer.echo(line)
    else:
        from bitmeter.cli.common import show
        from bitmeter.reports.figures import folded
        from bitmeter.reports.panel import notes_of
        from bitmeter.reports.tables import score_table

        show(score_table(scores))
        for note in notes_of(scores):
            for line in folded("note:", note, 6):
                typer.echo(line)
    sys.stdout.flush()
