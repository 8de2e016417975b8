"""Where words are."""

from __future__ import annotations

import pytest

from bitmeter._util.optional import is_absent
from bitmeter.errors import ChoiceError, InputError, MissingPackageError
from bitmeter.measure.surprisal.segment import between_spaces, by_icu, check_unspaced, segment_of


def test_white_space_is_that_of_words() -> None:
    assert between_spaces(b" a\tb\n\xc2\xa0c ") == [(1, 2), (3, 4), (5, 8)]
    assert between_spaces(b"") == []


def test_names() -> None:
    assert segment_of("space") is between_spaces
    with pytest.raises(ChoiceError, match="'icu:LOCALE'"):
        segment_of("words")


def test_long_rows_of_letters_without_spaces() -> None:
    check_unspaced("in 北京 and Москва, превосходительство".encode(), "x")
    with pytest.raises(InputError, match=r"x: .* has 9 letters without a space"):
        check_unspaced(("漢" * 9).encode(), "x")


@pytest.mark.skipif(not is_absent("icu"), reason="PyICU is installed")
def test_icu_says_what_to_install() -> None:
    with pytest.raises(MissingPackageError, match=r"\.\[icu\]"):
        segment_of("icu")


@pytest.mark.skipif(is_absent("icu"), reason="PyICU is not installed")
def test_icu_finds_words() -> None:
    text = "今日は天気がいいですね。次".encode()
    words = [text[a:b].decode() for a, b in by_icu("ja")(text)]
    assert "".join(words) == text.decode()
    assert len(words) > 4
    assert "。" not in words
    plain = b"Well, it's fine."
    assert [plain[a:b] for a, b in segment_of("icu:en")(plain)] == [b"Well,", b"it's", b"fine."]
