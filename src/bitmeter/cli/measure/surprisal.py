"""`bitmeter surprisal`: the surprisal of each word of items."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bitmeter.cli.formats import Format, SaveAs, chosen_formats, print_records, save_records
from bitmeter.cli.loading import check_order, load_models
from bitmeter.cli.options import Ctx, First, Force, Json, Like, Remembering, With, check_free
from bitmeter.cli.progress import scoring
from bitmeter.cli.workers import Workers

__all__ = ["surprisal"]

#: How many words the table for people shows.
_SHOWN = 20


def surprisal(
    model: Annotated[str, typer.Argument(help="A model that exposes its predictions: hf:PATH, an n-gram model, …")],
    items: Annotated[
        str, typer.Argument(metavar="ITEMS", help="A table (.csv, .tsv, .jsonl, .parquet), or text lines.")
    ],
    *,
    text: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of the texts.")] = None,
    word: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of the words, if there is one row per word.")
    ] = None,
    item: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column that names the item; 1, 2, 3 … by default.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(metavar="SIGN", help="What stands between given words or regions, such as '|'.")
    ] = None,
    joiner: Annotated[
        str, typer.Option(metavar="TEXT", help="What is put between given words; '' for scripts without spaces.")
    ] = " ",
    words: Annotated[
        str, typer.Option(metavar="space|icu[:LOCALE]", help="What a word is, if words are not given.")
    ] = "space",
    ends: Annotated[
        str | None,
        typer.Option(
            "--word-ends",
            metavar="all|space",
            help="Tokens that end the word before: all that begin with white space, and the ends; or spaces alone.",
        ),
    ] = None,
    frequency: Annotated[
        str | None, typer.Option(metavar="FILE", help="List of words with counts, or an n-gram model of order 1.")
    ] = None,
    spillover: Annotated[
        int, typer.Option(min=0, max=16, metavar="N", help="Add columns about the N words before each.")
    ] = 0,
    like: Like = "bitmeter",
    first: First = None,
    ctx: Ctx = None,
    components: With = None,
    output: SaveAs = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
    history: Remembering,
    processes: Workers,
) -> None:
    """Measure the surprisal of each word of a text, for studies of reading.

    One row per word: where it is, its surprisal with the end of the word accounted for (and plain), the entropy before
    it, its tokens, length and frequency, and all columns of the input. The context of a word is the text before it in
    its row, line or item.
    """
    formats = chosen_formats(format, json=json, output=output)
    check_order("surprisal", model, items)
    check_free(output, force=force, inputs=[model, items, frequency])
    from bitmeter._util.check import choice
    from bitmeter.errors import ChoiceError
    from bitmeter.measure.surprisal.items import item_surprisals, read_stimuli
    from bitmeter.measure.surprisal.predictions import ENDS
    from bitmeter.reports.records.surprisal import summary, surprisal_paper, surprisal_records

    if ends is not None:
        choice(ends, "--word-ends", ENDS)
    stimuli, columns = read_stimuli(items, text=text, word=word, item=item, delimiter=delimiter, joiner=joiner)
    (ready,) = load_models([model], components)
    try:
        with processes.staged(lambda: scoring(f"{ready.name} on {items}")) as progress:
            found = item_surprisals(
                ready, stimuli, columns, name=items, words=words, frequency=frequency, ends=ends, like=like,
                first=first, ctx=ctx, progress=progress, **processes.as_keywords(),
            )  # fmt: skip
    except ChoiceError as error:
        raise typer.BadParameter(str(error)) from error

    def records(kind: str | None) -> Any:
        if kind in ("md", "latex"):
            return surprisal_paper(found)
        return surprisal_records(found, spillover, typed=kind in ("json", "jsonl", "parquet"))

    save_records(formats, lambda: records(formats.saved), force=force)
    history.remember([_measured(found, ready.name, items)], "surprisal")
    if print_records(formats, lambda: records(formats.printed)):
        return
    from bitmeter.cli.output import say

    if output is None:
        _show(records(None))
        if len(found.words) > _SHOWN:
            say(f"The first {_SHOWN} of {len(found.words):,} words; -o FILE.csv or --format csv gives all.")
    say(("" if output is None else f"{output}: ") + summary(found))


def _measured(found: Any, model: str, text: str) -> Any:
    """The line of the history."""
    from bitmeter.history.runs import Measured

    words = found.words
    mean = float(words.bits.mean()) if len(words) else None
    return Measured(model, text, words.signature, "word", mean, sum(len(stimulus.text) for stimulus in found.stimuli))


def _show(table: Any) -> None:
    """The first words, with the columns that people look at."""
    from bitmeter.cli.output import show
    from bitmeter.reports.formats.cells import readable
    from bitmeter.reports.tables import plain_table

    wanted = ["item", "index", "word", "surprisal_bits", "plain_bits", "entropy_bits", "tokens", "unigram_bits"]
    names = [column.name for column in table.columns]
    places = [names.index(name) for name in wanted if name in names]
    titles = [(names[k].replace("_", " "), "left" if names[k] == "word" else "right") for k in places]
    rows = [[readable(row[k], table.columns[k]) for k in places] for row in list(table.rows)[:_SHOWN]]
    show(plain_table(titles, rows))
