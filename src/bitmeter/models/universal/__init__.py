"""The universal model."""
