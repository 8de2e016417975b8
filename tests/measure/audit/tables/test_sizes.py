"""Bytes that a table counts: each kind of mistake apart, with its own effect."""

from __future__ import annotations

import numpy as np
import pytest

import bitmeter as bm

TEXT = " to bé €\n".encode()  # 12 bytes
PIECES = ["▁to", "▁b", "<0xC3>", "<0xA9>", "▁€", "<0x0A>"]
TRUE = [3, 2, 1, 1, 4, 1]


def said(sizes: list[float]) -> list[str]:
    found = bm.audit({"piece": PIECES, "logprob": [-1.0] * 6, "bytes": sizes}, TEXT)
    return [finding.text for finding in found.findings if finding.severity == "unsound"]


def test_right_sizes_are_not_accused() -> None:
    assert sum(TRUE) == len(TEXT)
    assert said([float(size) for size in TRUE]) == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({0: 4, 1: 3}, "2 units have their leading space counted twice: +2 bytes"),
        ({0: 2}, "1 unit has its leading space (▁) not counted: -1 byte in"),
        ({2: 3, 3: 3}, "2 byte-fallback units of one byte are counted as 3: +4 bytes"),
        ({2: 6}, "1 byte-fallback unit of one byte is counted as 6: +5 bytes"),
        ({4: 2}, "1 unit is counted in characters: -2 bytes"),
        ({5: 9}, "1 unit is counted with another number of bytes than it has: +8 bytes"),
    ],
)
def test_each_kind(change: dict[int, float], text: str) -> None:
    sizes = [float(change.get(i, size)) for i, size in enumerate(TRUE)]
    (only,) = said(sizes)
    assert only.startswith(text)


def test_effects_of_several_kinds() -> None:
    """What each alone does to the quotient: with it and without it, the other as it is."""
    sizes = np.array(TRUE, dtype=np.float64)
    sizes[[0, 2]] += [1, 2]
    found = bm.audit({"piece": PIECES, "logprob": [-1.0] * 6, "bytes": sizes}, TEXT)
    assert found.score is not None
    bits = found.score.bits
    effects = {finding.text.split(":")[0]: finding.bits_per_byte for finding in found.findings}
    assert effects["1 byte-fallback unit of one byte is counted as 3"] == pytest.approx(bits / 13 - bits / 15)
    assert effects["1 unit has its leading space counted twice"] == pytest.approx(bits / 14 - bits / 15)
