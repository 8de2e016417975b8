"""`bitmeter train`: an n-gram model from a text."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from bitmeter.cli.common import Field, Force

#: The stages, for the bar: reading counts for as much as all others together.
_STAGES = 6


def train(
    texts: Annotated[list[str], typer.Argument(metavar="TEXT…", help="Files, folders, patterns; - for stdin.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The model: .bmn, or .arpa, .arpa.gz, .arpa.zst for other tools.")
    ],
    order: Annotated[int, typer.Option(min=1, max=16, help="The longest n-gram, in words.")] = 5,
    smoothing: Annotated[str, typer.Option(help="How counts become probabilities.")] = "modified-kneser-ney",
    unk_word: Annotated[
        bool, typer.Option("--unk-word", help="Take <unk> in the text for a word like any other.")
    ] = False,
    field: Field = None,
    threads: Annotated[int, typer.Option(min=0, max=1024, help="How many to use; 0 for all.")] = 0,
    force: Force = False,
) -> None:
    """Train an n-gram model: each line of the text is a sentence, each run of other than white space a word.

    The figures are those of KenLM's lmplz. Measure with the model by: bitmeter score model.bmn TEXT --like kenlm
    """
    from bitmeter.models.ngram import NGram
    from bitmeter.models.ngram_files import is_model_file

    if not is_model_file(output.name):
        message = f"{output} does not say what to write; end its name in .bmn, .arpa, .arpa.gz or .arpa.zst"
        raise typer.BadParameter(message)
    if output.exists() and not force:
        message = f"{output} exists already and nothing is overwritten unasked; type --force"
        raise typer.BadParameter(message)
    model = NGram(order, smoothing, unk_word=unk_word, threads=threads)
    with _stages() as progress:
        model.fit(texts if len(texts) > 1 else texts[0], field=field, progress=progress)
        if progress is not None:
            progress("writing", 0.0)
        model.save(output, force=force)
    counts = " + ".join(f"{count:,}" for count in model.counts)
    typer.echo(f"{output}: order {model.order}, {counts} n-grams, {output.stat().st_size:,} bytes")
    for note in model.notes:
        typer.echo(f"note: {note}")


@contextlib.contextmanager
def _stages() -> Iterator[Callable[[str, float], None] | None]:
    """A bar on stderr that names the stage; nothing where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<18}"), BarColumn(bar_width=30), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=2 * _STAGES)
        seen: list[str] = []

        def report(stage: str, done: float) -> None:
            if stage not in seen:
                seen.append(stage)
            begun = len(seen) - 1
            bar.update(task, description=stage, completed=_STAGES * done if begun == 0 else _STAGES + begun - 1)

        yield report
