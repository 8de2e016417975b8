"""Is a model still as good as it was: checks against a baseline, and tables of many models."""
