"""`bitmeter score`: cross-entropy and perplexity of a model on a text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.cli.formats import Format, Formats, check_suffix, chosen_formats, print_records, save_records
from bitmeter.cli.loading import load_models
from bitmeter.cli.options import (
    Alternatives,
    Confidence,
    Force,
    Html,
    Json,
    Matrix,
    Prime,
    Quiet,
    Remembering,
    ScoringConventions,
    With,
    check_contexts,
    check_free,
)
from bitmeter.cli.progress import coding, scoring
from bitmeter.cli.quick import shown
from bitmeter.cli.workers import Workers

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
    on: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A text, or a test set (see `sets`). All arguments are then models."),
    ] = None,
    per: Annotated[
        str, typer.Option(metavar="UNIT", help="What -q divides by: byte, char, word, token or document.")
    ] = "byte",
    way: Annotated[
        str, typer.Option("--as", metavar="FIGURE", help="What -q prints: bits, nats or perplexity.")
    ] = "bits",
    prime: Prime = None,
    components: With = None,
    confidence: Confidence = 0.95,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Save the run as JSON, or a table: .csv, .tex, …"),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the log-probability of each unit as Parquet.")
    ] = None,
    per_document: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the figures of each document: .csv, .tsv, .jsonl or .parquet."),
    ] = None,
    id_field: Annotated[
        str | None, typer.Option("--id", metavar="FIELD", help="Field that identifies a record, for --per-document.")
    ] = None,
    input_format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="How the text is written, also on stdin: text, jsonl, csv, tsv or parquet."),
    ] = None,
    on_bad: Annotated[
        str | None, typer.Option(metavar="fail|skip", help="What to do with records whose text is null or missing.")
    ] = None,
    alternatives: Alternatives = None,
    matrix: Matrix = None,
    html: Html = None,
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
    format: Format = None,  # noqa: A002
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
    processes: Workers,
) -> None:
    """Measure the cross-entropy of a model on a text.

    It is shown in bits per byte, and as perplexity per token, word and character. Without a model it is that of
    `universal`, which needs no training. Several models (-m A -m B) and several texts give one table. `bitmeter
    models` lists the models.
    """
    formats = chosen_formats(format, json=json, quiet=quiet, output=output, default="json")
    json = formats.printed == "json"
    check_contexts(conventions)
    # Answers, statistics and proofs refuse --per in their own words.
    _check_figure(per, way, quiet=quiet, plain=not (at or null or choices or label or calibrate or prove))
    asked = processes.as_keywords()
    if processes.are_several:
        single = {"at": at, "null": null, "choices": choices, "label": label, "calibrate": calibrate, "prove": prove,
                 "html": html, "trace": trace, "alternatives": alternatives, "per-document": per_document,
                 "input-format": input_format, "on-bad": on_bad, "prime": prime}  # fmt: skip
        _check_alone(single)
    names, texts, by_default = _models_and_texts(words, models, on)
    _check_texts(texts, input_format)
    _check_records(input_format, on_bad, id_field, per_document)
    if (formats.saved == "json" or trace or per_document) and len(names) * len(texts) > 1:
        message = (
            "-o FILE.json, --trace and --per-document save one run; give one model and one text, or name a table: "
            "-o FILE.csv, .parquet"
        )
        raise typer.BadParameter(message)
    if html is not None and len(texts) > 1:
        message = f"--html shows one text, and {len(texts)} are given; write one report for each"
        raise typer.BadParameter(message)
    if html is not None and (per_document is not None or input_format is not None or on_bad is not None):
        message = "--html is for texts, not for --per-document, --input-format or --on-bad; write one after the other"
        raise typer.BadParameter(message)
    if alternatives is not None and trace is None and html is None and not at:
        message = "--alternatives are saved with the trace; add --trace FILE.parquet, or see them: bitmeter trace"
        raise typer.BadParameter(message)
    check_suffix(trace, "--trace", "Parquet", ".parquet")
    check_suffix(html, "--html", "HTML", ".html")
    for path in (output, trace, matrix, per_document, html):
        check_free(path, force=force, inputs=[*names, *texts, prime])
    if matrix is not None and conventions.group is None:
        message = "--matrix has one column per group; add --group FIELD, file or folder"
        raise typer.BadParameter(message)
    if output is not None and trace is not None and output.resolve() == trace.resolve():
        message = f"-o and --trace are both {output}; they are two files, so give two names"
        raise typer.BadParameter(message)
    if at or null is not None:
        unused = {"trace": trace, "alternatives": alternatives, "prove": prove or None,
                  "per-document": per_document, "input-format": input_format, "on-bad": on_bad,
                  "matrix": matrix, "html": html, "choices": choices, "label": label, "calibrate": calibrate,
                  "quiet": quiet or None, "per": None if per == "byte" else per}  # fmt: skip
        from bitmeter.cli.measure.at import show_statistics

        others = [name for name in conventions.typed() if name not in ("docs", "field", "ctx")]
        others += [key for key, value in unused.items() if value is not None]
        ready = [_loaded(name, prime) for name in (load_models(names, components) if components else names)]
        show_statistics(ready, texts, at or [], null, conventions, others, confidence, formats, force=force)
        return
    # Without --with, models are loaded one after the other, so that only one is in memory.
    chosen: list[Any] = load_models(names, components) if components else list(names)
    if choices is not None or label is not None or calibrate is not None:
        fields = {"choices": choices, "label": label, "calibrate": calibrate}
        unused = {"trace": trace, "alternatives": alternatives, "matrix": matrix, "prove": prove,
                  "per-document": per_document, "input-format": input_format, "on-bad": on_bad, "html": html,
                  "per": None if per == "byte" else per}  # fmt: skip
        from bitmeter.cli.measure.choices import show_choices

        each = (_loaded(name, prime) for name in chosen)
        show_choices(each, texts, conventions, fields, unused, confidence, history, formats, quiet=quiet, force=force)
        return
    if prove:
        unused = {"trace": trace, "alternatives": alternatives, "html": html,
                  "per-document": per_document, "input-format": input_format, "on-bad": on_bad,
                  "quiet": quiet or None, "per": None if per == "byte" else per}  # fmt: skip
        others = [key for key, value in unused.items() if value is not None]
        _prove(chosen, texts, prime, conventions, others, history, formats, force=force)
        return
    keywords = conventions.as_keywords() | {
        "confidence": confidence, "trace": trace, "force": force, "alternatives": alternatives,
        **(asked if processes.are_several else {}),
    }  # fmt: skip
    if html is not None:
        scores = _measure_and_report(chosen, texts[0], prime, keywords, html, conventions, quiet=quiet or json)
    elif per_document is not None or input_format is not None or on_bad is not None:
        scores = _measure_records(
            chosen, texts, prime, lambda model: conventions.suited(model, keywords), input_format, on_bad, per_document,
            id_field,
        )  # fmt: skip
    elif not (quiet or output) and formats.printed in ("table", "json") and len(chosen) == len(texts) == 1:
        from bitmeter.cli.measure.ranks import ranks

        model = _loaded(chosen[0], prime)
        alone = ranks(model, texts[0], keywords, json=json)
        if alone is not None:
            typer.echo(alone)
            return
        scores = [_measure(model, texts[0], conventions.suited(model, keywords), processes)]
    else:
        scores = _measure_all(chosen, texts, prime, keywords, conventions, processes)
    if output is not None and formats.saved == "json":
        scores[0].save(output, force=force)
    else:
        save_records(formats, lambda: _records(scores, formats.saved), force=force)
    if matrix is not None:
        from bitmeter.measure.groups.table import write_matrix

        write_matrix(scores, matrix, force=force)
    history.remember(scores, "score", quiet=quiet)
    if formats.printed not in ("table", "json"):
        print_records(formats, lambda: _records(scores, formats.printed))
        return
    _print(scores, per, way, json=json, quiet=quiet)
    if by_default and not json and not quiet:
        typer.echo(f"No model was named, so this is {DEFAULT}, which learns as it reads.")


def _check_alone(others: dict[str, Any]) -> None:
    """Refuse what only one process does."""
    typed = next((name for name, value in others.items() if value), None)
    if typed is not None:
        message = f"--{typed} is done by one process; leave it out, or --workers and --engine"
        raise typer.BadParameter(message)


def _check_texts(texts: list[str], input_format: str | None) -> None:
    from bitmeter.text.corpus.records import record_format

    if texts.count("-") > 1:
        message = "- is given twice, and standard input can be read only once; save it in a file first"
        raise typer.BadParameter(message)
    records = next((text for text in texts if input_format == "text" and record_format(text)), None)
    if records is not None:
        message = (
            f"{records} holds records by its name, and --input-format text would read them as one text; to measure the "
            f"bytes of the file, give them by a pipe: bitmeter score MODEL - < {records}"
        )
        raise typer.BadParameter(message)


def _check_records(
    input_format: str | None, on_bad: str | None, id_field: str | None, per_document: Path | None
) -> None:
    from bitmeter.text.corpus.records import INPUT_FORMATS, ON_BAD

    for option, value, known in (("input-format", input_format, ("text", *INPUT_FORMATS)), ("on-bad", on_bad, ON_BAD)):
        if value is not None and value not in known:
            message = f"--{option} is {value}; it must be one of {', '.join(known)}"
            raise typer.BadParameter(message)
    if per_document is None:
        if id_field is not None:
            message = "--id names the records of --per-document FILE; give that, too"
            raise typer.BadParameter(message)
        return
    from bitmeter.errors import InputError
    from bitmeter.reports.formats.kinds import format_of

    try:
        kind = format_of(per_document)
    except InputError as error:
        raise typer.BadParameter(str(error)) from error
    if kind not in ("csv", "tsv", "jsonl", "json", "parquet"):
        message = f"{per_document} would hold one row per document; name it .csv, .tsv, .jsonl or .parquet"
        raise typer.BadParameter(message)


def _measure_records(
    models: list[Any],
    texts: list[str],
    prime: str | None,
    suited: Callable[[Any], dict[str, Any]],
    input_format: str | None,
    on_bad: str | None,
    per_document: Path | None,
    id_field: str | None,
) -> list[Score]:
    """The score of each model on each text of records; the figures of documents are written as they end."""
    from dataclasses import replace

    from bitmeter.cli.measure.per_document import score_documents, text_of

    skips = "skip" if per_document is not None else None
    columns = []
    for name in models:
        model = _loaded(name, prime)
        keywords = suited(model)
        column = []
        for text in texts:
            corpus, rows = text_of(text, input_format, on_bad, keywords, id_field)
            if rows is not None and on_bad is None and skips is not None:
                corpus, rows = text_of(text, input_format, skips, keywords, id_field)
            with scoring(f"{model.name} on {text}") as progress:
                if per_document is not None:
                    force = bool(keywords["force"])
                    found = score_documents(model, corpus, rows, per_document, keywords, progress, force=force)
                else:
                    from bitmeter.measure.scoring import score as measure

                    plain = keywords if rows is None else {**keywords, "docs": None, "field": None}
                    found = measure(model, corpus, progress=progress, **plain)
                    if rows is not None:
                        found = replace(found, notes=(*rows.notes(), *found.notes))
            column.append(found)
        columns.append(column)
    return [score for row in zip(*columns, strict=True) for score in row]


def _check_figure(per: str, way: str, *, quiet: bool, plain: bool) -> None:
    from bitmeter.cli.quick import WAYS

    if per not in _PER:
        message = f"--per is {per}; it must be one of {', '.join(_PER)}"
        raise typer.BadParameter(message)
    if way not in WAYS:
        message = f"--as is {way}; it must be one of {', '.join(WAYS)}"
        raise typer.BadParameter(message)
    if per != "byte" and not quiet and plain:
        message = f"--per {per} chooses the number that -q prints; add -q. The table and --json hold all of them"
        raise typer.BadParameter(message)
    if way != "bits" and not quiet:
        message = f"--as {way} chooses the number that -q prints; add -q. The table and --json hold all of them"
        raise typer.BadParameter(message)


def _records(scores: list[Score], kind: str | None) -> Any:
    """The scores as a table: for a paper in Markdown and LaTeX, else for programs."""
    if kind in ("md", "latex"):
        from bitmeter.reports.records.paper import score_paper

        return score_paper(scores)
    from bitmeter.reports.records.machine import score_records

    return score_records(scores)


def _measure_and_report(
    models: list[Any],
    text: str,
    prime: str | None,
    keywords: dict[str, Any],
    html: Path,
    conventions: ScoringConventions,
    *,
    quiet: bool,
) -> list[Score]:
    """The score of each model on one text, and a report on them."""
    from bitmeter.cli.reporting import reported, write

    with reported(html, keywords["alternatives"]) as room:
        scores = []
        for name in models:
            model = _loaded(name, prime)
            scores.append(_measure(model, text, room.added(conventions.suited(model, keywords), model, text)))
        write(scores, html, force=keywords["force"], traces=room.traces, quiet=quiet)
    return scores


def _measure_all(
    models: list[Any],
    texts: list[str],
    prime: str | None,
    keywords: dict[str, Any],
    conventions: ScoringConventions,
    processes: Workers,
) -> list[Score]:
    """The score of each model on each text, text by text. Only one model is in memory at a time."""
    columns = []
    for name in models:
        model = _loaded(name, prime)
        columns.append([_measure(model, text, conventions.suited(model, keywords), processes) for text in texts])
    return [score for row in zip(*columns, strict=True) for score in row]


def _prove(
    models: list[Any],
    texts: list[str],
    prime: str | None,
    conventions: ScoringConventions,
    others: list[str],
    history: Remembering,
    formats: Formats,
    *,
    force: bool,
) -> None:
    others = [name for name in conventions.typed() if name not in ("field", "norm")] + others
    if others:
        message = f"--prove codes a text as it is in the file, as one document; leave out --{others[0]}"
        raise typer.BadParameter(message)
    from bitmeter.cli.output import say
    from bitmeter.coding.prove import prove
    from bitmeter.errors import ModelError

    ready = [_loaded(name, prime) for name in models]
    proofs = []
    for text in texts:
        for model in ready:
            with coding("coding", f"{model.name} on {text}") as progress:
                proof = prove(model, text, field=conventions.field, norm=conventions.norm or "none", progress=progress)
            history.remember([proof.score], "score")
            proofs.append(proof)
            if formats.printed == "table":
                typer.echo(f"{proof.score}\n")
                say(str(proof))
    from bitmeter.reports.records.proofs import proof_paper, proof_records

    def records(kind: str | None) -> Any:
        return (proof_paper if kind in ("md", "latex") else proof_records)(proofs)

    save_records(formats, lambda: records(formats.saved), force=force)
    print_records(formats, lambda: records(formats.printed))
    failed = [proof.score.model for proof in proofs if not proof.holds]
    if failed:
        message = (
            f"the length of the file coded with {failed[0]} is not its score, so the model is not a probability "
            "distribution"
        )
        raise ModelError(message)


def _models_and_texts(
    words: list[str], models: list[str] | None, on: list[str] | None
) -> tuple[list[str], list[str], bool]:
    """The models, the texts, and whether the model is the default."""
    if on:
        return [*(models or []), *words], on, False
    if models:
        if not _is_text(words[0]) and len(words) > 1:
            message = f"with -m all arguments are texts, and {words[0]!r} is none; name it with -m {words[0]}"
            if not _is_model(words[0]):
                message = f"with -m all arguments are texts, and there is no file {words[0]!r}"
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
    if len(words) > 1 and (scheme := _model_kind(Path(words[0]))):
        message = f"{words[0]} holds a model, and would be scored as a text; name it {scheme}:{words[0]}"
        raise typer.BadParameter(message)
    if len(words) > 1 and Path(words[0]).suffix.lower() == ".bin":
        message = (
            f"{words[0]} is named like a binary of KenLM, and does not begin like one; make it again, or if it is a "
            f"text, name the model: bitmeter score {DEFAULT} {words[0]} …"
        )
        raise typer.BadParameter(message)
    return [DEFAULT], words, True


def _model_kind(path: Path) -> str:
    """The scheme of a file or folder that holds a model but is not known as one by its name; "" for a text."""
    if path.suffix.lower() == ".gguf":
        return "gguf"
    return "hf" if path.suffix.lower() == ".safetensors" or (path / "config.json").is_file() else ""


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


def _measure(model: Any, text: str, keywords: dict[str, Any], processes: Workers = Workers()) -> Score:  # noqa: B008
    from bitmeter.measure.scoring import score as measure

    with processes.watching("scoring", f"{model.name} on {text}", scoring) as progress:
        return measure(model, text, progress=progress, **keywords)


def _numbers(scores: list[Score], per: str, way: str) -> list[str]:
    """One line per score, for -q; – where there is no such figure, with the reason on stderr.

    Lines stay in the order of the texts, so that one empty file among many costs no figure of another. Where no score
    has the figure, the command fails.
    """
    from bitmeter.errors import UndefinedError

    lines: list[str] = []
    reasons: list[UndefinedError] = []
    for score in scores:
        try:
            lines.append(shown(score, per, way, json=False, quiet=True))
        except UndefinedError as error:
            lines.append("–")
            reasons.append(error)
    if reasons and len(reasons) == len(lines):
        raise reasons[0]
    for reason in reasons:
        typer.echo(f"note: {reason}", err=True)
    return lines


def _print(scores: list[Score], per: str, way: str, *, json: bool, quiet: bool) -> None:
    if json:
        lines = [shown(score, per, way, json=True, quiet=False) for score in scores]
        typer.echo(lines[0] if len(lines) == 1 else "[" + ",\n".join(lines) + "]")
    elif quiet:
        for line in _numbers(scores, per, way):
            typer.echo(line)
    elif len(scores) == 1:
        typer.echo(shown(scores[0], per, way, json=False, quiet=False))
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
