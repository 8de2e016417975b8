"""What a network is trained with where nothing else is asked for."""

import pytest

import bitmeter as bm
from bitmeter.models.causal.trained.defaults import defaults_for


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_what_is_asked_for_goes_before_the_defaults(kind: str) -> None:
    usual = defaults_for(kind, 3000)
    model = bm.Neural(kind, "bytes", width=8, layers=1, threads=1).fit(b"abcd efgh " * 40, epochs=0.1)
    assert (model.width, model.layers, model.dropout) == (8, 1, usual.dropout)
    assert model._context == usual.context
    asked = bm.Neural(kind, "bytes", width=8, layers=1, context=12, dropout=0.0, threads=1)
    asked.fit(b"abcd efgh " * 40, epochs=0.1)
    assert (asked._context, asked.dropout) == (12, 0.0)
