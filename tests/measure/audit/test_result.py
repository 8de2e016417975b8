"""The verdict follows from checks and findings, and all of it survives as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.measure.audit.result import CHECKS, Audit, AuditCheck, Finding

TEXT = b"to be or not to be, that is the question"


def made(*checks: AuditCheck, findings: tuple[Finding, ...] = ()) -> Audit:
    return replace(bm.audit("kt", TEXT, positions=2), checks=checks, findings=findings)


def test_the_verdict() -> None:
    passed, unknown, partial = (AuditCheck("sums", status, "") for status in ("passed", "impossible", "partial"))
    assert (made(passed).verdict, made(passed).sound) == ("proven", True)
    assert (made(passed, unknown).verdict, made(passed, unknown).sound) == ("unproven", None)
    assert made(passed, partial).verdict == "unproven"
    assert made(passed, unknown, partial).missing == (unknown, partial)
    wrong = made(passed, unknown, findings=(Finding("sums", "they sum to 2"),))
    assert (wrong.verdict, wrong.sound) == ("unsound", False)
    assert made(passed, findings=(Finding("sums", "a remark", "note"),)).verdict == "proven"


def test_json_holds_all_that_a_reader_needs(tmp_path: Path) -> None:
    found = bm.audit("kt", TEXT, positions=5, seed=3)
    said = json.loads(found.to_json())
    assert said["schema"] == "bitmeter.audit/1"
    assert said["verdict"] == "unproven"  # five positions are too few
    assert said["subject"] == {"kind": "model", "name": "kt", "fingerprint": "kt-order0-bytes-1"}
    assert said["text"]["sha256"] == bm.Corpus.from_text(TEXT).fingerprint()
    assert (said["text"]["bytes"], said["seed"], said["positions"]) == (len(TEXT), 3, 5)
    assert said["figures"]["bits_per_byte"] == bm.score("kt", TEXT).bits_per_byte
    assert said["figures"]["signature"] == str(bm.score("kt", TEXT).signature)
    sums = next(check for check in said["checks"] if check["name"] == "sums")
    assert len(sums["positions"]) == 5
    assert set(said["environment"]) >= {"bitmeter", "python", "numpy"}
    found.save(tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_text()) == said
    with pytest.raises(bm.errors.FileFormatError, match="exists already"):
        found.save(tmp_path / "c.json")


def test_what_is_infinite_is_written_as_text() -> None:
    found = bm.audit(bm.Distribution({"t": 0.5, "o": 0.5}), b"to x")
    assert found.score is not None
    assert json.loads(found.to_json())["figures"]["nats"] == "inf"


def test_each_check_has_its_question_and_results_keep_the_names_of_verify() -> None:
    found = bm.audit("kt", TEXT)
    assert {check.name for check in found.checks} <= set(CHECKS)
    assert bm.Verification is Audit
    assert (found.predicts, found.file) == (True, None)
    assert found.check("spelling") is None
    assert "sums" in str(found)
