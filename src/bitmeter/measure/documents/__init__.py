"""Figures of single documents, many in one call."""
