"""`bitmeter overlap`: what of a text stands in a corpus, or twice in itself."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.cli.formats import Format, SaveAs, chosen_formats, print_records, save_records
from bitmeter.cli.options import Docs, Field, Force, Json, Quiet, check_free, check_memory
from bitmeter.cli.progress import bar
from bitmeter.cli.workers import Workers, json_lines

if TYPE_CHECKING:
    from bitmeter._util.progress import Step

__all__ = ["overlap"]


def overlap(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Text whose parts are looked for; - for stdin.")],
    *,
    corpus: Annotated[
        str | None, typer.Option("--in", metavar="CORPUS", help="Texts in which they are looked for, or an index.")
    ] = None,
    itself: Annotated[bool, typer.Option("--self", help="Look for them elsewhere in TEXT: duplication.")] = False,
    length: Annotated[
        int | None,
        typer.Option("--length", "-n", min=1, metavar="N", help="Least match: 50 bytes by default, 13 other units."),
    ] = None,
    unit: Annotated[
        str,
        typer.Option(metavar="UNIT", help="bytes, chars, words, unicode-words, tokenizer:FILE, sentencepiece:FILE."),
    ] = "bytes",
    output: SaveAs = None,
    index: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the index of the corpus, to give it to --in later.")
    ] = None,
    docs: Docs = None,
    field: Field = None,
    in_docs: Annotated[
        str | None, typer.Option(metavar="NAME", help="Document boundaries of the corpus, as --docs.")
    ] = None,
    in_field: Annotated[
        str | None, typer.Option(metavar="NAME", help="Field of the corpus that holds the text.")
    ] = None,
    top: Annotated[int, typer.Option(min=0, metavar="N", help="How many matches and sources to list.")] = 10,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Limit on memory: 4G, 500M, or 50% of what is free; 75% by default."),
    ] = None,
    temp: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for a temporary index.")] = None,
    threads: Annotated[int, typer.Option(min=0, max=1024, metavar="N", help="Threads to use; 0 for all.")] = 1,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
    quiet: Quiet = False,
    processes: Workers = Workers(),  # noqa: B008
) -> None:
    """Show how much of a text stands word for word in a corpus, and where it comes from.

    A match is a string of bytes in one document of the text and one of the corpus; a unit is covered if it lies in a
    match of at least --length units. Nothing is normalised. -q prints the share that is covered. Tables have one row
    per document of TEXT; JSON holds the matches, too.
    """
    formats = chosen_formats(format, json=json, quiet=quiet, output=output)
    if (corpus is None) != itself:
        message = (
            "name the corpus: bitmeter overlap TEXT --in CORPUS; or look for duplicates: bitmeter overlap TEXT --self"
            if corpus is None
            else "--self looks in the text itself, but --in names a corpus; give one of them"
        )
        raise typer.BadParameter(message)
    if itself and (in_docs or in_field):
        message = "--in-docs and --in-field are about the corpus of --in; with --self type --docs and --field"
        raise typer.BadParameter(message)
    shared = processes.as_keywords()
    for path in (output, index):
        check_free(path, force=force, inputs=[text, corpus])
    check_memory(memory, temp)
    from bitmeter._util.check import choice
    from bitmeter.errors import ChoiceError
    from bitmeter.measure.overlap.index import OverlapIndex, is_index
    from bitmeter.measure.overlap.run import overlap as measure
    from bitmeter.text.corpus.corpus import DOCS, Corpus
    from bitmeter.text.units.named import units_of

    if in_docs is not None:
        choice(in_docs, "--in-docs", DOCS)
    try:
        units = units_of(unit)
    except ChoiceError as error:
        message = f"--unit {str(error).removeprefix('units ')}"
        raise typer.BadParameter(message) from error
    searched, its_docs, its_field = (text, docs, field) if corpus is None else (corpus, in_docs, in_field)
    where: Any = corpus
    asked = None if corpus is None else Corpus(text, docs=docs, field=field)  # before the work: it may be missing
    lines = json_lines(sys.stderr) if processes.progress == "json" else None
    with contextlib.nullcontext() if lines else bar("overlap") as shown, _of_corpus(text, corpus):

        def report(step: Step) -> None:
            if lines is not None:
                lines(step)
            if shown is not None:
                shown.update(step.share or 0.0, 1.0, title=f"{step.stage:<9}")

        if index is not None:
            if is_index(searched):
                message = f"{searched} is an index already; leave --index out"
                raise typer.BadParameter(message)
            where = OverlapIndex.build(
                searched, index, docs=its_docs, field=its_field, memory=memory, temp=temp, force=force, progress=report
            )
            its_docs = its_field = None
        if corpus is None:
            found = measure(
                where or text, length=length, unit=units, docs=its_docs, field=its_field, top=top, memory=memory,
                temp=temp, threads=threads, progress=report, **shared,
            )  # fmt: skip
        else:
            found = measure(
                asked, where, length=length, unit=units, in_docs=its_docs, in_field=its_field, top=top, memory=memory,
                temp=temp, threads=threads, progress=report, **shared,
            )  # fmt: skip
    from bitmeter.reports.records.overlap import overlap_document, overlap_paper, overlap_records

    def records(kind: str | None) -> Any:
        return overlap_paper(found) if kind in ("md", "latex") else overlap_records(found)

    save_records(formats, lambda: records(formats.saved), lambda: overlap_document(found), force=force)
    if print_records(formats, lambda: records(formats.printed), lambda: overlap_document(found)):
        return
    typer.echo(repr(found.coverage) if quiet else str(found))


@contextlib.contextmanager
def _of_corpus(text: str, corpus: str | None) -> Iterator[None]:
    """In errors about the corpus, name its options."""
    from bitmeter.errors import InputError, RecordError

    try:
        yield
    except (InputError, RecordError) as error:
        said = str(error)
        if corpus is None or corpus not in said or corpus == text:
            raise
        for name in ("field", "docs"):
            said = said.replace(f"--{name} ({name}=)", f"--in-{name}")
        raise InputError(said) from error
