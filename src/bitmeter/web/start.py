"""Starting the server: where it listens, who may ask, what is printed."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from bitmeter._util.optional import require
from bitmeter.errors import InputError

__all__ = ["serve"]

#: The shortest token that is taken from the environment.
_SHORTEST = 16
#: Connections that are answered at once; more are refused with 503 by the server itself.
_CONNECTIONS = 256


def serve(
    models: Sequence[str] = (),
    *,
    folder: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 8719,
    names: Sequence[str] = (),
    token: str | None = None,
    ready: Callable[[str], object] = print,
) -> None:
    """Serve the page until it is interrupted.

    Parameters
    ----------
    models
        Models as on the command line, beside those that come with the page.
    folder
        A folder whose models can be chosen, too.
    host
        Where to listen. Anything but this machine's own addresses needs a token.
    port
        The port; 0 for one that is free.
    names
        Further names by which browsers may call the server.
    token
        What requests must carry; None for one that is made, if `host` can be reached from other machines, else none.
    ready
        Called with the address when the server listens.
    """
    uvicorn = require("uvicorn", "The page")
    require("fastapi", "The page")
    from bitmeter.web.app import create_app
    from bitmeter.web.guard import Guard, is_loopback
    from bitmeter.web.limits import Limits
    from bitmeter.web.served import Models

    if token is not None and len(token) < _SHORTEST:
        message = f"the token has {len(token)} characters; give one of at least {_SHORTEST}, or none to have one made"
        raise InputError(message)
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    limits = Limits(workers=max(2, min(8, os.cpu_count() or 2)))
    guarded = Guard(create_app(Models(models, folder), limits), host, names, token, limits)  # type: ignore[arg-type]
    listening = _listen(host, port)
    with listening:
        shown = host if ":" not in host else f"[{host}]"
        if host in ("0.0.0.0", "::"):
            shown = socket.gethostname()
        address = f"http://{shown}:{listening.getsockname()[1]}/"
        ready(address if token is None else f"{address}#token={token}")
        config = uvicorn.Config(
            guarded, log_level="warning", access_log=False, server_header=False, date_header=False,
            limit_concurrency=_CONNECTIONS, timeout_keep_alive=15, timeout_graceful_shutdown=3,
            h11_max_incomplete_event_size=65536, proxy_headers=False, ws="none",
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, opened here so that an error names the port, and 0 finds a free one."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(where)
            found.listen(256)
        except BaseException:
            found.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        message = f"the server cannot listen at {host}, port {port}: {error}; try another: --port 0 finds a free one"
        raise InputError(message) from error
    return found
