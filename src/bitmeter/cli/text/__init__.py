"""Verbs about texts."""
