"""What stands before the application: who may ask, for what, how much, and what a browser may do with the answer.

A page of another site must not reach the server (cross-site requests), nor a name that an attacker points at this
machine (DNS rebinding): the `Host` must be one of ours, an `Origin` must be the same host, and nothing that a browser
marks as cross-site is answered. With a token, every request to the interface must carry it.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from bitmeter.web.limits import Limits

__all__ = ["HEADERS", "Guard", "is_loopback"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

#: Every answer has these: scripts, styles and requests of this server alone, and no inline script.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_SAFE = ("GET", "HEAD")


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine's own, which no other machine reaches.

    Examples
    --------
    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host.lower() == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


#: A name, an IPv4 address, or an IPv6 address in brackets; then perhaps a port.
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:/?#@\\\s]+))(?::[0-9]{1,5})?")


def _host_of(value: str) -> str:
    """The host of a `Host` header, without its port; "" if it is none.

    Examples
    --------
    >>> _host_of("LOCALHOST:8719"), _host_of("[::1]:8719"), _host_of("[127.0.0.1]evil.example")
    ('localhost', '::1', '')
    """
    found = _HOST.fullmatch(value)
    if found is None or (found[1] is not None and ":" not in found[1]):
        return ""
    return (found[1] or found[2]).lower()


def _is_interface(path: str) -> bool:
    """Whether a path is one of the interface, and not of a file of the page."""
    return path == "/api" or path.startswith("/api/")


class _RefusedError(Exception):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


class Guard:
    """Checks each request before the application sees it.

    Parameters
    ----------
    app
        The application.
    host
        Where the server listens.
    names
        Further names by which it may be called.
    token
        What each request to the interface must carry; None for no token.
    limits
        Of sizes and times.
    """

    def __init__(self, app: App, host: str, names: Iterable[str], token: str | None, limits: Limits) -> None:
        self._app, self._limits = app, limits
        self._token = None if token is None else token.encode()
        self._names = {"localhost", *(name.lower() for name in names)} | (set() if _address(host) else {host.lower()})
        #: An address cannot be rebound as a name can; of a server for this machine alone, only its own are right.
        self._local = is_loopback(host)
        self._held = 0
        self._asked, self._inside = time.monotonic(), 0

    @property
    def idle_seconds(self) -> float:
        """How long there has been no request; 0 while one is answered."""
        return 0.0 if self._inside else time.monotonic() - self._asked

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        held = 0
        self._inside += 1
        try:
            self._check(scope)
            body = await self._body(scope, receive)
            if self._held + len(body) > self._limits.held:
                detail = "the server holds as many requests as it may; try again in a second"
                raise _RefusedError(429, detail)
            held = len(body)
            self._held += held
            sending = _with_headers(send, scope["path"])
            if scope["method"] == "HEAD":  # as GET, without the body
                scope, sending = {**scope, "method": "GET"}, _without_body(sending)
            await self._app(scope, _replayed(body, receive), sending)
        except _RefusedError as refused:
            await _answer(_with_headers(send, "/api"), refused.status, refused.detail)
        finally:
            self._held -= held
            self._inside -= 1
            self._asked = time.monotonic()

    def _check(self, scope: MutableMapping[str, Any]) -> None:
        headers: dict[str, str] = {}
        for key, value in scope["headers"]:
            name = key.decode("latin-1").lower()
            if name in ("host", "origin", "content-length", "authorization") and name in headers:
                detail = f"the request has the header {name} twice"
                raise _RefusedError(400, detail)
            headers[name] = value.decode("latin-1")
        host = headers.get("host", "")
        if not self._is_ours(_host_of(host)):
            detail = (
                f"this server is not called {host[:80]!r}; open it by the address that it printed, or start it with "
                "--name for this one"
            )
            raise _RefusedError(421, detail)
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            detail = f"a page of {origin[:80]!r} may not use this server"
            raise _RefusedError(403, detail)
        # A navigation may come from anywhere: a link shows the page. Anything else of another site is refused.
        moves = scope["method"] in _SAFE and headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and (
            not moves or _is_interface(scope["path"])
        ):
            detail = "a page of another site may not use this server"
            raise _RefusedError(403, detail)
        if self._token is not None and _is_interface(scope["path"]):
            kind, _, given = headers.get("authorization", "").partition(" ")
            right = hmac.compare_digest(given.strip().encode("latin-1", "replace"), self._token)
            if kind.lower() != "bearer" or not right:
                detail = "this server needs its token, as Authorization: Bearer TOKEN; it was printed when it started"
                raise _RefusedError(401, detail)

    def _is_ours(self, host: str) -> bool:
        if host in self._names:
            return True
        address = _address(host)
        return address is not None and (address.is_loopback or not self._local)

    async def _body(self, scope: MutableMapping[str, Any], receive: Receive) -> bytes:
        """All of a request's body, which must not be too large and not come too slowly."""
        limit = self._limits.body
        detail = f"the request has more than the {limit:,} bytes that this server takes; measure it with bitmeter score"
        for key, value in scope["headers"]:
            if key.lower() == b"content-length" and (not value.isdigit() or len(value) > 12 or int(value) > limit):
                raise _RefusedError(413, detail)
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        reason = "the client went away"
                        raise _RefusedError(400, reason)
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > limit:
                        raise _RefusedError(413, detail)
                    if not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            reason = f"the request did not arrive within {self._limits.body_seconds:g} s"
            raise _RefusedError(408, reason) from None


def _replayed(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _with_headers(send: Send, path: str) -> Send:
    cache = "no-store" if _is_interface(path) else "no-cache"
    added = [(key.lower().encode(), value.encode()) for key, value in (HEADERS | {"Cache-Control": cache}).items()]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {key for key, _ in added}
            kept = [(key, value) for key, value in message.get("headers", []) if key.lower() not in own]
            message = {**message, "headers": [*kept, *added]}
        await send(message)

    return sending


def _without_body(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return sending


async def _answer(send: Send, status: int, detail: str) -> None:
    body = json.dumps({"detail": detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 429:
        headers.append((b"retry-after", b"1"))
    if status in (408, 413):
        headers.append((b"connection", b"close"))  # the rest of the request is not read
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
