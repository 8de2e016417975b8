"""File formats by the end of a file's name, and the separators of words: constants that import nothing."""

from __future__ import annotations

__all__ = ["COMPRESSIONS", "ROW_FORMATS", "SEPARATORS"]

#: Suffixes of compressed files.
COMPRESSIONS = (".gz", ".zst", ".xz", ".bz2")
#: Suffixes of files that hold rows, and their format; all other files are plain text.
ROW_FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet"}

#: The bytes that separate words, by convention.
SEPARATORS = {
    "ascii": b"\t\n\v\f\r ",  # also Python's bytes.split()
    "kenlm": b"\t\n\v\f\r ",  # KenLM's query
    "lmplz": b"\0\t\n\r ",  # KenLM's lmplz
    "srilm": b"\t\n\r ",
}
