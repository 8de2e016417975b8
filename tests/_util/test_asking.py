"""Questions to folders above: every answer exists."""

from __future__ import annotations

from importlib import import_module

import pytest

from bitmeter._util.asking import ANSWERS, ask


@pytest.mark.parametrize("question", ANSWERS)
def test_each_question_has_an_answer(question: str) -> None:
    module, _, function = ANSWERS[question].partition(":")
    assert callable(getattr(import_module(module), function))


def test_what_is_no_set_has_no_file() -> None:
    assert ask("the file of a test set", "no-such-set:test") is None
