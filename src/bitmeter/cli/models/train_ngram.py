"""`bitmeter train` of n-gram models: their options, and what is done with them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from bitmeter._util.files import label
from bitmeter.cli.models.family import FamilyOptions, TrainingOptions
from bitmeter.cli.options import CompactBits, Norm, PruneEntropy, check_free, check_memory, compact_bits
from bitmeter.cli.output import note, say
from bitmeter.cli.progress import stages
from bitmeter.cli.workers import Workers

if TYPE_CHECKING:
    from bitmeter.models.ngram.model import NGram

__all__ = ["SMOOTHING_NAMES", "NGramOptions", "train_ngram"]

#: The names in bitmeter.SMOOTHINGS, which is slow to import for a line of help; a test compares them.
SMOOTHING_NAMES = (
    "modified-kneser-ney, kneser-ney[:DISCOUNT], absolute[:DISCOUNT], katz, witten-bell, jelinek-mercer, "
    "lidstone:DELTA, laplace, maximum-likelihood, stupid-backoff[:ALPHA]"
)


@dataclass(frozen=True)
class NGramOptions(FamilyOptions):
    """The options of n-gram models."""

    section: ClassVar[str] = "N-gram models"
    title: ClassVar[str] = "n-gram models"
    remedy: ClassVar[str] = "leave --kind out"

    order: Annotated[int, typer.Option(min=1, max=16, metavar="N", help="Order: the longest n-gram, in units.")] = 5
    smoothing: Annotated[str, typer.Option(metavar="NAME", help=f"Smoothing method: {SMOOTHING_NAMES}.")] = (
        "modified-kneser-ney"
    )
    prune: Annotated[
        str | None,
        typer.Option(metavar="N,N…", help="Prune n-grams that occur at most this often, one count per order: 0,0,1."),
    ] = None
    prune_entropy: PruneEntropy = None
    unk_word: Annotated[bool, typer.Option("--unk-word", help="Treat <unk> in the text as a word like any other.")] = (
        False
    )
    min_count: Annotated[
        int, typer.Option(min=1, metavar="N", help="Replace words that occur fewer than N times by <unk>.")
    ] = 1
    vocab: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Vocabulary: the words of this file, one per line.")
    ] = None
    norm: Norm = None
    like: Annotated[
        str | None, typer.Option(metavar="lmplz", help="Separate words as KenLM's lmplz: by NUL, not by VT and FF.")
    ] = None
    compact: Annotated[
        bool, typer.Option("--compact", help="Write the compact form: a quarter of the size, rounded probabilities.")
    ] = False
    bits: CompactBits = None
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Limit on memory: 4G, 500M, or 50% of what is free; 75% by default."),
    ] = None
    temp: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for temporary files, used when memory is not enough.")
    ] = None


def train_ngram(
    texts: list[str], output: Path, training: TrainingOptions, options: NGramOptions, processes: Workers
) -> None:
    """Estimate an n-gram model, save it, and print its size and what should be known of it."""
    from bitmeter.errors import EmptyError, InputError
    from bitmeter.models.ngram.arpa import is_arpa
    from bitmeter.models.ngram.files import is_model_file, unknown_format
    from bitmeter.models.ngram.model import NGram
    from bitmeter.text.corpus.sources import resolve

    if not is_model_file(output.name):
        raise typer.BadParameter(str(unknown_format(output)))
    if options.compact and is_arpa(output.name):
        message = f"{output} is ARPA, which has no compact form; end its name in .bmn, or leave --compact out"
        raise typer.BadParameter(message)
    bits = compact_bits(options.bits, compact=options.compact)
    check_free(output, force=training.force, inputs=[*texts, training.heldout])
    check_memory(options.memory, options.temp)
    tunes = options.smoothing in ("jelinek-mercer", "modified-kneser-ney")
    if training.heldout is not None and not tunes and options.prune_entropy is None:
        message = (
            "--heldout is for --smoothing jelinek-mercer or modified-kneser-ney, or to measure what --prune-entropy "
            f"costs, and {options.smoothing} does not use it; leave it out"
        )
        raise typer.BadParameter(message)
    units = _learned_units(texts, output, training, options.norm or "none") or training.units or "words"
    try:
        model = NGram(
            options.order, options.smoothing, prune=_thresholds(options.prune), units=units,
            unk_word=options.unk_word, min_count=options.min_count, vocab_size=training.vocab_size,
            vocab=options.vocab, threads=training.threads,
        )  # fmt: skip
    except EmptyError:
        raise
    except InputError as error:
        raise typer.BadParameter(str(error)) from error
    # With --prune-entropy the held-out text may be there to measure the cost of pruning, and for nothing else.
    fits = options.smoothing == "jelinek-mercer" or options.prune_entropy is None
    of_texts = resolve([*texts, *([training.heldout] if training.heldout else [])]).notes
    shared = processes.as_keywords() | {"work": f"{output}.parts" if processes.are_several else None}
    with _said_where(shared["work"]), processes.staged(stages) as progress:
        model.fit(
            texts if len(texts) > 1 else texts[0], docs=training.docs, heldout=training.heldout if fits else None,
            field=training.field, norm=options.norm or "none", like=options.like, memory=options.memory,
            temp=options.temp, progress=progress, **shared,
        )  # fmt: skip
        whole = model
        if options.prune_entropy is not None:
            if progress is not None:
                from bitmeter._util.progress import Step

                progress(Step.of_share("pruning", 0.0))
            model = whole.prune(options.prune_entropy)
        if options.compact:
            model = model.compact(bits, memory=_left(model, options.memory, options.temp), temp=options.temp)
        model.save(output, force=training.force, progress=progress)
        if processes.are_several:
            from bitmeter.models.ngram.estimate.parts import remove_work

            remove_work(Path(f"{output}.parts"))
    counts = " + ".join(f"{count:,}" for count in model.counts)
    size = f", {output.stat().st_size:,} bytes" if output.is_file() else ""
    say(f"{label(output)}: order {model.order}, {counts} n-grams{size}")
    for remark in (*of_texts, *model.notes):
        note(remark)
    if options.like == "lmplz" and _ends_within_a_line(texts[-1]):
        note(
            f"{texts[-1]} does not end in a newline: lmplz would leave out the end of its last line, which counts here"
        )
    file = units.partition(":")[2]
    if file and not (output.parent / Path(file).name).is_file():
        note(f"the tokenizer is not beside the model; put a copy there, or add: --with {units}")
    if training.heldout is not None and options.prune_entropy is not None:
        note(_cost_of_pruning(whole, model, training.heldout, training, options.norm))


@contextlib.contextmanager
def _said_where(work: str | None) -> Iterator[None]:
    """After an interruption, say from where the same command goes on."""
    try:
        yield
    except KeyboardInterrupt:
        if work is not None and Path(work).is_dir():
            note(f"interrupted; the same command goes on from {work}")
        raise


def _left(model: NGram, memory: str | None, temp: Path | None) -> int | None:
    """What remains for packing of the memory that the training was allowed: the model itself is in it."""
    from bitmeter.models.ngram.estimate.memory import LEAST_MEMORY, Allowance

    if memory is None:
        return None
    # An n-gram takes 20 bytes at most in the fast form.
    return max(LEAST_MEMORY, Allowance.of(memory, temp).memory - 20 * sum(model.counts))


def _ends_within_a_line(text: str) -> bool:
    """Whether a plain file ends without a newline."""
    from bitmeter.text.formats import COMPRESSIONS, kind_of

    path = Path(text)
    if not path.is_file() or kind_of(text) != "text" or path.suffix in COMPRESSIONS or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) != b"\n"


def _learned_units(texts: list[str], output: Path, training: TrainingOptions, norm: str) -> str | None:
    """Learn a vocabulary where --units asks for one, and write it beside the model; the units that it gives."""
    from bitmeter.text.units.pieces_training import learn_pieces, vocabulary_spec

    wanted = vocabulary_spec(training.units)
    if wanted is None or Path((training.units or "").partition(":")[2]).is_file():
        return None
    from bitmeter._util.files import replacing
    from bitmeter.text.boundaries import sentences_of
    from bitmeter.text.corpus.normalise import normalised

    algorithm, size = wanted
    file = output.with_suffix(".model")
    check_free(file, force=training.force, inputs=[*texts, training.heldout])
    corpus = sentences_of(texts if len(texts) > 1 else texts[0], docs=training.docs, field=training.field)
    data = learn_pieces(corpus if norm == "none" else normalised(corpus, norm), algorithm, size)
    with replacing(file, force=training.force) as draft:
        draft.write_bytes(data)
    say(f"{label(file)}: {algorithm}, {size:,} pieces, {len(data):,} bytes")
    return f"sentencepiece:{file}"


def _cost_of_pruning(whole: NGram, pruned: NGram, text: str, training: TrainingOptions, norm: str | None) -> str:
    """The perplexity of a text before and after: ends of sentences count, unknown words cost their class."""
    from bitmeter.measure.scoring import score
    from bitmeter.text.formats import ROW_FORMATS

    # Lines are sentences, but a record is a document by itself.
    docs = training.docs if training.docs is not None or text.endswith(tuple(ROW_FORMATS)) else "line"
    oov = "class" if whole.traits.oov else "none"
    before, after = (
        score(model, text, docs=docs, field=training.field, eos="yes", oov=oov, norm=norm).perplexity("token")
        for model in (whole, pruned)
    )
    unknown = ", an unknown one costs <unk> alone" if oov == "class" else ""
    return (
        f"on {text} pruning changes the perplexity from {before:.6g} to {after:.6g} per token "
        f"({100.0 * (after / before - 1.0):+.2g} %); ends are tokens{unknown}"
    )


def _thresholds(text: str | None) -> list[int] | None:
    """Counts separated by commas."""
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        message = f"--prune is {text!r}; it must be whole numbers separated by commas, one per order: 0,0,1"
        raise typer.BadParameter(message) from None
