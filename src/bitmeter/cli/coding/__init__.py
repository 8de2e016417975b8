"""Verbs that code."""
