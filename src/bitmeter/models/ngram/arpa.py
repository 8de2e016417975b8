"""The ARPA format: how n-gram models travel between KenLM, SRILM, speech recognisers and others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from bitmeter import _core
from bitmeter.errors import FileFormatError

__all__ = ["ARPA_SUFFIXES", "is_arpa", "read_arpa", "write_arpa"]

#: Names by which a file is known as ARPA.
ARPA_SUFFIXES = (".arpa", ".arpa.gz", ".arpa.zst", ".lm.gz")

_BLOCK = 1 << 22


def is_arpa(name: str) -> bool:
    """Whether a file is ARPA, by its name.

    Examples
    --------
    >>> is_arpa("model.arpa.gz"), is_arpa("model.bmn")
    (True, False)
    """
    return name.lower().endswith(ARPA_SUFFIXES)


def read_arpa(path: str, metadata: str) -> tuple[_core.NgramModel, int]:
    """The model in an ARPA file (plain, .gz or .zst), and how many n-grams had to be put in to close its gaps.

    Dialects: fields separated by tabs or spaces, lines before the head, carriage returns, missing back-offs, `<UNK>`
    and -99 for the logarithm of zero. An error names the line.
    """
    from bitmeter.text.corpus.readers import file_blocks  # slow to import, and not needed for other files

    reader = _core.ArpaReader()
    try:
        for block in file_blocks(path, _BLOCK):
            reader.feed(block)
        return reader.finish(metadata), reader.added
    except _core.ArpaError as error:
        message = f"{path}, line {error.index}: {error}"
        raise FileFormatError(message, index=error.index, value=path) from error


def write_arpa(model: _core.NgramModel, path: Path, name: str) -> None:
    """Write a model into a file; `name` decides whether it is compressed."""
    writer = _core.ArpaWriter(model)
    with _compressed(path, name) as file:
        while part := writer.next():
            file.write(part)


@contextlib.contextmanager
def _compressed(path: Path, name: str) -> Iterator[IO[bytes] | Any]:
    suffix = Path(name).suffix.lower()
    if suffix == ".gz":
        # Without a file name in the header, so that the same model gives the same bytes.
        import gzip

        with open(path, "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
            yield file
    elif suffix == ".zst":
        import zstandard

        with open(path, "wb") as raw, zstandard.ZstdCompressor().stream_writer(raw) as packed:
            yield packed
    else:
        with open(path, "wb") as plain:
            yield plain
