"""lighteval's details: the right answer of each document."""

from __future__ import annotations

from typing import Any

import pytest

from bitmeter.errors import FileFormatError
from bitmeter.hosts.logs.items import LogFile
from bitmeter.hosts.logs.lighteval import read_details, read_rows
from tests.hosts.logs.made_logs import GENUINE


def row(choices: Any, gold: Any, logprobs: Any) -> LogFile:
    doc = {"query": "Q", "choices": choices, "gold_index": gold}
    return LogFile({"doc": doc, "model_response": {"logprobs": logprobs, "input": None}}, "log", "lighteval")


def test_the_right_answer_is_taken() -> None:
    found = read_rows([row([" a", " b"], 1, [-1.0, -2.0]), row([" c", " d"], [0], [-3.0, -4.0])])
    assert [(item.text, item.logprob, item.context) for item in found.items] == [
        (b" b", -2.0, b"Q"), (b" c", -3.0, b"Q"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("choices", "gold", "logprobs"),
    [
        (["a"], 1, [-1.0]),
        (["a"], -1, [-1.0]),
        (["a"], 0, []),
        (["a", "b"], 0, [-1.0]),
        (None, 0, [-1.0]),
        (["a"], 0, [2.0]),
    ],
)
def test_rows_that_are_wrong(choices: Any, gold: Any, logprobs: Any) -> None:
    with pytest.raises(FileFormatError):
        read_rows([row(choices, gold, logprobs)])


def test_a_genuine_file() -> None:
    found = read_details(GENUINE / "lighteval.parquet")
    assert [item.text for item in found.items] == [b" harbour", b" town", b" bread"]
