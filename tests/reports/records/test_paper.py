"""Tables for a paper."""

from __future__ import annotations

import bitmeter as bm
from bitmeter.reports.records.paper import caption, comparison_paper, score_paper, stars

AB = bm.Corpus.from_documents([b"a" * (20 + 7 * i % 5) + b"b" * (3 * i % 4) for i in range(20)], name="ab")
BA = bm.Corpus.from_documents([b"b" * (20 + 7 * i % 5) + b"a" * (3 * i % 4) for i in range(20)], name="ba")


def test_models_by_texts_with_marks() -> None:
    likely = bm.Distribution({"a": 0.8, "b": 0.2})
    scores = [bm.score(model, text) for text in (AB, BA) for model in ("uniform", likely)]
    table = score_paper(scores)
    first, second = list(table.rows)
    assert [column.name for column in table.columns] == ["model", "ab", "ba"]
    assert not any(str(cell).endswith("*") for cell in first)
    expected = [bm.compare("uniform", likely, on=text).rows[1].p_value for text in (AB, BA)]
    for cell, p_value in zip(second[1:], expected, strict=True):
        assert str(cell).endswith(stars(p_value) + "") and stars(p_value)  # noqa: PT018
    said = " ".join(table.caption)
    assert "*** p < .001" in said
    assert "ab: 20, ba: 20" in said
    assert "the end of a document is not predicted" in said
    for score in scores:
        assert score.signature.short in said


def test_what_must_not_be_compared_is_said() -> None:
    said = " ".join(score_paper([bm.score(model, AB) for model in ("uniform", "uniform:100")]).caption)
    assert "No differences are marked on ab:" in said
    assert "do not compare" in said


def test_a_comparison() -> None:
    table = comparison_paper(bm.compare("uniform", "kt", on=AB))
    rows = list(table.rows)
    assert rows[0][:3] == ["uniform:256", "8.0000", "baseline"]
    assert [column.name for column in table.columns] == ["model", "bits/byte", "Δ [95 %]", "p"]
    assert "Difference Δ in bits per byte against uniform:256 on ab" in table.caption[0]


def test_conventions_that_differ_name_the_models() -> None:
    stated = caption([bm.score("kt", AB), bm.score("uniform", AB, first="skip")])[0]
    assert "uniform:256: a document's first unit" in stated
