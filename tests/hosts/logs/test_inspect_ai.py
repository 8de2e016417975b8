"""inspect_ai's logs: prompts, answers, messages, and samples that failed."""

from __future__ import annotations

from typing import Any

import pytest

from bitmeter.errors import FileFormatError
from bitmeter.hosts.logs.inspect_ai import is_log, read_log
from bitmeter.hosts.logs.items import LogFile


def log(*outputs: dict[str, Any], given: Any = "question") -> LogFile:
    samples = [{"input": given, "output": output} for output in outputs]
    return LogFile({"eval": {"model": "m"}, "samples": samples}, "log", "inspect_ai")


def logprobs(*values: float) -> dict[str, Any]:
    return {"content": [{"token": "a", "logprob": value} for value in values]}


def test_the_log_probabilities_of_a_prompt_go_first() -> None:
    found = read_log(log({"choices": [{"logprobs": logprobs(-9.0), "prompt_logprobs": logprobs(-1.0, -2.0)}]}))
    assert (found.kind, found.items[0].logprob, found.items[0].context) == ("text", -3.0, b"")


def test_messages_are_the_context() -> None:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "u"}]}]
    found = read_log(log({"choices": [{"logprobs": logprobs(-1.0)}]}, given=messages))
    assert found.items[0].context.startswith(b"system: s\nuser: ")


def test_samples_without_answers_are_not_averaged_away() -> None:
    with pytest.raises(FileFormatError, match="error"):
        read_log(log({"choices": []}))
    with pytest.raises(FileFormatError, match="logprobs=True"):
        read_log(log({"choices": [{"message": {}}]}))
    with pytest.raises(FileFormatError, match="mixes"):
        read_log(log({"choices": [{"logprobs": logprobs(-1.0)}]}, {"choices": [{"prompt_logprobs": logprobs(-1.0)}]}))
    assert not is_log(LogFile([], "log", "x"))
