"""Verbs that establish trust in a figure."""
