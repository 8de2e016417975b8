"""The embedded text: the language reference that every CPython carries, about 465 kB of English prose and grammar."""

from __future__ import annotations

import bisect
import itertools

__all__ = ["SAMPLE_NAME", "sample_parts", "sample_text"]

#: The name of the embedded text in results.
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


def sample_parts(share: float = 0.8) -> tuple[bytes, bytes]:
    """The embedded text in two parts, to train on and to measure on; no paragraph is in both.

    Topics quote each other, so a paragraph counts only where it occurs first.

    Examples
    --------
    >>> train, rest = sample_parts()
    >>> len(train) > 3 * len(rest) > 0
    True
    """
    paragraphs = list(dict.fromkeys(part.strip("\n") for part in sample_text().split("\n\n") if part.strip()))
    sizes = list(itertools.accumulate(map(len, paragraphs)))
    place = bisect.bisect_left(sizes, share * sizes[-1]) + 1
    train, rest = paragraphs[:place], paragraphs[place:]
    return ("\n".join(train) + "\n").encode(), ("\n".join(rest) + "\n").encode()
