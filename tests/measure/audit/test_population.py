"""All units of the text with their histories, costs and places; or those of the documents that were sampled."""

from __future__ import annotations

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.audit.population import population_of
from bitmeter.measure.audit.subject import Subject, choose_samples
from bitmeter.measure.trace import tracer
from tests.coding.models import words

LINES = b"".join(b"line %d of the text\n" % i for i in range(500))


def made(name: str, docs: str = "line") -> tuple[Subject, bm.Score]:
    corpus, model = bm.Corpus.from_text(LINES, docs=docs), bm.load(name)
    score = bm.score(model, corpus)
    assert isinstance(model, bm.Model)
    return Subject(model, choose_samples(model, corpus, score, 0), spells=False), score


def test_units_of_the_whole_text_with_what_came_before_in_their_document() -> None:
    subject, score = made("uniform")
    found = population_of(subject, score)
    assert found.whole
    assert (found.units, found.size) == (len(LINES), len(LINES))
    for position in (0, 1, 17, 4_000, len(LINES) - 1):
        begin = LINES.rfind(b"\n", 0, position) + 1
        assert bytes(found.history(position).tolist()) == LINES[begin:position]
        assert bytes(found.history(position, 3).tolist()) == LINES[max(begin, position - 3) : position]
        assert found.histories[position] == position - begin
        assert found.place_of(position) == {
            "byte": position,
            "document": LINES[:position].count(b"\n"),
            "unit": repr(chr(LINES[position])),
        }
    np.testing.assert_array_equal(found.costs_of(subject, np.array([5, 3])), score.trace.logprob[[5, 3]])


def test_a_model_that_goes_on_costs_what_it_costs_in_a_document_alone() -> None:
    subject, score = made("kt")
    found = population_of(subject, score)
    assert found.alone
    positions = np.array([4_000, 2])
    begin = LINES.rfind(b"\n", 0, 4_000) + 1
    alone = bm.load("kt").logprobs(np.frombuffer(LINES[begin:4_001], dtype=np.uint8), np.array([0, 4_001 - begin]))
    np.testing.assert_allclose(found.costs_of(subject, positions), [alone[-1], score.trace.logprob[2]])
    assert not population_of(*made("kt", "file")).alone


def test_where_costs_are_not_kept_the_samples_are_all_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracer, "KEPT_UNITS", 100)
    subject, score = made("uniform")
    found = population_of(subject, score)
    assert not found.whole
    assert found.size == sum(len(sample.data) for sample in subject.samples) < len(LINES)
    assert found.place_of(0) == {"byte": 0, "document": 0, "unit": "'l'"}
    audit = bm.audit("uniform", bm.Corpus.from_text(LINES, docs="line"))
    assert audit.verdict == "unproven"
    assert "the text is too long to keep what each unit costs" in str(audit.missing[0].summary)
    whole = bm.audit("uniform", LINES)
    assert whole.verdict == "proven"


def test_words_are_one_unit_each() -> None:
    model = words()
    corpus = bm.Corpus.from_text(LINES)
    score = bm.score(model, corpus)
    subject = Subject(model, choose_samples(model, corpus, score, 0), spells=True)
    found = population_of(subject, score)
    assert found.alone
    assert found.units == score.tokens
    assert found.place_of(1)["byte"] == len("line ")
