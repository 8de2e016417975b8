"""Codes as rows."""

from __future__ import annotations

import math

from bitmeter.coding.prefix.code import PrefixCode
from bitmeter.reports.records.codes import code_records
from bitmeter.theory.distributions import Distribution


def test_a_dyadic_distribution_has_no_redundancy() -> None:
    p = Distribution({"a": 0.5, "b": 0.25, "c": 0.125, "d": 0.125})
    table = code_records(PrefixCode.huffman(p), p)
    for _, _, ideal, bits, word in table.rows:
        assert ideal == bits == len(word)
    about = table.about
    assert (about["entropy_bits"], about["expected_bits"], about["redundancy_bits"], about["kraft"]) == (
        1.75,
        1.75,
        0,
        1,
    )
    assert about["perplexity"] == 2**1.75


def test_a_code_of_ones_own_has_no_probabilities() -> None:
    table = code_records(PrefixCode({"a": "0", "b": "01", "c": "10"}), None)
    assert [row[1:3] for row in table.rows] == [[None, None]] * 3
    assert (table.about["prefix_free"], table.about["uniquely_decodable"]) == (False, False)  # 010 is ac and ba


def test_what_cannot_happen_costs_infinitely_much() -> None:
    p = Distribution({"a": 1.0, "b": 0.0})
    rows = {row[0]: row for row in code_records(PrefixCode({"a": "0", "b": "1"}), p).rows}
    assert rows["a"][2] == 0.0
    assert rows["b"][2] == math.inf
