"""A server of the tiny network's log-probabilities, in both dialects, that can also misbehave."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from tests.models.networks import plain_loop, tiny

BOS = 0  # <|endoftext|>
#: Changes an answer before it is sent.
Spoil = Callable[[dict[str, Any]], Any]


class Server(ThreadingHTTPServer):
    """What it does, and what it was asked."""

    daemon_threads = True

    def __init__(self, *, dialects: tuple[str, ...], adds_bos: bool, context: int, least: int) -> None:
        self.dialects, self.adds_bos, self.context, self.least = dialects, adds_bos, context, least
        self.faults: list[Any] = []  # one for each of the next requests: a status, (status, headers), or a name
        self.spoil: Spoil | None = None
        self.models: list[str] | None = ["tiny"]
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some tests want."""


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        listed = self.path == "/v1/models" and self.server.models is not None
        answer = {"data": [{"id": name} for name in self.server.models or ()]} if listed else {"error": "not found"}
        self._send(200 if listed else 404, json.dumps(answer).encode(), {})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.server.times.append(time.monotonic())
            fault = self.server.faults.pop(0) if self.server.faults else None
        if fault == "hang up":
            self.close_connection = True
            self.connection.close()
            return
        if fault == "sleep":
            time.sleep(1.0)
        if isinstance(fault, int | tuple):
            status, headers = fault if isinstance(fault, tuple) else (fault, {})
            self._send(status, b'{"error": "come back later"}', headers)
            return
        if fault == "page":
            self._send(200, b"<html>hello</html>", {})
            return
        if fault == "cut":
            self._send(200, b'{"choices": [{"text": "The', {})
            return
        status, answer = _answer(self.server, self.path, body)
        if status == 200 and self.server.spoil is not None:
            answer = self.server.spoil(answer)
        self._send(status, json.dumps(answer).encode(), {})

    def _send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def _answer(server: Server, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    if path != "/v1/completions" or not server.dialects:
        return 404, {"error": {"message": "not here"}}
    if body["model"] not in (server.models or ["tiny"]):
        return 404, {"error": {"message": "not here"}}
    if body["max_tokens"] < server.least:
        return 400, {"error": {"message": "max_tokens must be at least 1"}}
    made = tiny()
    prompt = body["prompt"]
    ids = made.units.split(prompt.encode()).ids if isinstance(prompt, str) else np.array(prompt)
    if isinstance(prompt, str) and server.adds_bos:
        ids = np.append(BOS, ids)
    if len(ids) + body["max_tokens"] > server.context:
        return 400, {"error": {"message": f"this model's maximum context length is {server.context} tokens"}}
    logs: list[float | None] = [None, *plain_loop(made, ids, 1).tolist()]
    known = made.units.token_bytes or ()
    names = [known[number] or b"<|endoftext|>" for number in ids.tolist()]
    texts = [name.decode("utf-8", "replace") for name in names]
    (row,) = list(made.predictions(np.append(ids, 0), len(ids))) if body["max_tokens"] else (np.zeros((1, 1)),)
    next_id = int(row[-1].argmax())
    written = [_written(known[next_id] or b"")] * body["max_tokens"]
    choice: dict[str, Any] = {"text": "".join(written), "index": 0, "logprobs": None}
    if "prompt_logprobs" in body and "vllm" in server.dialects:
        choice["prompt_logprobs"] = [
            None if log is None else {str(number): {"logprob": log, "rank": 1, "decoded_token": text}}
            for number, log, text in zip(ids.tolist(), logs, texts, strict=True)
        ]
    if body.get("echo") and "echo" in server.dialects:
        choice["text"] = (prompt if isinstance(prompt, str) else "".join(texts)) + choice["text"]
        choice["logprobs"] = {
            "tokens": [_written(name) for name in names] + written,
            "token_logprobs": logs + [float(row[-1].max())] * len(written),
        }
    elif body.get("logprobs") and "vllm" in server.dialects:
        choice["logprobs"] = {"tokens": written, "token_logprobs": [float(row[-1].max())] * len(written)}
    usage = {"prompt_tokens": len(ids), "completion_tokens": len(written)}
    return 200, {"choices": [choice], "usage": usage}


def _written(name: bytes) -> str:
    """As OpenAI writes a token that is no whole character."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return "bytes:" + "".join(f"\\x{byte:02x}" for byte in name)


@contextlib.contextmanager
def serving(*dialects: str, adds_bos: bool = False, context: int = 65, least: int = 0) -> Iterator[Server]:
    """A server at work."""
    server = Server(dialects=dialects, adds_bos=adds_bos, context=context, least=least)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
