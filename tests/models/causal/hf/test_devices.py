"""Where a network runs: devices, maps of them, casting, a process for each device, as far as a processor shows it."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import InputTypeError, ModelError
from bitmeter.models.causal.hf.devices import Workers, shares
from tests.models.causal.hf.test_model import CORPUS, TEXTS
from tests.models.networks import TINY, tiny

LONG = (TINY / "joined.txt").read_bytes()[:2000]


@pytest.fixture(scope="module")
def pair() -> bm.HuggingFace:
    return bm.HuggingFace(TINY, devices=["cpu", "cpu"], threads=1)


@pytest.mark.parametrize("ctx", ["auto", "20.5", "half.12"])
def test_two_processes_give_the_figures_of_one(pair: bm.HuggingFace, ctx: str) -> None:
    for text in (CORPUS, LONG):
        ours, one = bm.score(pair, text, ctx=ctx), bm.score(tiny(), text, ctx=ctx)
        np.testing.assert_allclose(ours.trace.logprob, one.trace.logprob, atol=1e-5, rtol=0)
        assert (ours.tokens, str(ours.signature.ctx)) == (one.tokens, str(one.signature.ctx))
        assert pair.fingerprint == tiny().fingerprint


def test_both_have_their_share_and_the_rest_goes_on_here(pair: bm.HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pair._workers is not None
    asked: list[int] = []
    ask = pair._workers._workers[0].ask

    def counted(number: int, question: Any) -> None:
        asked.append(len(question[0]))
        ask(number, question)

    monkeypatch.setattr(pair._workers._workers[0], "ask", counted)
    reported: list[tuple[int, int]] = []
    sequences = [pair.units.split(text.encode()).ids for text in TEXTS]
    pair.score_sequences(sequences, [1] * len(sequences), lambda done, total: reported.append((done, total)))
    assert 0 < asked[0] < len(sequences)
    assert reported[-1] == (len(sequences), len(sequences))
    details = bm.score(pair, TEXTS[0].encode(), alternatives=2)
    assert details.nats == pytest.approx(bm.score(tiny(), TEXTS[0].encode()).nats, abs=1e-4)
    assert bm.score(pair, b"").tokens == 0


def test_a_question_that_was_broken_off_does_not_answer_the_next(pair: bm.HuggingFace) -> None:
    assert pair._workers is not None

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    sequences = [pair.units.split(text.encode()).ids for text in TEXTS]
    with pytest.raises(KeyboardInterrupt):
        pair._workers.score(sequences[:4], [1] * 4, "own", interrupted, None)
    again = pair.score_sequences(sequences, [1] * len(sequences))
    for ours, one in zip(again, tiny().score_sequences(sequences, [1] * len(sequences)), strict=True):
        np.testing.assert_allclose(ours, one, atol=1e-5, rtol=0)


def test_what_goes_wrong_in_a_process_is_said_here() -> None:
    with pytest.raises(ModelError, match="the process for device cuda:7: the device 'cuda:7' cannot be used"):
        bm.HuggingFace(TINY, devices="cpu+cuda:7")
    gone = Workers({"path": str(TINY)}, ["cpu"])
    gone._workers[0]._process.kill()
    with pytest.raises(ModelError, match="the process for device cpu ended by itself"):
        gone.ready()


def test_processes_end_with_the_model() -> None:
    made = Workers({"path": str(TINY)}, ["cpu", "cpu"])
    processes = [worker._process for worker in made._workers]
    assert [process.poll() for process in processes] == [None, None]
    del made
    gc.collect()
    assert None not in [process.poll() for process in processes]


def test_a_process_ends_when_its_owner_is_gone() -> None:
    """As when the program that started it was killed."""
    found = subprocess.run(
        [sys.executable, "-m", "bitmeter.models.causal.hf.worker"], input=b"", check=True, timeout=200
    )
    assert found.returncode == 0


@pytest.mark.parametrize("device_map", ["auto", {"": "cpu"}])
def test_a_map_of_devices_changes_no_figure(device_map: Any) -> None:
    made = bm.HuggingFace(TINY, device_map=device_map)
    np.testing.assert_allclose(
        bm.score(made, CORPUS).trace.logprob, bm.score(tiny(), CORPUS).trace.logprob, atol=1e-5, rtol=0
    )


def test_casting_is_close_and_another_model_to_an_archive() -> None:
    cast = bm.HuggingFace(TINY, dtype="autocast", device="cpu")
    ours, exact = bm.score(cast, LONG), bm.score(tiny(), LONG)
    assert ours.nats == pytest.approx(exact.nats, rel=5e-3)
    assert ours.nats != exact.nats
    assert cast.fingerprint != tiny().fingerprint


def test_devices_are_checked_before_anything_is_loaded(tmp_path: Path) -> None:
    for devices, kind in (([], InputTypeError), ([1], InputTypeError), (5, InputTypeError), ("", ModelError)):
        with pytest.raises(kind, match="devices"):
            bm.HuggingFace(tmp_path, devices=devices)
    with pytest.raises(ModelError, match="instead of device"):
        bm.HuggingFace(tmp_path, devices=["cpu", "cpu"], device="cpu")
    with pytest.raises(ModelError, match="instead of device"):
        bm.HuggingFace(tmp_path, devices=["cpu", "cpu"], device_map="auto")
    with pytest.raises(ModelError, match="no GPU"):
        bm.HuggingFace(tmp_path, devices="all")
    assert bm.load(f"hf:{TINY},devices=cpu")._workers is None


@given(st.lists(st.integers(0, 50), max_size=30), st.integers(1, 5))
def test_shares_are_about_even(lengths: list[int], number: int) -> None:
    parts = shares(lengths, number)
    assert sorted(i for part in parts for i in part) == list(range(len(lengths)))
    loads = [sum(lengths[i] for i in part) for part in parts]
    assert max(loads) - min(loads) <= max(lengths, default=0)
