"""A server for tests: the application behind its guard, in this process or at a real port."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import uvicorn
from fastapi.testclient import TestClient

from bitmeter.web.app import create_app
from bitmeter.web.guard import Guard
from bitmeter.web.limits import Limits
from bitmeter.web.served import Models

__all__ = ["client_of", "serving"]


def guarded(
    models: Models | None = None, *, host: str = "127.0.0.1", token: str | None = None, limits: Limits | None = None,
    names: tuple[str, ...] = (),
) -> Any:  # fmt: skip
    own = limits or Limits()
    return Guard(create_app(models or Models(), own), host, names, token, own)


@cache
def _shared(**options: Any) -> Any:
    return guarded(**options)


def client_of(models: Models | None = None, **options: Any) -> TestClient:
    """A client of an application in this process; an exception in it fails the test."""
    app = _shared(**options) if models is None else guarded(models, **options)
    return TestClient(app, base_url="http://127.0.0.1:8719")


@contextlib.contextmanager
def serving(models: Models | None = None, **options: Any) -> Iterator[str]:
    """The address of a server at a free port of this machine."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        config = uvicorn.Config(guarded(models, **options), log_level="warning", access_log=False, ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)
