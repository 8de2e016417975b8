"""Verbs that measure models."""
