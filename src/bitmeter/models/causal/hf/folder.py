"""What the settings of a model's folder may name: files of the folder itself, and no code.

transformers follows names that it finds in such settings: a base model of an adapter, shards of weights, compiled
kernels on the hub. None of them was typed by the user, so each is checked before transformers sees the folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bitmeter._util.check import shown
from bitmeter._util.files import read_whole
from bitmeter.errors import ModelError

__all__ = ["TRUST", "check_settings"]

#: How trust is typed.
TRUST = "if you trust it, type ,trust=yes behind its name (in Python: trust=True)"
ADAPTER = "adapter_config.json"
ADAPTERS = ("adapter_model.safetensors", "adapter_model.bin")
CONFIG = "config.json"
INDEX = "model.safetensors.index.json"
#: The setting of config.json that names the file of the weights, or of their index, where it is not the default.
_WEIGHTS = "transformers_weights"
#: Settings whose value can be the name of compiled code on the hub: OWNER/NAME.
_KERNELS = ("attn_implementation", "_attn_implementation", "experts_implementation", "_experts_implementation")
#: Finds a file of a model by its name; None where there is none.
Find = Callable[[str], Path | None]


def check_settings(find: Find, name: str, *, trusted: bool) -> None:
    """Refuse settings that name another model, pickled weights, compiled code, or files of another folder.

    Parameters
    ----------
    find
        From the name of a file of the model to its path.
    name
        The model, for messages.
    trusted
        Whether the user typed trust: pickled weights and compiled code are then allowed.
    """
    if (adapter := find(ADAPTER)) is not None:
        base = shown(_read(adapter, name).get("base_model_name_or_path"))
        message = (
            f"{name} is an adapter, or has one beside its weights, whose {ADAPTER} names another model ({base}) to be "
            "loaded; a folder may not do that. Type the base, and the adapter behind it: hf:BASE,adapter=FOLDER"
        )
        raise ModelError(message, value=name)
    for file in ADAPTERS:
        if find(file) is not None:
            message = (
                f"{name} has {file} beside its weights, which transformers would ignore; move it to a folder of its "
                "own with its adapter_config.json, and type hf:BASE,adapter=FOLDER"
            )
            raise ModelError(message, value=name)
    config = find(CONFIG)
    settings = {} if config is None else _read(config, name)
    if not trusted:
        for key, value in _strings(settings):
            if key in _KERNELS and "/" in value:
                message = (
                    f"{name}: {CONFIG} sets {key} to {shown(value)}, compiled code on the hub that would be fetched "
                    f"and run; remove the setting, or {TRUST}"
                )
                raise ModelError(message, value=value)
    weights = settings.get(_WEIGHTS, INDEX)
    if not isinstance(weights, str) or not _is_plain(weights):
        message = f"{name}: {CONFIG} sets {_WEIGHTS} to {shown(weights)}, which is not a file of the model's folder"
        raise ModelError(message, value=name)
    for index in dict.fromkeys((INDEX, weights)):
        if index.endswith(".index.json") and (found := find(index)) is not None:
            _check_index(found, name, trusted=trusted)


def _check_index(file: Path, name: str, *, trusted: bool) -> None:
    weights = _read(file, name).get("weight_map")
    shards = set(weights.values()) if isinstance(weights, dict) and _all_strings(weights.values()) else None
    if shards is None:
        message = f"{name}: {file.name} does not say which file holds which weight; fetch the model again"
        raise ModelError(message, value=name)
    for shard in sorted(shards):
        if not _is_plain(shard):
            message = f"{name}: {file.name} names the file {shown(shard)}, which is not one of its folder"
            raise ModelError(message, value=shard)
        if not trusted and not shard.endswith(".safetensors"):
            message = (
                f"{name}: {file.name} names {shown(shard)}, which is not a safetensors file; pickled weights may run "
                f"code when they are read. Convert them to safetensors, or {TRUST}"
            )
            raise ModelError(message, value=shard)


def _strings(settings: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string in settings, with the nearest key above it."""
    rest = [(key, settings)]
    while rest:
        key, value = rest.pop()
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, dict):
            # A mapping under a setting such as attn_implementation is one value for each part of a model.
            rest += [(key if key in _KERNELS else str(inner), item) for inner, item in value.items()]
        elif isinstance(value, list):
            rest += [(key, item) for item in value]


def _read(file: Path, name: str) -> dict[str, Any]:
    try:
        found = json.loads(read_whole(file))
    except (ValueError, RecursionError, OSError) as error:
        message = f"{name}: {file.name} cannot be read: {type(error).__name__}: {error}"
        raise ModelError(message, value=name) from error
    if not isinstance(found, dict):
        message = f"{name}: {file.name} holds {shown(found)}, where settings by name were expected"
        raise ModelError(message, value=name)
    return found


def _all_strings(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_plain(file: str) -> bool:
    """Whether this is the name of a file, without a folder."""
    return file not in ("", ".", "..") and not any(sign in file for sign in "/\\\0")
