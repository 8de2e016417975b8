"""`bitmeter runs`: saved runs, and logs of other tools that become runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bitmeter.cli.options import Confidence, Force, Json, Quiet, check_free, check_one_output

__all__ = ["ACTIONS", "runs"]

#: What can be done with runs.
ACTIONS = ("import",)


def runs(
    action: Annotated[str, typer.Argument(metavar="import", help="What to do: import the log of another tool.")],
    file: Annotated[Path, typer.Argument(metavar="LOG", help="The log.")],
    *,
    tool: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who wrote it: lm-eval, lighteval, inspect_ai, openai, vllm or llama-server; recognised by default.",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the model; by default the one in the log.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Save the run as JSON.")] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the log-probability of each token as Parquet.")
    ] = None,
    confidence: Confidence = 0.95,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Import a log of another tool that holds log-probabilities.

    Its averages are taken again, with an interval, and it becomes a run: `bitmeter compare` and `bitmeter check` take
    it, `bitmeter trace` shows its trace. Read are the samples of lm-eval (--log_samples), the details of lighteval, the
    logs of inspect_ai, and responses of OpenAI, vLLM and llama-server. What a log does not say is marked in the
    signature, and figures that differ in it are not compared.
    """
    if action not in ACTIONS:
        message = f"{action!r} is not something to do with runs; type: bitmeter runs import LOG -o run.json"
        raise typer.BadParameter(message)
    check_one_output(json=json, quiet=quiet)
    check_free(output, force=force)
    check_free(trace, force=force)
    if output is not None and trace is not None and output.resolve() == trace.resolve():
        message = f"-o and --trace are both {output}; they are two files, so give two names"
        raise typer.BadParameter(message)
    from bitmeter.cli.quick import shown
    from bitmeter.errors import ChoiceError
    from bitmeter.hosts.logs.runs import import_log

    try:
        found = import_log(file, tool=tool, model=model, confidence=confidence, trace=trace, force=force)
    except ChoiceError as error:
        raise typer.BadParameter(str(error)) from error
    if output is not None:
        found.save(output, force=force)
    typer.echo(shown(found, "byte", json=json, quiet=quiet))
