"""Responses of servers: which they are, and what they scored."""

from __future__ import annotations

from typing import Any

import pytest

import bitmeter as bm
from bitmeter.hosts.logs.items import LogFile
from bitmeter.hosts.logs.responses import is_response, read_responses
from tests.hosts.logs.made_logs import chat, completion, llama, position, vllm


def of(value: Any) -> LogFile:
    return LogFile(value, "log", "a server")


def test_each_is_known_by_its_fields() -> None:
    kinds = {}
    for name, row in {
        "chat": chat(("a", -1.0)), "echo": completion(("a", None), ("b", -1.0)), "written": completion(("a", -1.0)),
        "vllm": vllm(None, position("a", -1.0)), "llama": llama(("a", -1.0)),
    }.items():  # fmt: skip
        assert is_response(of(row))
        log = read_responses([of(row)])
        kinds[name] = (log.tool, log.kind)
    assert kinds == {
        "chat": ("openai", "sample"), "echo": ("openai", "text"), "written": ("openai", "sample"),
        "vllm": ("vllm", "text"), "llama": ("llama-server", "sample"),
    }  # fmt: skip
    assert not is_response(of({"choices": [{"text": "x"}]}))
    assert not is_response(of(3))


def test_a_prompt_beside_the_response_is_its_context() -> None:
    row = {"request": {"prompt": "Q"}, **chat(("a", -1.0))}
    assert read_responses([of(row)]).items[0].context == b"Q"


def test_several_choices_are_several_texts() -> None:
    row = chat(("a", -1.0))
    row["choices"] *= 3
    assert len(read_responses([of(row)]).items) == 3


@pytest.mark.parametrize(("text", "fits"), [("ab", True), ("a", True), ("abc", False), ("xb", False), ("\ufffd", True)])
def test_tokens_must_spell_the_text(text: str, fits: bool) -> None:
    """A token for the end may stand behind the text; a text that the tokens do not spell is another one."""
    logs = {"tokens": ["a", "b"], "token_logprobs": [None, -1.5], "text_offset": [0, 1]}
    log = LogFile({"choices": [{"text": text, "logprobs": logs}]}, "r.json", "a server")
    if fits:
        read_responses([log])
    else:
        with pytest.raises(bm.errors.FileFormatError, match="its tokens spell b'ab'"):
            read_responses([log])
