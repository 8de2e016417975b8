"""Honest models are not accused: they are proven, or it is said what could not be checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from tests.coding.models import CASES, TEXT, Plain
from tests.models.networks import TINY, tiny
from tests.models.serving import serving


def lines(text: bytes) -> bm.Corpus:
    return bm.Corpus.from_text(text, docs="line")


@pytest.mark.parametrize("name", CASES)
def test_models_that_predict_are_proven(name: str) -> None:
    model, text = CASES[name]
    for found in (bm.audit(model, text), bm.audit(model, lines(text))):
        assert found.verdict == "proven", str(found)
        assert found.findings == ()
        assert found.sums < 1e-6
        assert found.agrees < 1e-6
        assert found.peeks == 0.0
        assert found.file is (True if name.startswith("ngram") else None)
        assert found.score is not None
        assert found.correction is None


def test_what_learns_as_it_reads_is_proven() -> None:
    for name in ("universal:small", "universal"):
        assert bm.audit(name, TEXT * 30).verdict == "proven"
    assert bm.audit("universal:small", lines(TEXT * 30)).verdict == "proven"


@pytest.mark.parametrize(("units", "text"), [("bytes", TEXT * 4), ("chars", TEXT * 4 + "ünbekannt 日".encode())])
def test_n_grams_of_other_units_are_proven(units: str, text: bytes) -> None:
    model = bm.NGram(order=3, units=units).fit(TEXT)
    assert bm.audit(model, text).verdict == "proven"


def test_words_with_unknown_ones_spelled_are_proven_and_their_spelling_is_checked() -> None:
    found = bm.audit(bm.NGram(order=3).fit(TEXT * 3), TEXT + "ünknöwn wörds\t here\n".encode())
    assert found.verdict == "proven"
    assert found.score is not None
    assert found.score.oov > 0
    spelled = found.check("spelling")
    assert spelled is not None
    assert spelled.status == "passed"


def test_a_rounded_model_sums_to_less_and_is_proven(tmp_path: Any) -> None:
    bm.NGram(order=3).fit(TEXT * 3).save(tmp_path / "m.bmn")
    bm.convert(tmp_path / "m.bmn", tmp_path / "c.bmn", compact=True)
    found = bm.audit(tmp_path / "c.bmn", TEXT)
    assert found.verdict == "proven", str(found)
    check = found.check("sums")
    assert check is not None
    assert "makes the figure higher, never lower" in check.summary


class NotPredicting:
    """A distribution that only scores what it is shown."""

    name, fingerprint, units = "not predicting", "not-1", bm.units_of("bytes")
    _plain = Plain()

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return self._plain.logprobs(ids, bounds)


@pytest.mark.parametrize("text", [TEXT * 20, lines(TEXT * 20)], ids=["whole", "lines"])
def test_without_predictions_every_next_unit_is_enumerated(text: Any) -> None:
    found = bm.audit(NotPredicting(), text)
    assert found.verdict == "proven"
    check = found.check("sums")
    assert check is not None
    assert "every one of 256 next units" in check.summary
    assert "at 95 % confidence" in check.summary
    assert found.sums < 1e-9


def test_functions_are_models() -> None:
    """By both signatures, the same figures as the class whose methods they are."""
    plain = Plain()
    scores, predicts = bm.audit(plain.logprobs, TEXT), bm.audit(plain.predict, TEXT)
    assert scores.verdict == predicts.verdict == "proven"
    assert scores.score is not None
    assert predicts.score is not None
    assert scores.score.bits == pytest.approx(bm.score(plain, TEXT).bits, rel=1e-12)
    assert predicts.score.bits == pytest.approx(scores.score.bits, rel=1e-12)


def test_what_sums_to_less_than_one_is_noted_and_not_accused() -> None:
    """A tenth of the probability is kept for an end that the text never has: worse figures, but code lengths."""

    def careful(ids: Any, bounds: Any) -> Any:
        return np.full(len(ids), np.log(0.9 / 256))

    found = bm.audit(careful, TEXT)
    assert found.verdict == "proven"
    check = found.check("sums")
    assert check is not None
    assert "1.0e-01 below" in check.summary


@pytest.mark.parametrize("text", [TEXT * 4, lines(TEXT * 2)], ids=["windows", "lines"])
def test_a_network_is_proven(text: Any) -> None:
    found = bm.audit(tiny(), text)
    assert found.verdict == "proven", str(found)


@pytest.mark.parametrize("units", ["bytes", "words"])
@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_networks_trained_here_are_proven(kind: str, units: str) -> None:
    model = bm.Neural(kind, units, width=8, context=8, threads=1).fit(TEXT * 4, heldout=TEXT, epochs=1)
    found = bm.audit(model, TEXT * 2 + b"new words here\n")
    assert found.verdict == "proven", str(found)


@pytest.mark.parametrize("name", ["zlib", "xz", "bz2"])
def test_of_a_compressor_it_is_said_what_cannot_be_checked(name: str) -> None:
    found = bm.audit(name, TEXT * 10)
    assert found.verdict == "unproven"
    assert {check.name for check in found.missing} >= {"sums", "agreement", "future", "learning"}
    assert found.score is not None
    assert found.score.bits == bm.score(name, TEXT * 10).bits
    assert "gives only the size" in " ".join(str(found).split())


@pytest.mark.parametrize("ids", [True, False], ids=["ids sent", "text sent"])
def test_an_endpoint_is_unproven_and_asked_little(ids: bool) -> None:
    with serving("vllm") as server:
        options: dict[str, Any] = {"tokenizer": TINY, "context": 64} if ids else {}
        model = bm.Endpoint(server.url, "tiny", wait=0.001, retries=3, **options)
        found = bm.audit(model, b"The harbour was quiet.\nThe boats came in.\n")
        assert found.verdict == "unproven", str(found)
        assert {check.name for check in found.missing} >= {"sums", "agreement", "learning"}
        assert "does not expose its next-unit distribution, and enumerating" in " ".join(str(found).split())
        assert model._client.requests < 40


def test_a_closed_vocabulary_has_no_bits_per_byte_to_prove() -> None:
    found = bm.audit(bm.Distribution({"to": 0.5, "be": 0.25, "<unk>": 0.25}), b"to be or not to be")
    assert found.verdict == "proven", str(found)
    assert [(finding.severity, finding.check) for finding in found.findings] == [("note", "bytes")]
    assert "bits/token" in str(found)


def test_low_precision_is_held_to_its_own_tolerance() -> None:
    found = bm.audit(tiny("bfloat16"), TEXT)
    assert found.verdict == "proven", str(found)
