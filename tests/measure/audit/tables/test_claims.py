"""Claims against a table: tolerances, and which mistake is named."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from bitmeter.measure.audit.tables.claims import Facts, claim_tolerance, explanations, mistakes

FACTS = Facts(
    nats=1000.0, special_nats=30.0, first_nats=7.0, units=400, documents=3, bytes=1500, chars=1400, words=250,
    spaces=240, fallback=40, replaced=90, specials=3, counted=None, macro=0.99,
)  # fmt: skip
LN2 = math.log(2.0)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1000 / LN2 / 1740, "counted twice"),
        (1000 / LN2 / 1260, "(▁) of 240 tokens is not counted"),
        (1000 / LN2 / 1580, "byte-fallback tokens are counted as three bytes"),
        (1000 / LN2 / 1590, "U+FFFD"),
        (1030 / LN2 / 1500, "special tokens is in the total"),
        (993 / 399 * 400 / LN2 / 1500, "the mean over n − 1 tokens, times n"),
        (993 / LN2 / 1500, "the first token is not in the total"),
        (1000 / 1500, "nats called bits"),
        (1000 / LN2 / 1400, "characters"),
        (0.99, "macro average"),
        (1030 / LN2 / 1740, "special tokens is in the total; the leading space"),
    ],
)
def test_each_mistake_is_named(value: float, said: str) -> None:
    found = explanations(f"{value:.8f}", FACTS)
    assert said in found[0].text
    assert found[0].bits_per_byte == pytest.approx(value, abs=1e-8)


def test_the_simplest_explanation_goes_first_and_nonsense_has_none() -> None:
    assert all(";" not in one.text for one in explanations(f"{1000 / LN2 / 1740:.4f}", FACTS))
    assert explanations("77.5", FACTS) == []
    assert len(explanations("1", FACTS)) <= 3


def test_the_bytes_of_the_table_itself() -> None:
    facts = replace(FACTS, counted=1600.0)
    assert "1,600 bytes that the table counts" in explanations(f"{1000 / LN2 / 1600:.6f}", facts)[0].text


def test_a_claim_is_as_exact_as_it_is_written() -> None:
    assert claim_tolerance("1.10") == pytest.approx(0.005)
    assert claim_tolerance("1.1") == pytest.approx(0.05)
    assert claim_tolerance("2") == pytest.approx(0.5)
    assert all(math.isfinite(one.bits_per_byte) for one in mistakes(FACTS))
