"""Verbs that show results and teach."""
