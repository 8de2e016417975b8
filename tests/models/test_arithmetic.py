"""The ways from logits to log-probabilities, as conventions and signatures name them."""

from __future__ import annotations

from bitmeter.measure.conventions.registry import CONVENTIONS
from bitmeter.models.arithmetic import ARITHMETICS, OWN


def test_each_convention_names_a_known_way() -> None:
    assert ARITHMETICS[OWN] == ""
    assert all(tool.arithmetic in ARITHMETICS for tool in CONVENTIONS.values())
    assert CONVENTIONS["bitmeter"].arithmetic == OWN
    words = [text for text in ARITHMETICS.values() if text]
    assert len(set(words)) == len(words)
