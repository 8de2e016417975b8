"""Goals of the benchmarks beside what was reached."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Goal:
    """A bound, and what was measured."""

    what: str
    sign: Literal["≥", "≤", "<"]
    bound: float
    reached: float
    digits: int = 2

    @property
    def met(self) -> bool:
        """Whether what was measured keeps the bound."""
        if self.sign == "≥":
            return self.reached >= self.bound
        return self.reached <= self.bound if self.sign == "≤" else self.reached < self.bound


def show_goals(goals: Iterable[Goal], said: str = "") -> None:
    """One row for each goal; `said` is under which conditions it holds."""
    table = Table(
        title="goals", title_justify="left", caption=said or None, caption_justify="left", box=None, pad_edge=False
    )
    for column in ("", "goal", "reached", " "):
        table.add_column(column, justify="right" if column.strip() else "left")
    for one in goals:
        table.add_row(
            one.what, f"{one.sign} {one.bound:,.{one.digits}f}", f"{one.reached:,.{one.digits}f}",
            "met" if one.met else "missed",
        )  # fmt: skip
    if table.row_count:
        Console(width=110).print(table)
