"""`bitmeter sample`: text drawn from a model."""

from __future__ import annotations

import json as json_format
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from bitmeter.cli.common import Json

if TYPE_CHECKING:
    from bitmeter.models.sampled import SampledText


def sample(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model, such as model.bmn; see `bitmeter models`.")],
    n: Annotated[int, typer.Option("-n", min=0, help="How many sentences (texts, for a model without).")] = 1,
    seed: Annotated[int | None, typer.Option(min=0, help="The same number gives the same text.")] = None,
    temperature: Annotated[
        float, typer.Option(min=0.001, max=1000.0, help="Below 1 prefers what is likely, above 1 what is not.")
    ] = 1.0,
    length: Annotated[
        int | None,
        typer.Option(min=1, help="The most units of a text; a model that does not end its texts stops at 256 unasked."),
    ] = None,
    json: Json = False,
) -> None:
    """Draw text from a model by its own probabilities, a line for each sentence; unknown words come out as <unk>."""
    from bitmeter.models.sampling import samples

    for text in samples(model, n, seed, temperature=temperature, length=length):
        sys.stdout.flush()
        sys.stdout.buffer.write(_json_line(text) if json else _line(text.data))
        sys.stdout.buffer.flush()


def _line(data: bytes) -> bytes:
    return data if data.endswith(b"\n") else data + b"\n"


def _json_line(text: SampledText) -> bytes:
    said = {"text": str(text), "bits": text.bits, "units": len(text.ids), "ended": text.ended}
    return json_format.dumps(said, ensure_ascii=False).encode() + b"\n"
