"""What is packed comes back: within half a step of each column, to the bit where it is a count."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.reports.html.packing import PLANS, Columns, pack, packed_bytes, packed_models
from bitmeter.reports.tables import visible

TEXT = b"".join(b"line %d of a small text, twice %d\n" % (i, 2 * i) for i in range(80))


def unpacked(column: dict[str, str]) -> np.ndarray:
    kind = {"u8": "<u1", "u16": "<u2", "u32": "<u4"}[column["t"]]
    return np.frombuffer(zlib.decompress(base64.b64decode(column["z"])), dtype=kind)


def columns_of(score: bm.Score) -> Columns:
    trace = score.trace
    return Columns(np.diff(trace.text[1]), trace.bits, trace.details)


def entry_under(plan: int, columns: Columns) -> dict[str, Any]:
    """The entry that a budget of this plan's own size gives."""
    from bitmeter.reports.html.packing import _Model

    return _Model(columns).entry(PLANS[plan])


@pytest.fixture(scope="module")
def score() -> bm.Score:
    return bm.score("kt", TEXT, alternatives=5)


def test_bits_entropy_and_rank_come_back(score: bm.Score) -> None:
    entry, trace = entry_under(0, columns_of(score)), score.trace
    assert entry["n"] == len(trace)
    assert "len" not in entry  # all units are bytes
    assert np.abs(unpacked(entry["s"]) / 512 - trace.bits).max() <= 0.5 / 512
    assert np.abs(unpacked(entry["h"]) / 16 - trace.entropy / np.log(2)).max() <= 0.5 / 16 + 1e-12
    ranks = np.round(2.0 ** (unpacked(entry["r"]) / 16))
    assert (ranks[trace.rank <= 20] == trace.rank[trace.rank <= 20]).all()
    assert (np.abs(ranks / trace.rank - 1) < 0.03).all()


def test_alternatives_come_back(score: bm.Score) -> None:
    entry, trace = entry_under(0, columns_of(score)), score.trace
    index, bits = (unpacked(entry[name]).reshape(5, len(trace)) for name in ("ai", "ap"))
    for unit in (0, 7, 100, len(trace) - 1):
        for k, (name, logprob) in enumerate(trace.alternatives(unit)):
            assert entry["vocab"][index[k, unit]] == visible(name)
            assert bits[k, unit] / 12 == pytest.approx(-logprob / np.log(2), abs=0.5 / 12 + 1e-9)


def test_a_tighter_plan_keeps_the_surprising_units(score: bm.Score) -> None:
    entry, trace = entry_under(2, columns_of(score)), score.trace
    chosen = np.cumsum(unpacked(entry["at"]))
    assert np.array_equal(chosen, np.flatnonzero(trace.bits >= 3.0))
    assert entry["k"] == 3
    assert len(unpacked(entry["ap"])) == 3 * len(chosen)
    assert len(unpacked(entry["h"])) == len(trace)


def test_coarse_bits_are_within_one_percent_of_one_plus_bits(score: bm.Score) -> None:
    entry, bits = entry_under(6, columns_of(score)), score.trace.bits
    found = 2.0 ** (unpacked(entry["s"]) / 36) - 1
    assert (np.abs((1 + found) / (1 + bits) - 1) < 0.01).all()
    assert "h" not in entry
    assert "ai" not in entry


def test_the_first_plan_that_fits_is_taken(score: bm.Score) -> None:
    columns = [columns_of(score)]
    sizes = [len(str(entry_under(k, columns[0]))) for k in range(len(PLANS))]
    assert packed_models(columns, 10**9)[1] == PLANS[0]
    assert packed_models(columns, sizes[1])[1] == PLANS[1]
    assert packed_models(columns, 0)[1] == PLANS[-1]
    assert sizes[0] > sizes[1] > sizes[6]


def test_long_units_and_extreme_costs() -> None:
    lengths, bits = np.array([1, 300, 255, 254]), np.array([0.0, 200.25, np.inf, 127.9])
    entry = entry_under(0, Columns(lengths, bits, None))
    assert entry["long"] == [[1, 300], [2, 255]]
    assert entry["over"] == [[1, 200.25]]
    assert unpacked(entry["s"]).tolist() == [0, 65534, 65535, round(127.9 * 512)]
    coarse = entry_under(6, Columns(lengths, bits, None))
    assert unpacked(coarse["s"]).tolist()[1:3] == [254, 255]


def test_columns_are_little_endian() -> None:
    assert zlib.decompress(base64.b64decode(pack(np.array([1, 256], dtype=">u2"))["z"])) == b"\x01\x00\x00\x01"
    assert zlib.decompress(base64.b64decode(packed_bytes(b"text"))) == b"text"
