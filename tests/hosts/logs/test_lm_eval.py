"""lm-eval's samples: the forms that its versions write."""

from __future__ import annotations

from typing import Any

from bitmeter.hosts.logs.items import LogFile
from bitmeter.hosts.logs.lm_eval import is_row, read_rows


def row(arguments: Any, resps: Any, **more: Any) -> LogFile:
    return LogFile({"doc_id": 0, "arguments": arguments, "resps": resps, **more}, "log", "lm-eval")


def test_older_versions_write_lists() -> None:
    found = read_rows([row([["The text"]], [[[-3.5]]])])
    assert (found.kind, found.items[0].text, found.items[0].logprob) == ("text", b"The text", -3.5)
    found = read_rows([row([["Q", " a"], ["Q", " b"]], [[[-1.0, True]], [[-2.0, False]]], target=1)])
    assert (found.kind, found.items[0].text, found.items[0].context) == ("answer", b" b", b"Q")


def test_only_samples_are_rows() -> None:
    assert is_row(row([], []))
    assert not is_row(LogFile({"doc_id": 0}, "log", "x"))
    assert not is_row(LogFile([], "log", "x"))
