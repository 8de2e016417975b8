"""`bitmeter train --kind lstm|transformer`: the options of networks, and what is done with them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from bitmeter._util.files import label
from bitmeter.cli.models.family import FamilyOptions, TrainingOptions
from bitmeter.cli.output import note, say
from bitmeter.cli.progress import Bar, bar

if TYPE_CHECKING:
    from bitmeter.models.causal.trained.curve import CurvePoint, TrainingStep
    from bitmeter.models.causal.trained.model import Neural
    from bitmeter.text.corpus.corpus import Corpus

__all__ = ["NetworkOptions", "train_network"]

#: Of the n-gram of bytes that a network is compared with.
_ORDER = 5


def _size(text: str) -> Any:
    """An option whose default depends on the kind of network and on the size of the text."""
    return typer.Option(min=0, metavar="N", help=f"{text}; 0 (default): by the text.", show_default=False)


@dataclass(frozen=True)
class NetworkOptions(FamilyOptions):
    """The options of networks."""

    section: ClassVar[str] = "Networks (--kind lstm or transformer)"
    title: ClassVar[str] = "networks"
    remedy: ClassVar[str] = "add --kind lstm or --kind transformer"

    width: Annotated[int, _size("Width of a layer")] = 0
    layers: Annotated[int, _size("Number of layers")] = 0
    context: Annotated[int, _size("Context of a transformer, or length of back-propagation in an LSTM, in units")] = 0
    dropout: Annotated[
        float | None, typer.Option(min=0, max=0.95, metavar="P", help="Dropout in training; default: by the text.")
    ] = None
    epochs: Annotated[
        float | None,
        typer.Option(min=1e-6, metavar="N", help="Most passes over the text; can be a fraction; default: by the text."),
    ] = None
    batch: Annotated[int, _size("Sequences per batch")] = 0
    learning_rate: Annotated[
        float | None, typer.Option("--learning-rate", metavar="RATE", help="Peak learning rate.")
    ] = None
    patience: Annotated[
        int, typer.Option(min=1, metavar="N", help="Stop after N evaluations on held-out text without improvement.")
    ] = 5
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the random numbers.")] = 1
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted training.")] = False
    log: Annotated[bool, typer.Option("--log", help="Print a line on stderr for each evaluation on held-out text.")] = (
        False
    )


def train_network(
    texts: list[str], output: Path, kind: str, training: TrainingOptions, options: NetworkOptions
) -> None:
    """Train a network, save it, and print its size and its best held-out figure."""
    from bitmeter.models.causal.trained.files import prepare_folder
    from bitmeter.models.causal.trained.model import Neural, training_texts
    from bitmeter.text.corpus.corpus import Corpus
    from bitmeter.text.corpus.sources import resolve

    if training.units == "bytes" and training.vocab_size is not None:
        message = f"--vocab-size {training.vocab_size} is for bpe and words, and there are 256 bytes; leave it out"
        raise typer.BadParameter(message)
    _check_folder(output, force=training.force, resume=options.resume)
    made: dict[str, Any] = {
        "kind": kind, "units": training.units, "vocabulary": training.vocab_size, "width": options.width,
        "layers": options.layers, "context": options.context, "dropout": options.dropout, "seed": options.seed,
        "threads": training.threads,
    }  # fmt: skip
    of_texts = resolve([*texts, *([training.heldout] if training.heldout else [])]).notes
    model = Neural(**{name: value for name, value in made.items() if value is not None})
    with _shown(f"{model.kind}, {model.units_kind}", log=options.log) as progress:
        # The folder is made now: a mistake in its name should not cost an hour.
        prepare_folder(output, force=training.force, resume=options.resume)
        given = texts if len(texts) > 1 else texts[0]
        documents, held, _ = training_texts(given, training.docs, training.heldout, training.field)
        learned, heldout = Corpus.from_documents(documents), Corpus.from_documents(held)
        model.fit(
            learned, heldout=heldout, checkpoint=output, progress=progress, epochs=options.epochs,
            batch=options.batch, learning_rate=options.learning_rate, patience=options.patience, resume=options.resume,
        )  # fmt: skip
        model.save(output, force=True)
    curve = model.curve
    assert curve is not None
    best = curve.best
    assert best is not None
    say(f"{label(output)}: {model.kind} of {model.units_kind}, {model.size:,} ids, {model.parameters:,} parameters")
    say(
        f"held out: {_figures(model, best)}, at step "
        f"{best.step:,} of {curve.steps:,}{' (stopped early)' * (curve.stopped == 'early')}"
    )
    say(_beside_counts(learned, heldout, training.threads, model))
    for remark in of_texts:
        note(remark)


def _beside_counts(learned: Corpus, heldout: Corpus, threads: int, model: Neural) -> str:
    """What counts make of the same texts: on little text they are often better, and always faster."""
    from bitmeter.measure.scoring import score
    from bitmeter.models.ngram.model import NGram

    before = process_time()
    counts = NGram(_ORDER, units="bytes", threads=threads).fit(learned)
    seconds = process_time() - before
    by_counts = score(counts, heldout).bits_per_byte
    # Not the figure of the learning curve, which is of short sequences and of a closed vocabulary of words.
    own = score(model, heldout).bits_per_byte
    text = f"an n-gram of bytes, order {_ORDER}: {by_counts:.4f} bits/byte of the same held-out text, trained in "
    text += f"{seconds:.1f} CPU seconds; the network, scored alike, has {own:.4f}"
    if by_counts > own:
        return f"{text}, {100.0 * (1.0 - own / by_counts):.1f} % fewer"
    how = "bitmeter train TEXT -o MODEL.bmn --units bytes --docs file"
    return f"{text}, {100.0 * (own / by_counts - 1.0):.1f} % more, so counts are better here: {how}"


def _figures(model: Neural, best: CurvePoint) -> str:
    """The held-out figures; a network of words is trained with a closed vocabulary, which has no bits per byte."""
    if model.units_kind == "words":
        return (
            f"perplexity {best.perplexity:,.2f} per word and end of line, closed vocabulary: an unknown word costs "
            "<unk> alone"
        )
    unit = "byte" if model.units_kind == "bytes" else "token"
    return f"{best.bits_per_byte:.4f} bits/byte, perplexity {best.perplexity:,.2f} per {unit}"


def _check_folder(output: Path, *, force: bool, resume: bool) -> None:
    """Before an hour is spent: the folder can be loaded by its name, and holds nothing that would be lost."""
    from bitmeter.models.causal.trained.files import is_finished
    from bitmeter.models.ngram.files import is_model_file

    if is_model_file(output.name):
        message = f"{output} is the name of an n-gram model's file, and a network is a folder; leave the suffix out"
        raise typer.BadParameter(message)
    if resume and is_finished(output) and not force:
        message = f"the training of {output} is finished, so there is nothing to resume; to train again type --force"
        raise typer.BadParameter(message)
    if is_finished(output) and not resume and not force:
        message = f"{output} exists already; type --force to overwrite it"
        raise typer.BadParameter(message)


@contextlib.contextmanager
def _shown(title: str, *, log: bool) -> Iterator[Callable[[TrainingStep], None] | None]:
    """Lines if --log asks for them; else the learning curve and a bar on a terminal; else nothing."""
    if log:
        yield _lines()
        return
    with bar(f"training {title}", "steps") as shown:
        yield None if shown is None else _drawn(shown)


def _lines() -> Callable[[TrainingStep], None]:
    printed = 0

    def report(step: TrainingStep) -> None:
        nonlocal printed
        points = () if step.curve is None else step.curve.points
        if len(points) > printed:
            printed = len(points)
            typer.echo(str(points[-1]), err=True)

    return report


def _drawn(shown: Bar) -> Callable[[TrainingStep], None]:
    from bitmeter.reports.plots.learning import chart

    drawn = 0

    def report(step: TrainingStep) -> None:
        nonlocal drawn
        shown.update(step.done, step.total)
        curve = step.curve
        if curve is not None and len(curve.points) > drawn:
            drawn, point = len(curve.points), curve.points[-1]
            value = f"held out: perplexity {point.perplexity:,.1f} per unit"
            shown.update(step.done, step.total, value=value)
            if drawn > 1:
                shown.draw(chart(curve, width=min(100, shown.width - 2)))

    return report
