"""Every keyword of score() that can change a figure is in the signature; the others are listed with the reason."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from tests.models.networks import tiny

WORDS = bm.Distribution({"the": 0.4, "cat": 0.2, "</s>": 0.3, "<unk>": 0.1})
TEXT = "The cat\r\nthe dog\r\n\r\nthe café\n".encode()

#: For each keyword, two values that differ in the signature.
TELLING: dict[str, tuple[Any, Any]] = {
    "model": ("kt", "uniform"),
    "text": (b"one", b"two"),
    "docs": ("file", "line"),
    "norm": ("none", "newlines"),
    "first": ("bos", "skip"),
    "eos": ("no", "yes"),
    "oov": ("skipped", "class"),
    "den": ("scored", "original"),
    "like": ("bitmeter", "hf-docs"),
    "confidence": (0.95, 0.9),
    "cluster": ("none", "^the"),
    "ctx": ("64.32", "half"),
    "given": ("context", "other"),
    "between": ("", " "),
    "border": ("whole", "apart"),
}

#: Keywords whose value is not in the signature, and why.
INERT = {
    "field": "the text that it chooses is in the signature by its hash",
    "group": "what is summed apart; the figure is the same",
    "alternatives": "what else the trace tells; the figure is the same",
    "trace": "where to write; the figure is the same",
    "force": "whether to overwrite; the figure is the same",
    "workers": "who does it; the figure is the same to the last bit (tests/scale/test_scoring.py)",
    "engine": "who does it; the figure is the same to the last bit",
    "address": "who does it; the figure is the same to the last bit",
    "progress": "whom to tell; the figure is the same",
    "documents": "whom to tell; the figure is the same",
}


def test_every_keyword_is_accounted_for() -> None:
    assert set(inspect.signature(bm.score).parameters) == set(TELLING) | set(INERT)


@pytest.mark.parametrize("keyword", TELLING)
def test_another_value_is_another_signature(keyword: str) -> None:
    usual: dict[str, Any] = {"model": WORDS, "text": TEXT * 40, "docs": "line"}
    if keyword == "ctx":
        usual |= {"model": tiny(), "text": TEXT}
    elif keyword in ("given", "between", "border"):
        rows = [{"context": "the ", "other": "a ", "answer": "cat"}]
        usual = {"model": "kt", "text": bm.Corpus.from_records(rows, field="answer"), "given": "context"}
    elif keyword != "model":
        usual["oov"] = "skipped"  # the text has words that the table does not know
    first, second = (bm.score(**{**usual, keyword: value}) for value in TELLING[keyword])
    assert str(first.signature) != str(second.signature)
    assert first.signature.short != second.signature.short


def test_every_value_of_every_convention_is_distinguished() -> None:
    from bitmeter.measure.conventions.settings import _SAME, MEANINGS

    for key in ("first", "eos", "den", "norm"):
        seen = set()
        for value in MEANINGS[key]:
            usual: dict[str, Any] = {"docs": "line", "oov": "skipped", key: value}
            if value in ("uniform", "eos"):
                continue  # a table of words has no fixed number of units and no tokens; tested with others
            if value in _SAME:
                assert (
                    bm.score(WORDS, TEXT, **usual).signature
                    == bm.score(WORDS, TEXT, **{**usual, key: _SAME[value]}).signature
                )
                continue
            seen.add(str(bm.score(WORDS, TEXT, **usual).signature))
        assert len(seen) == len([value for value in MEANINGS[key] if value not in ("uniform", "eos", *_SAME)])
    a, b = bm.score("uniform", TEXT, first="uniform"), bm.score("uniform", TEXT)
    assert a.signature != b.signature


def test_field_changes_the_hash_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": "one", "b": "two"}\n')
    first, second = (bm.score("kt", path, field=field).signature for field in ("a", "b"))
    assert first.text != second.text


def test_inert_keywords_leave_figure_and_signature_alone(tmp_path: Path) -> None:
    plain = bm.score("kt", TEXT)
    reported: list[float] = []
    other = bm.score(
        "kt",
        TEXT,
        trace=tmp_path / "t.parquet",
        force=True,
        ctx="full",
        progress=lambda step: reported.append(step.done),
    )
    assert (other.nats, other.signature) == (plain.nats, plain.signature)
    assert reported[-1] == len(TEXT)


def test_the_same_run_has_the_same_signature() -> None:
    assert bm.score("kt", TEXT).signature == bm.score("kt", TEXT).signature
