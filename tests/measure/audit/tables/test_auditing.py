"""The audit of a table from end to end: tokenizers, claims, and what is left over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import InputError
from tests.measure.audit import pieces
from tests.models.networks import TINY, tiny

TEXT = "The harbour was quiet.\nThe émigrés came in.\n".encode()


def by_network() -> tuple[dict[str, Any], bm.Score]:
    score = bm.score(tiny(), TEXT)
    return {"id": score.trace.id, "logprob": score.trace.logprob}, score


def test_ids_and_a_tokenizer_give_the_score_of_the_model() -> None:
    rows, score = by_network()
    found = bm.audit(rows, TEXT, units=f"tokenizer:{TINY / 'tokenizer.json'}")
    assert found.verdict == "unproven"
    assert found.score is not None
    assert found.score.nats == score.nats
    ids = found.check("ids")
    assert ids is not None
    assert ids.status == "passed"


def test_another_segmentation_is_noted_and_its_figure_stands() -> None:
    units = bm.units_of(f"tokenizer:{TINY / 'tokenizer.json'}")
    assert units.token_bytes is not None
    letters = {token: i for i, token in reversed(list(enumerate(units.token_bytes))) if token is not None}
    ids = [letters[bytes([byte])] for byte in TEXT]
    found = bm.audit({"id": ids, "logprob": [-1.0] * len(ids)}, TEXT, units=units)
    assert found.verdict == "unproven"
    assert found.score is not None
    assert found.score.nats == pytest.approx(len(ids))
    assert any(finding.check == "ids" and finding.severity == "note" for finding in found.findings)


def test_many_units_that_cost_nothing_are_noted() -> None:
    logs = np.where(np.arange(40) % 2, 0.0, -3.0)
    found = bm.audit({"start": np.arange(40), "end": np.arange(1, 41), "logprob": logs}, b"x" * 40)
    assert any("cost nothing" in finding.text for finding in found.findings)


def test_a_claim_without_a_figure_and_one_that_is_no_number() -> None:
    rows = {"start": [0], "end": [1], "logprob": [-1.0]}
    found = bm.audit(rows, b"ab", claimed=1.0)
    claim = found.check("claim")
    assert claim is not None
    assert claim.status == "impossible"
    with pytest.raises(InputError, match="number of bits per byte"):
        bm.audit(rows, b"a", claimed="low")


def test_an_empty_text() -> None:
    found = bm.audit({"start": np.zeros(0, int), "end": np.zeros(0, int), "logprob": np.zeros(0)}, b"")
    assert found.score is None
    assert found.text_bytes == 0


def test_it_is_the_same_for_a_text_in_parts(tmp_path: Any) -> None:
    for i, document in enumerate(pieces.DOCUMENTS):
        (tmp_path / f"{i:02}.txt").write_text(document, encoding="utf-8")
    found = bm.audit(pieces.table(), str(tmp_path))
    assert found.score is not None
    assert found.score.bits_per_byte == pytest.approx(pieces.TRUE, rel=1e-12)
