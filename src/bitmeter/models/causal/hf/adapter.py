"""LoRA adapters, merged into the weights of their base: W + s·B·A, from safetensors, without another package.

Nothing that an adapter's settings name is loaded, and what they ask for beyond plain LoRA is refused by name.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from bitmeter._util.check import shown
from bitmeter._util.files import read_whole
from bitmeter.errors import ModelError

__all__ = ["merge_adapter"]

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
#: More than the settings of any adapter.
_MOST = 1 << 22
_HEAD = "base_model.model."
#: Settings that say nothing of what the adapter computes, or are read below.
_IDLE = frozenset(
    ("auto_mapping", "base_model_name_or_path", "bias", "exclude_modules", "fan_in_fan_out", "inference_mode",
     "init_lora_weights", "layers_pattern", "layers_to_transform", "lora_alpha", "lora_dropout", "peft_type",
     "peft_version", "qalora_group_size", "r", "revision", "target_modules", "task_type", "use_rslora",
     "parent_library", "base_model_class", "loftq_config", "eva_config", "runtime_config")
)  # fmt: skip
#: Ways to begin an adapter that leave its base as it was.
_PLAIN_STARTS = (True, False, None, "gaussian", "eva", "orthogonal")


def merge_adapter(network: Any, folder: Path, name: str) -> str:
    """Add a LoRA adapter to the weights of a network; returns what it was, for people.

    Parameters
    ----------
    network
        The base, of transformers.
    folder
        Where adapter_config.json and adapter_model.safetensors are.
    name
        The model's, for messages.
    """
    settings = _settings(folder, name)
    tensors = _tensors(folder, name)
    scale = _scale(settings, name)
    pairs: dict[str, dict[str, Any]] = {}
    for key, value in tensors.items():
        path, _, part = key.removeprefix(_HEAD).rpartition(".lora_")
        if not key.startswith(_HEAD) or part not in ("A.weight", "B.weight"):
            raise _refused(name, f"it holds {shown(key)}, which is not one of the two matrices of LoRA")
        pairs.setdefault(path, {})[part[0]] = value
    for path, pair in sorted(pairs.items()):
        _add(network, path, pair, settings["r"], scale, name)
    if not pairs:
        raise _refused(name, "it holds no weights")
    return f"LoRA of rank {settings['r']} on {len(pairs)} matrices, scaled by {scale:g}"


def _refused(name: str, why: str) -> ModelError:
    return ModelError(f"the adapter of {name} cannot be used: {why}", value=name)


def _settings(folder: Path, name: str) -> dict[str, Any]:
    file = folder / CONFIG
    if not file.is_file():
        raise _refused(name, f"there is no {CONFIG} in {shown(str(folder))}; adapter= is the folder of a LoRA adapter")
    try:
        found = json.loads(read_whole(file, _MOST))
    except (ValueError, RecursionError, OSError) as error:
        raise _refused(name, f"{CONFIG} cannot be read: {type(error).__name__}: {error}") from error
    if not isinstance(found, dict):
        raise _refused(name, f"{CONFIG} holds no settings by name")
    if found.get("peft_type") != "LORA":
        raise _refused(name, f"it is {shown(found.get('peft_type'))}; only LoRA can be merged. Merge it by peft")
    if found.get("bias", "none") != "none" or found.get("init_lora_weights", True) not in _PLAIN_STARTS:
        raise _refused(name, "it changes more than the matrices of LoRA (bias, init_lora_weights). Merge it by peft")
    for key, value in found.items():
        if value and key not in _IDLE:
            raise _refused(name, f"{CONFIG} sets {shown(key)}, which plain LoRA does not have. Merge it by peft")
    return found


def _scale(settings: dict[str, Any], name: str) -> float:
    rank, alpha = settings.get("r"), settings.get("lora_alpha")
    sound = isinstance(rank, int) and not isinstance(rank, bool) and 0 < rank <= 1 << 16
    if not sound or isinstance(alpha, bool) or not isinstance(alpha, int | float) or not math.isfinite(alpha):
        raise _refused(name, f"its rank is {shown(rank)} and its lora_alpha {shown(alpha)}")
    assert isinstance(rank, int)
    return float(alpha) / (math.sqrt(rank) if settings.get("use_rslora") else rank)


def _tensors(folder: Path, name: str) -> dict[str, Any]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    file = folder / WEIGHTS
    if not file.is_file():
        raise _refused(name, f"there is no {WEIGHTS} in its folder; pickled weights may run code and are not read")
    try:
        found: dict[str, Any] = load_file(file)
    except (SafetensorError, OSError, ValueError) as error:
        raise _refused(name, f"{WEIGHTS} cannot be read: {error}") from error
    return found


def _add(network: Any, path: str, pair: dict[str, Any], rank: int, scale: float, name: str) -> None:
    import torch
    from transformers.pytorch_utils import Conv1D

    if set(pair) != {"A", "B"}:
        raise _refused(name, f"{shown(path)} has one of its two matrices only")
    try:
        module = network.get_submodule(path)
    except AttributeError as error:
        raise _refused(name, f"its base has no layer {shown(path)}; it belongs to another model") from error
    if type(module) not in (torch.nn.Linear, Conv1D):
        raise _refused(name, f"the layer {shown(path)} is a {type(module).__name__} and no plain matrix")
    if module.weight is network.get_input_embeddings().weight:
        raise _refused(name, f"the layer {shown(path)} shares its weights with the embeddings, which it may not change")
    down, up = pair["A"], pair["B"]
    turned = type(module) is Conv1D
    rows, columns = module.weight.shape[::-1] if turned else module.weight.shape
    if tuple(down.shape) != (rank, columns) or tuple(up.shape) != (rows, rank):
        shapes = f"{tuple(up.shape)} and {tuple(down.shape)}"
        raise _refused(
            name, f"the matrices of {shown(path)} are {shapes}, for one of {(rows, columns)} and rank {rank}"
        )
    if not (down.is_floating_point() and up.is_floating_point()):
        raise _refused(name, f"the matrices of {shown(path)} hold no real numbers")
    change = (up.double() @ down.double()) * scale
    if not bool(change.isfinite().all()):
        raise _refused(name, f"the matrices of {shown(path)} hold values that are not finite")
    with torch.no_grad():
        weight = module.weight
        weight.copy_((weight.double().cpu() + (change.T if turned else change)).to(weight.dtype))
