"""Fields of logs, and the bytes of tokens."""

from __future__ import annotations

import math

import pytest

from bitmeter.errors import FileFormatError
from bitmeter.hosts.logs.items import LogFile, token_bytes


def of(value: object) -> LogFile:
    return LogFile(value, "log", "tool")


def test_the_bytes_of_tokens() -> None:
    none = of(None)
    assert token_bytes(of("é"), none) == "é".encode()
    assert token_bytes(of(r"bytes:\xe2\x80"), none) == b"\xe2\x80"
    assert token_bytes(of("bytes: are eight bits"), none) == b"bytes: are eight bits"
    assert token_bytes(of("\ufffd"), of([0xE2])) == b"\xe2"
    with pytest.raises(FileFormatError, match="part of a character"):
        token_bytes(of("\ufffd"), none)


def test_log_probabilities() -> None:
    assert of("-1.5").logprob() == -1.5
    assert of(1e-9).logprob() == 0.0
    assert of(-9999.0).token_logprob() == -math.inf
    assert of(-9999.0).logprob() == -9999.0  # the sum of a long text
    assert of(-math.inf).logprob() == -math.inf
    for wrong in (0.1, "x", None, True, math.nan, [1], -(10**400), -1e300, 10**400):
        with pytest.raises(FileFormatError):
            of(wrong).logprob()


def test_paths() -> None:
    found = of({"a": [{"b": 1}]})
    assert found.at("a", 0, "b").integer() == 1
    assert found.at("a", 5, "b", optional=True).is_null
    for path in (("x",), ("a", 1), ("a", "b"), ("a", 0, "b", "c")):
        with pytest.raises(FileFormatError, match="has no"):
            found.at(*path)
    with pytest.raises(FileFormatError):
        of("\ud800").text()
