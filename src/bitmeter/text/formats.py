"""What names say about files and units, and the separators of words. Imports nothing that takes time."""

from __future__ import annotations

import os.path

__all__ = ["COMPRESSIONS", "NOT_JOINED", "ROW_FORMATS", "SEPARATORS", "is_url", "kind_of"]

#: Suffixes of compressed files.
COMPRESSIONS = (".gz", ".zst", ".xz", ".bz2")
#: Suffixes of files that hold rows, and their format; all other files are plain text.
ROW_FORMATS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet"
}  # fmt: skip

#: The bytes that separate words, by convention.
SEPARATORS = {
    "ascii": b"\t\n\v\f\r ",  # also Python's bytes.split()
    "kenlm": b"\t\n\v\f\r ",  # KenLM's query
    "lmplz": b"\0\t\n\r ",  # KenLM's lmplz
    "srilm": b"\t\n\r ",
}

#: The names of units whose ids do not restore the bytes (`Units.joins`), as a signature has them.
NOT_JOINED = ("graphemes", "words", "unicode-words", "sentences")


def is_url(path: str) -> bool:
    """Whether a path is an address such as s3://bucket/text.txt."""
    scheme, found, _ = path.partition("://")
    return bool(found) and scheme.replace("+", "").replace("-", "").replace(".", "").isalnum()


def kind_of(path: str) -> str:
    """What a file holds, by its name: "text", "jsonl", "csv", "tsv" or "parquet".

    Examples
    --------
    >>> kind_of("notes.txt"), kind_of("rows.jsonl.gz")
    ('text', 'jsonl')
    """
    stem, suffix = os.path.splitext(path.lower())
    if suffix in COMPRESSIONS:
        suffix = os.path.splitext(stem)[1]
    return ROW_FORMATS.get(suffix, "text")
