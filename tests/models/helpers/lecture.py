"""The running example of the lecture as models: p over letters, the conditional table q, and words."""

from __future__ import annotations

import bitmeter as bm

LETTERS = {
    "a": 1 / 4,
    "b": 1 / 2,
    **{chr(c): 1 / 64 for c in range(ord("c"), ord("s"))},
    **dict.fromkeys("stuvwxyz", 0.0),
}
P = bm.Distribution(LETTERS)
Q = bm.Conditional(
    {
        "a": {"b": 1.0}, "b": {"a": 0.5, "l": 0.5}, "e": {"other": 1.0}, "l": {"e": 1.0}, "o": {"b": 1.0},
        "p": dict.fromkeys(["a", "b", "e", "l", "o", "p", "r", "other"], 1 / 8), "r": {"o": 1.0}, "other": {"p": 1.0},
    },
    other="other",
    start="other",
)  # fmt: skip
WORDS = bm.Conditional(
    {
        "<s>": {"to": 0.5, "be": 0.25, "<unk>": 0.125, "</s>": 0.125},
        "to": {"be": 0.75, "<unk>": 0.25},
        "be": {"to": 0.25, "</s>": 0.5, "<unk>": 0.25},
        "<unk>": {"to": 0.5, "</s>": 0.5},
    },
    start="<s>",
)
BYTE_TABLE = bm.Conditional(
    {0: {0: 0.5, 255: 0.5}, "rest": {0: 0.25, 1: 0.5, "rest": 0.25}}, other="rest", start="rest"
)
