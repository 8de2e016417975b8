"""Verbs that code texts."""
