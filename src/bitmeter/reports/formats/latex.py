r"""Tables as LaTeX, with the rules of booktabs: a `table` with its caption, to be read by \input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["escape_latex", "latex_lines"]

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "∞": r"$\infty$", "−": "$-$", "±": r"$\pm$", "≥": r"$\geq$",
    "≤": r"$\leq$", "Δ": r"$\Delta$", "×": r"$\times$", "·": r"$\cdot$", "–": "--", "…": r"\dots{}", "‖": r"$\|$",
    "\n": " ", "\t": " ", "\r": " ",
}  # fmt: skip

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
    yield r"% \usepackage{booktabs}"
    yield r"\begin{table}"
    yield r"  \centering"
    yield rf"  \begin{{tabular}}{{{sides}}}"
    yield r"    \toprule"
    yield f"    {_line([title for title, _ in titles])}"
    yield r"    \midrule"
    for row in rows:
        yield f"    {_line(row)}"
    yield r"    \bottomrule"
    yield r"  \end{tabular}"
    if caption:
        yield rf"  \caption{{{' '.join(escape_latex(sentence) for sentence in caption)}}}"
    yield r"\end{table}"


def _line(cells: Sequence[str]) -> str:
    return " & ".join(_MINUS.sub("$-$", escape_latex(cell)) for cell in cells) + r" \\"
