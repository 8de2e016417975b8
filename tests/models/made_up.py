"""A text that every machine makes alike: words as unequal as a language's, and a last new word that comes twice."""

from __future__ import annotations

import numpy as np


def made_up_text(lines: int, kinds: int = 60) -> str:
    """Lines of up to eight words. The last new word comes twice after the same two: lmplz counts that its own way."""
    state = 12345

    def draw(limit: int) -> int:
        nonlocal state
        state = (state * 1103515245 + 12345) % 2**31
        return (state >> 8) % limit

    rows = [" ".join(f"w{draw(kinds) * draw(kinds) // kinds}" for _ in range(draw(9))) for _ in range(lines)]
    return "\n".join([*rows, "w2 w0 last w1", "w2 w0 last"]) + "\n"


SKEWED_WORDS = [f"w{i}" for i in range(40)]


def skewed_lines(lines: int, seed: int) -> bytes:
    """Lines of skewed made-up words."""
    draw = np.random.default_rng(seed)
    sizes = draw.integers(0, 12, lines)
    return b"".join(
        " ".join(SKEWED_WORDS[int(i)] for i in draw.integers(0, 40, size) * draw.integers(0, 40, size) // 40).encode()
        + b"\n"
        for size in sizes
    )
