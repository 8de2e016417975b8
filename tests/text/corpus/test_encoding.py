"""Strings as bytes, whatever they hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bitmeter.text.corpus.encoding import encode


@given(st.binary())
def test_bytes_that_are_not_utf_8_return(data: bytes) -> None:
    assert encode(data.decode("utf-8", "surrogateescape")) == data


def test_other_lone_surrogates_have_three_bytes() -> None:
    assert encode("\ud800") == b"\xed\xa0\x80"
