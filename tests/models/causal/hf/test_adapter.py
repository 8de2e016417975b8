"""LoRA adapters: merged by W + s·B·A, and refused wherever they ask for more."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.models.causal.hf.adapter import CONFIG, WEIGHTS
from tests.models.causal.hf.test_kinds import saved
from tests.models.networks import TINY, network, tiny

TEXT = b"The harbour was quiet."
SETTINGS: dict[str, Any] = {
    "peft_type": "LORA", "r": 2, "lora_alpha": 3, "bias": "none", "base_model_name_or_path": "somewhere/else",
    "target_modules": ["c_attn"], "fan_in_fan_out": True, "use_rslora": False, "modules_to_save": None,
}  # fmt: skip
LAYER = "transformer.h.0.attn.c_attn"


def adapter(folder: Path, layer: str = LAYER, rows: int = 0, columns: int = 0, **settings: Any) -> Path:
    """An adapter of one matrix."""
    folder.mkdir()
    (folder / CONFIG).write_text(json.dumps(SETTINGS | settings))
    generator = torch.Generator().manual_seed(4)
    shape = tiny()._network.get_submodule(LAYER).weight.shape if not rows else (columns, rows)
    down = torch.randn(2, shape[0], generator=generator)
    up = torch.randn(shape[1], 2, generator=generator) * 0.1
    names = (f"base_model.model.{layer}.lora_A.weight", f"base_model.model.{layer}.lora_B.weight")
    save_file(dict(zip(names, (down, up), strict=True)), folder / WEIGHTS)
    return folder


@pytest.mark.parametrize(("settings", "scale"), [({}, 1.5), ({"use_rslora": True}, 3 / np.sqrt(2))])
def test_it_is_what_a_hook_beside_the_layer_computes(settings: dict[str, Any], scale: float, tmp_path: Path) -> None:
    """x·W + s·(x·Aᵀ)·Bᵀ, as LoRA is defined, without merging."""
    place = adapter(tmp_path / "a", **settings)
    made = bm.HuggingFace(TINY, adapter=place)
    parts = load_file(place / WEIGHTS)
    down, up = (parts[f"base_model.model.{LAYER}.lora_{x}.weight"] for x in "AB")
    beside = bm.HuggingFace(TINY)
    layer = beside._network.get_submodule(LAYER)
    layer.register_forward_hook(lambda _, given, out: out + scale * given[0] @ down.T @ up.T)
    found, expected, plain = (bm.score(model, TEXT).nats for model in (made, beside, tiny()))
    assert found == pytest.approx(expected, rel=1e-6)
    assert abs(found - plain) > 0.01


def test_the_fingerprint_the_name_and_a_note_say_so(tmp_path: Path) -> None:
    made = bm.load(f"hf:{TINY},adapter={adapter(tmp_path / 'mine')}")
    assert made.fingerprint != tiny().fingerprint
    assert made.name.endswith(",adapter=mine")
    assert any("LoRA of rank 2 on 1 matrices" in note for note in bm.score(made, TEXT).notes)


def test_a_layer_of_the_other_make(tmp_path: Path) -> None:
    """nn.Linear holds its matrix as rows × columns; GPT-2's layers hold it turned."""
    body = network("llama")
    folder = saved(body, tmp_path / "base")
    place = adapter(tmp_path / "a", "model.layers.0.self_attn.q_proj", 16, 16)
    made = bm.HuggingFace(folder, adapter=place)
    parts = load_file(place / WEIGHTS)
    down, up = (parts[f"base_model.model.model.layers.0.self_attn.q_proj.lora_{x}.weight"] for x in "AB")
    wanted = body.model.layers[0].self_attn.q_proj.weight + 1.5 * up @ down
    torch.testing.assert_close(made._network.model.layers[0].self_attn.q_proj.weight, wanted)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"peft_type": "IA3"}, "only LoRA"),
        ({"use_dora": True}, "use_dora"),
        ({"bias": "all"}, "more than the matrices"),
        ({"init_lora_weights": "pissa"}, "more than the matrices"),
        ({"modules_to_save": ["lm_head"]}, "modules_to_save"),
        ({"rank_pattern": {"a": 3}}, "rank_pattern"),
        ({"something_new": {"a": 1}}, "something_new"),
        ({"r": 3}, "rank 3"),
        ({"r": 0}, "its rank is 0"),
        ({"lora_alpha": "8"}, "lora_alpha"),
    ],
)
def test_more_than_plain_lora_is_refused(settings: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=says):
        bm.HuggingFace(TINY, adapter=adapter(tmp_path / "a", **settings))


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="belongs to another model"):
        bm.HuggingFace(TINY, adapter=adapter(tmp_path / "a", "transformer.h.9.attn.c_attn"))
    with pytest.raises(ModelError, match="no plain matrix"):
        bm.HuggingFace(TINY, adapter=adapter(tmp_path / "b", "transformer.h.0.ln_1"))
    with pytest.raises(ModelError, match="for one of"):
        bm.HuggingFace(TINY, adapter=adapter(tmp_path / "c", rows=5, columns=7))
    with pytest.raises(ModelError, match=r"there is no adapter_config\.json"):
        bm.HuggingFace(TINY, adapter=tmp_path)
    broken = adapter(tmp_path / "d")
    (broken / WEIGHTS).write_bytes((broken / WEIGHTS).read_bytes()[:60])
    with pytest.raises(ModelError, match="cannot be read"):
        bm.HuggingFace(TINY, adapter=broken)
    (broken / WEIGHTS).rename(broken / "adapter_model.bin")
    with pytest.raises(ModelError, match="may run code"):
        bm.HuggingFace(TINY, adapter=broken)


@pytest.mark.parametrize("file", [CONFIG, WEIGHTS])
def test_an_adapter_beside_the_weights_is_not_ignored(file: str, tmp_path: Path) -> None:
    base = shutil.copytree(TINY, tmp_path / "base")
    shutil.copy(adapter(tmp_path / "a") / file, base)
    with pytest.raises(ModelError, match=r"beside its weights.*,adapter=FOLDER"):
        bm.HuggingFace(base)
