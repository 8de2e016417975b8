"""The formats of corpora: records out of files."""
