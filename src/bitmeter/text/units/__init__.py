"""Units: bytes, characters, words and tokens of a text."""
