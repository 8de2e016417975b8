"""`bitmeter train`: an n-gram model or a small network from a text."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bitmeter.cli.common import Docs, Field, Force, check_free, compact_bits
from bitmeter.cli.models import train_networks as networks

if TYPE_CHECKING:
    from bitmeter.models.ngram.model import NGram

#: As bitmeter.SMOOTHINGS, which would have to be loaded for a line of help; a test compares them.
_NAMES = (
    "modified-kneser-ney, kneser-ney[:DISCOUNT], absolute[:DISCOUNT], katz, witten-bell, jelinek-mercer, "
    "lidstone:DELTA, laplace, maximum-likelihood, stupid-backoff[:ALPHA]"
)
#: How much of the time each stage takes, about, by how its name begins.
_SHARES = {"reading": 0.15, "sorting": 0.28, "counting": 0.12, "adjusting": 0.24, "estimating": 0.15, "finishing": 0.01}


def train(
    command: typer.Context,
    texts: Annotated[list[str], typer.Argument(metavar="TEXT…", help="Files, folders, patterns; - for stdin.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="The model: .bmn, or .arpa, .arpa.gz, .arpa.zst for other tools; a network's folder."
        ),
    ],
    order: Annotated[int, typer.Option(min=1, max=16, help="The longest n-gram, in units.")] = 5,
    units: Annotated[
        str | None,
        typer.Option(
            help="What is predicted: words (usual), chars, bytes, tokenizer:FILE or sentencepiece:FILE; by a network: "
            "bpe (byte pairs, usual), bytes or words."
        ),
    ] = None,
    smoothing: Annotated[
        str, typer.Option(metavar="NAME", help=f"How counts become probabilities: {_NAMES}.")
    ] = "modified-kneser-ney",
    prune: Annotated[
        str | None,
        typer.Option(metavar="N,N…", help="Drop n-grams that occur no more often than this, by order: 0,0,1."),
    ] = None,
    heldout: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="By which jelinek-mercer finds its weights (else every tenth sentence), on which the cost of "
            "--prune-entropy is measured, and which tells a network when to stop (else the last tenth).",
        ),
    ] = None,
    unk_word: Annotated[
        bool, typer.Option("--unk-word", help="Take <unk> in the text for a word like any other.")
    ] = False,
    min_count: Annotated[int, typer.Option(min=1, help="Words that come less often become <unk>.")] = 1,
    vocab_size: Annotated[
        int | None, typer.Option(min=1, help="Know only so many of the most frequent words, or byte pairs.")
    ] = None,
    vocab: Annotated[Path | None, typer.Option(help="Know the words of this file, one a line, and no others.")] = None,
    prune_entropy: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Drop n-grams whose loss raises the perplexity by less than this share: 1e-8.",
        ),
    ] = None,
    compact: Annotated[
        bool, typer.Option("--compact", help="Write the compact form: a quarter of the size, rounded figures.")
    ] = False,
    bits: Annotated[
        int | None, typer.Option(min=4, max=14, help="Of a probability in the compact form; 8 if not said.")
    ] = None,
    docs: Docs = None,
    field: Field = None,
    threads: Annotated[int, typer.Option(min=0, max=1024, help="How many to use; 0 for all.")] = 0,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="At most so much memory: 4G, 500M, 50% of what is free; 75% if not said."),
    ] = None,
    temp: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where temporary files go if memory is not enough.")
    ] = None,
    force: Force = False,
    kind: networks.Kind = "ngram",
    width: networks.Width = 0,
    layers: networks.Layers = 0,
    context: networks.Context = 0,
    dropout: networks.Dropout = 0.2,
    epochs: networks.Epochs = 4.0,
    batch: networks.Batch = 0,
    learning_rate: networks.Rate = None,
    patience: networks.Patience = 5,
    seed: networks.Seed = 1,
    resume: networks.Resume = False,
    log: networks.Log = False,
) -> None:
    """Train an n-gram model: each line of the text is a sentence, each run of other than white space a word.

    Other sentences by --docs, other units by --units. The figures of modified-kneser-ney are those of KenLM's lmplz,
    with --prune too. Measure with the model by: bitmeter score model.bmn TEXT --like kenlm

    With --kind lstm or transformer, a small network is trained by cross-entropy until text that is held out costs no
    less, with a checkpoint on the way from which --resume goes on.
    """
    networks.check_kind(command, kind)
    if kind != "ngram":
        networks.train_network(
            texts,
            output,
            made={
                "kind": kind, "units": units, "vocabulary": vocab_size, "width": width, "layers": layers,
                "context": context, "dropout": dropout, "seed": seed, "threads": threads,
            },
            trained={
                "docs": docs, "heldout": heldout, "field": field, "epochs": epochs, "batch": batch,
                "learning_rate": learning_rate, "patience": patience, "resume": resume,
            },
            force=force,
            log=log,
        )  # fmt: skip
        return
    from bitmeter.models.ngram.arpa import is_arpa
    from bitmeter.models.ngram.files import is_model_file
    from bitmeter.models.ngram.model import NGram

    if not is_model_file(output.name):
        message = f"{output} does not say what to write; end its name in .bmn, .arpa, .arpa.gz or .arpa.zst"
        raise typer.BadParameter(message)
    if compact and is_arpa(output.name):
        message = f"{output} is ARPA, which has no compact form; end its name in .bmn, or leave --compact out"
        raise typer.BadParameter(message)
    rounding = compact_bits(bits, compact=compact)
    check_free(output, force=force)
    _check_means(memory, temp)
    model = NGram(
        order, smoothing, prune=_thresholds(prune), units=units or "words", unk_word=unk_word, min_count=min_count,
        vocab_size=vocab_size, vocab=vocab, threads=threads,
    )  # fmt: skip
    weighed = smoothing == "jelinek-mercer" or prune_entropy is None
    with stages() as progress:
        model.fit(
            texts if len(texts) > 1 else texts[0], docs=docs, heldout=heldout if weighed else None, field=field,
            memory=memory, temp=temp, progress=progress,
        )  # fmt: skip
        whole = model
        if prune_entropy is not None:
            if progress is not None:
                progress("pruning", 0.0)
            model = whole.prune(prune_entropy)
        model = model.compact(rounding) if compact else model
        model.save(output, force=force, progress=progress)
    counts = " + ".join(f"{count:,}" for count in model.counts)
    typer.echo(f"{output}: order {model.order}, {counts} n-grams, {output.stat().st_size:,} bytes")
    for note in model.notes:
        typer.echo(f"note: {note}")
    if heldout is not None and prune_entropy is not None:
        typer.echo(f"note: {_measured(whole, model, heldout, docs, field)}")


def _measured(whole: NGram, pruned: NGram, text: str, docs: str | None, field: str | None) -> str:
    """What pruning costs on another text: its ends counted, unknown words as their class."""
    from bitmeter.measure.scoring import score

    rows = Path(text).name.endswith((".jsonl", ".ndjson", ".parquet", ".pq"))
    chosen = docs if docs is not None or rows else "line"
    oov = "class" if whole.traits.oov else "none"
    before, after = (
        score(model, text, docs=chosen, field=field, eos="yes", oov=oov).perplexity("token")
        for model in (whole, pruned)
    )
    return (
        f"on {text} pruning takes the perplexity from {before:.6g} to {after:.6g} a token "
        f"({100.0 * (after / before - 1.0):+.2g} %)"
    )


def _thresholds(text: str | None) -> list[int] | None:
    """Numbers with commas between them."""
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        message = f"--prune is {text!r}; it must be whole numbers with commas between them, one an order: 0,0,1"
        raise typer.BadParameter(message) from None


def _check_means(memory: str | None, temp: Path | None) -> None:
    """A mistake in these is one of the command."""
    from bitmeter.errors import BitmeterError
    from bitmeter.models.ngram.memory import Allowance

    try:
        Allowance.of(memory, temp)
    except BitmeterError as error:
        raise typer.BadParameter(str(error)) from error


@contextlib.contextmanager
def stages() -> Iterator[Callable[[str, float], None] | None]:
    """A bar on stderr that names the stage, with the time left; nothing where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:<18}"),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda stage, done: bar.update(task, description=stage, completed=whole_share(stage, done))


def whole_share(stage: str, done: float) -> float:
    """How much of all the work is done when this much of a stage is."""
    before = 0.0
    for name, share in _SHARES.items():
        if stage.startswith(name):
            return before + share * done
        before += share
    return before + (1.0 - before) * done
