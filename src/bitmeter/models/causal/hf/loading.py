"""Loads a tokenizer and a network of transformers, without code of theirs, or says what is wrong."""

from __future__ import annotations

import contextlib
import io
import logging
from pathlib import Path
from typing import Any

from bitmeter._util.optional import require
from bitmeter.errors import BitmeterError, ModelError
from bitmeter.models.causal.hf.folder import TRUST, Find, check_settings
from bitmeter.models.causal.hf.kinds import check_kind, described

__all__ = ["load_both"]


def load_both(
    name: str,
    place: str,
    given: dict[str, Any],
    weights: Any,
    device_map: Any,
) -> tuple[Any, Any]:
    """The tokenizer and the network, or one error that says what is wrong."""
    trusted = given["trust_remote_code"]
    if not _may_be_on_the_hub(place) and not Path(place).exists():
        message = f"{name} cannot be loaded: there is no such folder, and no model of the hub has such a name"
        raise ModelError(message, value=place)
    import transformers

    if device_map is not None:
        require("accelerate", "Spreading a model over devices")
    logger = logging.getLogger("transformers")
    level = logger.level
    logger.setLevel(logging.ERROR)
    bars = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()
    how: dict[str, Any] = {}
    if "gguf_file" not in given:
        how = {} if trusted else {"use_safetensors": True}
    elif hasattr(transformers, "GgufConfig"):  # newer versions can keep the weights quantised; we dequantise them
        how = {"quantization_config": transformers.GgufConfig(dequantize=True)}
    # The reader of GGUF files draws a bar of its own, which transformers' switch does not turn off.
    hidden = contextlib.redirect_stderr(io.StringIO()) if "gguf_file" in given else contextlib.nullcontext()
    try:
        with hidden:
            if not Path(place).exists():  # if the hub does not answer, this waits for it once, and not for each file
                transformers.AutoConfig.from_pretrained(place, **given)
            check_settings(_finder(place, given), name, trusted=trusted)
            if "gguf_file" not in given:
                check_kind(transformers.AutoConfig.from_pretrained(place, **given), name, trusted=trusted)
            tokenizer = transformers.AutoTokenizer.from_pretrained(place, **given)
            network, report = transformers.AutoModelForCausalLM.from_pretrained(
                place, dtype=weights, device_map=device_map, output_loading_info=True, **given, **how
            )
    except (BitmeterError, MemoryError):
        raise
    # All of Exception, because tokenizers raises that class itself for a file that it cannot read, and because code
    # that comes with a model (trust) may raise anything: the message names what it was, and the cause is kept.
    except Exception as error:
        raise _load_error(name, place, error, gguf="gguf_file" in given) from error
    finally:
        logger.setLevel(level)
        if bars:
            transformers.utils.logging.enable_progress_bar()
    missing = sorted(report.get("missing_keys", ()))
    if missing:
        message = (
            f"{name} lacks the weights {', '.join(missing[:3])}{' and more' * (len(missing) > 3)}, which would be "
            f"random; it is {described(network.config)} and not a causal language model, or it was saved by another "
            "version of transformers"
        )
        raise ModelError(message, value=name)
    if network.dtype == _float64():
        _compute_experts_one_by_one(network)
    return tokenizer, network


def _compute_experts_one_by_one(network: Any) -> None:
    """torch multiplies by all experts at once in float32 and coarser types only."""
    if hasattr(network, "set_experts_implementation"):  # not in every version
        with contextlib.suppress(ValueError):  # a network without experts
            network.set_experts_implementation("eager")


def _float64() -> Any:
    import torch

    return torch.float64


def _finder(place: str, given: dict[str, Any]) -> Find:
    """How a file of the model is found: in its folder, or on the hub, which keeps it in its cache."""
    folder = Path(place)

    def in_folder(file: str) -> Path | None:
        return folder / file if (folder / file).is_file() else None

    def on_hub(file: str) -> Path | None:
        from transformers.utils.hub import cached_file

        found = cached_file(
            place, file, revision=given.get("revision"), _raise_exceptions_for_gated_repo=False,
            _raise_exceptions_for_missing_entries=False, _raise_exceptions_for_connection_errors=False,
        )  # fmt: skip
        return None if found is None else Path(found)

    return in_folder if folder.exists() else on_hub


def _may_be_on_the_hub(place: str) -> bool:
    """Whether a name can be one of the hub's, NAME or OWNER/NAME, and not only a folder's."""
    return (
        place.count("/") <= 1
        and not place.startswith((".", "/", "~"))
        and not place.endswith("/")
        and "\\" not in place
    )


def _load_error(name: str, place: str, error: Exception, *, gguf: bool) -> ModelError:
    reason = " ".join(str(error).split())[:400]
    folder = Path(place)
    if "trust_remote_code" in str(error):
        hint = f"it comes with code of its own, which is not run: {TRUST}"
    elif folder.is_dir() and not list(folder.glob("*.safetensors*")) and _pickled(folder):
        hint = (
            f"its weights are pickled ({_pickled(folder)[0].name}), which may run code when they are read: convert "
            f"them to safetensors, or {TRUST}; they are then read with torch's weights_only"
        )
    elif gguf:
        hint = "transformers cannot read this GGUF file; llama.cpp may (,engine=llama.cpp)"
    elif not folder.exists():
        hint = "there is no such folder, and the hub gave nothing either"
    else:
        hint = "a model has config.json, a tokenizer and model.safetensors in one folder"
    message = f"{name} cannot be loaded: {hint}. transformers says: {type(error).__name__}: {reason}"
    return ModelError(message, value=place)


def _pickled(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in (".bin", ".pt", ".pth", ".pkl", ".ckpt"))
