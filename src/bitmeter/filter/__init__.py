"""A corpus in, a corpus out: decide about each document by its score, write, resume."""
