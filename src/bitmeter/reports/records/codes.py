"""Prefix codes (`code`) as programs read them."""

from __future__ import annotations

import math
from typing import Any

from bitmeter.coding.prefix.code import PrefixCode
from bitmeter.reports.formats.table import Column, Table, columns_of
from bitmeter.theory.distributions import Distribution

__all__ = ["code_records"]


def code_records(code: PrefixCode, p: Distribution | None) -> Table:
    """One row per label, the most likely first; the figures of the whole code beside them.

    Parameters
    ----------
    code
        The code.
    p
        What it is used for; without it there are no probabilities.

    Examples
    --------
    >>> p = Distribution({"a": 0.5, "b": 0.25, "c": 0.25})
    >>> table = code_records(PrefixCode.huffman(p), p)
    >>> list(table.rows)[0], table.about["expected_bits"]
    (['a', 0.5, 1.0, 1, '0'], 1.5)
    """
    chances = {} if p is None else dict(zip(p.labels, p.probabilities.tolist(), strict=True))
    columns = (
        Column("label"), *columns_of("probability ideal_bits", "number"), Column("bits", "integer"), Column("codeword")
    )  # fmt: skip
    rows: list[list[Any]] = []
    for label in sorted(code.labels, key=lambda label: -chances.get(label, 0.0)):
        chance = chances.get(label, 0.0) if p is not None else None
        ideal = None if chance is None else -math.log2(chance) + 0.0 if chance else math.inf
        rows.append([str(label), chance, ideal, len(code.words[label]), code.words[label]])
    about: dict[str, Any] = {
        "prefix_free": code.prefix_free, "uniquely_decodable": code.uniquely_decodable, "kraft": float(code.kraft),
        "entropy_bits": None, "perplexity": None, "expected_bits": None, "redundancy_bits": None,
    }  # fmt: skip
    if p is not None:
        found = code.figures(p)
        about |= {
            "entropy_bits": found.entropy, "perplexity": 2.0**found.entropy, "expected_bits": found.expected_length,
            "redundancy_bits": found.redundancy,
        }  # fmt: skip
    return Table("bitmeter.code/1", columns, rows, about)
