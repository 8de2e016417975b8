"""What a server answers, in both dialects, over the wire and from the cache on disk."""

from __future__ import annotations

import json
import math
import shutil
from typing import Any

import httpx
from engine import Folder, main, mutated_json

from bitmeter.errors import BitmeterError
from bitmeter.models.causal.endpoint.answers import DIALECTS, Answer, body_of, read_answer
from bitmeter.models.causal.endpoint.client import Client
from bitmeter.models.causal.endpoint.secrets import Secret

FOLDER = Folder()
PROMPTS: tuple[str | list[int], ...] = ("to be", [5, 6])


class Server(httpx.BaseTransport):
    """Answers every request with the same bytes."""

    answer = b""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=self.answer)


SERVER = Server()
CLIENT = Client(
    "http://127.0.0.1:1/v1/completions", secret=Secret("BITMETER_FUZZ_KEY"), cache=FOLDER.path / "cache",
    timeout=1.0, retries=0, wait=0.0, concurrency=1,
)  # fmt: skip
CLIENT._http = httpx.Client(transport=SERVER)


def ask(answer: bytes, dialect: str, prompt: str | list[int]) -> Answer:
    """What is made of this answer, unless one to the same question is on disk."""
    SERVER.answer = answer
    CLIENT._held.clear()

    def read(number: int, found: dict[str, Any]) -> Answer:
        return read_answer(dialect, found, prompt, 0, "the server")

    return CLIENT.ask([body_of(dialect, "m", prompt, 0)], read)[0]


def seeds() -> list[bytes]:
    vllm = {"choices": [{"text": "x", "prompt_logprobs": [
        None, {"6": {"logprob": -1.5, "decoded_token": " be", "rank": 1}}]}]}  # fmt: skip
    echo = {"choices": [{"text": "to be", "logprobs": {
        "tokens": ["to", " be"], "token_logprobs": [None, -1.5], "text_offset": [0, 2]}}],
        "usage": {"prompt_tokens": 2, "completion_tokens": 0}}  # fmt: skip
    both = {"choices": [{**vllm["choices"][0], **echo["choices"][0]}]}
    return [json.dumps(both).encode()]


def run(data: bytes) -> None:
    shutil.rmtree(FOLDER.path / "cache", ignore_errors=True)
    refused = None
    for dialect in DIALECTS:
        for prompt in PROMPTS:
            try:
                read(data, dialect, prompt)
            except BitmeterError as error:  # the last is raised again, so that all ways are gone
                refused = error
    for file in (FOLDER.path / "cache").rglob("*.json"):
        kept = json.loads(file.read_bytes())
        file.write_bytes(json.dumps(kept | {"answer": None}).encode().replace(b"null", data))
        for dialect in DIALECTS:
            for prompt in PROMPTS:
                if body_of(dialect, "m", prompt, 0) == kept["body"]:
                    read(b"{}", dialect, prompt)
    if refused is not None:
        raise refused


def read(data: bytes, dialect: str, prompt: str | list[int]) -> None:
    for value in ask(data, dialect, prompt).logprobs:
        assert value is None or (value <= 1e-4 and not math.isnan(value)), "a log-probability above 0"


if __name__ == "__main__":
    main("endpoint_answers", run, seeds, mutated_json)
