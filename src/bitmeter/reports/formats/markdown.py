"""Tables as Markdown, with the caption below."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["escape_markdown", "markdown_lines"]

_SPECIAL = re.compile(r"([\\|*_`<>\[\]~])")


def escape_markdown(text: str) -> str:
    r"""Text that Markdown shows as it is, in one line.

    Examples
    --------
    >>> print(escape_markdown("a|b *c*\nd"))
    a\|b \*c\* d
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split("\n")))


def markdown_lines(
    titles: Sequence[tuple[str, bool]], rows: Sequence[Sequence[str]], caption: Sequence[str] = ()
) -> Iterator[str]:
    r"""A pipe table; a column is (title, whether it stands at the right).

    Examples
    --------
    >>> print("\n".join(markdown_lines([("model", False), ("bits", True)], [["kt", "5.1"]], ["In bits."])))
    | model | bits |
    | :---- | ---: |
    | kt    |  5.1 |
    <BLANKLINE>
    In bits.
    """
    cells = [[escape_markdown(cell) for cell in row] for row in rows]
    names = [escape_markdown(title) for title, _ in titles]
    widths = [max(4, len(name), *(len(row[k]) for row in cells)) for k, name in enumerate(names)]
    right = [side for _, side in titles]
    yield _line(names, widths, right)
    yield (
        "| "
        + " | ".join("-" * (w - 1) + ":" if r else ":" + "-" * (w - 1) for w, r in zip(widths, right, strict=True))
        + " |"
    )
    for row in cells:
        yield _line(row, widths, right)
    if caption:
        yield ""
        yield " ".join(escape_markdown(sentence) for sentence in caption)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    parts = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right, strict=True)]
    return "| " + " | ".join(parts) + " |"
