from __future__ import annotations

import bitmeter as bm
from bitmeter.measure.conventions.bitmeter import CONVENTION
from tests.measure.made import made_score


def test_it_sets_nothing_and_prints_no_other_figures() -> None:
    assert CONVENTION.settings == {}
    assert CONVENTION.figures(made_score([1.0], [1])) == {}
    assert bm.score("kt", b"to be").signature.like == CONVENTION.name
