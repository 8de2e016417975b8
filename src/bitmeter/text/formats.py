"""What a file holds by its name, and what parts words: facts that need nothing imported."""

from __future__ import annotations

__all__ = ["COMPRESSIONS", "KINDS", "SEPARATORS"]

#: Ends of the names of compressed files.
COMPRESSIONS = (".gz", ".zst", ".xz", ".bz2")
#: Ends of the names of files that are more than plain text.
KINDS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet"}

#: What stands between words, by whose habit.
SEPARATORS = {
    "ascii": b"\t\n\v\f\r ",  # also Python's bytes.split()
    "kenlm": b"\t\n\v\f\r ",  # KenLM's query
    "lmplz": b"\0\t\n\r ",  # KenLM's lmplz
    "srilm": b"\t\n\r ",
}
