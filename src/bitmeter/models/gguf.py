"""GGUF files, as llama.cpp uses them: read by transformers, their weights dequantised."""

from __future__ import annotations

from pathlib import Path

from bitmeter._optional import require
from bitmeter.errors import MissingSourceError, ModelError
from bitmeter.models.base import Scheme
from bitmeter.models.hf import HuggingFace, options_of

__all__: list[str] = []

_MAGIC = b"GGUF"


def _load(rest: str) -> HuggingFace:
    place, options = options_of(rest)
    if not place or "gguf_file" in options:
        message = "gguf needs a file, and options behind commas: gguf:model.gguf, gguf:model.gguf,batch=4096"
        raise ModelError(message, value=rest)
    path = Path(place)
    if not path.is_file():
        message = f"there is no file {place}; gguf:FILE takes a model of llama.cpp, which ends in .gguf"
        raise MissingSourceError(message, path=place)
    with path.open("rb") as file:
        if file.read(4) != _MAGIC:
            message = f"{place} is not a GGUF file: it does not begin with the letters GGUF"
            raise ModelError(message, value=place)
    require("gguf", "Reading a GGUF file")
    made = HuggingFace(str(path.parent), gguf_file=path.name, **options)
    made.name = f"gguf:{path.name}"
    made.caveats = (
        "the weights were dequantised: llama.cpp's own arithmetic, in which they stay small, differs a little",
    )
    return made


SCHEMES = (
    Scheme(
        "gguf",
        "gguf:FILE",
        "a model of llama.cpp, its weights dequantised; options as hf",
        _load,
        "gguf",
    ),
)
