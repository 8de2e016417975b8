"""A certificate is repeated with its own settings; what differs is named, what is damaged refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import FileFormatError
from bitmeter.measure.audit.certificate import read_certificate
from tests.measure.audit import pieces

TEXT = b"to be or not to be, that is the question\n" * 20


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    path = tmp_path / "kt.json"
    bm.audit("kt", TEXT, positions=7, seed=5).save(path)
    return path


def test_the_same_again(certificate: Path) -> None:
    found = bm.audit("kt", TEXT, check=certificate)
    assert found.differences == ()
    assert (found.seed, found.positions) == (5, 7)
    sums = found.check("sums")
    assert sums is not None
    assert sums.positions == read_certificate(certificate).positions_of["sums"]


def test_another_model_or_text_differs(certificate: Path) -> None:
    other = " ".join(bm.audit("uniform", TEXT, check=certificate).differences)
    assert "the model's fingerprint" in other
    assert "bits per byte" in other
    changed = " ".join(bm.audit("kt", TEXT + b"!", check=certificate).differences)
    assert "SHA-256" in changed
    assert "the text's bytes: 820" in changed
    seeded = " ".join(bm.audit("kt", TEXT, check=certificate, seed=6).differences)
    assert "the positions of sums" in seeded


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("nats", 1.0, "nats: 1.000000"),
        ("bytes", 1, "bytes: 1 in"),
        ("tokens", 819, "tokens: 819 in"),
        ("interval", [0.1, 0.2], r"interval: [0.100000, 0.200000] in"),
        ("interval", None, "interval: none in"),
        ("confidence", 0.9, None),  # it is repeated with that one, so that the interval is another
        ("signature", "bm1|other", "signature: bm1|other in"),
        ("bits_per_byte", 0.5, "bits per byte: 0.500000 in"),
    ],
)
def test_every_figure_is_compared(certificate: Path, name: str, value: object, said: str | None) -> None:
    record = json.loads(certificate.read_text())
    record["figures"][name] = value
    certificate.write_text(json.dumps(record))
    found = bm.audit("kt", TEXT, check=certificate).differences
    assert found
    assert said is None or any(said in line for line in found)


def test_last_digits_may_differ_and_other_fields_not(certificate: Path) -> None:
    record = json.loads(certificate.read_text())
    record["figures"]["nats"] *= 1 + 1e-8
    record["figures"]["interval"][0] *= 1 + 1e-8
    certificate.write_text(json.dumps(record))
    assert bm.audit("kt", TEXT, check=certificate).differences == ()
    certificate.write_text(json.dumps(record | {"sampled": 5, "claimed": 1.5}))
    assert len(bm.audit("kt", TEXT, check=certificate).differences) == 2


def test_the_confidence_is_that_of_the_certificate(tmp_path: Path) -> None:
    bm.audit("kt", TEXT, confidence=0.8).save(tmp_path / "c.json")
    found = bm.audit("kt", TEXT, check=tmp_path / "c.json")
    assert found.differences == ()
    assert found.score is not None
    assert found.score.confidence == 0.8


def test_a_table_with_its_columns_and_its_claim(tmp_path: Path) -> None:
    rows = {"wo": pieces.PIECES, "what": pieces.LOGPROB, "doc": pieces.DOC}
    found = bm.audit(rows, pieces.CORPUS, columns={"piece": "wo", "logprob": "what"}, claimed="2.2400", unit="nats")
    found.save(tmp_path / "t.json")
    again = bm.audit(rows, pieces.CORPUS, check=tmp_path / "t.json")
    assert again.differences == ()
    assert (again.claimed, again.options) == (2.24, found.options)
    rows["what"] = pieces.LOGPROB * 1.01
    assert "the table's fingerprint" in " ".join(bm.audit(rows, pieces.CORPUS, check=tmp_path / "t.json").differences)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "other"}, "expected the schema"),
        ({"verdict": "fine"}, "verdict"),
        ({"seed": -1}, "seed"),
        ({"checks": [{"name": "nonsense", "status": "passed", "positions": []}]}, "checks"),
        ({"options": {"run": "rm"}}, "unknown field"),
        ({"text": {}}, "sha256"),
    ],
)
def test_a_damaged_one_is_refused(certificate: Path, change: dict[str, Any], said: str) -> None:
    certificate.write_text(json.dumps(json.loads(certificate.read_text()) | change))
    with pytest.raises(FileFormatError, match=said):
        bm.audit("kt", TEXT, check=certificate)


def test_what_is_not_there_or_not_json(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="does not exist"):
        bm.audit("kt", TEXT, check=tmp_path / "absent.json")
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(FileFormatError, match="is not a certificate"):
        bm.audit("kt", TEXT, check=tmp_path / "x.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda record: record["checks"][3].update(summary="all is well"), "the words of the check"),
        (lambda record: record["checks"][3].update(worst=3.5), "the largest deviation of"),
        (lambda record: record.update(farthest=9), "the longest history: 9"),
        (lambda record: record["findings"].pop(), "the words of finding 1: none"),
        (lambda record: record["findings"][0].update(text="a trifle"), "the words of finding 1: a trifle"),
        (lambda record: record["findings"][0].update(bits=0.001), "the effects of findings"),
    ],
)
def test_what_is_said_is_compared(tmp_path: Path, change: Any, said: str) -> None:
    def half(ids: Any, bounds: Any) -> Any:
        return np.full(len(ids), -np.log(2.0))

    path = tmp_path / "c.json"
    bm.audit(half, TEXT).save(path)
    assert bm.audit(half, TEXT, check=path).differences == ()
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))
    assert any(said in line for line in bm.audit(half, TEXT, check=path).differences)


def test_a_check_stands_once(certificate: Path) -> None:
    record = json.loads(certificate.read_text())
    record["checks"].append(record["checks"][0])
    certificate.write_text(json.dumps(record))
    with pytest.raises(FileFormatError, match="a check twice"):
        bm.audit("kt", TEXT, check=certificate)
