"""Checks of what was measured: bytes, values, and what cannot be known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.text.units.base import Split
from bitmeter.text.units.plain import Bytes
from tests.coding.models import TEXT, Plain
from tests.models.serving import serving


class Lossy(Bytes):
    """Lower-cases in secret: ids do not give the bytes back."""

    name, fingerprint = "lossy", "lossy/1"

    def _split(self, data: bytes, ends: Any) -> Split:
        return super()._split(data.lower(), ends)


def test_ids_that_do_not_give_the_bytes_back_are_not_paid_for() -> None:
    class Lower(Plain):
        name = "lower"

        def __init__(self) -> None:
            super().__init__()
            self.units = Lossy()

    assert bm.audit(Lower(), TEXT).verdict == "proven"
    found = bm.audit(Lower(), TEXT + b"TO BE")
    assert found.verdict == "unproven"
    assert "do not restore their bytes" in str(found.missing[0].summary)


def test_units_that_are_not_scored_leave_bytes_out() -> None:
    with serving("vllm", adds_bos=False) as server:
        found = bm.audit(bm.Endpoint(server.url, "tiny", wait=0.001), b"The harbour was quiet.\n")
    bytes_check = found.check("bytes")
    assert bytes_check is not None
    assert bytes_check.status == "partial"
    assert "1 unit is not scored" in bytes_check.summary


def test_a_damaged_file_is_an_error(tmp_path: Any) -> None:
    bm.NGram(order=3).fit(TEXT * 20).save(tmp_path / "m.bmn")
    whole = bytearray((tmp_path / "m.bmn").read_bytes())
    whole[-200] ^= 1
    (tmp_path / "m.bmn").write_bytes(whole)
    with pytest.raises(bm.errors.BitmeterError, match=r"m\.bmn"):
        bm.audit(tmp_path / "m.bmn", TEXT)


def test_effects_are_those_of_the_whole_text() -> None:
    """Twice too likely: a bit per byte, on a text of which only a part is sampled."""

    def double(ids: Any, bounds: Any) -> Any:
        return np.full(len(ids), -np.log(128.0))

    text = b"x" * (1 << 17)
    found = bm.audit(double, text, positions=2)
    (finding,) = [one for one in found.findings if one.check == "sums"]
    assert finding.bits == pytest.approx(len(text), rel=1e-9)


def test_a_model_that_gives_other_numbers_of_log_probabilities_is_an_error() -> None:
    with pytest.raises(bm.errors.ModelError, match="log-probabilities for"):
        bm.audit(lambda ids, bounds: np.zeros(3), TEXT)


def test_a_server_that_cannot_score_a_part_is_unproven_and_not_an_error() -> None:
    class Remote(Plain):
        traits = bm.Traits(vocabulary=256, metered=True)

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            if len(ids) < len(TEXT):
                raise bm.errors.ModelError("it makes other tokens of it")
            return super().logprobs(ids, bounds)

    found = bm.audit(Remote(), TEXT, positions=3)
    assert found.verdict == "unproven"
    future = found.check("future")
    assert future is not None
    assert "makes other tokens of it" in future.summary


def test_look_ahead_alone_is_not_corrected() -> None:
    """Each unit costs 8 bits but the last, which a model that sees the end makes free: sums and agreement miss it."""

    def ends(ids: Any, bounds: Any) -> Any:
        found = np.full(len(ids), -np.log(256.0))
        found[(bounds[1:] - 3)[np.diff(bounds) > 300]] = 0.0
        return found

    found = bm.audit(ends, b"to be or not to be" * 20, positions=3, seed=1)
    assert found.verdict == "unsound"
    assert {finding.check for finding in found.findings} <= {"future", "batch"}
    assert found.correction is None
