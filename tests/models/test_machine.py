"""What floating-point predictions depend on is named; exact models depend on nothing."""

from __future__ import annotations

import platform

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.models.machine import differences, machine_of
from bitmeter.models.registry import resolve
from tests.coding.models import Plain, byte_mixture, letters, word_mixture, words


def test_the_processor_and_the_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = machine_of("numpy", "no-such-package", threads="3")
    assert found["architecture"] == platform.machine()
    assert (found["numpy"], found["no-such-package"], found["threads"]) == (np.__version__, "unknown", "3")
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "SSE41")
    assert differences(found, machine_of("numpy", "no-such-package", threads="3")) == [
        "ONEDNN_MAX_CPU_ISA was not set and is SSE41 here"
    ]


def test_differences_are_in_words() -> None:
    assert differences({"a": "1"}, {"a": "1"}) == []
    assert differences({"a": "1", "b": "2"}, {"b": "3"}) == ["a was 1 and is not set here", "b was 2 and is 3 here"]


@pytest.mark.parametrize("model", ["kt", "uniform", "universal:small", letters(), words()])
def test_exact_models_depend_on_nothing(model: object) -> None:
    found = resolve(model)
    assert isinstance(found, bm.Model)
    assert found.machine == {}


@pytest.mark.parametrize("model", [Plain(), byte_mixture(), word_mixture()])
def test_others_depend_on_the_processor_and_numpy(model: object) -> None:
    found = resolve(model)
    assert isinstance(found, bm.Model)
    assert {"architecture", "instructions", "numpy"} <= set(found.machine)
