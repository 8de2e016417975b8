"""Lines cut into pages that fit a terminal of any size."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

__all__ = ["Pages"]

#: A page has this many rows at least, however low the terminal.
_LEAST = 3


class Pages:
    """The lines of a lesson, made when they are wanted, and where its pages begin.

    Parameters
    ----------
    lines
        The lines, of which no more are taken than the pages that are asked for need.
    """

    def __init__(self, lines: Iterator[Text]) -> None:
        self._rest = lines
        self._lines: list[Text] = []

    def page(self, start: int, *, rows: int, columns: int) -> list[Text]:
        """The lines of the page that begins at a line; none after the end.

        Parameters
        ----------
        start
            The first line, counted from 0.
        rows, columns
            The room there is. A line that is wider takes more than one row.
        """
        room = max(rows, _LEAST)
        used, end, pause = 0, start, start
        while self.has(end):
            used += _height(self._lines[end], columns)
            if used > room and end > start:
                break
            end += 1
            if not self._lines[end - 1].plain and end - start > 1:
                pause = end
        else:
            return self._lines[start:end]
        # Paragraphs and pictures stay whole where that does not leave half of the page empty.
        return self._lines[start : pause if pause - start > room // 2 else end]

    def starts(self, line: int, *, rows: int, columns: int) -> list[int]:
        """Where the pages begin up to the one that holds a line, or the last."""
        starts = [0]
        while True:
            after = starts[-1] + len(self.page(starts[-1], rows=rows, columns=columns))
            if after > line or not self.has(after):
                return starts
            starts.append(after)

    def has(self, line: int) -> bool:
        """Whether there is a line of this number, from 0."""
        while len(self._lines) <= line:
            found = next(self._rest, None)
            if found is None:
                return False
            self._lines.append(found)
        return True


def _height(line: Text, columns: int) -> int:
    return max(1, -(-line.cell_len // max(columns, 1)))
