"""A code as a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bitmeter.coding.prefix.code import PrefixCode
from bitmeter.coding.prefix.drawing import label_name
from bitmeter.theory.distributions import Distribution

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["code_table"]

#: Of a longer code the most likely labels are shown.
_MOST = 40


def code_table(code: PrefixCode, p: Distribution | None) -> Table:
    """One row per label, the most likely first: probability, ideal length, length, code word."""
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
    probabilities = {} if p is None else dict(zip(p.labels, p.probabilities.tolist(), strict=True))
    labels = sorted(code.labels, key=lambda label: -probabilities.get(label, 0.0))
    for label in labels[:_MOST]:
        word = code.words[label]
        probability = probabilities.get(label, 0.0)
        figures = (
            [f"{probability:.4f}", f"{-math.log2(probability):.2f}" if probability else "inf"] if p is not None else []
        )
        table.add_row(Text(label_name(label)), *figures, str(len(word)), word)
    if len(labels) > _MOST:
        table.add_row(f"… {len(labels) - _MOST} more")
    return table
