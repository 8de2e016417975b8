"""Mixtures of models, and caches."""
