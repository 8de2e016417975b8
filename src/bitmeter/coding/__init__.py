"""Codes: from prefix codes on paper to archives of any model, the proof of a score."""
