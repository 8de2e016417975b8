"""LaTeX with booktabs."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.measure.survey import survey
from bitmeter.reports.formats.latex import escape_latex, latex_lines
from bitmeter.reports.formats.writing import print_table
from bitmeter.reports.records.answers import pair_paper
from bitmeter.reports.records.gate import check_paper, sweep_paper
from bitmeter.reports.records.overlap import overlap_paper
from bitmeter.reports.records.paper import comparison_paper, divergence_paper, score_paper, survey_paper

LINES = b"".join(b"line %d of a small text\n" % i for i in range(20))


@given(st.text(alphabet='ab\\{}&%$#_~^<>|"∞−±Δ–…\n'))
def test_no_sign_keeps_its_meaning(text: str) -> None:
    left = re.sub(
        r"\{\\char34\}|\\(?:text[a-z]+|dots)\{\}|\\[{}&%$#_]|\$(?:\\[A-Za-z]+|-)\$|--", "", escape_latex(text)
    )
    assert set(left) <= set("ab ")


def test_a_table_has_its_rules_and_its_caption() -> None:
    lines = list(latex_lines([("model", False), ("Δ", True)], [["kt_1", "-2.5 [-3, -2]"]], ["5 % of it."]))
    assert r"    kt\_1 & $-$2.5 [$-$3, $-$2] \\" in lines
    assert r"  \begin{tabular}{lr}" in lines
    assert r"  \caption{5 \% of it.}" in lines
    assert [line.strip() for line in lines if "rule" in line] == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert not any("caption" in line for line in latex_lines([("a", False)], [["b"]]))


def test_a_bracket_begins_no_line() -> None:
    lines = list(latex_lines([("a", False)], [["[b]"], ["*"]]))
    assert [line.strip() for line in lines if "b]" in line or "*" in line] == [r"{}[b] \\", r"{}* \\"]


def test_long_and_wide_tables() -> None:
    long = "\n".join(latex_lines([("a", False)], [["b"]] * 41, ["All."]))
    assert long.count("b \\\\") == 41
    assert r"\begin{longtable}{l}" in long
    assert r"\caption{All.} \\" in long
    wide = "\n".join(latex_lines([("a", False), ("b", False)], [["x" * 50, "y" * 50]]))
    assert r"\footnotesize\setlength" in wide
    assert "size" not in "\n".join(latex_lines([("a", False)], [["b"]]))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_compiles_every_table(tmp_path: Path) -> None:
    """All signs that are escaped, a long table, a wide one, and those of all verbs that are for papers."""
    signs = ['a\\{}&%$#_~^<>|"∞−±≥≤Δ×·–…‖', "[b]", "-1.5", "née"]
    lines = LINES * 5
    compared = bm.compare("uniform", "kt", on=lines, docs="line")
    pairs = bm.prefer("kt", [{"good": "a b", "bad": "b a", "group": "[x]"}, {"good": "a", "bad": "b", "group": "y_1"}])
    tables = [
        comparison_paper(compared), score_paper([row.score for row in compared.rows]), pair_paper(pairs),
        sweep_paper(bm.sweep("kt", "uniform", on=lines, docs="line")), check_paper(bm.check("kt", "kt", on=lines)),
        divergence_paper(bm.divergence("uniform", "kt", LINES)), overlap_paper(bm.overlap(LINES, LINES, length=9)),
        survey_paper(survey(LINES, source="a_b")),
    ]  # fmt: skip
    parts = ["\n".join(latex_lines([(sign, False) for sign in signs], [signs] * count, signs)) for count in (2, 45)]
    for table in tables:
        stream = io.StringIO()
        print_table(table, "latex", stream)
        parts.append(stream.getvalue())
    packages = r"\documentclass{article}\usepackage{booktabs,longtable}"
    (tmp_path / "t.tex").write_text(f"{packages}\\begin{{document}}\n{chr(10).join(parts)}\n\\end{{document}}\n")
    words = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    found = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert found.returncode == 0, found.stdout[-3000:]
    # No table is wider than the page by more than the margin; captions fold.
    wide = [float(size) for size in re.findall(r"Overfull \\hbox \(([\d.]+)pt", found.stdout)]
    assert max(wide, default=0.0) < 60.0
