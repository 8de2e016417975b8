"""Verbs about trust in a figure."""
