"""What several verbs share: the options that set conventions, the progress bar, and how a table is shown."""

from __future__ import annotations

import contextlib
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer


def _one_of(key: str) -> Callable[[str | None], str | None]:
    """Checks the value of a keyword of score: a mistake in it is one of the command."""

    def check(value: str | None) -> str | None:
        if value is not None:
            from bitmeter.errors import ChoiceError
            from bitmeter.measure.conventions.registry import convention
            from bitmeter.measure.conventions.settings import setting
            from bitmeter.models.windows import parse_context

            try:
                if key == "ctx":
                    parse_context(value)
                else:
                    convention(value) if key == "like" else setting(key, value)
            except ChoiceError as error:
                raise typer.BadParameter(str(error)) from error
        return value

    return check


def _option(key: str, text: str) -> Any:
    return typer.Option(help=text, callback=_one_of(key))


Docs = Annotated[str | None, _option("docs", "Where documents end: file, line, blank, record; or joined.")]
Field = Annotated[
    str | None, typer.Option(help="The field of JSON lines, or the column of Parquet, that holds the text.")
]
Like = Annotated[str, _option("like", "Another tool's habits: kenlm, srilm, nltk, lm-eval, hf-evaluate, hf-docs, …")]
First = Annotated[str | None, _option("first", "A document's first unit: bos, eos, skip or uniform.")]
Eos = Annotated[str | None, _option("eos", "Whether a document's end is predicted and counted: yes, no or nonblank.")]
Oov = Annotated[str | None, _option("oov", "What an unknown unit costs: none, skipped, class or spelled.")]
Den = Annotated[str | None, _option("den", "What bits are divided by: scored or original bytes.")]
Norm = Annotated[str | None, _option("norm", "What is done to the text before: none, nfc, nfkc, lower or newlines.")]
Ctx = Annotated[
    str | None,
    _option("ctx", "How a long text meets a bounded context: WINDOW.STRIDE, full, disjoint, rolling or half."),
]
Confidence = Annotated[float, typer.Option(min=0.5, max=0.9999, help="Of the interval.")]
Alternatives = Annotated[
    int | None,
    typer.Option(min=0, help="Trace also the entropy and rank of each prediction, and N likely alternatives."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files.")]
Json = Annotated[bool, typer.Option("--json", help="Print every figure to full precision.")]


#: The end of a line that nobody sees: spaces, and where colours end.
_TAIL = re.compile(r"(?: |\x1b\[[0-9;]*m)+$")
#: Of a probability in the compact form of an n-gram model, if nothing else is said.
COMPACT_BITS = 8
#: Wider than any table.
_WIDEST = 10_000


def compact_bits(bits: int | None, *, compact: bool) -> int:
    """How many bits a probability has in the compact form, which alone rounds them."""
    if bits is not None and not compact:
        message = f"--bits {bits} is for the compact form, and the fast one keeps every figure; add --compact"
        raise typer.BadParameter(message)
    return COMPACT_BITS if bits is None else bits


def check_free(path: Any, *, force: bool) -> None:
    """Before any work is done: a file that exists is not overwritten unasked."""
    if path is not None and str(path) != "-" and os.path.exists(path) and not force:
        message = f"{path} exists already and nothing is overwritten unasked; type --force"
        raise typer.BadParameter(message)


@contextlib.contextmanager
def scoring_progress(title: str) -> Iterator[Callable[[int, int | None, float], None] | None]:
    """A bar on stderr with the running value and the time left; nothing where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("scoring {task.description}"),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TextColumn("{task.fields[value]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, value="")

        def report(done: int, total: int | None, value: float) -> None:
            so_far = "" if math.isnan(value) else f"{value:.3f} bits/byte so far"
            bar.update(task, completed=done, total=total, value=so_far)

        yield report


@contextlib.contextmanager
def byte_progress(verb: str, title: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """A bar on stderr that counts bytes; nothing where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=24), DownloadColumn(), TimeRemainingColumn(),
        TextColumn("left"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{verb} {title}", total=None)
        done = 0

        def report(now: int, total: int | None) -> None:
            nonlocal done
            if now < done:  # a second time through: what was written is being read
                bar.update(task, description=f"decoding {title}")
            done = now
            bar.update(task, completed=now, total=total)

        yield report


def show(renderable: Any) -> None:
    """Print a table, the same on a terminal and in a pipe."""
    from rich.console import Console

    # As wide as it needs: a terminal folds long lines by itself, and nothing is cut.
    # A unit such as [b] or :car: is text, not markup.
    console = Console(highlight=False, markup=False, emoji=False, width=_WIDEST)
    with console.capture() as capture:
        console.print(renderable)
    typer.echo("\n".join(_TAIL.sub(_without_spaces, line) for line in capture.get().splitlines()))


def _without_spaces(tail: re.Match[str]) -> str:
    return tail[0].replace(" ", "")
