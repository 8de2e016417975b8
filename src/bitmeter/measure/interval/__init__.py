"""Confidence intervals and paired tests for text, whose parts depend on each other.

Words of one document share its subject, so a million words of fifty documents are closer to fifty observations than to
a million. The observations here are therefore *clusters*: the sums of whole documents, or of long blocks of one long
text. The functions take plain arrays with one entry per cluster: its cost (bits or nats) and its size (bytes, words,
…); the figure is always Σ cost / Σ size. A benchmark measures how often the intervals cover the true value.
"""
