"""`bitmeter entropy`."""


def entropy() -> None:
    """Placeholder."""
