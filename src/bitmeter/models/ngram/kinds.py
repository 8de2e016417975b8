"""Identifies n-gram file formats by magic bytes: names say little, since every tool has its own."""

from __future__ import annotations

import os
import re

from bitmeter import _core
from bitmeter.errors import BitmeterError, FileFormatError
from bitmeter.text.corpus.readers import file_blocks

__all__ = ["NGRAM_MAGIC", "begins_as_arpa", "begins_as_kenlm", "holds_ngrams", "refuse_foreign"]

NGRAM_MAGIC = b"bitmeter.ngram\n"
#: How the binaries of other programs begin, which only these programs read.
FOREIGN = {
    b"SRILM_BINARY_NGRAM": "SRILM",
    b"blmt": "IRSTLM",
    b"Qblmt": "IRSTLM",
}
_DATA = re.compile(rb"^\s*\\data\\\s*$", re.MULTILINE)
#: Some tools write comments before the head of an ARPA file, never many.
_HEAD = 4096


def begins_as_arpa(path: str) -> bool:
    r"""Whether `\data\` is a line near the beginning of a file, decompressed by its suffix.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "model.lm")
    ...     _ = file.write_text("\n\\data\\\nngram 1=3\n")
    ...     begins_as_arpa(str(file))
    True
    """
    return _DATA.search(_beginning(path)) is not None


def holds_ngrams(path: str) -> bool:
    """Whether a file is an n-gram model by what it holds: ours, ARPA, or a binary of KenLM or another program."""
    if not os.path.isfile(path):
        return False
    head = _beginning(path)
    ours = head.startswith((NGRAM_MAGIC, _core.COMPACT_MAGIC, _core.KENLM_MAGIC))
    return ours or head.startswith(tuple(FOREIGN)) or _DATA.search(head) is not None


def begins_as_kenlm(path: str) -> bool:
    r"""Whether a file is a binary of KenLM, such as CCNet's `en.arpa.bin`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "en.arpa.bin")
    ...     _ = file.write_bytes(b"mmap lm http://kheafield.com/code format version 5\n")
    ...     begins_as_kenlm(str(file))
    True
    """
    return os.path.isfile(path) and _beginning(path).startswith(_core.KENLM_MAGIC)


def refuse_foreign(path: str) -> None:
    """An error that says what to do, where a file is a binary of another program."""
    head = _beginning(path)
    for magic, program in FOREIGN.items():
        if head.startswith(magic):
            message = (
                f"{path} is a binary of {program}, which only {program} reads; give the ARPA file that it was made "
                "from (bitmeter convert model.arpa model.bmn makes one that loads as fast), or train again: "
                "bitmeter train TEXT -o model.bmn"
            )
            raise FileFormatError(message, value=path)


def _beginning(path: str) -> bytes:
    try:
        return next(file_blocks(path, _HEAD), b"")
    except BitmeterError:
        return b""  # whoever reads the file will say what is wrong with it
