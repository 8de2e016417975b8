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
    Matrix,
    Prime,
    Quiet,
    Remembering,
    ScoringConventions,
    With,
    check_contexts,
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
    components: With = None,
    confidence: Confidence = 0.95,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Save the run as JSON.")] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the log-probability of each unit as Parquet.")
    ] = None,
    alternatives: Alternatives = None,
    matrix: Matrix = None,
    choices: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Field of the answers of each item; with --given and --label.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Field of the right answer: its index from 0, or its text.")
    ] = None,
    calibrate: Annotated[
        str | None,
        typer.Option(metavar="PROMPT", help="Subtract the cost of each answer after this prompt, such as 'Answer:'."),
    ] = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Statistics of each document instead: min-k, min-k++, zlib, or binoculars:MODEL; can be repeated.",
        ),
    ] = None,
    null: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Texts among which --at shows the quantile of each document.")
    ] = None,
    prove: Annotated[
        bool,
        typer.Option("--prove", help="Code the text with the model, decode it, and compare its length with the score."),
    ] = False,
    history: Remembering,
    conventions: ScoringConventions,
) -> None:
    """Measure the cross-entropy of a model on a text.

    It is shown in bits per byte, and as perplexity per token, word and character. Without a model it is that of
    `universal`, which needs no training. Several models (-m A -m B) and several texts give one table. `bitmeter
    models` lists the models.
    """
    check_one_output(json=json, quiet=quiet)
    check_contexts(conventions)
    if per not in _PER:
        message = f"--per is {per}; it must be one of {', '.join(_PER)}"
        raise typer.BadParameter(message)
    names, texts, by_default = _models_and_texts(words, models)
    if (output or trace) and len(names) * len(texts) > 1:
        message = "-o and --trace save one run; give one model and one text"
        raise typer.BadParameter(message)
    for path in (output, trace, matrix):
        check_free(path, force=force, inputs=[*names, *texts, prime])
    if matrix is not None and conventions.group is None:
        message = "--matrix has one column per group; add --group FIELD, file or folder"
        raise typer.BadParameter(message)
    if output is not None and trace is not None and output.resolve() == trace.resolve():
        message = f"-o and --trace are both {output}; they are two files, so give two names"
        raise typer.BadParameter(message)
    if at or null is not None:
        unused = {"output": output, "trace": trace, "alternatives": alternatives, "prove": prove or None,
                  "matrix": matrix, "choices": choices, "label": label, "calibrate": calibrate,
                  "quiet": quiet or None, "per": None if per == "byte" else per}  # fmt: skip
        from bitmeter.cli.measure.at import show_statistics

        others = [name for name in conventions.typed() if name not in ("docs", "field", "ctx")]
        others += [key for key, value in unused.items() if value is not None]
        ready = [_loaded(name, prime) for name in (load_models(names, components) if components else names)]
        show_statistics(ready, texts, at or [], null, conventions, others, confidence, json=json)
        return
    # Without --with, models are loaded one after the other, so that only one is in memory.
    chosen: list[Any] = load_models(names, components) if components else list(names)
    if choices is not None or label is not None or calibrate is not None:
        fields = {"choices": choices, "label": label, "calibrate": calibrate}
        unused = {"trace": trace, "output": output, "alternatives": alternatives, "matrix": matrix, "prove": prove,
                  "per": None if per == "byte" else per}  # fmt: skip
        _choose(chosen, texts, prime, conventions, fields, unused, confidence, json=json, quiet=quiet)
        return
    if prove:
        unused = {"trace": trace, "output": output, "alternatives": alternatives, "json": json or None,
                  "quiet": quiet or None, "per": None if per == "byte" else per}  # fmt: skip
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
        scores = [_measure(model, texts[0], conventions.suited(model, keywords))]
    else:
        scores = _measure_all(chosen, texts, prime, keywords, conventions)
    if output is not None:
        scores[0].save(output, force=force)
    if matrix is not None:
        from bitmeter.measure.groups.table import write_matrix

        write_matrix(scores, matrix, force=force)
    history.remember(scores, "score", quiet=quiet)
    _print(scores, per, json=json, quiet=quiet)
    if by_default and not json and not quiet:
        typer.echo(f"No model was named, so this is {DEFAULT}, which learns as it reads.")


def _measure_all(
    models: list[Any], texts: list[str], prime: str | None, keywords: dict[str, Any], conventions: ScoringConventions
) -> list[Score]:
    """The score of each model on each text, text by text. Only one model is in memory at a time."""
    columns = []
    for name in models:
        model = _loaded(name, prime)
        columns.append([_measure(model, text, conventions.suited(model, keywords)) for text in texts])
    return [score for row in zip(*columns, strict=True) for score in row]


def _prove(
    models: list[Any], texts: list[str], prime: str | None, conventions: ScoringConventions, others: list[str]
) -> None:
    others = [name for name in conventions.typed() if name not in ("field", "norm")] + others
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


def _choose(
    models: list[Any],
    texts: list[str],
    prime: str | None,
    conventions: ScoringConventions,
    fields: dict[str, str | None],
    unused: dict[str, Any],
    confidence: float,
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Items with several answers: accuracy and margins."""
    from bitmeter.measure.answers.choices import choose

    choices, label = fields["choices"], fields["label"]
    missing = [name for name in ("choices", "label") if fields[name] is None]
    if choices is None or label is None or conventions.given is None:
        message = (
            f"a choice needs --given, --choices and --label; --{'given' if not missing else missing[0]} is missing"
        )
        raise typer.BadParameter(message)
    others = [name for name, value in unused.items() if value]
    others += [name for name in conventions.typed() if name in ("docs", "field", "eos", "den", "cluster")]
    if others:
        message = f"--{others[0]} has no meaning for a choice between answers; leave it out"
        raise typer.BadParameter(message)
    asked = {name: value for name, value in conventions.stated().items() if name not in ("given", "docs")}
    lines = []
    for name in models:
        model = _loaded(name, prime)
        for text in texts:
            with scoring(f"{model.name} on {text}") as progress:
                found = choose(
                    model, text, given=conventions.given, choices=choices, label=label,
                    calibrate=fields["calibrate"], confidence=confidence, progress=progress, **asked,
                )  # fmt: skip
            share = found.ways["sum" if found.calibrate is None else "calibrated"].accuracy.share
            lines.append(found.to_json() if json else repr(share) if quiet else str(found))
    typer.echo("[" + ",\n".join(lines) + "]" if json and len(lines) > 1 else "\n".join(lines))


def _models_and_texts(words: list[str], models: list[str] | None) -> tuple[list[str], list[str], bool]:
    """The models, the texts, and whether the model is the default."""
    if models:
        if not _is_text(words[0]) and len(words) > 1:
            message = f"with -m all arguments are texts, and {words[0]!r} is none; name it with -m {words[0]}"
            raise typer.BadParameter(message)
        return models, words, False
    if not _is_text(words[0]):
        if len(words) == 1:
            raise typer.BadParameter(_without_text(words[0]))
        return [words[0]], words[1:], False
    later = [word for word in words[1:] if _is_model(word) and not Path(word).exists()]
    if later:
        message = f"the model comes first; type: bitmeter score {later[0]} {words[0]}"
        raise typer.BadParameter(message)
    return [DEFAULT], words, True


def _without_text(word: str) -> str:
    """What is missing where one word was typed that is no text."""
    ways = "bitmeter score TEXT, or bitmeter score MODEL TEXT"
    if _is_model(word):
        return f"a text is needed: bitmeter score {word} TEXT, such as bitmeter score {word} README.md"
    return f"there is no file {word!r}, and no model of this name; type: {ways}. `bitmeter models` lists the models"


def _is_model(word: str) -> bool:
    from bitmeter.models.registry import names_model

    return names_model(word)


def _is_text(word: str) -> bool:
    """Whether the first argument is a text. The name or file of a model is not, even if there is such a file."""
    from bitmeter.models.registry import names_model

    return not names_model(word) and (
        word == "-" or "://" in word or any(c in word for c in "*?[") or Path(word).exists() or _is_set(word)
    )


def _is_set(word: str) -> bool:
    from bitmeter.data.catalogue import split_name

    return split_name(word) is not None


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
        if all(score.by_group is not None for score in scores) and len({score.text for score in scores}) == 1:
            from bitmeter.reports.groups import groups_table

            typer.echo()
            show(groups_table(scores))
        for remark in notes_of(scores):
            note(remark)
    sys.stdout.flush()
