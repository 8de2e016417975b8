"""A client of `bitmeter serve`: the same requests in each case, what was answered, and what the server acknowledged."""

from __future__ import annotations

import http.client
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

#: What the description of the interface lists: a server error is none of it.
_KNOWN = {200, 202, 400, 401, 403, 404, 408, 413, 415, 421, 422, 429, 503}
#: What differs from run to run.
_VARIES = {"seconds", "date", "environment", "id", "time", "times", "share", "stage", "estimate", "copy"}
_MODELS = ["a.bmn", "kt"]
_ROUNDS = 3
#: How long a server may take to answer, on a busy machine.
_SECONDS = 600.0


@dataclass
class Seen:
    """What a client saw, to be written as a file after each answer.

    Attributes
    ----------
    answers
        By the name of the request: status and content, without what differs from run to run.
    kept
        Acknowledged runs: model, text, figure.
    forgetting, forgot
        Texts whose runs were asked to be forgotten, and those of which that was acknowledged.
    wrong
        What may not be, whatever the fault.
    all
        Whether there is nothing left to ask.
    """

    answers: dict[str, Any] = field(default_factory=dict)
    kept: list[tuple[str, str, float]] = field(default_factory=list)
    forgetting: list[str] = field(default_factory=list)
    forgot: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    all: bool = False

    @staticmethod
    def read(file: Path) -> Seen:
        """As it was written last."""
        found = Seen(**json.loads(file.read_text()))
        found.kept = [(model, text, bits) for model, text, bits in found.kept]
        return found

    def write(self, file: Path) -> None:
        """Whole, or not at all."""
        beside = file.with_suffix(".part")
        beside.write_text(json.dumps(self.__dict__))
        beside.replace(file)


class Client:
    """Asks all that there is to ask, then ends the server.

    Parameters
    ----------
    file
        Where to write what was seen.
    texts
        As many texts as there are rounds.
    expected
        Runs that must be there when the server starts.
    """

    def __init__(self, file: Path, texts: list[str], expected: list[tuple[str, str, float]]) -> None:
        self._file, self._texts, self._expected = file, texts, expected
        self._seen = Seen()
        self._port = 0

    def __call__(self, server: int, said: Path) -> None:
        """Ask; a server that goes away ends it."""
        self._seen.write(self._file)
        try:
            self._port = _port(server, said)
            self._check()
            for number, text in enumerate(self._texts):
                self._round(number, text)
            self._seen.all = True
            self._seen.write(self._file)
            os.kill(server, signal.SIGTERM)
        except (OSError, http.client.HTTPException):
            return  # an answer that came in part acknowledges nothing

    def _check(self) -> None:
        """Whether a server that was started again has all that an earlier one acknowledged, with the same figures."""
        status, found = self._ask("GET", "/api/runs?limit=1000")
        if status != 200:
            self._is_wrong(f"the history is refused: {status} {str(found)[:200]}")
            return
        there = {(run["model"], run["text"], run["bits"]): run for run in found["runs"]}
        for one in self._expected:
            if one not in there:
                self._is_wrong(f"{one} was acknowledged, and is not served")
                continue
            status, found = self._ask("GET", f"/api/runs/{there[one]['id']}")
            if status != 200 or found["figures"][f"bits_per_{there[one]['per']}"] != one[2]:
                self._is_wrong(f"{one} was acknowledged, and is served as {status} {str(found)[:200]}")

    def _round(self, number: int, text: str) -> None:
        name = f"round {number}"
        # Scores are stored while the job is under way, and after them its own.
        body: dict[str, Any] = {"models": _MODELS, "text": text[:300], "name": f"{name} job"}
        job = self._named(f"{name}: begin", "POST", "/api/jobs", body)
        for model in _MODELS:
            body = {"model": model, "text": text[:4000], "name": name, "docs": "line", "remember": True}
            self._named(f"{name}: {model}", "POST", "/api/score", body, lambda found: [_of_score(found)])
        body = {"models": _MODELS, "text": text[:2000], "name": f"{name} both", "remember": True}
        self._named(f"{name}: both", "POST", "/api/compare", body)
        self._named(f"{name}: live", "POST", "/api/live", {"models": _MODELS, "text": text[:1000]})
        self._named(f"{name}: log", "POST", f"/api/log?name=log{number}&remember=true", _log(number), _of_report)
        if number % 2:
            self._forget(f"round {number - 1}")
        if job is not None:
            self._finished(name, job["id"])

    def _finished(self, name: str, job: str) -> None:
        while True:
            status, found = self._ask("GET", f"/api/jobs/{job}")
            if status != 200 or found["state"] not in ("waiting", "running"):
                break
            time.sleep(0.01)
        if status == 200 and found["state"] == "done":
            self._named(f"{name}: job", "GET", f"/api/jobs/{job}/result", None, _of_report)
        elif status == 200 and found["state"] != "failed":
            self._is_wrong(f"the job is {found}")

    def _forget(self, text: str) -> None:
        self._seen.forgetting.append(text)
        self._seen.write(self._file)
        status, found = self._ask("GET", f"/api/runs?text={quote(text)}&limit=1000")
        if status != 200:
            return
        for run in found["runs"]:
            if run["text"] == text and self._ask("DELETE", f"/api/runs/{run['id']}")[0] != 200:
                return
        self._seen.forgot.append(text)
        self._seen.write(self._file)

    def _named(
        self, name: str, method: str, path: str, body: object = None,
        kept: Callable[[dict[str, Any]], list[tuple[str, str, float]]] | None = None,
    ) -> dict[str, Any] | None:  # fmt: skip
        """Ask what every case asks; the answer, unless the server refused."""
        found: dict[str, Any]
        status, found = self._ask(method, path, body)
        if status not in (200, 202):
            return None
        self._seen.answers[name] = _fixed(found) if status == 200 else status
        if kept is not None:
            self._seen.kept += kept(found)
        self._seen.write(self._file)
        return found

    def _ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_SECONDS)
        try:
            kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
            data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            connection.request(method, path, data, {"Content-Type": kind})
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status not in _KNOWN:
            self._is_wrong(f"{method} {path}: {answer.status} {content[:200]!r}")
            return answer.status, None
        return answer.status, json.loads(content)

    def _is_wrong(self, what: str) -> None:
        self._seen.wrong.append(what)
        self._seen.write(self._file)


def _port(server: int, said: Path) -> int:
    """The port that the server printed; an OSError if it ends before."""
    while True:
        begin, found, rest = said.read_text(errors="replace").partition("The page is at http://127.0.0.1:")
        del begin
        if found and "/" in rest:
            return int(rest.partition("/")[0])
        os.kill(server, 0)
        time.sleep(0.005)


def _of_score(found: dict[str, Any]) -> tuple[str, str, float]:
    return found["model"], found["text"], found["figures"]["bits_per_byte"]


def _of_report(found: dict[str, Any]) -> list[tuple[str, str, float]]:
    return [(run["model"], run["text"], run["figure"]) for run in found["runs"]]


def _log(number: int) -> bytes:
    tokens = [{"token": f" w{at}", "logprob": -1.0 - (at * number) % 7} for at in range(50)]
    return json.dumps({"model": f"model {number}", "choices": [{"logprobs": {"content": tokens}}]}).encode()


def _fixed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _fixed(item) for key, item in value.items() if key not in _VARIES}
    return [_fixed(item) for item in value] if isinstance(value, list) else value


def rounds(text: str) -> list[str]:
    """Texts for a client, each another part of this one."""
    return list(_parts(text, len(text) // _ROUNDS))


def _parts(text: str, size: int) -> Iterator[str]:
    for number in range(_ROUNDS):
        yield text[number * size : (number + 1) * size]
