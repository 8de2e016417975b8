"""Choices and pairs as text, in 80 columns."""

from __future__ import annotations

import numpy as np

import bitmeter as bm
from bitmeter.reports.answers import pair_lines

ITEMS = [{"question": "a b", "choices": [" c", " dd"], "label": i % 2, "kind": "xy"[i % 2]} for i in range(8)]
PAIRS = [{"good": "a" * (1 + i % 2), "bad": "aa", "group": "xy"[i % 2]} for i in range(8)]


def test_choices() -> None:
    lines = str(bm.choose("uniform", ITEMS, group="kind", calibrate="x")).splitlines()
    assert lines[0] == "uniform:256 on items: 8 items, 16 answers"
    assert any(line.split()[:4] == ["by", "sum", "50.0", "%"] for line in lines)
    assert any(line.split()[:3] == ["macro", "50.0", "%"] for line in lines)
    assert all(len(line) <= 80 for line in lines)


def test_pairs() -> None:
    found = bm.prefer("uniform", PAIRS)
    lines = pair_lines(found)
    assert lines[2].split()[:5] == ["x", "100.0", "%", "[51.0,", "100.0]"]
    assert pair_lines(found, worst_first=True)[2].split()[0] == "y"
    assert all(len(line) <= 80 for line in lines)


def test_large_margins_have_a_table_of_their_own() -> None:
    rng = np.random.default_rng(5)
    lengths = rng.integers(1, [900, 3, 40], (40, 3)).tolist()
    rows = [{"question": "q", "choices": ["a" * n for n in row], "label": k % 3} for k, row in enumerate(lengths)]
    text = str(bm.choose("uniform", rows))
    assert max(map(len, text.splitlines())) <= 80
    assert [line.split() for line in text.splitlines()].count(["margin"]) == 1
