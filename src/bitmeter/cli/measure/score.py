"""`bitmeter score`: cross-entropy and perplexity of a model on a text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.cli.loading import load_models
from bitmeter.cli.options import (
    Alternatives,
    Confidence,
    Force,
    Json,
    Prime,
    Quiet,
    ScoringConventions,
    With,
    check_free,
    check_one_output,
)
from bitmeter.cli.progress import coding, scoring
from bitmeter.cli.quick import shown

if TYPE_CHECKING:
    from bitmeter.measure.score import Score

__all__ = ["DEFAULT", "score"]

#: The model of `bitmeter score TEXT`.
DEFAULT = "universal"
_PER = ("byte", "char", "word", "token", "document")


def score(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] TEXT…", help="A model (universal if none is named), then the texts; - for stdin."
        ),
    ],
    *,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", metavar="MODEL", help="A model; can be repeated. All arguments are then texts."),
    ] = None,
    per: Annotated[
        str, typer.Option(metavar="UNIT", help="What -q divides by: byte, char, word, token or document.")
    ] = "byte",
    prime: Prime = None,
    given: With = None,
    confidence: Confidence = 0.95,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Save the run as JSON.")] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the log-probability of each unit as Parquet.")
    ] = None,
    alternatives: Alternatives = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
    prove: Annotated[
        bool,
        typer.Option("--prove", help="Code the text with the model, decode it, and compare its length with the score."),
    ] = False,
    conventions: ScoringConventions,
) -> None:
    """Measure the cross-entropy of a model on a text.

    It is shown in bits per byte, and as perplexity per token, word and character. Without a model it is that of
    `universal`, which needs no training. Several models (-m A -m B) and several texts give one table. `bitmeter
    models` lists the models.
    """
    check_one_output(json=json, quiet=quiet)
    if per not in _PER:
        message = f"--per is {per}; it must be one of {', '.join(_PER)}"
        raise typer.BadParameter(message)
    names, texts, by_default = _models_and_texts(words, models)
    if (output or trace) and len(names) * len(texts) > 1:
        message = "-o and --trace save one run; give one model and one text"
        raise typer.BadParameter(message)
    check_free(output, force=force)
    check_free(trace, force=force)
    if output is not None and trace is not None and output.resolve() == trace.resolve():
        message = f"-o and --trace are both {output}; they are two files, so give two names"
        raise typer.BadParameter(message)
    # Without --with, models are loaded one after the other, so that only one is in memory.
    chosen: list[Any] = load_models(names, given) if given else list(names)
    if prove:
        unused = {"trace": trace, "output": output, "alternatives": alternatives, "json": json or None,
                  "quiet": quiet or None}  # fmt: skip
        _prove(chosen, texts, prime, conventions, [key for key, value in unused.items() if value is not None])
        return
    keywords = conventions.as_keywords() | {
        "confidence": confidence, "trace": trace, "force": force, "alternatives": alternatives,
    }  # fmt: skip
    if not (quiet or output) and len(chosen) == len(texts) == 1:
        from bitmeter.cli.measure.ranks import ranks

        model = _loaded(chosen[0], prime)
        alone = ranks(model, texts[0], keywords, json=json)
        if alone is not None:
            typer.echo(alone)
            return
        scores = [_measure(model, texts[0], keywords)]
    else:
        scores = _measure_all(chosen, texts, prime, keywords)
    if output is not None:
        scores[0].save(output, force=force)
    _print(scores, per, json=json, quiet=quiet)
    if by_default and not json and not quiet:
        typer.echo(f"No model was named, so this is {DEFAULT}, which learns as it reads.")


def _measure_all(models: list[Any], texts: list[str], prime: str | None, keywords: dict[str, Any]) -> list[Score]:
    """The score of each model on each text, text by text. Only one model is in memory at a time."""
    columns = []
    for name in models:
        model = _loaded(name, prime)
        columns.append([_measure(model, text, keywords) for text in texts])
    return [score for row in zip(*columns, strict=True) for score in row]


def _prove(
    models: list[Any], texts: list[str], prime: str | None, conventions: ScoringConventions, others: list[str]
) -> None:
    others = [name for name in conventions.given() if name not in ("field", "norm")] + others
    if others:
        message = f"--prove codes a text as it is in the file, as one document; leave out --{others[0]}"
        raise typer.BadParameter(message)
    from bitmeter.coding.prove import prove
    from bitmeter.errors import ModelError

    ready = [_loaded(name, prime) for name in models]
    failed = []
    for text in texts:
        for model in ready:
            with coding("coding", f"{model.name} on {text}") as progress:
                proof = prove(model, text, field=conventions.field, norm=conventions.norm or "none", progress=progress)
            typer.echo(f"{proof.score}\n\n{proof}")
            if not proof.holds:
                failed.append(model.name)
    if failed:
        message = (
            f"the length of the file coded with {failed[0]} is not its score, so the model is not a probability "
            "distribution"
        )
        raise ModelError(message)


def _models_and_texts(words: list[str], models: list[str] | None) -> tuple[list[str], list[str], bool]:
    """The models, the texts, and whether the model is the default."""
    if models:
        return models, words, False
    if not _is_text(words[0]):
        if len(words) == 1:
            message = (
                f"a text is needed; {words[0]!r} is a model or does not exist. Type: bitmeter score TEXT, or "
                "bitmeter score MODEL TEXT, such as bitmeter score kt README.md; `bitmeter models` lists the models"
            )
            raise typer.BadParameter(message)
        return [words[0]], words[1:], False
    return [DEFAULT], words, True


def _is_text(word: str) -> bool:
    """Whether the first argument is a text. The name or file of a model is not, even if there is such a file."""
    from bitmeter.models.registry import names_model

    return not names_model(word) and (
        word == "-" or "://" in word or any(c in word for c in "*?[") or Path(word).exists()
    )


def _loaded(name: Any, prime: str | None) -> Any:
    """The model of a name, or the model itself, after reading the priming text if there is one."""
    from bitmeter.models.registry import load

    model = load(name)
    if prime is None:
        return model
    from bitmeter.models.registry import primed

    return primed(model, prime)


def _measure(model: Any, text: str, keywords: dict[str, Any]) -> Score:
    from bitmeter.measure.scoring import score as measure

    with scoring(f"{model.name} on {text}") as progress:
        return measure(model, text, progress=progress, **keywords)


def _print(scores: list[Score], per: str, *, json: bool, quiet: bool) -> None:
    lines = [shown(score, per, json=json, quiet=quiet) for score in scores]
    if json:
        typer.echo(lines[0] if len(lines) == 1 else "[" + ",\n".join(lines) + "]")
    elif quiet or len(lines) == 1:
        for line in lines:
            typer.echo(line)
    else:
        from bitmeter.cli.output import note, show
        from bitmeter.reports.panel import notes_of
        from bitmeter.reports.tables import score_table

        show(score_table(scores))
        for remark in notes_of(scores):
            note(remark)
    sys.stdout.flush()
