"""The text is cut and changed behind a unit, in documents and between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from bitmeter._util.check import generator
from bitmeter.measure.audit.future import _other_future, check_future, check_later_documents
from tests.coding.models import TEXT, Peeking, Plain
from tests.measure.audit.subjects import quiet, subject


def test_another_future_has_the_same_past_and_another_length() -> None:
    sample = subject(Plain(), TEXT).samples[0]
    random = generator(1)
    lengths = set()
    for last in (0, 5, len(sample.ids) - 1):
        for _ in range(20):
            found = _other_future(random, sample, last)
            np.testing.assert_array_equal(found[: last + 1], sample.ids[: last + 1])
            assert len(found) > last + 1
            lengths.add(len(found) - len(sample.ids))
    assert min(lengths) < 0 < max(lengths)


def test_honest_and_peeking() -> None:
    (check,), findings = check_future(subject(Plain(), TEXT, TEXT[:9]), 0, quiet)
    assert (check.status, check.worst, findings) == ("passed", 0.0, [])
    assert len(check.positions) == 16
    (check,), (finding,) = check_future(subject(Peeking(), TEXT, TEXT[:9]), 0, quiet)
    assert check.status == "failed"
    assert finding.byte is not None
    assert finding.document in (0, 1)


def test_later_documents() -> None:
    class Adds(Plain):
        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return super().logprobs(ids, bounds) / (len(bounds) - 1)

    for texts in ((TEXT,), (TEXT, TEXT[::-1])):
        (check,), findings = check_later_documents(subject(Plain(), *texts))
        assert (check.status, findings) == ("passed", [])
        (check,), (finding,) = check_later_documents(subject(Adds(), *texts))
        assert check.status == "failed"
        assert finding.bits is not None
        assert finding.bits > 0.0
