"""Answers given contexts, choices between answers, and minimal pairs."""
