"""Thin adapters between bitmeter and other tools: their plug-in systems, and the logs that they write."""
