"""Folders of networks: the same model, or an error that says what is wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import bitmeter as bm
from bitmeter.errors import (
    BitmeterError,
    FileFormatError,
    MissingSourceError,
    ModelError,
)
from bitmeter.models.causal.trained.network import Shape, build
from bitmeter.models.causal.trained.scorer import NetworkScorer
from tests.models.causal.trained.made import every, trained


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


def test_a_transformer_without_the_token_before(tmp_path: Path) -> None:
    """As it was saved before there was one: neither the weight nor the word is there."""
    trained("transformer", "bytes").save(tmp_path)
    description = json.loads((tmp_path / "model.json").read_text())
    assert description["shape"].pop("previous") == 1
    (tmp_path / "model.json").write_text(json.dumps(description))
    with pytest.raises(FileFormatError, match="does not hold the weights"):
        bm.load(tmp_path)
    weights = load_file(tmp_path / "weights.safetensors")
    with_zeros = dict(weights) | {"before.weight": torch.zeros_like(weights["before.weight"])}
    del weights["before.weight"]
    save_file(weights, tmp_path / "weights.safetensors")
    old = bm.score(bm.load(tmp_path), b"the cat saw a zebra\n")
    description["shape"]["previous"] = 1
    (tmp_path / "model.json").write_text(json.dumps(description))
    save_file(with_zeros, tmp_path / "weights.safetensors")
    assert old.bits == pytest.approx(bm.score(bm.load(tmp_path), b"the cat saw a zebra\n").bits, rel=1e-6)
    for name in ("previous", "recency"):
        for wrong in (2, -1, "1", None, [1]):
            changed = description | {"shape": description["shape"] | {name: wrong}}
            (tmp_path / "model.json").write_text(json.dumps(changed))
            with pytest.raises(FileFormatError, match=f"its {name} is"):
                bm.load(tmp_path)


def test_a_transformer_with_a_table_of_positions(tmp_path: Path) -> None:
    """As it was saved before attention fell with the distance: the word is not there, and the fingerprint stays."""
    trained("transformer", "bytes").save(tmp_path)
    description = json.loads((tmp_path / "model.json").read_text())
    assert (description["schema"], description["shape"].pop("recency")) == ("bitmeter.neural/2", 1)
    (tmp_path / "model.json").write_text(json.dumps(description))
    with pytest.raises(FileFormatError, match="recency is 0"):  # what the schema says is what the shape must say
        bm.load(tmp_path)
    description["schema"] = "bitmeter.neural/1"
    (tmp_path / "model.json").write_text(json.dumps(description))
    with pytest.raises(FileFormatError, match="does not hold the weights"):
        bm.load(tmp_path)
    network = build(Shape(**description["shape"])).eval()
    save_file(network.state_dict(), tmp_path / "weights.safetensors")
    model = bm.load(tmp_path)
    assert model._network.shape.as_dict() == description["shape"]  # which is what the fingerprint holds
    text = b"the cat saw"  # within one window of twelve
    found = NetworkScorer(network).logprobs([np.array([256, *text])], [1])[0]
    assert bm.score(model, text).nats == pytest.approx(-found.sum(), rel=1e-6)
    model.save(tmp_path, force=True)
    assert json.loads((tmp_path / "model.json").read_text())["shape"] == description["shape"]
    assert bm.load(tmp_path).fingerprint == model.fingerprint
    long = description | {
        "schema": "bitmeter.neural/2",
        "shape": description["shape"] | {"recency": 1, "context": 1025},
    }
    (tmp_path / "model.json").write_text(json.dumps(long))
    with pytest.raises(FileFormatError, match="context of 1,025"):
        bm.load(tmp_path)


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
        {"shape": shape | {"size": 3}}, {"shape": shape | {"layers": "many"}}, {"shape": shape | {"dropout": -0.1}},
        {"shape": shape | {"dropout": 1.0}},
    ]  # fmt: skip
    for changes in wrong:
        described(**changes)
        with pytest.raises(FileFormatError):
            bm.load(tmp_path)
    for sizes in ({"width": 1 << 14}, {"width": 1 << 12, "layers": 256}):  # gigabytes, by a few bytes of JSON
        described(shape=shape | sizes)
        with pytest.raises(FileFormatError, match=r"bytes of weights"):
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
