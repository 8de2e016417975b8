"""Allowances: bits, or a share of the baseline's."""

from __future__ import annotations

import pytest

from bitmeter.errors import BitmeterError
from bitmeter.measure.gate.allowance import Allowance, read_allowance, read_share


@pytest.mark.parametrize(
    ("given", "amount", "relative"),
    [("0.5%", 0.005, True), (" 1 % ", 0.01, True), ("0.01", 0.01, False), (0.02, 0.02, False), (0, 0.0, False)],
)
def test_what_can_be_typed(given: object, amount: float, relative: bool) -> None:
    assert read_allowance(given) == Allowance(amount, relative)


@pytest.mark.parametrize("given", ["", "%", "half", "-0.1", "-1%", "nan", "inf", "inf%", -1, None, True, [1]])
def test_what_cannot(given: object) -> None:
    with pytest.raises(BitmeterError, match="allow"):
        read_allowance(given)


@pytest.mark.parametrize(("given", "share"), [("99%", 0.99), ("0.99", 0.99), (1.0, 1.0), ("0%", 0.0)])
def test_shares(given: object, share: float) -> None:
    assert read_share(given, "same_top") == share


@pytest.mark.parametrize("given", ["101%", "1.5", 2, "x", None, -0.1])
def test_what_is_no_share(given: object) -> None:
    with pytest.raises(BitmeterError, match="same_top"):
        read_share(given, "same_top")
