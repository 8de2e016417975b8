"""Estimation of n-gram models: counting, vocabularies, smoothing, pruning, and what memory it takes."""
