"""Log-probabilities that do not belong to the tokens beside which they stand are found out, whatever the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.models.causal.endpoint.alignment import check_endings, check_written
from bitmeter.models.causal.endpoint.answers import Answer, Written, read_written
from tests.models.networks import TINY, tiny
from tests.models.serving import Server, serving


def endpoint(server: Server, **options: Any) -> bm.Endpoint:
    return bm.Endpoint(server.url, "tiny", **{"wait": 0.001, "retries": 3, **options})


def early(logs: list[Any], _: Any) -> list[Any]:
    """Each token has the value of the next."""
    return [None, *logs[2:], -1.0]


def late(logs: list[Any], _: Any) -> list[Any]:
    """Each token has the value of the one before."""
    return [None, -1.0, *logs[1:-1]]


def own(logs: list[Any], ids: Any) -> list[Any]:
    """The prediction behind a token, at the token itself: ln p(t | ..., t). llama-cpp-python 0.3.36 does that."""
    made = tiny()
    rows = np.concatenate(list(made.predictions(np.append(ids, 0), 1)))
    return [None, *(float(rows[i][ids[i]]) for i in range(1, len(ids)))]


def unled(logs: list[Any], _: Any) -> list[Any]:
    return [-3.0, *logs[1:]]


@pytest.mark.parametrize("tokenizer", [None, TINY])
@pytest.mark.parametrize(("shift", "says"), [
    (early, "when only a later token was changed"),
    (late, "whatever the last token of a prompt was"),
    (own, "not those of the tokens beside"),
    (unled, "the first must be null"),
])  # fmt: skip
def test_a_shift_is_refused(shift: Callable[[list[Any], Any], list[Any]], says: str, tokenizer: Any) -> None:
    """6.352 bits were given for 6.442."""

    def spoil(answer: dict[str, Any]) -> dict[str, Any]:
        sent = answer["choices"][0]["logprobs"]
        count = answer["usage"]["prompt_tokens"]
        ids = tiny().units.split("".join(sent["tokens"][:count]).encode()).ids
        sent["token_logprobs"][:count] = shift(sent["token_logprobs"][:count], ids)
        return answer

    with serving("echo") as server:
        server.spoil = spoil
        with pytest.raises(ModelError, match=says):
            endpoint(server, tokenizer=tokenizer, dialect="echo")


@pytest.mark.parametrize("dialect", ["vllm", "echo"])
def test_a_sound_server_passes_and_says_nothing(dialect: str) -> None:
    with serving(dialect) as server:
        made = endpoint(server, tokenizer=TINY)
        assert made._aligned
        assert not any("in part only" in note for note in bm.score(made, b"The harbour").notes)


def test_a_server_that_shows_no_token_of_its_own_is_noted() -> None:
    def silent(answer: dict[str, Any]) -> dict[str, Any]:
        answer["choices"][0]["logprobs"] = None
        return answer

    with serving("vllm") as server:
        server.spoil = silent
        made = endpoint(server, tokenizer=TINY)
        assert any("in part only" in note for note in bm.score(made, b"The harbour").notes)


def test_names_of_special_tokens_in_a_sent_text_are_the_servers_affair() -> None:
    with serving("vllm") as server:
        assert any("names of special tokens" in note for note in bm.score(endpoint(server), b"The harbour").notes)
        made = endpoint(server, tokenizer=TINY)
        assert not any("names of special tokens" in note for note in bm.score(made, b"The harbour").notes)


def answer(*logs: float | None, last: bytes = b"c") -> Answer:
    return Answer((b"a", b"b", last), (None, None, None), logs)


def test_the_rules_themselves() -> None:
    check_endings([answer(None, -1.0, -2.0), answer(None, -1.01, -3.0, last=b"d")], "s")  # noise of few bits
    with pytest.raises(ModelError, match="looks ahead"):
        check_endings([answer(None, -1.0, -2.0), answer(None, -2.0, -3.0, last=b"d")], "s")
    with pytest.raises(ModelError, match="shifted"):
        check_endings([answer(None, -1.0, -2.0), answer(None, -1.0, -2.0, last=b"d")], "s")
    said = Written(b"x", -1.0)
    assert check_written([(said, -1.05), (said, -1.0)], "s")
    assert not check_written([], "s")
    with pytest.raises(ModelError, match="as the last token"):
        check_written([(said, -4.0), (said, -1.0), (said, -2.0)], "s")
    assert read_written({"choices": [{"logprobs": None}]}) is None
