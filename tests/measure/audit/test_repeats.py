"""The same call again, and documents in other company."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import bitmeter as bm
from bitmeter.measure.audit.repeats import check_batches, check_repeats
from bitmeter.measure.audit.subject import Subject
from tests.coding.models import TEXT, Plain
from tests.measure.audit.subjects import subject


def test_honest() -> None:
    for texts in ((TEXT,), (TEXT, TEXT[:7], TEXT[9:])):
        for call in (check_repeats, check_batches):
            (check,), findings = call(subject(Plain(), *texts))
            assert (check.status, check.worst, findings) == ("passed", 0.0, [])


def test_the_second_call_is_cheaper() -> None:
    class Learns(Plain):
        calls = 0

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            Learns.calls += 1
            return super().logprobs(ids, bounds) * (1.0 if Learns.calls == 1 else 0.5)

    found = subject(Learns(), TEXT)
    (check,), (finding,) = check_repeats(found)
    half = -0.5 * float(found.costs[0].sum()) / np.log(2)
    assert check.status == "failed"
    assert finding.bits is not None
    assert abs(finding.bits - half) < 1e-9
    assert "bits less the second time" in finding.text


def test_the_run_is_held_against_the_document_alone() -> None:
    made = subject(Plain(), TEXT)
    right = Subject(made.whole, [replace(made.samples[0], run=made.costs[0])], spells=False)
    (check,), findings = check_batches(right)
    assert (check.status, findings) == ("passed", [])
    assert "in the run" in check.summary
    wrong = Subject(made.whole, [replace(made.samples[0], run=made.costs[0] * 0.9)], spells=False)
    (check,), (finding,) = check_batches(wrong)
    assert check.status == "failed"
    assert "in the run" in finding.text


def test_chance_and_nan_are_not_taken_for_look_ahead() -> None:
    random = np.random.default_rng(3)

    def noisy(ids: Any, bounds: Any) -> Any:
        return -np.log(256.0) - random.random(len(ids))

    def nan(ids: Any, bounds: Any) -> Any:
        return np.where(np.arange(len(ids)) == 5, np.nan, -np.log(256.0))

    for model, cause in ((noisy, "repeat"), (nan, "values")):
        found = bm.audit(model, TEXT, positions=3)
        assert found.verdict == "unsound"
        assert not {"future", "pass", "batch"} & {finding.check for finding in found.findings}
        assert cause in {finding.check for finding in found.findings}
    repeat = bm.audit(nan, TEXT, positions=3).check("repeat")
    assert repeat is not None
    assert repeat.status == "passed"
    future = bm.audit(noisy, TEXT, positions=3).check("future")
    assert future is not None
    assert (future.status, future.summary[:16]) == ("impossible", "hidden by repeat")
