"""Example processes: their rates and verdicts."""

from __future__ import annotations

import math

import pytest

from bitmeter.errors import BitmeterError, ChoiceError
from bitmeter.theory.processes.examples import EXAMPLE_PROCESSES, example_process, typewriter


def test_example_processes() -> None:
    # Rates: closed forms, and log2 m for a typewriter of m equal keys.
    expected = {
        "fair-coin": 1.0,
        "typewriter": math.log2(26),
        "two-state": 0.57207,
        "periodic": 0.83374,
        "sticky": 0.64687,
        "golden-mean": 2 / 3,
        "even": 2 / 3,
        "noisy": 0.7665963,
        "two-coins": 0.73450,
    }
    assert {*expected, "swings"} == set(EXAMPLE_PROCESSES)
    for name, rate in expected.items():
        process = example_process(name)
        assert process.entropy_rate == pytest.approx(rate, abs=5e-6)
        assert process.is_stationary
        assert bool(process.is_ergodic) is (name != "two-coins")
        assert bool(process.is_mixing) is (name not in ("two-coins", "periodic"))
        assert EXAMPLE_PROCESSES[name]


@pytest.mark.parametrize("keys", [1, 2, 26, 1000])
def test_a_typewriter_has_the_logarithm_of_its_keys(keys: int) -> None:
    process = typewriter(keys)
    assert process.entropy_rate == pytest.approx(math.log2(keys), abs=1e-12)
    assert process.varentropy_rate == pytest.approx(0.0, abs=1e-12)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ChoiceError, match="name is 'dice'; it must be one of 'fair-coin', 'typewriter'"):
        example_process("dice")
    with pytest.raises(BitmeterError):
        typewriter(0)
