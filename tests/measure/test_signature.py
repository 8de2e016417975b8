"""The signature: parse∘format is the identity, and what must agree is said in words."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitmeter import errors
from bitmeter.measure.signature import MAY_DIFFER, MUST_AGREE, Signature, differences

KEYS = [field.name for field in fields(Signature) if field.name != "schema"]


@given(st.dictionaries(st.sampled_from(KEYS), st.text()))
def test_parse_after_format_is_the_identity(values: dict[str, str]) -> None:
    signature = Signature(**values)
    line = str(signature)
    assert Signature.parse(line) == signature
    assert "\n" not in line
    assert "\r" not in line
    assert str(Signature.parse(line)) == line


@given(st.dictionaries(st.sampled_from(KEYS), st.text()), st.dictionaries(st.sampled_from(KEYS), st.text()))
def test_other_content_gives_another_line_and_short_form(a: dict[str, str], b: dict[str, str]) -> None:
    first, second = Signature(**a), Signature(**b)
    assert (str(first) == str(second)) == (first == second)
    assert (first.short == second.short) == (first == second)


def test_every_key_either_must_agree_or_may_differ() -> None:
    assert set(MUST_AGREE) | set(MAY_DIFFER) == {field.name for field in fields(Signature)}
    assert not set(MUST_AGREE) & set(MAY_DIFFER)


@pytest.mark.parametrize("key", KEYS)
def test_a_difference_is_found_and_weighed(key: str) -> None:
    (found,) = differences(Signature(), Signature(**{key: "something else"}))
    assert found.key == key
    assert found.decisive == (key in MUST_AGREE)
    assert "something else" in str(found)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nonsense",
        "schema:1|colour:red",
        "schema:1|text:a|text:b",
        "schema:2|text:a",
        "text:a",
        "schema:1|text:a:b",
        "schema:1|text:\\x",
        "schema:1|text:\\",
    ],
)
def test_what_is_no_signature_is_refused(line: str) -> None:
    with pytest.raises(errors.SignatureError):
        Signature.parse(line)


def test_types_are_checked() -> None:
    with pytest.raises(errors.InputTypeError):
        Signature(text=3)  # type: ignore[arg-type]
    with pytest.raises(errors.InputTypeError):
        Signature.parse(None)
    with pytest.raises(errors.InputTypeError):
        differences(Signature(), "schema:1")
