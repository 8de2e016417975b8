"""The table of renderers names functions that exist, and results use it for their text."""

from __future__ import annotations

from importlib import import_module

import pytest

import bitmeter as bm
from bitmeter._util.rendering import RENDERERS, rendered
from bitmeter.reports.panel import describe


@pytest.mark.parametrize("name", RENDERERS)
def test_every_renderer_exists(name: str) -> None:
    module, _, function = RENDERERS[name].partition(":")
    assert callable(getattr(import_module(module), function))


def test_a_result_and_its_subclasses_have_its_text() -> None:
    class Special(bm.Score):
        pass

    score = bm.score("kt", b"to be or not")
    assert str(score) == rendered(score) == describe(score)
    special = Special(**{name: getattr(score, name) for name in score.__dataclass_fields__})
    assert str(special) == describe(score)
