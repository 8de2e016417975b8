r"""Tables as LaTeX, with the rules of booktabs: a `table` with its caption, to be read by \input.

A table of more rows than a page has is a `longtable`. Wide ones are set in smaller type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["escape_latex", "latex_lines"]

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"{\char34}", "∞": r"$\infty$", "−": "$-$", "±": r"$\pm$", "≥": r"$\geq$",
    "≤": r"$\leq$", "Δ": r"$\Delta$", "×": r"$\times$", "·": r"$\cdot$", "–": "--", "…": r"\dots{}", "‖": r"$\|$",
    "\n": " ", "\t": " ", "\r": " ",
}  # fmt: skip

#: The most rows of a table on one page.
_PAGE = 40
#: From so many signs per line on, the size of the type.
_SIZES = ((105, r"\scriptsize"), (90, r"\footnotesize"), (70, r"\small"))

#: The sign of a number, which is longer than a hyphen.
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")


def escape_latex(text: str) -> str:
    r"""Text that LaTeX prints as it is; signs that pdfLaTeX does not know as text become mathematics.

    Examples
    --------
    >>> print(escape_latex("a_b & 5 % of Δ"))
    a\_b \& 5 \% of $\Delta$
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def latex_lines(
    titles: Sequence[tuple[str, bool]], rows: Sequence[Sequence[str]], caption: Sequence[str] = ()
) -> Iterator[str]:
    r"""A table; a column is (title, whether it stands at the right).

    Examples
    --------
    >>> print("\n".join(latex_lines([("model", False), ("bits", True)], [["kt", "5.1"]], ["In bits."])))
    % \usepackage{booktabs}
    \begin{table}
      \centering
      \begin{tabular}{lr}
        \toprule
        model & bits \\
        \midrule
        kt & 5.1 \\
        \bottomrule
      \end{tabular}
      \caption{In bits.}
    \end{table}
    """
    sides = "".join("r" if right else "l" for _, right in titles)
    head = _line([title for title, _ in titles])
    said = rf"\caption{{{' '.join(escape_latex(sentence) for sentence in caption)}}}" if caption else ""
    size = _size(titles, rows)
    if len(rows) > _PAGE:
        yield r"% \usepackage{booktabs,longtable}"
        yield from [rf"{{{size}"] if size else []
        yield rf"\begin{{longtable}}{{{sides}}}"
        yield from [rf"  {said} \\"] if said else []
        yield rf"  \toprule {head} \midrule \endfirsthead"
        yield rf"  \toprule {head} \midrule \endhead"
        yield r"  \bottomrule \endfoot"
        yield from (f"  {_line(row)}" for row in rows)
        yield r"\end{longtable}"
        yield from ["}"] if size else []
        return
    yield r"% \usepackage{booktabs}"
    yield r"\begin{table}"
    yield r"  \centering"
    yield from [rf"  {size}"] if size else []
    yield rf"  \begin{{tabular}}{{{sides}}}"
    yield r"    \toprule"
    yield f"    {head}"
    yield r"    \midrule"
    for row in rows:
        yield f"    {_line(row)}"
    yield r"    \bottomrule"
    yield r"  \end{tabular}"
    yield from [f"  {said}"] if said else []
    yield r"\end{table}"


def _size(titles: Sequence[tuple[str, bool]], rows: Sequence[Sequence[str]]) -> str:
    widths = [max([len(title), *(len(row[k]) for row in rows)]) + 2 for k, (title, _) in enumerate(titles)]
    narrow = r"\setlength{\tabcolsep}{3pt}"
    return next((f"{name}{narrow}" for least, name in _SIZES if sum(widths) >= least), "")


def _line(cells: Sequence[str]) -> str:
    line = " & ".join(_MINUS.sub("$-$", escape_latex(cell)) for cell in cells)
    # After the end of a line, a bracket would be the space to the next one, and a star a part of its command.
    return ("{}" if line[:1] in ("[", "*") else "") + line + r" \\"
