"""The key of a server, and addresses that hold none.

A secret is read from the environment variable that the user names, and is sent as a header. It is part of no address,
because addresses are in names, signatures, saved runs and caches; and of no message.
"""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

from bitmeter._util.check import shown
from bitmeter._util.secrets import without_secrets
from bitmeter.errors import InputTypeError, ModelError

__all__ = ["Secret", "address_of"]

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: Shorter words are not looked for in what a server says: they would be found in many answers.
_SHORTEST = 8
_SUCH = "such as http://localhost:8000/v1"


class Secret:
    """The key in an environment variable; an empty one where the variable is not set.

    Attributes
    ----------
    variable
        The name of the variable.
    """

    def __init__(self, variable: Any) -> None:
        if not isinstance(variable, str):
            message = f"key is {shown(variable)}; it must be the name of an environment variable"
            raise InputTypeError(message, value=variable)
        if not _VARIABLE.fullmatch(variable):
            message = (
                "key is not the name of an environment variable (letters, digits and _). If it is the key itself: put "
                "it into a variable, and name that one: ,key=BITMETER_API_KEY. A key on the command line can be seen "
                "by others"
            )
            raise ModelError(message)  # without the value, which may be the key
        self.variable = variable
        self._value = os.environ.get(variable, "")
        if (fault := _fault(self._value)) is not None:
            message = (
                f"the key in the environment variable {variable} {fault}, so it cannot be sent; set it again: "
                f'export {variable}="$(cat FILE)"'
            )
            raise ModelError(message, value=variable)

    @property
    def headers(self) -> dict[str, str]:
        """The header that carries it."""
        return {"Authorization": f"Bearer {self._value}"} if self._value else {}

    def hidden(self, text: str) -> str:
        """What a server said, without the key, which some servers repeat."""
        return text.replace(self._value, "[key]") if len(self._value) >= _SHORTEST else text

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.variable,)  # another process reads its own environment

    def __repr__(self) -> str:
        return f"<Secret in {self.variable}>"


def _fault(key: str) -> str | None:
    """What makes a key one that HTTP cannot send."""
    if key != key.strip():
        return "ends in a newline" if key.endswith("\n") else "begins or ends with white space"
    if not key.isascii():
        return "holds a character that is not ASCII"
    if not key.isprintable() or " " in key:
        return "holds a space or a control character"
    return None


def address_of(url: Any) -> str:
    """The address of completions, from that of the server.

    Examples
    --------
    >>> address_of("http://localhost:8000")
    'http://localhost:8000/v1/completions'
    """
    if not isinstance(url, str):
        message = f"url is {shown(url)}; it must be a string, {_SUCH}"
        raise InputTypeError(message, value=url)
    safe = shown(without_secrets(url))
    if not url.startswith(("http://", "https://")) or not url.isascii() or not url.isprintable() or " " in url:
        message = f"url is {safe}; it must begin with http:// or https://, {_SUCH}"
        raise ModelError(message, value=safe)
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        message = f"url is {safe}, which is not an address: {error}; it must be one, {_SUCH}"
        raise ModelError(message, value=safe) from None  # the cause would show all of it
    if "@" in parts.netloc or "?" in url or "#" in url:
        what = "a user name or password" if "@" in parts.netloc else "a query"
        message = (
            f"url is {safe}, which holds {what}: an address is shown, saved and signed, and may hold no secret. Put "
            "the key into the environment variable BITMETER_API_KEY, or another one (,key=NAME), and leave the rest out"
        )
        raise ModelError(message, value=safe)
    if not parts.hostname:
        message = f"url is {safe}, which names no server; it must, {_SUCH}"
        raise ModelError(message, value=safe)
    base = url.rstrip("/")
    if base.endswith("/chat/completions"):
        message = (
            f"url is {safe}: a chat endpoint gives no log-probabilities of a prompt's tokens, so perplexity cannot be "
            "computed; give the address of the completions endpoint, if there is one"
        )
        raise ModelError(message, value=safe)
    if base.endswith("/completions"):
        return base
    return f"{base}/completions" if "/" in base.split("://", 1)[1] else f"{base}/v1/completions"
