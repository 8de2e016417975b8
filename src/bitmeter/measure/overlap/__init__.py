"""Which parts of a text stand in a corpus: contamination and duplication, by matches of bytes."""
