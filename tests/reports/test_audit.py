"""The text of an audit fits a terminal and says what matters."""

from __future__ import annotations

import numpy as np

import bitmeter as bm
from bitmeter._util.arrays import Floats, Ids, Ints
from tests.measure.audit import pieces

TEXT = b"to be or not to be, that is the question\n" * 9


def test_lines_fit_and_verdicts_stand_at_the_end() -> None:
    audits = [
        bm.audit("kt", TEXT),
        bm.audit(lambda ids, bounds: np.full(len(ids), -1.0), TEXT, positions=3),
        bm.audit(pieces.table(), pieces.CORPUS, claimed="1.0000"),
        bm.audit("xz", TEXT),
    ]
    for found in audits:
        lines = str(found).splitlines()
        assert max(map(len, lines)) <= 80
        assert lines[0].startswith(found.subject)
        assert found.verdict in str(found).lower()
    assert str(audits[0]).splitlines()[-1].startswith("proven")
    assert "corrected" in str(audits[1])
    assert "claimed 1" in str(audits[2])
    assert "not checked, or only in part: sums" in str(audits[3])


def test_checks_that_are_impossible_for_one_reason_share_a_line() -> None:
    said = " ".join(str(bm.audit("xz", TEXT)).split())
    assert said.count("gives only the size") == 1


def test_places_and_effects() -> None:
    found = bm.audit(lambda ids, bounds: np.full(len(ids), -np.log(128.0)), TEXT, positions=3)
    said = " ".join(str(found).split())
    assert "effect +369.0 bits, +1.0000 bits per byte" in said
    assert "document 0" in said


def test_a_failed_check_does_not_read_as_a_pass() -> None:
    """Of each check that fails, by a model that fails it."""
    random = np.random.default_rng(5)

    def noisy(ids: Ids, bounds: Ints) -> Floats:
        return np.asarray(-6.0 - random.random(len(ids)))

    def ahead(ids: Ids, bounds: Ints) -> Floats:
        return np.asarray(-6.0 - 0.01 * np.append(ids[1:], 0) / len(ids) - 0.1 * len(bounds))

    for model in (noisy, ahead):
        failed = [check for check in bm.audit(model, TEXT, positions=4).checks if check.status == "failed"]
        assert failed
        for check in failed:
            assert "up to" in check.summary
            assert "within" not in check.summary
    assert {check.name for check in failed} >= {"agreement", "future", "pass", "batch"}


def test_notes_of_the_score_are_shown() -> None:
    found = bm.audit("kt", b"to be\xff or not")
    assert found.score is not None
    assert found.score.notes
    said = " ".join(str(found).split())
    for note in found.score.notes:
        assert note in said
    assert max(map(len, str(found).splitlines())) <= 80


def test_a_correction_without_spread_has_no_interval() -> None:
    found = bm.audit(lambda ids, bounds: np.full(len(ids), -np.log(128.0)), TEXT, positions=3)
    assert "corrected about 8.000 if its" in " ".join(str(found).split())
    assert "(of sums alone, estimated from 3 positions)" in " ".join(str(found).split())
