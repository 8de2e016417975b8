"""Minimal pairs: accuracies and margins against costs, forms of files, ties."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.answers.pairs import PAIR_PER, PairPer

WORDS = bm.NGram(order=3).fit(b"the cats sleep\nthe cat sleeps\na dog barks\n" * 9)
PAIRS = [
    {"good": "the cats sleep", "bad": "the cats sleeps", "group": "verb"},
    {"good": "the cat sleep", "bad": "the cat sleeps", "group": "verb"},
    {"good": "same", "bad": "same", "group": "tie"},
    {"good": "a dog barks", "bad": "a dog café barks aloud", "group": "long"},
]
BLIMP = [
    {
        "sentence_good": p["good"],
        "sentence_bad": p["bad"],
        "field": "syntax",
        "linguistics_term": "x",
        "UID": p["group"],
    }
    for p in PAIRS
]


def test_accuracy_ties_and_groups() -> None:
    found = bm.prefer(WORDS, PAIRS)
    assert (found.accuracy.right, found.accuracy.items, found.accuracy.ties) == (2.5, 4, 1)
    assert {g.name: g.accuracy.share for g in found.groups} == {"verb": 0.5, "tie": 0.5, "long": 1.0}
    assert found.macro is not None
    assert found.macro.estimate == pytest.approx((0.5 + 0.5 + 1.0) / 3)


def test_costs_are_those_of_score() -> None:
    for model in (WORDS, bm.load("kt"), bm.Universal("small")):
        found = bm.prefer(model, PAIRS)
        for good, bad, pair in zip(found.good, found.bad, PAIRS, strict=True):
            assert good == bm.score(model, pair["good"].encode()).nats
            assert bad == bm.score(model, pair["bad"].encode()).nats


@pytest.mark.parametrize("per", PAIR_PER)
def test_what_costs_are_divided_by(per: PairPer) -> None:
    found = bm.prefer("kt", PAIRS, per=per)
    counts: dict[str, Callable[[str], int]] = {
        "total": lambda _: 1, "byte": lambda t: len(t.encode()), "char": len, "token": lambda t: len(t.encode()),
        "word": lambda t: len(t.split()),
    }  # fmt: skip
    sizes = counts[per]
    expected = [
        (b / sizes(p["bad"]) - g / sizes(p["good"])) / math.log(2)
        for g, b, p in zip(found.good, found.bad, PAIRS, strict=True)
    ]
    assert found.margins.tolist() == pytest.approx(expected)
    assert f"per:{per}" in found.signature


def test_blimp_csv_and_several_files(tmp_path: Path) -> None:
    plain = bm.prefer(WORDS, PAIRS)
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in BLIMP[:2]), encoding="utf-8")
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in BLIMP[2:]), encoding="utf-8")
    (tmp_path / "c.tsv").write_text(
        "good\tbad\tgroup\n" + "".join("\t".join(p.values()) + "\n" for p in PAIRS), encoding="utf-8"
    )
    for source in ([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], BLIMP, tmp_path / "c.tsv"):
        found = bm.prefer(WORDS, source)
        assert found.good.tolist() == plain.good.tolist()
        assert [g.name for g in found.groups] == ["verb", "tie", "long"]
    by_term = bm.prefer(WORDS, BLIMP, group="linguistics_term")
    assert [g.name for g in by_term.groups] == ["x"]


def test_a_row_per_pair() -> None:
    found = bm.prefer(WORDS, PAIRS)
    frame = found.to_pandas()
    assert frame["margin_bits"].tolist() == found.margins.tolist()
    assert frame["pair"].tolist() == [1, 2, 3, 4]
    assert frame.attrs["signature"] == found.signature
    # The run of all sentences is kept, and its costs are those of the pairs.
    assert found.score is not None
    assert found.short == found.score.signature.short == found.to_dict()["short"]
    assert found.score.nats == pytest.approx(float(found.good.sum() + found.bad.sum()))


def test_impossible_sentences() -> None:
    model = bm.Distribution({"a": 0.5, "b": 0.5})
    pairs = [{"good": "a", "bad": "c"}, {"good": "c", "bad": "d"}]
    found = bm.prefer(model, pairs)
    assert (found.accuracy.right, found.accuracy.ties) == (1.5, 1)
    assert found.margin is None
    assert np.isinf(found.margins[0])
    assert any("impossible on both sides" in note for note in found.notes)
    json.loads(found.to_json())


def test_masked_models() -> None:
    folder = Path(__file__).parents[2] / "parity" / "answers" / "masked"
    found = bm.prefer(f"mlm:{folder}", [{"good": "the cats run.", "bad": "the cat run."}])
    assert found.pseudo
    assert found.signature.startswith("pseudo:PLL-word-l2r")
    assert "no perplexity" in " ".join(str(found).split())
    with pytest.raises(bm.BitmeterError, match="which has no ctx"):
        bm.prefer(f"mlm:{folder}", PAIRS, ctx="8.4")


def test_refusals() -> None:
    with pytest.raises(bm.BitmeterError, match="there are no pairs"):
        bm.prefer(WORDS, [])
    with pytest.raises(bm.BitmeterError, match="per is 'bit'"):
        bm.prefer(WORDS, PAIRS, per="bit")  # type: ignore[arg-type]
    with pytest.raises(bm.BitmeterError, match="has no field 'bad'"):
        bm.prefer(WORDS, [{"good": "a"}])
    with pytest.raises(bm.BitmeterError, match="group by"):
        bm.prefer(WORDS, PAIRS, group="nope")
    with pytest.raises(bm.BitmeterError, match="whole file"):
        bm.prefer("zstd", PAIRS)


@pytest.mark.parametrize("row", [{"good": "", "bad": "abc"}, {"good": "abc", "bad": ""}])
def test_an_empty_sentence_does_not_win(row: dict[str, str]) -> None:
    with pytest.raises(bm.errors.RecordError, match="is empty, and a sentence without a unit costs nothing"):
        bm.prefer("kt", [row])
