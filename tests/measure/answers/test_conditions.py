"""Answers given contexts: the chain rule, every kind of model, borders, windows."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from tests.models.networks import tiny

TEXT = b"to be or not to be\nthat is the question\nwhether it is nobler\n" * 5
ROWS = [
    {"q": "to be or not ", "a": "to be", "d": "x"},
    {"q": "", "a": "that is", "d": "y"},
    {"q": "that is the ", "a": "question", "d": "x"},
]


def corpus(rows: list[dict[str, str]]) -> bm.Corpus:
    return bm.Corpus.from_records(rows, field="a")


def of(rows: list[dict[str, str]], model: Any, **keywords: Any) -> bm.Score:
    return bm.score(model, corpus(rows), given="q", **keywords)


def models() -> dict[str, Any]:
    words, letters = bm.NGram(order=3).fit(TEXT), bm.NGram(order=4, units="bytes").fit(TEXT)
    return {
        "kt": bm.load("kt"),
        "universal": bm.Universal("small"),
        "bytes": letters,
        "words": words,
        "mixture": bm.MixtureModel([letters, bm.NGram(order=2, units="bytes").fit(TEXT)]),
        "cache": bm.MixtureModel([words, bm.Cache()]),
        "table": bm.Distribution(dict.fromkeys(range(256), 1 / 256)),
    }


@pytest.mark.parametrize("name", ["kt", "universal", "bytes", "words", "mixture", "table"])
def test_chain_rule(name: str) -> None:
    """−log P(answer | context) is the cost of both less that of the context; words have a space at the border here."""
    model = models()[name]
    if name == "table":
        model = bm.load("uniform")
    found = of(ROWS, model)
    assert found.by_document is not None
    for row, nats in zip(ROWS, found.by_document.nats.tolist(), strict=True):
        # The context's cost is that of its units within the whole, because a text that ends there is another text.
        whole = bm.score(model, (row["q"] + row["a"]).encode()).trace
        before = len(row["q"].encode())
        assert nats == pytest.approx(sum(u.bits for u in whole if u.start >= before) * math.log(2), rel=1e-12)
    assert found.bytes == sum(len(row["a"]) for row in ROWS)
    assert found.documents == 3


def test_a_model_that_learns_starts_afresh() -> None:
    for name in ("kt", "universal", "cache"):
        model = models()[name]
        both, alone = of(ROWS, model), [of([row], model) for row in ROWS]
        assert both.by_document is not None
        assert both.by_document.nats.tolist() == [score.nats for score in alone]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.text("tobe \n", max_size=9), st.text("tobe \n", min_size=1, max_size=5)), min_size=1))
def test_batches_change_nothing(pairs: list[tuple[str, str]]) -> None:
    rows = [{"q": a, "a": b} for a, b in pairs]
    model = bm.NGram(order=3, units="bytes").fit(TEXT)
    whole = of(rows, model)
    parts = [of([row], model) for row in rows]
    assert whole.by_document is not None
    assert whole.by_document.nats.tolist() == [part.nats for part in parts]
    assert whole.bytes == sum(part.bytes for part in parts)
    assert whole.chars == sum(part.chars for part in parts)


def test_an_empty_context_is_a_text_alone() -> None:
    rows = [{"q": "", "a": row["a"]} for row in ROWS]
    for model in (models()["bytes"], models()["words"], tiny()):
        plain = bm.score(model, bm.Corpus.from_documents([row["a"] for row in rows]))
        found = of(rows, model)
        assert (found.nats, found.bytes, found.tokens) == (plain.nats, plain.bytes, plain.tokens)


def test_files_norm_and_between(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"q": "To  BE", "a": "Or"}) + "\n" for _ in range(3)))
    found = bm.score("kt", path, field="a", given="q", norm="lower", between=" ")
    assert found.nats == of([{"q": "to  be", "a": " or"}] * 3, "kt").nats
    assert found.bytes == 9


def test_first_unit_of_a_context_is_not_the_answers() -> None:
    """Where something stands before an answer, `first` has no say in it."""
    skipped, uniform = of(ROWS, "kt", first="skip"), of(ROWS, "kt", first="uniform")
    plain = of(ROWS, "kt")
    assert (skipped.skipped, skipped.bytes) == (1, plain.bytes - 1)
    assert uniform.nats == pytest.approx(plain.nats, abs=1e-9)  # kt's first byte is uniform anyway


def test_ends_are_predicted_after_answers() -> None:
    model = models()["words"]
    with_end, without = of(ROWS, model, eos="yes", oov="class"), of(ROWS, model, oov="class")
    assert with_end.tokens == (without.tokens or 0) + 3


def test_long_contexts_are_cut_on_the_left() -> None:
    model = tiny()
    window = 16
    long = {"q": "to be or not " * 40, "a": "to be"}
    found = of([long], model, ctx=f"{window}.8")
    assert any("cut on the left" in note for note in found.notes)
    ids = model.units.split((long["q"] + long["a"]).encode()).ids
    answer = found.tokens or 0
    prefix = model.with_context(f"{window}.8", model.default_first).windowing.prefix
    lead = [] if prefix is None else [prefix]
    seen = np.array([*lead, *ids[-(window - len(lead)) :]], dtype=np.int64)
    [logs] = model.score_sequences([seen], [len(seen) - answer])
    assert found.nats == pytest.approx(-float(np.sum(logs)), rel=1e-9)


def test_an_answer_longer_than_a_window_is_scored_whole() -> None:
    found = of([{"q": "to be", "a": " or not to be" * 20}], tiny(), ctx="16.8")
    assert found.tokens == len(found.trace)
    assert found.skipped == 0
    with pytest.raises(bm.BitmeterError, match="leave contexts out"):
        of(ROWS, tiny(), ctx="half.16")


def test_borders_of_a_tokenizer() -> None:
    model = bm.load(f"hf:{Path(__file__).parents[2] / 'parity' / 'tiny'}")
    rows = [{"q": "This is a sub", "a": "class of it"}, {"q": "to be or not ", "a": "to be"}]
    whole, apart, moved = (of(rows, model, border=border) for border in ("whole", "apart", "lm-eval"))
    assert any("begin within a unit" in note for note in whole.notes)
    assert not any("begin within a unit" in note for note in apart.notes)
    assert apart.bytes == whole.bytes == moved.bytes - 1  # the space of "not " is the answer's for lm-eval
    assert len({whole.signature.given, apart.signature.given, moved.signature.given}) == 3
    units = model.units
    apart_tokens = sum(len(units.split(row["a"].encode())) for row in rows)
    assert apart.tokens == apart_tokens


def test_the_signature_holds_the_contexts() -> None:
    one, same = of(ROWS, "kt"), of(ROWS, "uniform")
    other = of([{**row, "q": row["q"] + "!"} for row in ROWS], "kt")
    assert one.signature.given == same.signature.given != other.signature.given
    assert bm.score("kt", b"x").signature.given == "none"
    assert "given" not in str(bm.score("kt", b"x").signature)
    with pytest.raises(bm.BitmeterError, match="given differs"):
        bm.compare(one, other)
    assert bm.compare(one, same).best.model == "kt"
    assert bm.Score.from_json(one.to_json()) == one


def test_macro_is_the_mean_over_answers() -> None:
    found = of(ROWS, "kt")
    assert found.by_document is not None
    assert found.macro is not None
    each = found.by_document.nats / found.by_document.bytes / math.log(2)
    assert found.macro.estimate == pytest.approx(float(each.mean()))


def test_plugins_are_given_contexts() -> None:
    class Last:
        """p depends on the byte before: that of the context, too."""

        name, fingerprint, units = "last", "last-1", bm.units_of("bytes")

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            before = np.concatenate(([0], ids[:-1]))
            before[bounds[:-1][np.diff(bounds) > 0]] = 0
            return np.where(before > 0, -1.0, -2.0)

    found = bm.score(Last(), corpus([{"q": "a", "a": "bc"}, {"q": "", "a": "bc"}]), given="q")
    assert found.by_document is not None
    assert found.by_document.nats.tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("model", "keywords", "message"),
    [
        ("zstd", {"given": "q"}, "gives only the size of a whole text"),
        ("kt", {"border": "apart"}, "name the field of the contexts"),
        ("kt", {"between": " "}, "name the field of the contexts"),
        ("kt", {"given": "q", "border": "left"}, "border is 'left'"),
        ("kt", {"given": 3}, "must be the name of a field"),
        ("kt", {"given": "nope"}, "has no field 'nope'"),
    ],
)
def test_refusals(model: str, keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(bm.BitmeterError, match=message):
        bm.score(model, corpus(ROWS), **keywords)


def test_words_cannot_be_split_apart() -> None:
    with pytest.raises(bm.BitmeterError, match="cannot be split apart"):
        of(ROWS, models()["words"], border="apart")
