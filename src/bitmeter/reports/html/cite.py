"""Figures to copy: as text, JSON, LaTeX and BibTeX."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from bitmeter._version import __version__
from bitmeter.measure.compare import Comparison
from bitmeter.measure.score import Score
from bitmeter.reports.figures import figure_with_interval, perplexity

__all__ = ["as_bibtex", "as_json", "as_latex", "as_text", "latex_escaped"]

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def latex_escaped(text: str) -> str:
    r"""Text in which no character is a command of LaTeX.

    Examples
    --------
    >>> latex_escaped("a_b 5%")
    'a\\_b 5\\%'
    """
    return "".join(_LATEX.get(letter, letter) for letter in text)


def as_text(scores: Sequence[Score], names: Sequence[str]) -> str:
    """One line per model, and its signature."""
    lines = []
    for score, name in zip(scores, names, strict=True):
        figure = f"{figure_with_interval(score)} bits per {score.figure_per}"
        lines.append(f"{name}: {figure}, {_total(score)} ({score.signature.short})")
        lines.append(f"  {score.signature}")
    return "\n".join(lines)


def _total(score: Score) -> str:
    tokens = "" if score.tokens is None else f", {score.tokens:,} tokens"
    return f"{score.bits:,.1f} bits{tokens}, {score.bytes:,} bytes"


def as_json(scores: Sequence[Score], comparison: Comparison | None) -> str:
    """The figures without the sums by document; and the comparison, if there is one."""
    left_out = ("by_document", "by_block", "by_window", "by_group", "exact")
    runs: list[dict[str, Any]] = [
        {key: value for key, value in score.to_dict().items() if key not in left_out} for score in scores
    ]
    found: dict[str, Any] = {"runs": runs}
    if comparison is not None:
        found["comparison"] = comparison.to_dict()
    return json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False)


def as_latex(scores: Sequence[Score], names: Sequence[str]) -> str:
    """A table for the package booktabs."""
    per = scores[0].figure_per
    lines = [
        r"\begin{tabular}{lrrrl}", r"\toprule",
        rf"model & bits per {per} & perplexity per word & total bits & signature \\", r"\midrule",
    ]  # fmt: skip
    for score, name in zip(scores, names, strict=True):
        cells = [latex_escaped(name), figure_with_interval(score), perplexity(score, "word"), f"{score.bits:,.0f}"]
        cells = [cell.replace("∞", r"$\infty$").replace("±", r"$\pm$").replace("–", "--") for cell in cells]
        lines.append(" & ".join([*cells, rf"\texttt{{{score.signature.short}}}"]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def as_bibtex(scores: Sequence[Score], year: int) -> str:
    """An entry for the program, with the signatures in its note."""
    marks = ", ".join(score.signature.short for score in scores)
    digits = re.sub(r"\W", "", scores[0].signature.short)
    return "\n".join(
        [
            f"@misc{{bitmeter-{digits},",
            "  title  = {{bitmeter}: perplexity you can compare},",
            f"  note   = {{version {__version__}; signatures {marks}}},",
            f"  year   = {{{year}}},",
            "}",
        ]
    )
