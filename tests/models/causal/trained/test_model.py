"""Networks trained here: their loss is torch's, they learn, stop, resume, and are models like any other."""

from __future__ import annotations

import functools
import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

import bitmeter as bm
from bitmeter.errors import (
    BitmeterError,
    EmptyError,
    FileFormatError,
    MissingPackageError,
    MissingSourceError,
    ModelError,
)
from bitmeter.models.causal.trained.network import Shape, build
from bitmeter.models.causal.trained.scorer import NetworkScorer
from bitmeter.models.causal.trained.train import Material, Schedule, Trainer, split_off
from bitmeter.models.causal.trained.units import learn_alphabet

TEXT = b"the cat sat on the mat\nand the dog lay on the rug\n" * 24
# One thread: on a busy machine several cost more than they bring for networks this small.
torch.set_num_threads(1)
KINDS = ("lstm", "transformer")
UNITS = ("bytes", "bpe", "words")
SMALL: dict[str, Any] = {"width": 16, "layers": 1, "context": 12, "threads": 1, "dropout": 0.1}
SHORT: dict[str, Any] = {"epochs": 2, "batch": 4, "looks": 4}


@functools.cache
def trained(kind: str, units: str) -> bm.Neural:
    return bm.Neural(kind, units, **SMALL).fit(TEXT, **SHORT)


every = pytest.mark.parametrize(("kind", "units"), [(kind, units) for kind in KINDS for units in UNITS])


def usual(model: bm.Neural) -> bm.Neural:
    return model.with_oov("class") if model.units_kind == "words" else model


# ---- the loss --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_loss_is_torchs_cross_entropy_and_the_negative_log_likelihood(kind: str) -> None:
    torch.manual_seed(5)
    network = build(Shape(kind, 30, 16, 2, 10, 0.0)).double().eval()
    ids = torch.randint(0, 30, (3, 11))
    with torch.inference_mode():
        loss, _ = network.loss(ids[:, :-1], ids[:, 1:])
        logits = network.logits(network.hidden(ids[:, :-1], None)[0])
    # torch's own loss, and by hand: the one-hot target against the softmax
    torchs = functional.cross_entropy(logits.reshape(-1, 30), ids[:, 1:].reshape(-1))
    assert float(loss) == pytest.approx(float(torchs), rel=1e-12)
    one_hot = functional.one_hot(ids[:, 1:], 30).double()
    by_hand = -(one_hot * torch.log_softmax(logits, -1)).sum(-1).mean()
    assert float(loss) == pytest.approx(float(by_hand), rel=1e-12)
    rows = NetworkScorer(network).logprobs(list(ids.numpy()), [1] * 3)
    likelihood = -np.concatenate(rows).mean()
    assert float(loss) == pytest.approx(likelihood, rel=1e-12)
    # perplexity is its exponential: the geometric mean of 1/p
    assert math.exp(float(loss)) == pytest.approx(np.exp(-np.concatenate(rows)).prod() ** (1 / 30), rel=1e-9)


@every
def test_score_is_the_loss_of_torch(kind: str, units: str) -> None:
    model = trained(kind, units)
    text = b"the dog sat on the mat"
    oov = "class" if units == "words" else None
    score = bm.score(model, text, oov=oov)
    ids = model.network_ids(model.units.split(text).ids)[: model._context - 1]
    row = torch.tensor(np.concatenate((np.array([model.eos_id]), ids)))[None]
    with torch.inference_mode():
        loss = float(model.fast_form[0].loss(row[:, :-1], row[:, 1:])[0]) * len(ids)
    assert -score.trace.logprob[: len(ids)].sum() == pytest.approx(loss, rel=1e-5)


@every
def test_predictions_sum_to_one_and_agree_with_the_ratings(kind: str, units: str) -> None:
    model = usual(trained(kind, units))
    ids = np.asarray(model.units.split(b"the cat sat on a zebra, dog").ids)
    logs = model.logprobs(ids, np.array([0, len(ids)]))
    stepper = model.stepper()
    for place in range(len(ids)):
        row = model.predict(ids[:place])
        assert np.exp(row).sum() == pytest.approx(1.0, abs=1e-12)
        own = int(model.network_ids(ids)[place])
        assert row[own] == pytest.approx(logs[place], abs=1e-5)
        np.testing.assert_allclose(stepper.predict(), row, atol=1e-5, rtol=0)
        stepper.take(own)
    if units == "words":
        assert row[1] == -math.inf  # <s> never comes


# ---- training --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_overfits_a_small_text(kind: str) -> None:
    """What it has seen a hundred times costs nearly nothing; chance would be 8 bits."""
    text = b"Sphinx of black quartz, judge my vow. " * 12
    model = bm.Neural(kind, "bytes", width=32, layers=1, context=24, dropout=0.0, threads=1)
    model.fit(text, heldout=text, epochs=40, batch=2, learning_rate=0.01, patience=50, looks=8)
    assert model.curve is not None
    points = model.curve.points
    assert bm.score(model, text).bits_per_byte < 0.4 < 3 < points[0].train_bits_per_byte
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
    """Held-out text of another kind: learning the text by heart makes it dearer."""
    model = bm.Neural("lstm", "bytes", width=32, layers=1, context=16, dropout=0.0, threads=1)
    model.fit(TEXT[:600], heldout=b"QUICK ZEBRAS JUMP!" * 3, epochs=200, batch=4, patience=3, looks=200)
    curve = model.curve
    assert curve is not None
    assert curve.best is not None
    assert curve.stopped == "early"
    assert curve.points[-1].step < curve.steps
    assert len(curve.points) - 1 - curve.points.index(curve.best) == 3
    # short enough to be one stretch: the weights that were kept give the best figure again
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


def test_words_that_come_once_are_unknown() -> None:
    alphabet = learn_alphabet("words", [b"to be or not to be\n\nto see"], 100)
    assert alphabet.source == b"to\nbe"
    # </s> before the text and after each line; the blank line is its end alone
    assert alphabet.row([b"to be or\n\nbe"]).tolist() == [2, 3, 4, 0, 2, 2, 4, 2]
    assert learn_alphabet("words", [b"a a a b b b c c d"], 5).source == b"a\nb"


# ---- checkpoints -----------------------------------------------------------------------------------------------------


def timeless(curve: bm.LearningCurve | None) -> list[bm.CurvePoint]:
    assert curve is not None
    return [replace(point, seconds=0.0) for point in curve.points]


class InterruptedRunError(Exception):
    pass


@pytest.mark.parametrize(("kind", "units"), [("lstm", "bpe"), ("transformer", "bytes")])
def test_a_resumed_run_is_the_run_that_was_not_interrupted(kind: str, units: str, tmp_path: Path) -> None:
    whole = bm.Neural(kind, units, **SMALL).fit(TEXT, **SHORT)
    looks = [point.step for point in whole.curve.points]  # type: ignore[union-attr]

    def stop_between(step: int, steps: int, curve: bm.LearningCurve) -> None:
        if step == looks[1] + 1:
            raise InterruptedRunError

    model = bm.Neural(kind, units, **SMALL)
    with pytest.raises(InterruptedRunError):
        model.fit(TEXT, checkpoint=tmp_path, progress=stop_between, **SHORT)
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint.safetensors"]
    first: list[int] = []
    model.fit(TEXT, checkpoint=tmp_path, resume=True, progress=lambda step, *_: first.append(step), **SHORT)
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
    with pytest.raises(FileFormatError, match="no checkpoint"):
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
    (folder / ".checkpoint.safetensors.half").write_bytes(b"what a kill while writing leaves")
    again = subprocess.run([*command, "--resume"], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert sorted(file.name for file in folder.iterdir()) == ["curve.json", "model.json", "weights.safetensors"]
    whole = bm.Neural("lstm", "bytes", width=16, context=12, threads=1).fit(text, epochs=80, batch=4, patience=99)
    found = bm.load(str(folder))
    assert timeless(found.curve) == timeless(whole.curve)
    assert found.weights_fingerprint == whole.weights_fingerprint


# ---- as a model ------------------------------------------------------------------------------------------------------


@every
def test_saved_and_loaded_it_is_the_same(kind: str, units: str, tmp_path: Path) -> None:
    model = trained(kind, units)
    model.save(tmp_path / "model")
    for spec in (f"neural:{tmp_path / 'model'}", str(tmp_path / "model"), tmp_path / "model"):
        found = bm.load(spec)
        assert (found.fingerprint, found.curve) == (model.fingerprint, model.curve)
        assert found.name == "neural:model"
    text = b"the cat saw a zebra\n"
    assert bm.score(found, text).bits == bm.score(model, text).bits
    with pytest.raises(FileFormatError, match="--force"):
        model.save(tmp_path / "model")
    model.save(tmp_path / "model", force=True)


@every
@pytest.mark.parametrize("ctx", ["auto", "9.4", "disjoint.7"])
def test_a_stream_gives_the_same_wherever_it_is_cut(kind: str, units: str, ctx: str) -> None:
    model = usual(trained(kind, units)).with_context(ctx, "bos")
    documents = [b"the cat sat on the mat and the dog lay", b"", b"a dog", b"the rug on the mat and on the mat", b"mat"]
    ends = np.cumsum([len(document) for document in documents])
    split = model.units.split(b"".join(documents), ends)
    whole = model.logprobs(split.ids, split.bounds)
    for size in (1, 7):
        stream = model.stream()
        found = []
        for first in range(0, len(split.ids), size):
            last = min(len(split.ids), first + size)
            inner = split.bounds[(split.bounds > first) & (split.bounds < last)] - first
            bounds = np.concatenate(([0], inner, [last - first]))
            found.append(stream.logprobs(split.ids[first:last], bounds, continues=first not in split.bounds))
        np.testing.assert_allclose(np.concatenate(found), whole, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_figures_do_not_depend_on_the_company(kind: str) -> None:
    """Documents of all lengths side by side cost what each costs alone."""
    model = trained(kind, "bytes")
    documents = [TEXT[: 7 * i] for i in range(12)]
    together = bm.score(model, bm.Corpus.from_documents(documents))
    alone = math.fsum(bm.score(model, document).nats for document in documents)
    assert together.nats == pytest.approx(alone, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_spelled_words_are_a_distribution_over_bytes(kind: str) -> None:
    """Unknown words cost their class and their spelling; all blocks together cost what the whole does."""
    model = trained(kind, "words")
    text = b"the zebra sat on the mat\n\n  and the cat\n"
    spelled, plain = bm.score(model, text), bm.score(model, text, oov="class")
    assert "oov:spelled" in str(spelled.signature)
    assert spelled.oov == plain.oov == 1
    assert spelled.nats > plain.nats
    stream = model.with_oov("spelled").with_context("auto", "bos").stream()
    units = model.units
    cut = units.cut(text[:14])
    parts = []
    for data, continues, unfinished in ((text[:cut], False, True), (text[cut:], True, False)):
        parts.append(stream.rate_text(data, units.split(data), continues, unfinished))  # type: ignore[union-attr]
    assert -np.concatenate(parts).sum() == pytest.approx(spelled.nats, rel=1e-6)


@pytest.mark.parametrize(("kind", "units"), [("lstm", "bpe"), ("transformer", "bytes")])
def test_as_a_compressor_it_keeps_its_promise(kind: str, units: str, tmp_path: Path) -> None:
    model = trained(kind, units)
    text = "the cat lay on the rug: é\n".encode()
    (tmp_path / "text").write_bytes(text)
    archive = bm.compress(model, tmp_path / "text", tmp_path / "text.bmz")
    bm.decompress(tmp_path / "text.bmz", tmp_path / "back", model=model)
    assert (tmp_path / "back").read_bytes() == text
    assert archive.bits == pytest.approx(bm.score(model, text).bits, rel=1e-4)


@pytest.mark.parametrize("units", UNITS)
def test_what_else_was_likely(units: str) -> None:
    model = trained("lstm", units)
    oov = "class" if units == "words" else None
    trace = bm.score(model, b"the cat sat", alternatives=3, oov=oov).trace
    assert trace.rank is not None
    assert (np.asarray(trace.rank) >= 1).all()
    assert len(model.outcomes.names) == model.size


# ---- bad input -------------------------------------------------------------------------------------------------------


def test_bad_input_is_named() -> None:
    with pytest.raises(ModelError, match="knows no text yet"):
        bm.score(bm.Neural(), b"text")
    for text in (b"", b"a"):
        with pytest.raises(EmptyError):
            bm.Neural("lstm", "bytes").fit(text)
    with pytest.raises(EmptyError, match="no word"):
        bm.Neural("lstm", "words").fit(b" \n" * 50)
    with pytest.raises(EmptyError, match="held out"):
        bm.Neural("lstm", "bytes").fit(TEXT, heldout=b"")


def test_weights_that_run_away_are_named() -> None:
    alphabet = learn_alphabet("bytes", [TEXT], 0)
    row = alphabet.row([TEXT])
    network = build(Shape("lstm", alphabet.size, 8, 1, 8, 0.0))
    network.bias.data.fill_(math.nan)
    trainer = Trainer(network, alphabet, Material(row, row, len(TEXT), len(TEXT), ""), Schedule(1, 2, 0.1, 3, 3, 1))
    with pytest.raises(ModelError, match=r"step 0 is nan.*lower learning rate"):
        trainer.run(None, None)


def test_bad_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingSourceError, match="bitmeter train"):
        bm.load(f"neural:{tmp_path}")
    with pytest.raises(ModelError, match="needs a folder"):
        bm.load("neural:")
    trained("lstm", "words").save(tmp_path, force=True)
    description = json.loads((tmp_path / "model.json").read_text())

    def described(**changes: Any) -> None:
        (tmp_path / "model.json").write_text(json.dumps(description | changes))

    shape = description["shape"]
    wrong: list[dict[str, Any]] = [
        {"schema": "bitmeter.neural/99"}, {"units": "letters"}, {"shape": None}, {"shape": shape | {"width": -1}},
        {"shape": shape | {"width": 1 << 40}}, {"shape": shape | {"width": 17}}, {"shape": shape | {"kind": "rnn"}},
        {"shape": shape | {"size": 3}}, {"shape": shape | {"layers": "many"}},
    ]  # fmt: skip
    for changes in wrong:
        described(**changes)
        with pytest.raises(FileFormatError):
            bm.load(tmp_path)
    described()
    weights = load_file(tmp_path / "weights.safetensors")
    save_file(weights | {"bias": torch.full_like(weights["bias"], math.nan)}, tmp_path / "weights.safetensors")
    with pytest.raises(FileFormatError, match="NaN"):
        bm.load(tmp_path)
    for name in ("weights.safetensors", "words.txt", "curve.json", "model.json", "spelling.bmn"):
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(BitmeterError):
            bm.load(tmp_path)


@pytest.mark.parametrize("call", ["fit", "load"])
def test_without_torch_the_line_to_type_is_said(call: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackageError, match=r"pip install '\.\[hf\]'"):
        bm.Neural().fit(TEXT) if call == "fit" else bm.load(f"neural:{tmp_path}")


def test_curve_files(tmp_path: Path) -> None:
    curve = trained("lstm", "bytes").curve
    assert curve is not None
    curve.save(tmp_path / "curve.json")
    assert bm.LearningCurve.load(tmp_path / "curve.json") == curve
    assert "best" in str(curve)
    for text in ("", "[]", "{}", '{"schema": "bitmeter.curve/1"}', '{"schema": "other"}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(FileFormatError):
            bm.LearningCurve.load(tmp_path / "bad.json")


def test_the_network_of_the_tour_has_torchs_loss_and_slope() -> None:
    """The lesson trains with numpy alone: its loss and its steps are those of torch, which it quotes once."""
    quoted = functional.cross_entropy(torch.tensor([[2.0, 1.0, 0.5, -1.0]]), torch.tensor([1]))
    assert f"{quoted.item():.4f}" == "1.4952"
    text = "how much wood would a woodchuck chuck if a woodchuck could "
    letters = sorted(set(text))
    ids = np.array([letters.index(letter) for letter in text])
    x, y = ids[:-1], ids[1:]
    by_hand, table = np.zeros((len(letters),) * 2), torch.zeros((len(letters),) * 2, dtype=torch.float64)
    table.requires_grad_()
    for _ in range(30):
        powers = np.exp(by_hand[x])
        slope = powers / powers.sum(axis=1, keepdims=True)
        ours = -np.log(slope[np.arange(len(y)), y]).mean()
        slope[np.arange(len(y)), y] -= 1
        np.add.at(by_hand, x, -10 * slope / len(y))
        loss = functional.cross_entropy(table[torch.from_numpy(x)], torch.from_numpy(y))
        assert ours == pytest.approx(loss.item(), rel=1e-12)
        (found,) = torch.autograd.grad(loss, table)
        table.data -= 10 * found
    np.testing.assert_allclose(by_hand, table.detach().numpy(), atol=1e-12)
