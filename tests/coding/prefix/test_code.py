"""Prefix codes against closed forms, a twin by heapq, and exhaustive search."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.coding.prefix.code import PrefixCode
from bitmeter.coding.prefix.lengths import canonical_words
from bitmeter.errors import (
    EmptyError,
    InputError,
    InputTypeError,
    ModelError,
    RangeError,
    UnknownLabelError,
)


def test_the_example_of_the_lecture_to_the_bit() -> None:
    # 'a' 00, 'b' 01, 'c' 10, all others 11 and their eight bits: 28 bits instead of 80.
    words = {chr(i): "11" + f"{i:08b}" for i in range(256)} | {"a": "00", "b": "01", "c": "10"}
    code = bm.PrefixCode(words)
    bits = code.encode("acbbécbaac")
    assert bits == "00100101" + "1111101001" + "1001000010"  # é is 11101001 in ISO Latin 1
    assert len(bits) == 28
    assert len(PrefixCode.fixed([chr(i) for i in range(256)]).encode("acbbécbaac")) == 80
    assert "".join(map(str, code.decode(bits))) == "acbbécbaac"
    assert code.kraft == Fraction(3, 4) + Fraction(253, 1024)
    p = bm.Distribution({x: 0.3 if x in "abc" else 0.1 / 253 for x in words})
    assert code.figures(p).expected_length == pytest.approx(0.9 * 2 + 0.1 * 10)


def test_dyadic_codes_meet_the_entropy() -> None:
    p = bm.Distribution({"a": 0.5, "b": 0.25, "c": 0.125, "d": 0.125})
    for code in (PrefixCode.huffman(p), PrefixCode.shannon(p)):
        assert code.figures(p).redundancy == 0.0
        assert code.figures(p).efficiency == 1.0


def test_labels_that_cannot_happen_have_no_word_and_one_label_has_a_word_that_counts() -> None:
    assert "c" not in PrefixCode.huffman({"a": 0.5, "b": 0.5, "c": 0.0}).words
    assert PrefixCode.huffman("aaaa").encode("aaaa") == "0000"
    assert PrefixCode.huffman("aaaa", longest=3).words == {"a": "0"}
    assert PrefixCode.fixed("abc").figures({"a": 0.5, "z": 0.5}).expected_length == math.inf


def readings(bits: str, words: list[str]) -> int:
    """In how many ways bits can be read, by counting them all."""
    ways = [1] + [0] * len(bits)
    for end in range(1, len(bits) + 1):
        ways[end] = sum(ways[end - len(w)] for w in words if bits[:end].endswith(w) and len(w) <= end)
    return ways[-1]


@settings(max_examples=150)
@given(st.sets(st.text("01", min_size=1, max_size=4), min_size=2, max_size=5))
def test_what_can_be_read_in_two_ways_is_found(words: set[str]) -> None:
    ordered = sorted(words)
    code = PrefixCode(dict(enumerate(ordered)))
    clashing = any(a != b and b.startswith(a) for a in ordered for b in ordered)
    assert code.prefix_free == (not clashing)
    if code.clash is not None:
        first, second = code.clash
        assert code.words[second].startswith(code.words[first])
    if code.ambiguity is not None:
        assert readings(code.ambiguity, ordered) > 1
    else:
        messages = ("".join(parts) for n in (1, 2, 3, 4) for parts in itertools.product(ordered, repeat=n))
        assert len(dict.fromkeys(messages, 0)) == sum(len(ordered) ** n for n in (1, 2, 3, 4))
        assert code.kraft <= 1  # McMillan


def test_a_code_that_is_not_prefix_free_may_be_decodable() -> None:
    code = PrefixCode({"a": "0", "b": "01", "c": "011"})
    assert (code.prefix_free, code.uniquely_decodable, code.clash) == (False, True, ("a", "b"))
    with pytest.raises(ModelError, match="'a' begins that of 'b'"):
        code.decode("0")
    twice = PrefixCode({"a": "0", "b": "0"})
    assert (twice.clash, twice.ambiguity) == (("a", "b"), "0")


@given(st.text("abcdé", max_size=50))
def test_what_is_encoded_comes_back(text: str) -> None:
    code = PrefixCode.huffman("aaaabbbccdé")
    assert "".join(map(str, code.decode(code.encode(text)))) == text


def test_canonical_words_count_upwards() -> None:
    # The example of RFC 1951, section 3.2.2: lengths (3, 3, 3, 3, 3, 2, 4, 4) for A to H.
    expected = ["010", "011", "100", "101", "110", "00", "1110", "1111"]
    assert canonical_words([3, 3, 3, 3, 3, 2, 4, 4]) == expected


def test_mistakes_are_named() -> None:
    with pytest.raises(EmptyError):
        PrefixCode({})
    with pytest.raises(InputError, match="made of 0 and 1"):
        PrefixCode({"a": "02"})
    with pytest.raises(InputTypeError):
        PrefixCode({"a": 0})
    code = PrefixCode({"a": "0", "b": "10"})
    with pytest.raises(UnknownLabelError, match=r"data\[1\] is 'z'"):
        code.encode("az")
    with pytest.raises(InputError, match="are not a code word"):
        code.decode("011")
    with pytest.raises(InputError, match="middle of a word"):
        code.decode("01")
    with pytest.raises(RangeError, match="at least 2"):
        PrefixCode.huffman("abc", longest=1)
    with pytest.raises(InputError, match="above 1"):
        PrefixCode({"a": "0", "b": "1", "c": "00"}).canonical()


def test_a_word_of_one_bit_is_one_bit() -> None:
    p = bm.Distribution({"a": 0.5, "b": 0.5})
    assert "longest word 1 bit; " in str(bm.PrefixCode.huffman(p).figures(p))
