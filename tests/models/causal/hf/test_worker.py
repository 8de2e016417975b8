"""The program of one process: answers over its standard output, errors as messages, the end with its input."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.models.causal.hf.devices import receive, send
from tests.models.networks import TINY, tiny

GIVEN = [np.array([0, 5, 9, 2, 7], dtype=np.int64), np.array([0, 3], dtype=np.int64)]


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    source = str(Path(bm.__file__).parents[1])
    started = subprocess.Popen(
        [sys.executable, "-m", "bitmeter.models.causal.hf.worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    with started:
        yield started
        if started.poll() is None:
            started.kill()


def ask(process: subprocess.Popen[bytes], number: int, question: object) -> tuple[int, bool, object]:
    assert process.stdin is not None
    assert process.stdout is not None
    send(process.stdin, (number, question))
    found: tuple[int, bool, object] = receive(process.stdout)
    return found


def test_it_loads_answers_and_ends_with_its_input(process: subprocess.Popen[bytes]) -> None:
    """The first message is what to load, each later one sequences; the figures are those of this process."""
    assert ask(process, 0, {"path": str(TINY), "device": "cpu"}) == (0, False, None)
    number, failed, found = ask(process, 4, (GIVEN, [1, 1], "own"))
    assert (number, failed) == (4, False)
    assert isinstance(found, list)
    for ours, expected in zip(found, tiny().score_sequences(GIVEN, [1, 1]), strict=True):
        np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(60) == 0


def test_what_cannot_be_loaded_is_a_message_and_may_be_asked_again(process: subprocess.Popen[bytes]) -> None:
    number, failed, message = ask(process, 0, {"path": "./absent/folder", "device": "cpu"})
    assert (number, failed) == (0, True)
    assert "no such folder" in str(message)
    assert ask(process, 1, {"path": str(TINY), "device": "cpu"}) == (1, False, None)
