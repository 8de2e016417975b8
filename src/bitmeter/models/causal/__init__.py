"""Causal language models over tokens."""
