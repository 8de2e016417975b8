"""`bitmeter runs`: the runs that were measured here, and logs of other tools that become runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.cli.formats import Format, Formats, chosen_formats, print_records, save_records
from bitmeter.cli.options import Confidence, Force, Json, Quiet, Remembering, check_free, check_one_output

if TYPE_CHECKING:
    from bitmeter.history.runs import RememberedRun

__all__ = ["ACTIONS", "runs"]

#: What can be done with runs, and the options that are for it alone.
ACTIONS: dict[str, tuple[str, ...]] = {
    "list": ("limit", "model", "text", "output", "force", "format"),
    "show": (),
    "cite": (),
    "delete": (),
    "prune": ("keep", "before", "all"),
    "import": ("tool", "model", "output", "trace", "confidence", "force", "quiet", "no-history"),
}


def runs(
    action: Annotated[
        str, typer.Argument(metavar="list|show|cite|delete|prune|import", help="What to do with runs.")
    ] = "list",
    things: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN…|LOG", help="Runs, by number, signature or file; for import, the log."),
    ] = None,
    *,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="List only the newest N.")] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="List only models of this name; for import, the name of the model."),
    ] = None,
    text: Annotated[str | None, typer.Option(metavar="NAME", help="List only texts of this name.")] = None,
    keep: Annotated[int | None, typer.Option(min=0, metavar="N", help="For prune: keep the newest N.")] = None,
    before: Annotated[
        str | None, typer.Option(metavar="DATE", help="For prune: forget runs from before this day: 2026-03-01.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="For prune: forget all runs.")] = False,
    tool: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who wrote a log: lm-eval, lighteval, inspect_ai, openai, vllm or llama-server; found by default.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Save the list, or the imported run as JSON.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the log-probability of each token of a log as Parquet.")
    ] = None,
    confidence: Confidence = 0.95,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
    quiet: Quiet = False,
    history: Remembering,
) -> None:
    """List, show, cite or delete runs that were measured here, or import the log of another tool.

    Verbs that measure remember what they measured: figures, counts and conventions, never the text. A run is named by
    its number, by its signature (bm1-0a2db555, or its first digits), or by the file that -o saved; `runs cite` prints
    BibTeX, and the conventions in words. BITMETER_HISTORY=off turns the memory off, --no-history for one run.

    `runs import LOG` reads the samples of lm-eval (--log_samples), the details of lighteval, the logs of inspect_ai,
    and responses of OpenAI, vLLM and llama-server. Averages are taken again, with an interval; `compare` and `check`
    take the run (-o). What a log does not say is marked in the signature.
    """
    if action not in ACTIONS:
        listed = ", ".join(ACTIONS)
        message = f"{action!r} is not something to do with runs; type one of {listed}, such as: bitmeter runs list"
        raise typer.BadParameter(message)
    typed = {
        "limit": limit, "model": model, "text": text, "keep": keep, "before": before, "all": every or None,
        "tool": tool, "output": output, "trace": trace, "confidence": None if confidence == 0.95 else confidence,
        "force": force or None, "quiet": quiet or None, "no-history": history.no_history or None, "format": format,
    }  # fmt: skip
    for name, value in typed.items():
        if value is not None and name not in ACTIONS[action]:
            takers = [one for one, own in ACTIONS.items() if name in own]
            message = f"--{name} is for runs {' and '.join(takers)}, and this is runs {action}; leave it out"
            raise typer.BadParameter(message)
    names = things or []
    if action == "list":
        formats = chosen_formats(format, json=json, output=output)
        check_free(output, force=force)
        _list(names, model, text, limit, formats, force=force)
    elif action == "prune":
        _prune(names, keep, before, every=every, json=json)
    elif not names:
        what = "the log" if action == "import" else "a run, by its number, its signature or its file"
        message = (
            f"name {what}: bitmeter runs {action} {'LOG' if action == 'import' else 'RUN'}; see: bitmeter runs list"
        )
        raise typer.BadParameter(message.removesuffix("; see: bitmeter runs list" if action == "import" else "\0"))
    elif action == "show":
        _show(names, json=json)
    elif action == "cite":
        _cite(names, json=json)
    elif action == "delete":
        _delete(names, json=json)
    else:
        check_one_output(json=json, quiet=quiet)
        _import(names, tool, model, output, trace, confidence, history, force=force, json=json, quiet=quiet)


def _dumped(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _list(
    names: list[str], model: str | None, text: str | None, limit: int | None, formats: Formats, *, force: bool
) -> None:
    from bitmeter.history.database import is_on
    from bitmeter.history.runs import History

    if names:
        message = f"runs list takes no name; to see one run type: bitmeter runs show {names[0]}"
        raise typer.BadParameter(message)
    history = History()
    found = history.runs(model=model, text=text, limit=limit)
    from bitmeter.reports.records.history import history_paper, history_records

    def records(kind: str | None) -> Any:
        return history_paper(found) if kind in ("md", "latex") else history_records(found)

    save_records(formats, lambda: records(formats.saved), force=force)
    if print_records(formats, lambda: records(formats.printed)):
        return
    if not found:
        why = "" if is_on() else "; BITMETER_HISTORY turns it off"
        chosen = model is not None or text is not None
        typer.echo("No such run was remembered." if chosen else f"No run was remembered yet{why}.")
        return
    from bitmeter.cli.output import show
    from bitmeter.reports.figures import short_names
    from bitmeter.reports.tables import plain_table

    shorter = short_names({run.text for run in found})
    rows = [[str(run.id), run.date, _cut(run.model), _cut(shorter[run.text]), _figure(run), run.short] for run in found]
    columns = [("run", "right"), ("date (UTC)", "left"), ("model", "left"), ("text", "left"), ("bits", "right")]
    show(plain_table([*columns, ("signature", "left")], rows))


def _cut(name: str) -> str:
    return name if len(name) <= 11 else f"…{name[-10:]}"


def _figure(run: RememberedRun) -> str:
    if run.bits is None:
        return "–"
    figure = "∞" if run.bits == float("inf") else f"{run.bits:.3f}"
    return f"{figure}/{run.per}"


def _show(names: list[str], *, json: bool) -> None:
    from bitmeter.cli.output import say
    from bitmeter.cli.trust.remembered import named_run
    from bitmeter.reports.explain import signature_lines

    found = [named_run(name) for name in names]
    if json:
        from bitmeter.reports.formats.cells import encoded
        from bitmeter.reports.records.machine import score_document

        lines = [encoded(score_document(run.whole())) for run in found]
        typer.echo(lines[0] if len(lines) == 1 else "[" + ",\n".join(lines) + "]")
        return
    for index, run in enumerate(found):
        if index:
            typer.echo()
        line = run.line
        if line is None:
            typer.echo(f"{run.path}: a saved run")
        else:
            times = "once" if line.times == 1 else f"{line.times} times"
            say(f"run {line.id}: measured {times} by {line.verb}, last on {line.date} UTC")
        if run.score is not None:
            typer.echo(str(run.score))
        elif line is not None:
            say(f"{line.model} on {line.text}: {_figure(line)}; only this and the signature were kept")
            for one in signature_lines(run.signature):
                typer.echo(one)


def _cite(names: list[str], *, json: bool) -> None:
    from datetime import UTC, datetime

    from bitmeter.cli.trust.remembered import named_run
    from bitmeter.reports.cite import bibtex, in_words, software_bibtex

    found = {run.signature.short: run for run in map(named_run, names)}
    entries = []
    for run in found.values():
        year = None if run.line is None else datetime.fromtimestamp(run.line.time, UTC).year
        cited = run.score if run.score is not None else run.line
        assert cited is not None, "a run that was found is in the history or in a file"
        entries.append((run, bibtex(cited, year), in_words(cited)))
    software = software_bibtex(run.signature.version for run in found.values())
    if json:
        listed = [
            {"short": run.signature.short, "signature": str(run.signature), "bibtex": entry, "words": " ".join(words)}
            for run, entry, words in entries
        ]
        from bitmeter._version import __version__

        typer.echo(
            _dumped({"schema": "bitmeter.citation/1", "version": __version__, "software": software, "runs": listed})
        )
        return
    typer.echo("\n\n".join([software, *(entry for _, entry, _ in entries)]))
    for _, _, words in entries:
        typer.echo()
        for line in words:
            typer.echo(line)


def _delete(names: list[str], *, json: bool) -> None:
    from bitmeter.cli.trust.remembered import remembered_runs
    from bitmeter.history.runs import History

    numbers = []
    for name in names:
        lines = remembered_runs(name)
        if not lines:
            message = f"there is no run {name} in the history; `bitmeter runs list` lists them. Nothing was deleted"
            raise typer.BadParameter(message)
        numbers += [line.id for line in lines]
    _forgotten(History().delete(list(dict.fromkeys(numbers))), json=json)


def _prune(names: list[str], keep: int | None, before: str | None, *, every: bool, json: bool) -> None:
    from bitmeter.history.runs import History

    if names:
        message = f"runs prune takes no name; to forget one run type: bitmeter runs delete {names[0]}"
        raise typer.BadParameter(message)
    if not every and keep is None and before is None:
        message = (
            "say which runs to forget: --keep N keeps the newest, --before 2026-03-01 forgets older ones, or --all"
        )
        raise typer.BadParameter(message)
    if every and (keep is not None or before is not None):
        message = "--all forgets every run; leave it out, or leave out --keep and --before"
        raise typer.BadParameter(message)
    _forgotten(History().prune(keep=keep, before=None if before is None else _day(before)), json=json)


def _day(text: str) -> float:
    from datetime import UTC, datetime

    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        message = f"--before is {text!r}; it must be a day, such as 2026-03-01"
        raise typer.BadParameter(message) from None


def _forgotten(number: int, *, json: bool) -> None:
    typer.echo(_dumped({"deleted": number}) if json else f"{number:,} run{'s' * (number != 1)} forgotten")


def _import(
    names: list[str],
    tool: str | None,
    model: str | None,
    output: Path | None,
    trace: Path | None,
    confidence: float,
    history: Remembering,
    *,
    force: bool,
    json: bool,
    quiet: bool,
) -> None:
    if len(names) > 1:
        message = f"one log at a time: type bitmeter runs import {names[0]}, then bitmeter runs import {names[1]}"
        raise typer.BadParameter(message)
    check_free(output, force=force)
    check_free(trace, force=force)
    if output is not None and trace is not None and output.resolve() == trace.resolve():
        message = f"-o and --trace are both {output}; they are two files, so give two names"
        raise typer.BadParameter(message)
    from bitmeter.cli.quick import shown
    from bitmeter.errors import ChoiceError
    from bitmeter.hosts.logs.runs import import_log

    try:
        found = import_log(names[0], tool=tool, model=model, confidence=confidence, trace=trace, force=force)
    except ChoiceError as error:
        raise typer.BadParameter(str(error)) from error
    if output is not None:
        found.save(output, force=force)
    history.remember([found], "runs import", quiet=quiet)
    typer.echo(shown(found, "byte", json=json, quiet=quiet))
