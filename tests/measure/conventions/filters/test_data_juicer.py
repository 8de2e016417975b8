from __future__ import annotations

import math

import pytest

from bitmeter.measure.conventions.filters.data_juicer import CONVENTION
from tests.measure.made import made_score

LN10 = math.log(10.0)


def test_one_document_has_one_figure_with_one_decimal() -> None:
    assert CONVENTION.name == "data-juicer"
    assert CONVENTION.figures(made_score([LN10], [2])) == {"perplexity": 3.2}


def test_a_document_without_pieces() -> None:
    found = CONVENTION.figures(made_score([LN10, LN10], [2, 1]))
    percentiles = {"30th percentile": 0.3 * 3.2, "60th percentile": 0.6 * 3.2}
    assert found == pytest.approx({"documents": 2.0, "mean perplexity": 1.6, **percentiles})
