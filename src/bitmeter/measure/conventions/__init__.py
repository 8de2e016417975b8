"""The conventions of other tools."""
