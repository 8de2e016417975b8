"""Entropy and entropy rate estimated from samples."""
