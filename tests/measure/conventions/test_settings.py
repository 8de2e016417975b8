"""The settings: their values, and what is refused."""

from __future__ import annotations

import inspect

import pytest

import bitmeter as bm
from bitmeter import errors
from bitmeter.measure.conventions.settings import DEFAULTS, MEANINGS, setting


@pytest.mark.parametrize("key", MEANINGS)
def test_every_value_is_accepted_and_has_a_meaning_of_its_own(key: str) -> None:
    for value in MEANINGS[key]:
        assert setting(key, value) == ("none" if value == "data-juicer" else value)  # two names for one thing
    assert len(set(MEANINGS[key].values())) == len(MEANINGS[key])


@pytest.mark.parametrize("key", MEANINGS)
@pytest.mark.parametrize("value", ["", "perhaps", None, 3])
def test_another_value_is_refused_with_the_possible_ones(key: str, value: object) -> None:
    with pytest.raises(errors.ChoiceError) as caught:
        setting(key, value)
    assert all(repr(name) in str(caught.value) for name in MEANINGS[key])
    if key != "norm":  # of which there are so many that an error names them alone
        assert all(f"{name!r}: {meaning}" in str(caught.value) for name, meaning in MEANINGS[key].items())


def test_every_default_is_a_value_and_a_keyword_of_score() -> None:
    keywords = inspect.signature(bm.score).parameters
    for key, value in DEFAULTS.items():
        assert keywords[key].default is None  # the table decides, not the signature of the function
        assert key == "ctx" or value in MEANINGS[key]


def test_a_score_without_settings_has_the_defaults() -> None:
    found = bm.score("kt", b"to be").signature
    assert {key: getattr(found, key).partition(".")[0] for key in DEFAULTS if key != "ctx"} == {
        key: value for key, value in DEFAULTS.items() if key != "ctx"
    }
