"""Verbs that make models."""
