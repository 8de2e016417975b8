"""Requests to a server: retried, timed, concurrent, and cached on disk on request."""

from __future__ import annotations

import email.utils
import hashlib
import json
import os
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bitmeter._util.files import replacing
from bitmeter._util.optional import require
from bitmeter._util.secrets import without_secrets
from bitmeter.errors import FileFormatError, ModelError
from bitmeter.models.causal.endpoint.secrets import Secret

__all__ = ["Client", "RefusedError"]

#: Statuses for which a retry may help.
_PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 529}
#: Seconds that are waited at most before one more attempt, unless the server asks for more, up to the second.
_LONGEST, _LONGEST_ASKED = 60.0, 600.0
#: Answers held in memory.
_HELD = 1 << 16
_OF_THE_PROCESS = ("_http", "_failures", "_timeouts", "_held", "_lock", "_process")


class RefusedError(ModelError):
    """The server refused the request: a retry would not help.

    Attributes
    ----------
    status
        Of HTTP.
    said
        What the server gave as its reason.
    """

    status: int = 0
    said: str = ""


class _CutError(Exception):
    """An answer that begins as JSON and does not end as such: the connection was cut, and a retry may help."""


class Client:
    """Sends bodies of JSON to one address."""

    def __init__(
        self,
        url: str,
        *,
        secret: Secret,
        timeout: float,
        retries: int,
        wait: float,
        concurrency: int,
        cache: Path | None,
    ) -> None:
        self.url = url
        self._retries, self._wait, self._concurrency, self._cache = retries, wait, concurrency, cache
        self._secret, self._timeout = secret, timeout
        self.requests = self.cached = self.prompt_tokens = self.completion_tokens = 0
        self._connect()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _OF_THE_PROCESS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._connect()

    def _connect(self) -> None:
        """What belongs to one process: connections, a lock, and answers in memory. Nothing is sent yet."""
        httpx = require("httpx", "Asking a server")
        secret, timeout, concurrency = self._secret, self._timeout, self._concurrency
        limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        self._http = httpx.Client(headers=secret.headers, timeout=timeout, limits=limits)
        self._failures = (httpx.TransportError, httpx.InvalidURL)
        self._timeouts = (httpx.TimeoutException,)
        self._held: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()
        self._process = os.getpid()

    def _leave_other_processes(self) -> None:
        """After a fork, connections are shared with the parent, and answers would go to either."""
        if self._process != os.getpid():
            self._connect()

    def ask(
        self,
        bodies: Sequence[dict[str, Any]],
        read: Callable[[int, dict[str, Any]], Any],
        watch: Callable[[int, int], object] | None = None,
    ) -> list[Any]:
        """What `read` makes of the answer to each, in order. The first error stops all that has not been sent yet.

        An answer that `read` refuses is not kept.
        """
        self._leave_other_processes()
        if len(bodies) == 1:
            found = [self._one(0, bodies[0], read)]
            if watch is not None:
                watch(1, 1)
            return found
        with ThreadPoolExecutor(self._concurrency) as pool:
            futures = [pool.submit(self._one, number, body, read) for number, body in enumerate(bodies)]
            found = []
            try:
                for number, future in enumerate(futures, 1):
                    found.append(future.result())
                    if watch is not None:
                        watch(number, len(bodies))
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
        return found

    def _one(self, number: int, body: dict[str, Any], read: Callable[[int, dict[str, Any]], Any]) -> Any:
        text = json.dumps({"url": self.url, "body": body}, sort_keys=True)
        name = hashlib.sha256(text.encode()).hexdigest()
        with self._lock:
            held = self._held.get(name)
            if held is not None:
                self._held.move_to_end(name)
        if held is not None:
            return read(number, held)
        found = self._from_disk(name, body)
        if found is not None:
            try:
                value = read(number, found)
            except ModelError as error:
                message = f"{error}. This is the cached answer {self._file(name)}; delete it to ask again"
                raise type(error)(message, value=error.value, index=error.index) from error
        else:
            found = self._post(body)
            value = read(number, found)  # what cannot be used is not kept
            self._to_disk(name, body, found)
        with self._lock:
            self._held[name] = found
            if len(self._held) > _HELD:
                self._held.popitem(last=False)
        return value

    def models(self) -> list[str] | None:
        """The names of the models that the server lists; None where it has no such list."""
        try:
            response = self._http.get(f"{self.url.removesuffix('/completions')}/models")
            listed = json.loads(self._secret.hidden(response.text))["data"] if response.status_code == 200 else None
            return None if listed is None else [str(entry["id"]) for entry in listed]
        except (*self._failures, ValueError, TypeError, KeyError, RecursionError):  # gone, or no list in this form
            return None

    # ---- on disk -------------------------------------------------------------------------------------------------

    def _file(self, name: str) -> Path | None:
        return None if self._cache is None else self._cache / name[:2] / f"{name}.json"

    def _from_disk(self, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        file = self._file(name)
        if file is None or not file.exists():
            return None
        try:
            kept = json.loads(file.read_bytes())
            answer = kept["answer"] if kept["url"] == self.url and kept["body"] == body else None
        except (ValueError, KeyError, TypeError, OSError, RecursionError) as error:
            message = f"the cached answer {file} cannot be read ({type(error).__name__}); delete it to ask again"
            raise FileFormatError(message, value=str(file)) from error
        if not isinstance(answer, dict):
            message = f"the cached answer {file} belongs to another request; delete it to ask again"
            raise FileFormatError(message, value=str(file))
        with self._lock:
            self.cached += 1
        return answer

    def _to_disk(self, name: str, body: dict[str, Any], answer: dict[str, Any]) -> None:
        file = self._file(name)
        if file is None:
            return
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"the folder {file.parent} for answers cannot be made: {error.strerror}"
            raise FileFormatError(message, value=str(file.parent)) from error
        with replacing(file, force=True) as beside:
            beside.write_text(json.dumps({"url": self.url, "body": body, "answer": answer}))

    # ---- on the wire ---------------------------------------------------------------------------------------------

    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        for attempt in range(self._retries + 1):
            pause = min(_LONGEST, self._wait * 2.0**attempt) * random.uniform(0.5, 1.0)
            try:
                response = self._http.post(self.url, json=body)
            except self._failures as error:
                slow = isinstance(error, self._timeouts)
                reason = (
                    "it did not answer in time"
                    if slow
                    else self._secret.hidden(without_secrets(f"{type(error).__name__}: {error}"))
                )
                hint = "give it longer (,timeout=300)" if slow else "is it running, and is the address right?"
            else:
                try:
                    if response.status_code not in _PASSING:
                        return self._read(response)
                    reason = f"HTTP {response.status_code}: {self._said(response)}"
                except _CutError as error:
                    reason = str(error)
                hint = "try later, or with fewer requests at once (,concurrency=1)"
                pause = max(pause, self._asked_pause(response))
            if attempt < self._retries:
                time.sleep(pause)
        message = f"{self.url} failed {self._retries + 1} times; the last time: {reason}; {hint}"
        raise ModelError(message, value=self.url)

    def _asked_pause(self, response: Any) -> float:
        """The seconds that the server asks for: a number, or a date."""
        asked = response.headers.get("retry-after", "").strip()
        if not asked:
            return 0.0
        try:
            pause = float(asked)
        except ValueError:
            try:
                pause = email.utils.parsedate_to_datetime(asked).timestamp() - time.time()
            except ValueError:
                return 0.0  # neither of the two forms that HTTP knows: our own pause stands
        if not pause <= _LONGEST_ASKED:
            message = f"{self.url} is at its limit and asks to wait {pause:.0f} seconds"
            raise ModelError(message, value=self.url)
        return max(0.0, pause)

    def _read(self, response: Any) -> dict[str, Any]:
        status, said = response.status_code, self._said(response)
        if status in (401, 403):
            message = (
                f"{self.url} wants a key (HTTP {status}: {said}); put it into the environment variable "
                f"{self._secret.variable}"
            )
            raise ModelError(message, value=self.url)
        if status != 200:
            message = f"{self.url} refused (HTTP {status}): {said}"
            refusal = RefusedError(message, value=self.url)
            refusal.status, refusal.said = status, said
            raise refusal
        try:
            answer = json.loads(self._secret.hidden(response.text))
        except (ValueError, RecursionError) as error:
            if isinstance(error, ValueError) and response.text.lstrip().startswith("{"):
                message = (
                    f"its answer breaks off, or is no JSON, after {len(response.text):,} characters: …{said[-60:]}"
                )
                raise _CutError(message) from error
            message = f"{self.url} answered what is not JSON: {said}; is it an OpenAI-like server?"
            raise ModelError(message, value=self.url) from error
        if not isinstance(answer, dict):
            message = f"{self.url} answered {said}, where a JSON object was expected"
            raise ModelError(message, value=self.url)
        self._count(answer)
        return answer

    def _said(self, response: Any) -> str:
        """The server's message, in one short line."""
        return " ".join(self._secret.hidden(response.text).split())[:300] or "nothing"

    def _count(self, answer: dict[str, Any]) -> None:
        usage = answer.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        numbers = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
        prompt, completion = (number if isinstance(number, int) else 0 for number in numbers)
        with self._lock:
            self.requests += 1
            self.prompt_tokens += prompt
            self.completion_tokens += completion
