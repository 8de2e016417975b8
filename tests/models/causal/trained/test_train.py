"""Training: reproducible, resumable, and stopped in time."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

import bitmeter as bm
from bitmeter._util.leftovers import temporary_name
from bitmeter._util.progress import Step
from bitmeter.errors import (
    FileFormatError,
    MissingSourceError,
    ModelError,
)
from bitmeter.models.causal.trained.network import Shape, build
from bitmeter.models.causal.trained.train import Material, Schedule, Trainer, split_off
from bitmeter.models.causal.trained.units import learn_alphabet
from tests.models.causal.trained.made import KINDS, SHORT, SMALL, TEXT


@pytest.mark.parametrize("kind", KINDS)
def test_overfits_a_small_text(kind: str) -> None:
    """What it has seen a hundred times costs nearly nothing; chance would be 8 bits."""
    text = b"Sphinx of black quartz, judge my vow. " * 12
    model = bm.Neural(kind, "bytes", width=32, layers=1, context=24, dropout=0.0, threads=1)
    model.fit(text, heldout=text, epochs=40, batch=2, learning_rate=0.01, patience=50, looks=8)
    assert model.curve is not None
    points = model.curve.points
    assert bm.score(model, text).bits_per_byte < 0.4 < 1.5 < points[0].train_bits_per_byte
    # falling loss = falling perplexity = rising likelihood
    assert [p.train_perplexity for p in points] == pytest.approx(
        [2 ** (p.train_bits_per_byte * len(text) / (len(text) + 1)) for p in points], rel=1e-9
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_weights_and_another_others(kind: str) -> None:
    twins = [bm.Neural(kind, "bytes", seed=seed, **SMALL).fit(TEXT[:400], **SHORT) for seed in (1, 1, 2)]
    assert twins[0].fingerprint == twins[1].fingerprint != twins[2].fingerprint
    assert timeless(twins[0].curve) == timeless(twins[1].curve) != timeless(twins[2].curve)


def test_torchs_own_state_is_left_alone() -> None:
    torch.manual_seed(9)
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    bm.Neural("lstm", "bytes", **SMALL).fit(TEXT[:300], epochs=1)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == threads


def test_stops_early_and_keeps_the_best_weights() -> None:
    """Held-out text of another kind: overfitting makes it cost more."""
    model = bm.Neural("lstm", "bytes", width=32, layers=1, context=16, dropout=0.0, threads=1)
    model.fit(TEXT[:600], heldout=b"QUICK ZEBRAS JUMP!" * 3, epochs=200, batch=4, patience=3, looks=200)
    curve = model.curve
    assert curve is not None
    assert curve.best is not None
    assert curve.stopped == "early"
    assert curve.points[-1].step < curve.steps
    assert len(curve.points) - 1 - curve.points.index(curve.best) == 3
    # short enough for one sequence: the weights that were kept give the best figure again
    found = bm.score(model, b"QUICK ZEBRAS JUMP!" * 3)
    assert found.bits_per_byte == pytest.approx(curve.best.bits_per_byte, rel=1e-6)


def test_hold_out() -> None:
    kept, held = split_off([b"x" * 1000])
    assert (len(kept[0]), len(held[0])) == (900, 100)  # no line end: cut anywhere
    kept, held = split_off([b"a\n" * 50, b"b\n" * 5])
    assert (kept, held) == ([b"a\n" * 50], [b"b\n" * 5])
    documents = [b"%d\n" % i for i in range(100)]
    kept, held = split_off(documents)
    assert kept + held == documents
    assert len(held) == 9  # three bytes each, of 290: no more than a tenth


def timeless(curve: bm.LearningCurve | None) -> list[bm.CurvePoint]:
    assert curve is not None
    return [replace(point, seconds=0.0) for point in curve.points]


class InterruptedRunError(Exception):
    pass


@pytest.mark.parametrize(("kind", "units"), [("lstm", "bpe"), ("transformer", "bytes")])
def test_a_resumed_run_is_the_run_that_was_not_interrupted(kind: str, units: str, tmp_path: Path) -> None:
    whole = bm.Neural(kind, units, **SMALL).fit(TEXT, **SHORT)
    looks = [point.step for point in whole.curve.points]  # type: ignore[union-attr]

    def stop_between(step: Step) -> None:
        if step.done == looks[1] + 1:
            raise InterruptedRunError

    model = bm.Neural(kind, units, **SMALL)
    with pytest.raises(InterruptedRunError):
        model.fit(TEXT, checkpoint=tmp_path, progress=stop_between, **SHORT)
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint.safetensors"]
    first: list[int] = []
    model.fit(TEXT, checkpoint=tmp_path, resume=True, progress=lambda step: first.append(step.done), **SHORT)
    assert first[0] == looks[1] + 1
    assert timeless(model.curve) == timeless(whole.curve)
    assert model.fingerprint == whole.fingerprint
    # a run that was over when it was killed is over when it is resumed
    again = bm.Neural(kind, units, **SMALL).fit(TEXT, checkpoint=tmp_path, resume=True, **SHORT)
    assert again.fingerprint == whole.fingerprint


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    model = bm.Neural("lstm", "bytes", **SMALL).fit(TEXT[:300], checkpoint=tmp_path, **SHORT)
    with pytest.raises(ModelError, match=r"another run: .*text"):
        model.fit(TEXT[:200], checkpoint=tmp_path, resume=True, **SHORT)
    with pytest.raises(ModelError, match=r"batch \(4 then, 2 now\)"):
        model.fit(TEXT[:300], checkpoint=tmp_path, resume=True, **SHORT | {"batch": 2})
    (tmp_path / "checkpoint.safetensors").write_bytes(b"rubbish")
    with pytest.raises(FileFormatError, match="is not a checkpoint"):
        model.fit(TEXT[:300], checkpoint=tmp_path, resume=True, **SHORT)
    for about in ("[]", "{}", "[" * 100_000, '{"settings": []}', "1", '{"settings": {}, "schema": 1}'):
        save_file({"x": torch.zeros(1)}, tmp_path / "checkpoint.safetensors", metadata={"bitmeter": about})
        with pytest.raises(FileFormatError, match=r"is not a checkpoint|has the schema"):
            model.fit(TEXT[:300], checkpoint=tmp_path, resume=True, **SHORT)
    with pytest.raises(FileFormatError, match="--resume"):
        model.save(tmp_path)


def test_killed_at_any_moment_it_can_be_resumed(tmp_path: Path) -> None:
    """A process killed in the middle leaves whole files; typed again with --resume, all is as if it had not been."""
    text, folder = tmp_path / "text.txt", tmp_path / "model"
    text.write_bytes(TEXT[:600])
    command = [
        sys.executable, "-c", "from bitmeter.cli import main; main()", "train", str(text), "-o", str(folder),
        "--kind", "lstm", "--units", "bytes",
        "--width", "16", "--context", "12", "--epochs", "80", "--batch", "4", "--patience", "99", "--threads", "1",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 120
    while not (folder / "checkpoint.safetensors").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    load_file(folder / "checkpoint.safetensors")  # whole
    assert not (folder / "model.json").exists()
    with pytest.raises(MissingSourceError, match="--resume"):
        bm.load(str(folder))
    (folder / temporary_name()).write_bytes(b"what a kill while writing leaves")
    again = subprocess.run([*command, "--resume"], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert sorted(file.name for file in folder.iterdir()) == ["curve.json", "model.json", "weights.safetensors"]
    whole = bm.Neural("lstm", "bytes", width=16, context=12, threads=1).fit(text, epochs=80, batch=4, patience=99)
    found = bm.load(str(folder))
    assert timeless(found.curve) == timeless(whole.curve)
    assert found.weights_fingerprint == whole.weights_fingerprint


def test_weights_that_run_away_are_named() -> None:
    alphabet = learn_alphabet("bytes", [TEXT], 0)
    row = alphabet.row([TEXT])
    network = build(Shape("lstm", alphabet.size, 8, 1, 8, 0.0))
    network.bias.data.fill_(math.nan)
    trainer = Trainer(
        network, alphabet, Material(row, row, len(TEXT), len(TEXT), ""), Schedule(1, 2, 0.1, 0.0, 3, 3, 1)
    )
    with pytest.raises(ModelError, match=r"step 0 is nan.*lower learning rate"):
        trainer.run(None, None)
