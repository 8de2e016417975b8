"""`bitmeter train --kind lstm|transformer`: a small network from a text, its learning curve shown as it falls."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.cli.common import check_free

if TYPE_CHECKING:
    from bitmeter.models.causal.trained.curve import LearningCurve
    from bitmeter.models.causal.trained.train import Progress

_PANEL = "Networks"


def _option(text: str, *names: str, **given: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=_PANEL, **given)


_OF_NETWORKS = {
    "width", "layers", "context", "dropout", "epochs", "batch", "learning_rate", "patience", "seed", "resume", "log",
}  # fmt: skip
_OF_NGRAMS = {
    "order", "smoothing", "prune", "unk_word", "min_count", "vocab", "prune_entropy", "compact", "bits", "memory",
    "temp",
}  # fmt: skip

Kind = Annotated[str, typer.Option(help="ngram, lstm or transformer.")]
Width = Annotated[int, _option("Of a network's layers; 0 for the usual.", min=0)]
Layers = Annotated[int, _option("Of a network; 0 for the usual.", min=0)]
Context = Annotated[
    int, _option("How many units a transformer sees, or an LSTM is trained over at a time; 0 for the usual.", min=0)
]
Dropout = Annotated[float, _option("The share of a network's values left out at random in training.", min=0, max=0.95)]
Epochs = Annotated[float, _option("How many times a network sees the text at most.", min=1e-6)]
Batch = Annotated[int, _option("Stretches of text side by side; 0 for the usual.", min=0)]
Rate = Annotated[float | None, _option("The highest learning rate of a network.", "--learning-rate")]
Patience = Annotated[int, _option("A network stops after so many looks at held-out text without a gain.", min=1)]
Seed = Annotated[int, _option("From which a network's randomness follows.", min=0)]
Resume = Annotated[bool, _option("Go on with a network's training that was interrupted.", "--resume")]
Log = Annotated[bool, _option("Print a line on stderr for each look at held-out text.", "--log")]


def check_kind(command: typer.Context, kind: str) -> None:
    """An option that would do nothing is a mistake, and is named."""
    if kind not in ("ngram", "lstm", "transformer"):
        message = f"--kind is {kind!r}; it must be ngram, lstm or transformer"
        raise typer.BadParameter(message)
    idle = _OF_NETWORKS if kind == "ngram" else _OF_NGRAMS
    found = [name for name in command.params if name in idle and _given(command, name)]
    if found:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in found)
        other = "networks: add --kind lstm or transformer" if kind == "ngram" else "n-gram models: leave --kind out"
        message = f"{named} does nothing for --kind {kind}; it is for {other}"
        raise typer.BadParameter(message)


def _given(command: typer.Context, name: str) -> bool:
    source = command.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _check_place(output: Path, *, force: bool, resume: bool) -> None:
    """Before an hour is spent: a folder that can be loaded by its name, and that holds nothing that would be lost."""
    from bitmeter.models.causal.trained.files import is_finished
    from bitmeter.models.ngram.files import is_model_file

    if is_model_file(output.name):
        message = f"{output} is a name for the file of an n-gram model, and a network is a folder; leave the ending out"
        raise typer.BadParameter(message)
    if resume and is_finished(output) and not force:
        message = f"the training of {output} is finished, so there is nothing to resume; to train anew type --force"
        raise typer.BadParameter(message)
    if is_finished(output) and not resume:
        check_free(output, force=force)


def train_network(
    texts: list[str], output: Path, *, made: dict[str, Any], trained: dict[str, Any], force: bool, log: bool
) -> None:
    """Train, save, and say what came of it."""
    from bitmeter.models.causal.trained.model import Neural

    _check_place(output, force=force, resume=bool(trained["resume"]))
    model = Neural(**{name: value for name, value in made.items() if value is not None})
    resume = bool(trained["resume"])
    with _shown(f"{model.kind}, {model.units_kind}", log=log) as progress:
        # The folder is made now: a mistake in its name should not cost an hour.
        from bitmeter.models.causal.trained.files import prepare_folder

        prepare_folder(output, force=force, resume=resume)
        model.fit(texts if len(texts) > 1 else texts[0], checkpoint=output, progress=progress, **trained)
        model.save(output, force=True)
    curve = model.curve
    assert curve is not None
    best = curve.best
    assert best is not None
    typer.echo(f"{output}: {model.kind} of {model.units_kind}, {model.size:,} ids, {model.parameters:,} parameters")
    typer.echo(
        f"held out: {best.bits_per_byte:.4f} bits/byte, perplexity {best.perplexity:,.2f} a unit, at step "
        f"{best.step:,} of {curve.steps:,}{' (stopped early)' * (curve.stopped == 'early')}"
    )


@contextlib.contextmanager
def _shown(title: str, *, log: bool) -> Iterator[Progress | None]:
    """The curve and a bar on a terminal; lines where they were asked for; else nothing."""
    if log:
        yield _lines()
    elif sys.stderr.isatty():
        with _live(title) as progress:
            yield progress
    else:
        yield None


def _lines() -> Progress:
    shown = 0

    def report(step: int, steps: int, curve: LearningCurve) -> None:
        nonlocal shown
        del step, steps
        if len(curve.points) > shown:
            shown = len(curve.points)
            typer.echo(str(curve.points[-1]), err=True)

    return report


@contextlib.contextmanager
def _live(title: str) -> Iterator[Progress]:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.text import Text

    from bitmeter.reports.learning import chart

    columns = (
        TextColumn("training {task.description}"), BarColumn(bar_width=24), MofNCompleteColumn(),
        TextColumn("{task.fields[value]}"), TimeRemainingColumn(), TextColumn("left"),
    )  # fmt: skip
    console = Console(stderr=True)
    bar = Progress(*columns, console=console)
    task = bar.add_task(title, total=None, value="")
    with Live(bar, console=console, transient=True, refresh_per_second=4) as live:
        shown = 0

        def report(step: int, steps: int, curve: LearningCurve) -> None:
            nonlocal shown
            bar.update(task, completed=step, total=steps)
            if len(curve.points) > shown:
                shown, point = len(curve.points), curve.points[-1]
                told = f"held out {point.bits_per_byte:.3f} bits/byte, perplexity {point.perplexity:,.1f}"
                bar.update(task, value=told)
                drawn = chart(curve, width=min(100, console.width - 2)) if shown > 1 else ""
                live.update(Group(Text(drawn), bar))

        yield report
