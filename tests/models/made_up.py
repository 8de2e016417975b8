"""A text that every machine makes alike: words as unequal as a language's, and a last new word that comes twice."""

from __future__ import annotations


def made_up_text(lines: int, kinds: int = 60) -> str:
    """Lines of up to eight words. The last new word comes twice after the same two: lmplz counts that its own way."""
    state = 12345

    def draw(limit: int) -> int:
        nonlocal state
        state = (state * 1103515245 + 12345) % 2**31
        return (state >> 8) % limit

    rows = [" ".join(f"w{draw(kinds) * draw(kinds) // kinds}" for _ in range(draw(9))) for _ in range(lines)]
    return "\n".join([*rows, "w2 w0 last w1", "w2 w0 last"]) + "\n"
