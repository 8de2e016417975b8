from __future__ import annotations

import numpy as np
import pytest

from bitmeter.errors import RangeError
from bitmeter.theory.estimators.results import checked_confidence, p_value, reach


def test_p_values_count_the_sample_itself() -> None:
    null = np.array([-3.0, 1.0, 2.0])
    assert p_value(2.0, null, signed=False) == 2 / 4
    assert p_value(-2.5, null, signed=True) == 2 / 4
    assert p_value(9.0, null, signed=False) == 1 / 4


def test_confidences() -> None:
    assert reach(0.95) == pytest.approx(1.959964, abs=1e-6)
    with pytest.raises(RangeError):
        checked_confidence(0)
