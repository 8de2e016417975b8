"""Starting the server: where it listens, who may ask, what is printed."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from bitmeter._util.optional import require
from bitmeter.errors import InputError

if TYPE_CHECKING:
    from bitmeter.web.guard import Guard

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
    idle: float | None = None,
    ready: Callable[[str], object] = print,
    leave: Callable[[], object] | None = None,
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
    idle
        After so many seconds without a request the server ends; None for never.
    ready
        Called with the address when the server listens.
    leave
        Called if something is still being computed a second after the server ended. What computes is stopped, but it
        may be within a step that takes longer, such as a call of another package.
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
    shown = host if ":" not in host else f"[{host}]"
    if host in ("0.0.0.0", "::"):
        shown = socket.gethostname()
    application = create_app(Models(models, folder), limits)
    guarded = Guard(application, host, (*names, shown), token, limits)
    listening = _listen(host, port)
    with listening:
        address = f"http://{shown}:{listening.getsockname()[1]}/"
        ready(address if token is None else f"{address}#token={token}")
        config = uvicorn.Config(
            guarded, log_level="warning", access_log=False, server_header=False, date_header=False,
            limit_concurrency=_CONNECTIONS, timeout_keep_alive=15, timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=65536, proxy_headers=False, ws="none",
        )  # fmt: skip
        server = uvicorn.Server(config)
        shutdown = server.shutdown

        async def stopping(sockets: list[socket.socket] | None = None) -> None:
            application.stop()  # first, or those who wait for an answer would be waited for
            await shutdown(sockets)

        server.shutdown = stopping
        if idle is not None:
            threading.Thread(target=_end_when_idle, args=(server, guarded, idle), daemon=True).start()
        try:
            with _ended_by_hangup(server):
                server.run(sockets=[listening])
        finally:
            end = time.monotonic() + 1.0
            while application.is_busy() and time.monotonic() < end:
                time.sleep(0.01)
            if leave is not None and application.is_busy():
                leave()


@contextlib.contextmanager
def _ended_by_hangup(server: Any) -> Iterator[None]:
    """A closed terminal ends the server as Ctrl-C does; of uvicorn's own handlers, SIGHUP has none."""
    number = getattr(signal, "SIGHUP", None)  # Windows has none
    main = threading.current_thread() is threading.main_thread()
    if number is None or not main or signal.getsignal(number) in (signal.SIG_IGN, None):
        yield
        return
    came: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        del frame
        came.append(number)
        server.should_exit = True

    before = signal.signal(number, end)
    try:
        yield
    finally:
        signal.signal(number, before)
    if came:
        signal.raise_signal(number)


def _end_when_idle(server: Any, guarded: Guard, seconds: float) -> None:
    while guarded.idle_seconds < seconds or not server.started:
        time.sleep(min(1.0, max(0.02, seconds / 10)))
    server.should_exit = True


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, opened here so that an error names the port, and 0 finds a free one."""
    try:
        if _is_address(host):  # no name has to be looked up
            family, where = (socket.AF_INET6 if ":" in host else socket.AF_INET), (host, port)
        else:
            family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]  # type: ignore[assignment]
        found = socket.socket(family, socket.SOCK_STREAM)
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
