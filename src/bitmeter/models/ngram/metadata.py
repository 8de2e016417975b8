"""What the metadata of a model file says, found without a JSON parser.

`bitmeter score -q` of one line takes less time than importing `json`, so this module imports nothing.
"""

from __future__ import annotations

__all__ = ["is_word_distribution"]

#: How `files.metadata` writes that the units are words. A quotation mark inside a JSON string is escaped, so these
#: bytes cannot be part of one.
_WORDS = b'"units": {"kind": "words"'
#: The smoothing whose scores do not sum to one. A file name that contains it gives a wrong "no", which is safe.
_NO_DISTRIBUTION = b"stupid-backoff"


def is_word_distribution(metadata: bytes) -> bool:
    """Whether a model surely is a probability distribution over words; if not sure, the metadata must be parsed.

    Parameters
    ----------
    metadata
        As the file holds it, in JSON.

    Examples
    --------
    >>> is_word_distribution(b'{"smoothing": "katz", "units": {"kind": "words"}}')
    True
    >>> is_word_distribution(b'{"smoothing": "stupid-backoff", "units": {"kind": "words"}}')
    False
    """
    return _WORDS in metadata and _NO_DISTRIBUTION not in metadata
