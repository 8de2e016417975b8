"""Verbs that show."""
