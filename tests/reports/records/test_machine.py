"""What programs read: every figure, in both units, with the conventions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.reports.formats.table import Table
from bitmeter.reports.records.machine import (
    comparison_document,
    comparison_records,
    divergence_document,
    divergence_records,
    figures_of,
    quotient,
    score_document,
    score_records,
    survey_records,
    trace_records,
)

LINES = b"".join(b"line %d of a small text\n" % i for i in range(20))


def rows(table: Table) -> list[dict[str, object]]:
    names = [column.name for column in table.columns]
    assert len(set(names)) == len(names)
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_the_figures_of_a_uniform_model() -> None:
    """By hand: 8 bits per byte, so that four bytes cost 32 bits, and a perplexity of 256 per byte."""
    found = figures_of(bm.score("uniform", b"a bb"))
    assert (found["bits"], found["bits_per_byte"], found["bits_per_word"]) == (32.0, 8.0, 16.0)
    assert found["perplexity_per_byte"] == 256.0
    assert found["perplexity_per_word"] == 2.0**16
    assert found["nats_per_token"] == pytest.approx(8 * math.log(2.0), rel=1e-15)
    assert found["bits_per_document"] == 32.0


def test_what_is_not_defined_is_none() -> None:
    closed = bm.score("uniform:10000", LINES)
    assert quotient(closed, "byte") is None
    assert quotient(closed, "token") == pytest.approx(math.log2(10000))
    total = bm.score("zlib", LINES)
    assert quotient(total, "token") is None
    empty = bm.score("kt", b"")
    assert set(figures_of(empty).values()) == {0.0, None}
    long = bm.score("uniform", b"x" * 200)
    assert quotient(long, "word", "perplexity") is None  # 2^1600
    assert quotient(long, "word") == 1600.0


def test_a_run_is_in_its_document() -> None:
    score = bm.score("kt", LINES, docs="line", like="lm-eval")
    found = score_document(score)
    assert bm.Score.from_json(score.to_json()).to_dict().items() <= {**found, "schema": "bitmeter.score/1"}.items()
    printed = found["tool"]["figures"]["byte_perplexity"]
    assert printed == pytest.approx(found["figures"]["perplexity_per_byte"], rel=1e-12)
    assert (found["short"], found["signature"]) == (score.signature.short, str(score.signature))


def test_rows_of_scores() -> None:
    scores = [bm.score("kt", LINES, docs="line"), bm.score("uniform:10000", LINES, docs="line")]
    byte, token = rows(score_records(scores))
    assert byte["bits_per_byte"] == scores[0].bits_per_byte
    assert (byte["interval_per"], token["interval_per"]) == ("byte", "token")
    assert scores[0].interval is not None
    assert (byte["low"], byte["high"]) == (scores[0].interval.low, scores[0].interval.high)
    assert token["bits_per_byte"] is None
    tool = rows(score_records([bm.score("kt", LINES, like="lm-eval", ctx="full")]))[0]
    assert tool["lm_eval_byte_perplexity"] == pytest.approx(tool["perplexity_per_byte"], rel=1e-12)


def test_a_comparison() -> None:
    found = bm.compare("uniform", "kt", on=LINES, docs="line")
    base, other = rows(comparison_records(found))
    assert base["reason"] == "baseline"
    assert other["difference_bits"] == found.rows[1].difference
    assert other["difference_nats"] == pytest.approx(found.rows[1].difference * math.log(2.0), rel=1e-15)
    assert other["p_value"] == found.rows[1].p_value
    document = comparison_document(found)
    assert document["rows"][1]["figures"]["perplexity_per_token"] == other["perplexity_per_token"]
    assert document["rows"][1]["short"] == found.rows[1].score.signature.short


def test_a_divergence() -> None:
    found = bm.divergence("uniform", "kt", LINES)
    document, (row,) = divergence_document(found), rows(divergence_records(found))
    assert row["first_perplexity_per_token"] == pytest.approx(256.0, rel=1e-12)
    assert document["models"][1]["bits"] == pytest.approx(bm.score("kt", LINES).bits, rel=1e-9)
    assert row["second_nats"] == document["models"][1]["nats"]
    assert (found.bytes, found.words, found.documents) == (len(LINES), len(LINES.split()), 1)
    assert found.signatures[1].text == bm.score("kt", LINES).signature.text
    impossible = bm.Divergence(
        "p", "q", "t", np.array([math.inf]), np.array([True]), np.zeros(1), np.array([-math.inf])
    )
    assert divergence_document(impossible)["models"][1]["perplexity_per_token"] == "inf"
    unlikely = bm.Divergence("p", "q", "t", np.ones(1), np.array([True]), np.zeros(1), np.array([-800.0]))
    assert divergence_document(unlikely)["models"][1]["perplexity_per_token"] is None


def test_units_of_a_trace() -> None:
    trace = bm.score("uniform", b"a\t\xff", alternatives=1).trace
    table = trace_records(trace, trace, detailed=trace.detailed, escaped=False)
    first, tab, odd = rows(table)
    assert (first["bits"], first["entropy_bits"], tab["unit"], odd["unit"]) == (8.0, 8.0, "\t", "\\xff")
    assert table.about["signature"] == str(trace.signature)
    escaped = rows(trace_records(trace, trace, detailed=False, escaped=True))
    assert [row["unit"] for row in escaped] == ["a", r"\t", r"\xff"]


def test_an_entropy_in_both_units() -> None:
    from bitmeter.measure.survey import survey

    found = rows(survey_records(survey(LINES, orders=1)))
    assert sum(bool(row["headline"]) for row in found) == 1
    for row in found:
        assert isinstance(row["bits"], float)
        assert row["nats"] == pytest.approx(row["bits"] * math.log(2.0), rel=1e-12)
