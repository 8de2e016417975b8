"""Answers of servers: what would spoil a figure is refused."""

from __future__ import annotations

from typing import Any

import pytest

import bitmeter as bm
from bitmeter.models.causal.endpoint.answers import AnswerError, read_answer
from tests.models.networks import TINY
from tests.models.serving import Server, serving


def endpoint(server: Server, **options: Any) -> bm.Endpoint:
    return bm.Endpoint(server.url, "tiny", **{"wait": 0.001, "retries": 3, **options})


def _spoilt(change: Any) -> Any:
    def spoil(answer: dict[str, Any]) -> dict[str, Any]:
        change(answer["choices"][0])
        return answer

    return spoil


def test_answers_that_would_spoil_a_figure_are_refused() -> None:
    def log(value: Any) -> Any:
        return _spoilt(lambda c: c["logprobs"]["token_logprobs"].__setitem__(2, value))

    for spoil, said in (
        (log(None), "null for the log-probability of token 2"),
        (log(-9999.0), "−inf"),
        (log(float("nan")), "nan"),
        (log(0.5), "above 0"),
        (log("x"), "'x'"),
        (log(10**400), "above 0"),
        (log(-(10**400)), "−inf"),
        (_spoilt(lambda c: c["logprobs"]["tokens"].pop()), "tokens where there are"),
        (_spoilt(lambda c: c.__setitem__("logprobs", None)), "no log-probabilities"),
        (_spoilt(lambda c: c["logprobs"].pop("tokens")), "another form"),
        (lambda answer: {"choices": []}, "another form"),
        (lambda answer: [], "JSON object"),
    ):
        with serving("echo") as server:
            made = endpoint(server, tokenizer=TINY)
            server.spoil = spoil
            with pytest.raises(bm.errors.ModelError, match=said):
                bm.score(made, b"The harbour")


def test_a_server_that_does_not_echo_is_found_out() -> None:
    def own_words(choice: dict[str, Any]) -> None:
        choice["text"] = " the"
        choice["logprobs"] = {"tokens": [" the"], "token_logprobs": [-1.0]}

    for tokenizer in (None, TINY):
        with serving("echo", least=1) as server:
            server.spoil = _spoilt(own_words)
            with pytest.raises(bm.errors.ModelError, match="does not echo the prompt"):
                endpoint(server, tokenizer=tokenizer, dialect="echo")


def test_what_is_not_there_is_named_with_the_servers_own_list() -> None:
    """Whatever words the server finds for it."""
    with serving() as server:
        server.models = ["another", "tiny-chat"]
        with pytest.raises(bm.errors.ModelError, match="no model 'tiny'; it has another, tiny-chat"):
            endpoint(server)
        server.models = []
        with pytest.raises(bm.errors.ModelError, match="it has none"):
            endpoint(server)
        server.models = None
        with pytest.raises(bm.errors.ModelError, match="no completions endpoint at this address"):
            endpoint(server)
    with serving("vllm", "echo") as server:
        server.models = ["other"]
        with pytest.raises(bm.errors.ModelError, match="no model 'tiny'; it has other"):
            endpoint(server)


def test_a_server_that_fails_is_not_taken_for_one_of_another_dialect() -> None:
    for fault, said in (("page", "not JSON"), (401, "wants a key"), (500, "failed 1 times")):
        with serving("vllm", "echo") as server:
            server.faults = [fault]
            with pytest.raises(bm.errors.ModelError, match=said):
                endpoint(server, retries=0)
            assert len(server.bodies) == 1


def test_chat_only_is_refused_with_the_reason() -> None:
    with serving() as server, pytest.raises(bm.errors.ModelError, match="for chats only, and a chat endpoint gives"):
        endpoint(server)
    with pytest.raises(bm.errors.ModelError, match="chat endpoint gives no log-probabilities"):
        bm.Endpoint("http://localhost/v1/chat/completions", "m")


@pytest.mark.parametrize("token", ["-1", "1.5", "x", "²", "9" * 30, ""])
def test_the_id_of_a_token_is_a_whole_number(token: str) -> None:
    answer = {"choices": [{"text": "", "prompt_logprobs": [None, {token: {"logprob": -1.0, "decoded_token": "b"}}]}]}
    with pytest.raises(AnswerError, match="for the id of token 1"):
        read_answer("vllm", answer, "ab", 0, "the server")
