"""Graphemes, words and sentences of Unicode."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given

from bitmeter.text.units.base import BLANK
from bitmeter.text.units.unicode import Graphemes, Sentences, UnicodeWords
from bitmeter.text.units.words import Words
from tests.text.strategies import texts


@given(texts())
def test_graphemes_are_those_of_regex(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    expected = [cluster.encode("utf-8", "surrogateescape") for cluster in regex.findall(r"\X", text)]
    assert Graphemes().split(data).pieces(data) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The rules of UAX #29 in the order of their numbers, from its text.
        ("\r\n\u0308a", ["\r\n\u0308", "a"]),  # WB3, 3a; the mark begins a segment of its own, and takes no letter
        ("a\u200d🛑", ["a\u200d🛑"]),  # WB3c
        ("can't", ["can't"]),  # WB6, 7
        ("can'", ["can", "'"]),
        ("e.g. x", ["e.g", ". ", "x"]),
        ("ש'", ["ש'"]),  # WB7a
        ('ש"ש', ['ש"ש']),  # WB7b, c
        ('a"a', ["a", '"', "a"]),
        ("3a 4", ["3a ", "4"]),  # WB8 to 10
        ("3.14 1,000.5", ["3.14 ", "1,000.5"]),  # WB11, 12
        ("3.a", ["3", ".", "a"]),
        ("カタ日", ["カタ", "日"]),  # WB13
        ("foo_bar _カ", ["foo_bar ", "_カ"]),  # WB13a, b
        ("🇫🇷🇩🇪🇷é", ["🇫🇷", "🇩🇪", "🇷", "é"]),  # WB15, 16
        ("  a\u3000 b", ["  a\u3000 ", "b"]),  # white space goes with the unit before it
    ],
)
def test_unicode_words(text: str, expected: list[str]) -> None:
    data = text.encode()
    assert [piece.decode() for piece in UnicodeWords().split(data).pieces(data)] == expected


def test_unicode_word_ids_leave_white_space_out() -> None:
    split = UnicodeWords().split(b" one two  one")
    assert split.ids[0] == split.ids[2] != split.ids[1]
    assert split.ids[0] == Words().split(b"one").ids[0]
    assert UnicodeWords().split("\u3000\n".encode()).ids.tolist() == [BLANK]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?\nFour", ["One. ", "Two! ", "Three?\n", "Four"]),
        ('He said "no." Then left.', ['He said "no." ', "Then left."]),
        ("3.14 is pi. e.g. this", ["3.14 is pi. ", "e.g. ", "this"]),
        ("A title\n\nText", ["A title\n\n", "Text"]),
        ("本当？はい。「そう。」終", ["本当？", "はい。", "「そう。」", "終"]),
        ("Wait... what?!  So…  yes", ["Wait... ", "what?!  ", "So…  ", "yes"]),
        ("«Да.» Нет.", ["«Да.» ", "Нет."]),
        ("no end", ["no end"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    data = text.encode()
    assert [piece.decode() for piece in Sentences().split(data).pieces(data)] == expected


def test_a_page_of_dots_takes_linear_time() -> None:
    assert len(Sentences().split(b"." * 300_000 + b"x")) == 1
