"""`bitmeter sample`: text sampled from a model."""

from __future__ import annotations

import json as json_format
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from bitmeter.cli.loading import load_models
from bitmeter.cli.options import Json, With

if TYPE_CHECKING:
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
    json: Json = False,
) -> None:
    """Sample text from a model, one line per sentence. Unknown words are printed as <unk>."""
    from bitmeter.models.sampling import samples

    (ready,) = load_models([model], components)
    for text in samples(ready, n, seed, temperature=temperature, length=length):
        sys.stdout.flush()
        sys.stdout.buffer.write(_json_line(text) if json else _line(text.data))
        sys.stdout.buffer.flush()


def _line(data: bytes) -> bytes:
    return data if data.endswith(b"\n") else data + b"\n"


def _json_line(text: SampledText) -> bytes:
    row = {"text": str(text), "bits": text.bits, "units": len(text.ids), "ended": text.ended}
    return json_format.dumps(row, ensure_ascii=False).encode() + b"\n"
