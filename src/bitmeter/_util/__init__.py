"""Helpers of all other packages."""
