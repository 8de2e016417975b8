"""Perplexity filters: one file per tool."""
