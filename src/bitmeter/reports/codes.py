"""A code as a table."""

from __future__ import annotations

import math
from typing import Any

from bitmeter.coding.prefix.code import PrefixCode
from bitmeter.coding.prefix.drawing import label_name
from bitmeter.theory.distributions import Distribution

__all__ = ["code_table"]

#: Longer codes show their likeliest labels.
_MOST = 40


def code_table(code: PrefixCode, p: Distribution | None) -> Any:
    """One row a label, the likeliest first: probability, ideal length, length, word."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("label")
    if p is not None:
        table.add_column("p", justify="right")
        table.add_column("−log2 p", justify="right")
    table.add_column("bits", justify="right")
    table.add_column("word")
    chances = {} if p is None else dict(zip(p.labels, p.probabilities.tolist(), strict=True))
    labels = sorted(code.labels, key=lambda label: -chances.get(label, 0.0))
    for label in labels[:_MOST]:
        word = code.words[label]
        chance = chances.get(label, 0.0)
        about = [f"{chance:.4f}", f"{-math.log2(chance):.2f}" if chance else "inf"] if p is not None else []
        table.add_row(Text(label_name(label)), *about, str(len(word)), word)
    if len(labels) > _MOST:
        table.add_row(f"… {len(labels) - _MOST} more")
    return table
