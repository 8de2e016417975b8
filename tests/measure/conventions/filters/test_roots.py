from __future__ import annotations

import math

import pytest

from bitmeter.measure.conventions.filters.roots import CONVENTION
from tests.measure.made import made_score

LN10 = math.log(10.0)


def test_one_document_has_one_figure_with_one_decimal() -> None:
    assert CONVENTION.name == "roots"
    assert CONVENTION.figures(made_score([LN10], [2])) == {"perplexity": 3.2}


def test_a_document_without_pieces() -> None:
    found = CONVENTION.figures(made_score([LN10, LN10], [2, 1]))
    # The end alone costs one hartley.
    percentiles = {"30th percentile": 3.2 + 0.3 * 6.8, "60th percentile": 3.2 + 0.6 * 6.8}
    assert found == pytest.approx({"documents": 2.0, "mean perplexity": 6.6, **percentiles})
