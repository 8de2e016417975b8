"""Figures by group: one for each domain of a text, their averages, and their differences between models."""
