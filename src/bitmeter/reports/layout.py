"""Tables that fit a terminal: nothing is left out, but columns are said once, cells folded, or rows stacked."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Sequence
from typing import Any

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from bitmeter.reports.tables import plain_table

__all__ = ["aligned", "fitted", "natural_width"]

#: Between two columns.
_GAP = 3
#: The narrowest column of text that is folded.
_NARROW = 20
#: Stands for a space between which lines are not folded.
_NO_BREAK = "\N{NO-BREAK SPACE}"
#: The most tables that stand for one; more, and rows are stacked.
_MOST_PANELS = 3


def natural_width(titles: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> int:
    """How many columns of a terminal a table takes.

    Examples
    --------
    >>> natural_width([("model", "left"), ("bits", "right")], [["kt", "5.1064"]])
    14
    """
    return sum(_widths(titles, rows)) + _GAP * (len(titles) - 1)


def aligned(rows: Sequence[Sequence[str]], width: int, *, least: int = 0, right: Collection[int] = ()) -> list[str]:
    """Lines of a small table below a score, indented by two; where they are too wide, each row is a few lines.

    Parameters
    ----------
    rows
        The titles, then the rows; the first cell names a row.
    width
        How wide a line may be.
    least
        The least width of the first column.
    right
        The columns that are aligned to the right.

    Examples
    --------
    >>> rows = [("", "accuracy", "ties"), ("by sum", "91.7 % [64.6, 98.5]", "0")]
    >>> print(*aligned(rows, 60), sep=chr(10))
              accuracy             ties
      by sum  91.7 % [64.6, 98.5]  0
    >>> print(*aligned(rows, 34), sep=chr(10))
      by sum
        accuracy  91.7 % [64.6, 98.5]
        ties      0
    """
    widths = [max(cell_len(row[k]) for row in rows) for k in range(len(rows[0]))]
    widths[0] = max(widths[0], least)
    lines = []
    for row in rows:
        cells = list(row)
        for k, cell in enumerate(row):
            space = " " * (widths[k] - cell_len(cell))
            cells[k] = space + cell if k in right else cell + space
        lines.append(("  " + "  ".join(cells)).rstrip())
    if max(map(cell_len, lines)) <= width:
        return lines
    titles = rows[0][1:]
    column = max(map(cell_len, titles)) + 6
    stacked = []
    for row in rows[1:]:
        stacked.append(f"  {row[0]}")
        for title, cell in zip(titles, row[1:], strict=True):
            begin = f"    {title}" + " " * (column - 4 - cell_len(title))
            stacked += _folded_cell(begin, cell, column, width) if cell else []
    return stacked


def _folded_cell(begin: str, cell: str, column: int, width: int) -> list[str]:
    """A cell behind its title; an interval stays in one line."""
    whole = re.sub(r"\[[^\]]*\]", lambda found: found[0].replace(" ", _NO_BREAK), cell)
    parts = textwrap.wrap(whole, max(12, width - column), break_long_words=False, break_on_hyphens=False) or [""]
    return [(" " * column if k else begin) + part.replace(_NO_BREAK, " ") for k, part in enumerate(parts)]


def _widths(titles: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> list[int]:
    def width(text: str) -> int:
        return max(map(cell_len, text.split("\n")), default=0)

    return [max([width(title), *(width(row[k]) for row in rows)]) for k, (title, _) in enumerate(titles)]


def fitted(table: Table, width: int) -> list[Any]:
    """What to print, one after the other, for a terminal of this width.

    A table that is too wide has a column whose cells all agree said once below it. If that is not enough, intervals
    stand below their figures; or a long text is folded; or the columns go on in a second and third table; or each row
    is a few lines, one per column.

    Examples
    --------
    >>> from rich.console import Console
    >>> table = plain_table([("model", "left"), ("bits/byte", "right"), ("docs", "right")],
    ...                     [["kt", "5.106 [4.443, 5.752]", "1"], ["uniform", "8.0000 ± 0", "1"]])
    >>> console = Console(width=200)
    >>> for part in fitted(table, 34):
    ...     console.print(part)
    model                bits/byte
    ──────────────────────────────
    kt        5.106 [4.443, 5.752]
    uniform             8.0000 ± 0
    docs: 1 in every row
    """
    titles = [(str(column.header), str(column.justify)) for column in table.columns]
    cells = [[str(cell) for cell in column.cells] for column in table.columns]
    rows = [list(row) for row in zip(*cells, strict=True)]
    if not rows or natural_width(titles, rows) <= width:
        return [table]
    titles, rows, shared = _said_once(titles, rows, width)
    below = [Text(line) for line in textwrap.wrap(shared, max(width, 20))] if shared else []
    for change in (_as_they_are, _below, _wrapped):
        changed = change(titles, rows, width)
        if natural_width(*changed) <= width:
            return [plain_table(*changed), *below]
    panels = _panels(titles, rows, width)
    return [*(panels or _stacked(titles, rows, width)), *below]


def _as_they_are(
    titles: list[tuple[str, str]], rows: list[list[str]], width: int
) -> tuple[list[tuple[str, str]], list[list[str]]]:
    return titles, rows


def _said_once(
    titles: list[tuple[str, str]], rows: list[list[str]], width: int
) -> tuple[list[tuple[str, str]], list[list[str]], str]:
    """Without the last columns whose cells agree, as many as it takes."""
    said: list[str] = []
    place = len(titles) - 1
    while place > 0 and natural_width(titles, rows) > width:
        values = {row[place] for row in rows}
        if len(rows) > 1 and len(values) == 1 and len(titles) > 2:
            said.insert(0, f"{titles[place][0]}: {values.pop()}")
            titles = titles[:place] + titles[place + 1 :]
            rows = [row[:place] + row[place + 1 :] for row in rows]
        place -= 1
    return titles, rows, f"{'; '.join(said)} in every row" if said else ""


def _below(
    titles: list[tuple[str, str]], rows: list[list[str]], width: int
) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """Intervals below their figures."""
    return [(title.replace(" [", "\n["), side) for title, side in titles], [
        [cell.replace(" [", "\n[") if _is_interval(cell) else cell for cell in row] for row in rows
    ]


def _is_interval(cell: str) -> bool:
    return cell.count(" [") == 1 and cell.endswith("]")


def _wrapped(
    titles: list[tuple[str, str]], rows: list[list[str]], width: int
) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """The widest column of text folded, if that is enough."""
    widths = _widths(titles, rows)
    texts = [k for k, (_, side) in enumerate(titles) if side == "left" and any(" " in row[k] for row in rows)]
    if not texts:
        return titles, rows
    widest = max(texts, key=lambda k: widths[k])
    room = widths[widest] - (natural_width(titles, rows) - width)
    if room < _NARROW:
        return titles, rows
    folded = [list(row) for row in rows]
    for row in folded:
        lines = [textwrap.wrap(line, room, break_on_hyphens=False) or [""] for line in row[widest].split("\n")]
        row[widest] = "\n".join(part for line in lines for part in line)
    return titles, folded


def _keys(titles: list[tuple[str, str]], rows: list[list[str]]) -> int:
    """How many columns name a row: the first, or the first two if both are texts."""
    alone = len({row[0] for row in rows}) == len(rows) or len(titles) < 3
    return 1 if alone or titles[1][1] != "left" else 2


def _panels(titles: list[tuple[str, str]], rows: list[list[str]], width: int) -> list[Any]:
    """Several tables below each other, each with the columns that name the rows; none if that would be too many."""
    keys = _keys(titles, rows)
    parts: list[list[int]] = []
    for place in range(keys, len(titles)):
        wider = [*(parts[-1] if parts else range(keys)), place]
        if parts and natural_width([titles[k] for k in wider], [[row[k] for k in wider] for row in rows]) <= width:
            parts[-1] = wider
        else:
            parts.append([*range(keys), place])
    found: list[Any] = []
    for part in parts:
        own, cells = [titles[k] for k in part], [[row[k] for k in part] for row in rows]
        if natural_width(own, cells) > width:
            return []
        found += [*([Text("")] if found else []), plain_table(own, cells)]
    return found if len(parts) <= _MOST_PANELS else []


def _stacked(titles: list[tuple[str, str]], rows: list[list[str]], width: int) -> list[Text]:
    """Each row as lines of a title and a cell, below what names the row."""
    keys = _keys(titles, rows)
    names = [" ".join(title.split("\n")) for title, _ in titles]
    column = max(map(cell_len, names[keys:]), default=0) + 4
    lines = []
    for row in rows:
        lines.append(Text(" · ".join(row[:keys]), style="bold"))
        for name, cell in zip(names[keys:], row[keys:], strict=True):
            if cell not in ("", "–"):
                begin = f"  {name}" + " " * (column - 2 - cell_len(name))
                lines += map(Text, _folded_cell(begin, " ".join(cell.split("\n")), column, width))
    return lines
