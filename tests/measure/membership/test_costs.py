"""Statistics of costs alone: from one pass, from a score that is there already, and of models that do not predict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.membership.costs import by_costs, costs_of_documents, names_of_documents
from tests.coding.models import TEXT, Plain
from tests.models.networks import TINY
from tests.models.serving import serving

TEXTS = bm.Corpus.from_documents(["to be or not", "to be", "", "question"])
NULL = bm.Corpus.from_documents(["that is", "the question"])


class Scores:
    """Gives costs, and does not predict; counts what it is shown."""

    name, fingerprint, units = "scores", "scores-1", bm.units_of("bytes")

    def __init__(self) -> None:
        self.shown = 0

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        self.shown += len(ids)
        return Plain().logprobs(ids, bounds)


def values(found: bm.TextStatistics) -> list[list[float]]:
    return [one.values.tolist() for one in found.statistics]


def test_a_model_that_does_not_predict_has_the_figures_of_one_that_does_in_one_pass() -> None:
    model = Scores()
    found = bm.text_statistics(model, TEXTS, at="min-k,zlib", null=NULL)
    assert model.shown == sum(len(document.data) for corpus in (TEXTS, NULL) for document in corpus.documents())
    rows = bm.text_statistics(Plain(), TEXTS, at="min-k,zlib,min-k++", null=NULL)
    np.testing.assert_allclose(values(found), values(rows)[:2], rtol=1e-12)
    assert found.documents == rows.documents
    for one, other in zip(found.statistics, rows.statistics, strict=False):
        np.testing.assert_allclose(one.quantiles, other.quantiles)
    with pytest.raises(bm.errors.ModelError, match="does not expose the distribution"):
        bm.text_statistics(Scores(), TEXTS, at="min-k++")


def test_a_score_that_is_there_is_not_measured_again() -> None:
    model = Scores()
    score, null = bm.score(model, TEXTS), bm.score(model, NULL)
    shown = model.shown
    found = bm.text_statistics(score, at="min-k,zlib", null=null)
    assert model.shown == shown
    np.testing.assert_allclose(values(found), values(bm.text_statistics(Plain(), TEXTS, at="min-k,zlib")), rtol=1e-12)
    assert found.documents == (f"{score.text}:1", f"{score.text}:2", f"{score.text}:4")
    for wrong, said in (
        ({"at": "min-k++"}, "needs whole predictions"),
        ({"at": "zlib", "text": TEXTS}, "knows its text"),
        ({"at": "zlib", "null": NULL}, "must be a score, too"),
        ({"at": "zlib", "null": bm.score("uniform", NULL)}, "score both by one model"),
    ):
        with pytest.raises(bm.errors.BitmeterError, match=said):
            bm.text_statistics(score, **wrong)
    with pytest.raises(bm.errors.UndefinedError, match="no trace"):
        bm.text_statistics(bm.Score.from_json(score.to_json()), at="zlib")


def test_a_network_scores_in_batches_what_predictions_give_one_by_one() -> None:
    model = bm.load(f"hf:{TINY},dtype=float64")
    assert isinstance(model, bm.Model)
    texts = bm.Corpus.from_documents(["The harbour was quiet.", "Rain fell on the town.", "x"])
    assert by_costs(model, texts)
    np.testing.assert_allclose(
        values(bm.text_statistics(model, texts, at="min-k,zlib")),
        values(bm.text_statistics(model, texts, at="min-k,zlib,min-k++"))[:2],
        rtol=1e-9,
    )


def test_an_endpoint_that_skips_the_first_token_leaves_it_out() -> None:
    with serving("vllm", adds_bos=False) as server:
        model = bm.Endpoint(server.url, "tiny", wait=0.001)
        score = bm.score(model, b"The harbour was quiet.\n")
        [(document, data, logs)] = costs_of_documents(score)
        found = bm.text_statistics(model, b"The harbour was quiet.\n", at="zlib")
    assert (document, data, score.skipped) == (0, b"The harbour was quiet.\n", 1)
    assert len(logs) == len(score.trace) - 1
    assert found.statistics[0].values[0] > 0.0


@pytest.mark.parametrize("kind", ["file", "line", "records", "two files", "joined"])
def test_documents_have_the_names_that_the_corpus_gives(kind: str, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(TEXT + b"\nmore\n")
    both = [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]
    corpus = {
        "file": lambda: bm.Corpus(both[0]),
        "line": lambda: bm.Corpus(both, docs="line"),
        "records": lambda: bm.Corpus.from_records([{"text": "a"}, {"text": "b"}]),
        "two files": lambda: bm.Corpus(both),
        "joined": lambda: bm.Corpus(both, docs="joined"),
    }[kind]()
    expected = [document.name for document in corpus.documents()]
    bm.score("uniform", corpus)
    assert names_of_documents(corpus, list(range(len(expected)))) == expected


def test_what_learns_or_spells_is_predicted_document_by_document() -> None:
    kt, words = bm.load("kt"), bm.NGram(order=2).fit(TEXT)
    assert isinstance(kt, bm.Model)
    assert not by_costs(kt, TEXTS)
    assert not by_costs(words, TEXTS)


def test_units_that_are_left_out_for_another_reason_are_an_error() -> None:
    score = bm.score(bm.Distribution({"to": 0.5, "be": 0.5}), b"to be or not", oov="skipped")
    assert score.skipped
    with pytest.raises(bm.errors.UndefinedError, match="left out by the conventions"):
        list(costs_of_documents(score))
