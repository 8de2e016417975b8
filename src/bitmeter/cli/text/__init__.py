"""Verbs that measure texts."""
