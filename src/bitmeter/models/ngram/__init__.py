"""N-gram models."""
