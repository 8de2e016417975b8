"""The units of a network."""

from __future__ import annotations

from bitmeter.models.causal.trained.units import learn_alphabet


def test_words_that_come_once_are_unknown() -> None:
    alphabet = learn_alphabet("words", [b"to be or not to be\n\nto see"], 100)
    assert alphabet.source == b"to\nbe"
    # </s> before the text and after each line; the blank line is its end alone
    assert alphabet.row([b"to be or\n\nbe"]).tolist() == [2, 3, 4, 0, 2, 2, 4, 2]
    assert learn_alphabet("words", [b"a a a b b b c c d"], 5).source == b"a\nb"
