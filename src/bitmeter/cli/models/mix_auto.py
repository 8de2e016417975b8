"""`bitmeter mix --auto`: tuned models, chosen caches and weights by the history, all by one held-out text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from bitmeter.cli.options import OptionBundle, check_free
from bitmeter.cli.progress import stages

if TYPE_CHECKING:
    from bitmeter.models.mixture.model import MixtureModel

__all__ = ["AutoOptions", "auto_mix"]

#: Orders below that of the main model which are tried beside it.
_LOWER = (3, 2, 1)


@dataclass(frozen=True)
class AutoOptions(OptionBundle):
    """The options of --auto."""

    section: ClassVar[str] = "Parts chosen by the held-out text"

    auto: Annotated[
        bool,
        typer.Option("--auto", help="Choose caches by the held-out text, and fit weights by the history (--gate)."),
    ] = False
    train: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Train n-gram models of words on this text, discounts tuned on the held-out text."
        ),
    ] = None
    order: Annotated[int, typer.Option(min=1, max=16, metavar="N", help="Order of the n-gram model of --train.")] = 5
    unk_word: Annotated[
        bool, typer.Option("--unk-word", help="With --train: treat <unk> in the text as a word like any other.")
    ] = False

    def check(self, models: list[str]) -> None:
        """Refuse what would have no effect, and a mixture of nothing."""
        if self.train is not None and not self.auto:
            message = "--train is for --auto, which tunes the models that it trains; add --auto, or give trained models"
            raise typer.BadParameter(message)
        if self.train is not None and models:
            message = f"--train trains the models of the mixture, and {models[0]} is another; give models or --train"
            raise typer.BadParameter(message)
        if self.train is None and self.unk_word:
            message = "--unk-word is for --train, and models that are trained already know their words; leave it out"
            raise typer.BadParameter(message)
        if self.train is None and not models:
            message = "there is nothing to mix; give models, or --auto --train TEXT to train them"
            raise typer.BadParameter(message)


def auto_mix(
    models: list[str], heldout: str | bytes, output: Path, options: AutoOptions, *, field: str | None, force: bool
) -> MixtureModel:
    """The chosen mixture; models that were trained for it are saved beside it."""
    from bitmeter.models.mixture.auto import auto_mixture
    from bitmeter.models.protocols import Bundled
    from bitmeter.reports.figures import number

    if options.train is None:
        mixture, chosen = auto_mixture(models, heldout, field=field)
    else:
        files = {order: output.with_name(f"{output.stem}-{order}.bmn") for order in _orders(options.order)}
        for file in files.values():
            check_free(file, force=force, inputs=[options.train, heldout if isinstance(heldout, str) else None])
        with _unused_removed() as unused:
            for order, file in files.items():
                _train(options, order, file, heldout, field=field, force=force)
                unused.add(file)
            main, *others = map(str, files.values())
            mixture, chosen = auto_mixture([main], heldout, optional=others, field=field)
            unused -= {Path(part.path) for part in mixture.components if isinstance(part, Bundled) and part.path}
    typer.echo("ppl/token  with one set of weights")
    for place, part in enumerate(chosen):
        typer.echo(f"{number(part.perplexity):>9}  {'+ ' * (place > 0)}{part.name}")
    return mixture


def _orders(order: int) -> tuple[int, ...]:
    return (order, *(lower for lower in _LOWER if lower < order))


@contextmanager
def _unused_removed() -> Iterator[set[Path]]:
    """Files that were written here, which are removed at the end; those in use are taken out of the set before."""
    unused: set[Path] = set()
    try:
        yield unused
    finally:
        for file in unused:
            file.unlink(missing_ok=True)


def _train(
    options: AutoOptions, order: int, file: Path, heldout: str | bytes, *, field: str | None, force: bool
) -> None:
    from bitmeter.models.ngram.model import NGram

    with stages() as progress:
        model = NGram(order, unk_word=options.unk_word)
        model.fit(options.train, heldout=heldout, field=field, progress=progress)
        model.save(file, force=force)
