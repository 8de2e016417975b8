"""Open vocabulary: unknown words and characters are spelled."""
