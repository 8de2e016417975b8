"""Where words are."""

from __future__ import annotations

import sys

import pytest

from bitmeter.errors import ChoiceError, InputError, MissingPackageError
from bitmeter.measure.surprisal.segment import between_spaces, by_icu, check_unspaced, segment_of, segment_value


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


@pytest.mark.parametrize(
    "text",
    [
        "私は学生です。",
        "吾輩は猫である。名前はまだ無い。",
        "猫だ。犬だ。",
        "我爱你，你呢？",
        "ฉันชอบอ่านหนังสือ",
        "他是学生 和 老师们都来了吧",
    ],
)
def test_short_sentences_without_spaces(text: str) -> None:
    with pytest.raises(InputError, match="would be whole sentences"):
        check_unspaced(text.encode(), "x")


@pytest.mark.parametrize(
    "text",
    # Words between spaces, as a segmenter writes them; names and loanwords within another script.
    [
        "私 は 学生 です 。",
        "我 爱 你 ，",
        "コンピューター を 買う",
        "ฉัน ชอบ อ่าน หนังสือ",
        "at 北京大学 and 東京",
        "a コンピューター",
    ],
)
def test_words_between_spaces(text: str) -> None:
    check_unspaced(text.encode(), "x")


def test_icu_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("icu4py", "icu4py.breakers"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingPackageError, match=r"\.\[icu\]"):
        segment_of("icu")


@pytest.mark.parametrize(
    ("locale", "text", "some"),
    [
        ("ja", "今日は天気がいいですね。次", {"今日", "天気", "次"}),
        ("zh", "这是一个简单的句子,用来测试。", {"一个", "简单", "测试。"}),
        ("th", "ภาษาไทยไม่มีช่องว่างระหว่างคำ", {"ภาษา", "ไทย", "คำ"}),
        ("", "𠮷野家へ行く。次は😀東京", {"次"}),  # letters beyond the basic plane, of two units in UTF-16
    ],
)
def test_icu_finds_words_of_scripts_without_spaces(locale: str, text: str, some: set[str]) -> None:
    data = text.encode()
    words = [data[a:b].decode() for a, b in by_icu(locale)(data)]
    assert "".join(words) == text  # no byte is lost, and none is cut
    assert len(words) > 4
    assert some <= set(words)


def test_icu_gives_punctuation_to_a_word() -> None:
    plain = b'Well, it\'s fine. (So "it" is)'
    expected = [b"Well,", b"it's", b"fine.", b"(So", b'"it"', b"is)"]
    assert [plain[a:b] for a, b in segment_of("icu:en")(plain)] == expected
    assert segment_of("icu")(b"") == []


def test_icu_wants_utf8_and_a_locale() -> None:
    with pytest.raises(InputError, match="byte 3 of the document is not UTF-8"):
        segment_of("icu")(b"caf\xc3\xe9")
    with pytest.raises(ChoiceError, match=r"'!!' is no locale.*icu:ja"):
        segment_of("icu:!!")


def test_a_signature_has_the_version_of_the_dictionaries() -> None:
    import icu4py

    assert segment_value("icu") == f"icu-{icu4py.icu_version}"
    assert segment_value("icu:zh_TW") == f"icu-{icu4py.icu_version}:zh_TW"
