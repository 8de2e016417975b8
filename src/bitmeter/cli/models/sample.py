"""`bitmeter sample`: text sampled from a model."""

from __future__ import annotations

import sys
from secrets import randbits
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.cli.formats import Format, SaveAs, chosen_formats, print_records, save_records
from bitmeter.cli.loading import load_models
from bitmeter.cli.options import Force, Json, With, check_free
from bitmeter.cli.output import say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bitmeter.models.sampled import SampledText

__all__ = ["sample"]


def sample(
    model: Annotated[str, typer.Argument(help="A model, such as model.bmn; `bitmeter models` lists them.")],
    n: Annotated[
        int, typer.Option("-n", min=0, metavar="N", help="Number of sentences, or of texts if it has no sentences.")
    ] = 1,
    seed: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Seed of the random numbers; random by default.")
    ] = None,
    temperature: Annotated[
        float,
        typer.Option(min=0.001, max=1000.0, metavar="T", help="Below 1 favours likely units, above 1 unlikely ones."),
    ] = 1.0,
    length: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Most units per text; 256 by default for a model that predicts no end of text."
        ),
    ] = None,
    components: With = None,
    output: SaveAs = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
) -> None:
    """Sample text from a model, one line per sentence. Unknown words are printed as <unk>.

    --json and --format give each text with its bits under the model, and the seed with which it can be drawn again.
    """
    from bitmeter.models.sampling import samples

    formats = chosen_formats(format, json=json, output=output)
    check_free(output, force=force)
    (ready,) = load_models([model], components)
    # A seed of its own, so that the output names one with which the texts can be drawn again.
    used = randbits(32) if seed is None else seed
    texts: Iterable[SampledText] = samples(ready, n, used, temperature=temperature, length=length)
    if formats.path is None and formats.printed == "table":
        for text in texts:
            sys.stdout.flush()
            sys.stdout.buffer.write(text.data if text.data.endswith(b"\n") else text.data + b"\n")
            sys.stdout.buffer.flush()
        return
    from bitmeter.reports.records.samples import sample_records

    if formats.path is not None and formats.printed != "table":
        texts = list(texts)  # for the file and for the terminal

    def records() -> Any:
        return sample_records(texts, ready.name, seed=used, temperature=temperature)

    save_records(formats, records, force=force)
    if not print_records(formats, records):
        say(f"{output}: {n:,} text{'s' * (n != 1)} of {ready.name}, seed {used}")
