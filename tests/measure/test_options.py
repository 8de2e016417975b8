"""The keywords of score() settled: what is given goes before the convention, and that before the default."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, ChoiceError, InputTypeError, ModelError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import Settings, check_abilities, settle


def settled(like: str = "bitmeter", **given: Any) -> Settings:
    keywords: dict[str, Any] = dict.fromkeys(("docs", "field", "norm", "first", "eos", "oov", "den", "ctx"))
    return settle(convention(like), **{**keywords, "confidence": 0.95, **given})


def test_what_is_given_goes_first() -> None:
    assert settled().eos == "no"
    assert settled("kenlm").eos == "yes"
    assert settled("kenlm", eos="no").eos == "no"
    assert (settled("kenlm").docs, settled("kenlm", docs="file").docs) == ("line", "file")
    assert settled("kenlm").like == "kenlm"


def test_what_the_model_decides_is_left_open() -> None:
    assert (settled().first, settled().ctx) == (None, None)


@pytest.mark.parametrize(
    ("keywords", "error"),
    [
        ({"eos": "maybe"}, ChoiceError),
        ({"first": "last"}, ChoiceError),
        ({"docs": "page"}, ChoiceError),
        ({"field": 3}, InputTypeError),
        ({"ctx": "wide"}, ChoiceError),
        ({"confidence": 95.0}, BitmeterError),
    ],
)
def test_wrong_keywords_are_refused(keywords: dict[str, Any], error: type[BitmeterError]) -> None:
    with pytest.raises(error):
        settled(**keywords)


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        ("kt", {"eos": "yes"}, "does not predict the end of a document"),
        ("kt", {"oov": "class"}, "oov can be 'none'"),
        ("kt", {"oov": "skipped"}, "has no unknown units"),
    ],
)
def test_what_a_model_cannot_do_is_refused(model: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        check_abilities(bm.load(model), replace(settled(), first="bos", **change))


@pytest.mark.parametrize("model", ["kt", "universal:small", "uniform"])
def test_a_first_byte_can_cost_eight_bits(model: str) -> None:
    """Closed form: log2 256."""
    check_abilities(bm.load(model), replace(settled(), first="uniform"))
    score = bm.score(model, b"aaaa", first="uniform")
    assert score.trace.bits[0] == pytest.approx(8.0)


def test_a_model_that_is_no_distribution_is_refused() -> None:
    model = bm.NGram(order=2, smoothing="stupid-backoff").fit(b"a b\n")
    with pytest.raises(ModelError, match="do not sum to one"):
        check_abilities(model, settled())
