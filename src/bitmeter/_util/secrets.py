"""Addresses without what may be a secret: a name and password before the host, and all that follows a question mark."""

from __future__ import annotations

import re

__all__ = ["without_secrets"]

_CREDENTIALS = re.compile(r"(?<=://)[^/?#]*@")
_QUERY = re.compile(r"(://[^?#\s]*\?)[^#\s'\"]+")


def without_secrets(text: str) -> str:
    """A text in which each address is shown without its credentials and its query.

    Examples
    --------
    >>> without_secrets("s3://me:word@bucket/a and https://host/a?key=b#c")
    's3://…@bucket/a and https://host/a?…#c'
    """
    if "://" not in text:
        return text
    return _QUERY.sub(r"\1…", _CREDENTIALS.sub("…@", text))
