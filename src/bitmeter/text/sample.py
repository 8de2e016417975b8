"""The embedded text: the language reference that every CPython carries, about 465 kB of English prose and grammar."""

from __future__ import annotations

__all__ = ["SAMPLE_NAME", "sample_text"]

#: How the embedded text is called in results.
SAMPLE_NAME = "Python language reference"


def sample_text() -> str:
    """The topics of Python's own help, in alphabetical order, joined by a blank line.

    The text is read from the running Python, so that it differs a little from one Python version to the next.

    Examples
    --------
    >>> "expression" in sample_text()
    True
    """
    from pydoc_data.topics import topics

    return "\n".join(topics[name] for name in sorted(topics))
