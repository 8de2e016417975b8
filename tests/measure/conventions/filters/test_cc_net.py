from __future__ import annotations

import math

from bitmeter.measure.conventions.filters.cc_net import CONVENTION
from tests.measure.made import made_score

LN10 = math.log(10.0)


def test_one_document_has_one_figure_with_one_decimal() -> None:
    assert CONVENTION.name == "cc_net"
    assert CONVENTION.figures(made_score([LN10], [2])) == {"perplexity": 3.2}


def test_a_document_without_pieces() -> None:
    found = CONVENTION.figures(made_score([LN10, LN10], [2, 1]))
    assert found == {"perplexity": 3.2}
