"""Keywords that contradict each other are refused; all that decides is in the description."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from bitmeter.errors import BitmeterError, InputError, NotFiniteError
from bitmeter.filter.rules import Between, Buckets, Everything, Shares
from bitmeter.filter.settings import rule_of, settle

DEFAULTS: dict[str, Any] = {
    "field": None, "language": None, "docs": None, "add": (), "prefix": "", "tag": None, "unscored": "drop", "seed": 0
}  # fmt: skip


def test_rules(tmp_path: Path) -> None:
    assert isinstance(rule_of(), Everything)
    assert rule_of(high=3) == Between({"": (-math.inf, 3.0)})
    assert rule_of(low=1, high=3) == Between({"": (1.0, 3.0)})
    assert isinstance(rule_of(keep="30%"), Shares)
    assert isinstance(rule_of(table="roots"), Between)
    (tmp_path / "c.csv").write_text("p,en\n30,1\n60,2\n")
    assert rule_of(table=str(tmp_path / "c.csv"), buckets="30%,60%") == Buckets({"en": (1.0, 2.0)}, strict=True)
    assert rule_of(sample="uniform:0.5", high=3).describe()["within"]["rule"] == "between"


@pytest.mark.parametrize(
    "keywords",
    [{"high": 1, "keep": "3%"}, {"low": 2, "high": 1}, {"keep": "3%", "table": "roots"},
     {"sample": "uniform:1", "keep": "3%"},
     {"buckets": "30%,60%", "keep": "30%"}],
)  # fmt: skip
def test_contradictions(keywords: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        rule_of(**keywords)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_limits_are_numbers(value: float) -> None:
    with pytest.raises(NotFiniteError):
        rule_of(high=value)


def test_settings() -> None:
    found = settle(Everything(), **{**DEFAULTS, "add": "value, nats", "prefix": "bm_", "tag": "bucket"})
    assert found.added == {"bm_value": "value", "bm_nats": "nats"}
    assert found.fields.added == ("bm_value", "bm_nats", "bucket")


@pytest.mark.parametrize(
    "change",
    [{"field": 3}, {"tag": ""}, {"add": "cost"}, {"docs": "file"}, {"unscored": "maybe"}, {"seed": -1}, {"seed": 0.5},
     {"add": "nats", "tag": "nats"}],
)  # fmt: skip
def test_wrong_settings(change: dict[str, Any]) -> None:
    with pytest.raises(BitmeterError):
        settle(Everything(), **{**DEFAULTS, **change})


def test_the_description_changes_with_every_setting() -> None:
    """Receipts hold a hash of it: another setting must not find the work of this one done."""
    changes = [
        {}, {"field": "body"}, {"language": "lang"}, {"docs": "blank"}, {"add": "nats"}, {"prefix": "x", "add": "nats"},
        {"tag": "t"}, {"unscored": "keep"},
    ]  # fmt: skip
    seen = [settle(Everything(), **{**DEFAULTS, **change}).describe() for change in changes]
    rules = [
        rule_of(high=1), rule_of(low=1), rule_of(keep="30%"), rule_of(keep="40%"), rule_of(buckets="30%,40%"),
        rule_of(table="roots"), rule_of(sample="uniform:1"), rule_of(sample="uniform:1", seed=2),
        rule_of(sample="uniform:1", high=2),
    ]  # fmt: skip
    seen += [settle(rule, **DEFAULTS).describe() for rule in rules]
    assert all(one != other for place, one in enumerate(seen) for other in seen[:place])
