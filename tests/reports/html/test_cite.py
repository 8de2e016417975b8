from __future__ import annotations

import json

import bitmeter as bm
from bitmeter.measure.compare import compare_scores
from bitmeter.reports.html.cite import as_bibtex, as_json, as_latex, as_text, latex_escaped

TEXT = b"".join(b"line %d of a small text\n" % i for i in range(30))


def scores() -> list[bm.Score]:
    return [bm.score(name, TEXT, docs="line") for name in ("kt", "uniform")]


def test_text_has_figure_total_counts_and_signature() -> None:
    found = as_text(scores(), ["kt", "uniform"]).splitlines()
    assert found[2].startswith("uniform: 8.0000 ± 0 bits per byte, ")
    assert f"{len(TEXT):,} tokens" in found[2]
    assert bm.Signature.parse(found[3].strip()) == scores()[1].signature


def test_json_has_the_figures_and_the_comparison() -> None:
    runs = scores()
    found = json.loads(as_json(runs, compare_scores(runs, 0.95)))
    assert found["runs"][1]["bits_per_byte"] == 8.0
    assert found["comparison"]["rows"][1]["difference"] > 0
    assert "by_document" not in found["runs"][0]


def test_latex_escapes_names() -> None:
    found = as_latex(scores(), ["a_b & c", "100%"])
    assert r"a\_b \& c & " in found
    assert found.count(r"\\") == 3
    assert latex_escaped("\\~^<") == r"\textbackslash{}\textasciitilde{}\textasciicircum{}\textless{}"


def test_bibtex_names_the_signatures() -> None:
    found = as_bibtex(scores(), 2026)
    assert all(score.signature.short in found for score in scores())
    assert found.count("{") == found.count("}")
