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
    scoring_progress,
)

if TYPE_CHECKING:
    from bitmeter.measure.score import Score

_PER = ("byte", "char", "word", "token", "document")


def score(
    words: Annotated[list[str], typer.Argument(metavar="MODEL TEXT…", help="A model, then the texts (- for stdin).")],
    models: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A model; may come several times. All words are then texts."),
    ] = None,
    per: Annotated[str, typer.Option(help="What -q divides by: byte, char, word, token or document.")] = "byte",
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

    Several models (-m A -m B) and several texts give one table. `bitmeter models` lists the models.
    """
    if json and quiet:
        message = "--json and -q ask for two different outputs; give one of them"
        raise typer.BadParameter(message)
    if per not in _PER:
        message = f"--per is {per}; it must be one of {', '.join(_PER)}"
        raise typer.BadParameter(message)
    chosen, texts = _models_and_texts(words, models)
    if (output or trace) and len(chosen) * len(texts) > 1:
        message = "-o and --trace save one run; give one model and one text"
        raise typer.BadParameter(message)
    keywords: dict[str, Any] = {
        "docs": docs, "field": field, "like": like, "first": first, "eos": eos, "oov": oov, "den": den, "norm": norm,
        "ctx": ctx, "confidence": confidence, "trace": trace, "force": force, "alternatives": alternatives,
    }  # fmt: skip
    if prove:
        set_aside = {"docs": docs, "first": first, "eos": eos, "oov": oov, "den": den, "ctx": ctx, "trace": trace,
                     "output": output, "alternatives": alternatives, "json": json or None, "quiet": quiet or None,
                     "like": None if like == "bitmeter" else like}  # fmt: skip
        _prove(chosen, texts, field, norm, [key for key, value in set_aside.items() if value is not None])
        return
    if output is not None and output.exists() and not force:
        from bitmeter.errors import FileFormatError

        message = f"{output} exists already and nothing is overwritten unasked; type --force"
        raise FileFormatError(message, value=str(output))
    scores = [_measure(model, text, keywords) for text in texts for model in chosen]
    if output is not None:
        scores[0].save(output, force=force)
    _print(scores, per, json=json, quiet=quiet)


def _prove(models: list[str], texts: list[str], field: str | None, norm: str | None, others: list[str]) -> None:
    if others:
        message = f"--prove takes a text as a file holds it, whole and of one document; leave out --{others[0]}"
        raise typer.BadParameter(message)
    from bitmeter.cli.common import byte_progress
    from bitmeter.coding.proving import prove
    from bitmeter.errors import ModelError

    failed = []
    for text in texts:
        for model in models:
            with byte_progress("coding", f"{model} on {text}") as progress:
                proof = prove(model, text, field=field, norm=norm or "none", progress=progress)
            typer.echo(f"{proof.score}\n\n{proof}")
            if not proof.holds:
                failed.append(model)
    if failed:
        message = f"the file of {failed[0]} is not as long as its score says, so the score is none of a distribution"
        raise ModelError(message)


def _models_and_texts(words: list[str], models: list[str] | None) -> tuple[list[str], list[str]]:
    if models:
        return models, words
    if len(words) < 2:
        message = (
            f"a model and a text are needed, found only {words[0]!r}. Type: bitmeter score MODEL TEXT, such as "
            "bitmeter score kt README.md; `bitmeter models` lists the models"
        )
        raise typer.BadParameter(message)
    return [words[0]], words[1:]


def _measure(model: str, text: str, keywords: dict[str, Any]) -> Score:
    from bitmeter.measure.scoring import score as measure

    with scoring_progress(f"{model} on {text}") as progress:
        return measure(model, text, progress=progress, **keywords)


def _print(scores: list[Score], per: str, *, json: bool, quiet: bool) -> None:
    if json:
        lines = [score.to_json() for score in scores]
        typer.echo(lines[0] if len(lines) == 1 else "[" + ",\n".join(lines) + "]")
    elif quiet:
        for score in scores:
            typer.echo(repr(score.rate(per)))  # type: ignore[arg-type]
    elif len(scores) == 1:
        typer.echo(str(scores[0]))
    else:
        from bitmeter.cli.common import show
        from bitmeter.measure.words import folded, notes_of
        from bitmeter.reports.scores import score_table

        show(score_table(scores))
        for note in notes_of(scores):
            for line in folded("note:", note, 6):
                typer.echo(line)
    sys.stdout.flush()
