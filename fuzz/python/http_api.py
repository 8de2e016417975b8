"""A request to `bitmeter serve`, behind its guard: method, path and headers as JSON in a line, then the body.

Only what the description of the interface lists may come back, and no exception may leave the application. Nothing
is answered for another host or origin, and a job never fails by an exception that is not ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import os
import random
import re
import time
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote

from engine import AWKWARD, Folder, changed, main, mutated_bytes, mutated_json, written

import bitmeter as bm
from bitmeter.errors import InputError
from bitmeter.web.app import create_app
from bitmeter.web.guard import Guard
from bitmeter.web.lessons import lesson_list
from bitmeter.web.limits import Limits
from bitmeter.web.served import Models

FOLDER = Folder()
LIMITS = Limits(body=200_000, live=20_000, text=40_000, seconds=5.0, job_seconds=5.0, body_seconds=5.0)
LESSON = lesson_list()[0]["name"]
OURS = "127.0.0.1:8719"
TEXT = "to be or not to be, that is the question.\nwhether 'tis nobler é\n"
HEADERS = {
    "host": [OURS, "localhost", "[::1]:8719", "", "evil.example", "127.0.0.1.evil.example", "localhost.", "[", "0"],
    "origin": ["null", "http://127.0.0.1:8719", "http://evil.example", "", "http://127.0.0.1:8719@evil.example"],
    "content-type": ["application/json", "application/octet-stream", "text/plain", "multipart/form-data; boundary=x",
                     "application/x-www-form-urlencoded", "application/json; charset=utf-16", "", "/", "a/b;c=\xff"],
    "content-length": ["0", "-1", "1e3", "99999999999999999999", "\xb2", "5"],
    "sec-fetch-site": ["same-origin", "cross-site", "none", ""],
    "sec-fetch-mode": ["navigate", "cors"],
    "authorization": ["Bearer x", "Basic \xff", ""],
    "accept": ["text/html", "*/*;q=\xff"],
    "range": ["bytes=0-", "bytes=-1,99-1"],
    "transfer-encoding": ["chunked"],
    "cookie": ["a=b; \xff"],
}  # fmt: skip
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "X"]
WORDS = ["api", "score", "jobs", "runs", "1", "compared", "lessons", "game", "examples", "%00", "..", "%2e%2e", "%ff",
         "", "9" * 30, "-1", "page", "index.html", "result", "report.html", "exercises"]  # fmt: skip
QUERY = ["limit=0", "limit=1e9", "model=%00", "text=%ff", "a=1&b=1", "a=1", "a=&b=", "limit=1&limit=x", "name=../x",
         "&=&", "remember=maybe", "model=" + "x" * 300, "name=%F0%9F%98%80", "a=9007199254740993&b=1"]  # fmt: skip
_IS_OURS = re.compile(r"[\w.]*(Error|Exception|Interrupt|Exit): ")


@cache
def server() -> tuple[Guard, dict[str, Any]]:
    """The application behind its guard, and its description."""
    models = FOLDER.path / "models"
    models.mkdir()
    bm.NGram(2, units="words").fit((TEXT * 9).encode()).save(models / "words.bmn")
    FOLDER.file("models/broken.bmn", b"BMN")
    app = create_app(Models((), models), LIMITS)
    return Guard(app, "127.0.0.1", (), None, LIMITS), app.openapi()


def request(method: str, path: str, body: object = None, **headers: str) -> bytes:
    """An input."""
    kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
    head = {"method": method, "path": path, "headers": {"host": OURS, "content-type": kind, **headers}}
    content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return json.dumps(head).encode() + b"\n" + content


def seeds() -> list[bytes]:
    measured = {"text": TEXT, "name": "t", "docs": "line", "confidence": 0.9}
    tokens = [{"token": f" w{at}", "logprob": -1.0 - at, "top_logprobs": []} for at in range(4)]
    chat = {"model": "m", "choices": [{"index": 0, "logprobs": {"content": tokens}}]}
    echo = {"model": "m", "choices": [{"text": "to be", "logprobs": {
        "tokens": ["to", " be"], "token_logprobs": [None, -1.5], "text_offset": [0, 2]}}]}  # fmt: skip
    lines = {"doc_id": 0, "target": "", "arguments": [["to be or not"]], "resps": [[[-12.5]]],
             "filtered_resps": [[-12.5]], "doc": {"text": "to be or not"}}  # fmt: skip
    return [
        request("POST", "/api/score", {**measured, "model": "kt", "remember": True}),
        request("POST", "/api/score", {**measured, "model": "words.bmn"}),
        request("POST", "/api/compare", {**measured, "models": ["kt", "words.bmn"], "remember": True}),
        request("POST", "/api/live", {**measured, "models": ["words.bmn", "kt"]}),
        request("POST", "/api/predict", {"model": "words.bmn", "text": "to be or n", "most": 5}),
        request("POST", "/api/predict", {"model": "kt", "text": "to be", "most": 5}),
        request("POST", "/api/jobs", {**measured, "models": ["words.bmn", "kt"], "alternatives": 2, "remember": False}),
        request("POST", "/api/log?name=x&remember=true", json.dumps(chat).encode()),
        request("POST", "/api/log", json.dumps(echo).encode()),
        request("POST", "/api/log?name=lines", json.dumps(lines).encode() + b"\n"),
        request("POST", f"/api/lessons/{LESSON}/exercises/1", {"answer": "1.5"}),
        request("GET", "/api/runs?limit=5&model=k&text=t"),
        request("GET", "/api/runs/1"),
        request("GET", "/api/runs/compared?a=1&b=2"),
        request("GET", "/api/page", origin=f"http://{OURS}"),
        request("GET", "/api/models"),
        request("GET", f"/api/lessons/{LESSON}"),
        request("GET", "/"),
    ]


def mutate(draw: random.Random, data: bytes) -> bytes:
    """A change to the head or to the body."""
    line, _, body = data.partition(b"\n")
    if body and draw.random() < 0.6:
        return line + b"\n" + mutated_json(draw, body)
    try:
        head = json.loads(line)
        headers, path = dict(head["headers"]), str(head["path"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return mutated_bytes(draw, data, data)
    way = draw.randrange(6)
    if way == 0:
        head["method"] = draw.choice(METHODS)
    elif way == 1:
        parts = path.partition("?")[0].split("/")
        parts[draw.randrange(len(parts))] = draw.choice(WORDS)
        head["path"] = "/".join(parts) + path[len(path.partition("?")[0]) :]
    elif way == 2:
        head["path"] = f"{path.partition('?')[0]}?{draw.choice(QUERY)}"
    elif way == 3:
        name = draw.choice(list(HEADERS))
        head["headers"] = {**headers, name: draw.choice(HEADERS[name])}
    elif way == 4 and headers:
        name = draw.choice(list(headers))
        head["headers"] = {
            **headers,
            name: str(draw.choice(AWKWARD)),
            name.upper(): draw.choice(["", "x", "localhost"]),
        }
    else:
        head = changed(draw, head)
    return written(head).replace(b"\n", b"") + b"\n" + body


def run(data: bytes) -> None:
    line, _, body = data.partition(b"\n")
    try:
        head = json.loads(line)
        method, target, headers = head["method"], head["path"], list(head["headers"].items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        message = "no request"
        raise InputError(message) from None
    # What the protocol lets through: a method is a word, a path is ASCII and begins with a stroke.
    method = re.sub(r"[^A-Za-z]", "", str(method)) or "GET"
    target = "/" + str(target).encode("ascii", "ignore").decode().lstrip("/")
    pairs = [(re.sub(r"[^\w-]", "", name).lower().encode("ascii", "ignore"), _value(value)) for name, value in headers]
    with _own_history():
        status, content = ask(method, target, pairs, body)
        if status == 202:
            _finish(json.loads(content)["id"])
    _check(method, target, pairs, status, content)
    if status >= 400:
        raise InputError(f"{status} {content[:200].decode(errors='replace')}")


def _value(value: object) -> bytes:
    return re.sub(rb"[\r\n\0]", b"", str(value).encode("latin-1", "replace"))[:5000]


def ask(method: str, target: str, headers: list[tuple[bytes, bytes]], body: bytes) -> tuple[int, bytes]:
    """The answer to a request, which comes in two parts."""
    guard, _ = server()
    path, _, query = target.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": method,
        "scheme": "http", "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(),
        "root_path": "", "headers": headers, "client": ("127.0.0.1", 5), "server": ("127.0.0.1", 8719),
    }  # fmt: skip
    half = len(body) // 2
    parts = iter([(body[:half], True), (body[half:], False)])
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        found = next(parts, None)
        if found is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": found[0], "more_body": found[1]}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    names = {name.lower() for name, _ in sent[0]["headers"]}
    assert {b"content-security-policy", b"x-content-type-options"} <= names, "an answer without its guard's headers"
    assert b"access-control-allow-origin" not in names, "another origin is let in"
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def _finish(job: str) -> None:
    """Wait for a job; none fails by an exception that is not ours."""
    while True:
        found = json.loads(ask("GET", f"/api/jobs/{job}", [(b"host", OURS.encode())], b"")[1])
        if found["state"] not in ("waiting", "running"):
            assert not _IS_OURS.match(found["error"]), f"a job failed by {found['error']}"
            return
        time.sleep(0.002)


def _check(method: str, target: str, headers: list[tuple[bytes, bytes]], status: int, content: bytes) -> None:
    path = unquote(target.partition("?")[0])
    known = set(_documented(path, method))
    assert status in known, f"{method} {path[:40]}: {status} is not among {sorted(known)}"
    if status >= 400 and path.startswith("/api/") and method != "HEAD":
        detail = json.loads(content)["detail"]
        assert isinstance(detail, str), "a problem that is no sentence"
        assert "Traceback" not in detail, "a traceback"
    if status < 400:
        given = dict(headers)
        host, origin = given.get(b"host", b"").decode("latin-1"), given.get(b"origin")
        assert _is_local(host), f"answered as {host!r}"
        assert origin is None or origin.decode("latin-1").endswith(f"://{host}"), f"answered to {origin!r}"
        assert path == "/" or given.get(b"sec-fetch-site", b"none") in (b"same-origin", b"none"), (
            "answered across sites"
        )


def _is_local(host: str) -> bool:
    name = host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
    try:
        return name.lower() == "localhost" or ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def _documented(path: str, method: str) -> Iterator[int]:
    """The codes that the description lists for all, and the good ones of this path."""
    yield 200
    description = server()[1]
    for pattern, ways in description["paths"].items():
        for way in ways.values():
            codes = {int(code) for code in way["responses"]}
            yield from (code for code in codes if code >= 400)
            if re.fullmatch(re.sub(r"\{\w+\}", "[^/]*", pattern), path):
                yield from codes
    if method == "HEAD" or not path.startswith("/api/"):
        yield 405


@contextlib.contextmanager
def _own_history() -> Iterator[None]:
    before = os.environ.get("BITMETER_DATA")
    os.environ["BITMETER_DATA"] = str(FOLDER.path / "data")
    try:
        yield
    finally:
        if before is None:
            del os.environ["BITMETER_DATA"]
        else:
            os.environ["BITMETER_DATA"] = before


if __name__ == "__main__":
    main("http_api", run, seeds, mutate)
