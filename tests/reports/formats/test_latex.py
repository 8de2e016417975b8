"""LaTeX with booktabs."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bitmeter.reports.formats.latex import escape_latex, latex_lines


@given(st.text(alphabet='ab\\{}&%$#_~^<>|"∞−±Δ–…\n'))
def test_no_sign_keeps_its_meaning(text: str) -> None:
    left = re.sub(r"\\(?:text[a-z]+|dots)\{\}|\\[{}&%$#_]|\$(?:\\[A-Za-z]+|-)\$|--", "", escape_latex(text))
    assert set(left) <= set("ab ")


def test_a_table_has_its_rules_and_its_caption() -> None:
    lines = list(latex_lines([("model", False), ("Δ", True)], [["kt_1", "-2.5 [-3, -2]"]], ["5 % of it."]))
    assert r"    kt\_1 & $-$2.5 [$-$3, $-$2] \\" in lines
    assert r"  \begin{tabular}{lr}" in lines
    assert r"  \caption{5 \% of it.}" in lines
    assert [line.strip() for line in lines if "rule" in line] == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert not any("caption" in line for line in latex_lines([("a", False)], [["b"]]))
