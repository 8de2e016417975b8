"""Corpora: where text comes from, and where its documents end."""
