"""What a folder from a stranger may do: be read. Every test writes a folder that asks for more."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.models.causal.hf.folder import check_settings
from tests.models.networks import TINY, tiny

TEXT = b"The cat sat on the mat."


def folder(path: Path, *, weights: bool = True) -> Path:
    """A copy of the tiny model."""
    path.mkdir()
    for file in TINY.iterdir():
        if file.suffix == ".json" or (weights and file.suffix == ".safetensors"):
            shutil.copy(file, path)
    return path


def change(file: Path, **settings: Any) -> None:
    found = json.loads(file.read_bytes()) if file.exists() else {}
    file.write_text(json.dumps(found | settings))


def code(place: Path, marker: Path) -> None:
    """A module that leaves a mark when it is run."""
    (place / "evil.py").write_text(f"open({str(marker)!r}, 'w').close()\nclass Evil: pass\n")


AUTO_MAPS = {
    "config.json": {"AutoConfig": "evil.Evil", "AutoModelForCausalLM": "evil.Evil"},
    "tokenizer_config.json": {"AutoTokenizer": ["evil.Evil", "evil.Evil"]},
}


def test_a_text_on_stdin_does_not_answer_for_the_user(tmp_path: Path) -> None:
    place, marker = folder(tmp_path / "m"), tmp_path / "ran"
    code(place, marker)
    change(place / "config.json", model_type="evil", auto_map=AUTO_MAPS["config.json"])
    line = "from bitmeter.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", line, "score", f"hf:{place}", "-"], input=b"y\n" * 9, capture_output=True, check=False
    )
    assert not marker.exists()
    assert run.returncode == 1
    assert b"comes with code of its own, which is not run: if you trust it, type ,trust=yes" in run.stderr
    assert b"Traceback" not in run.stderr


@pytest.mark.parametrize("file", AUTO_MAPS)
def test_no_code_of_the_folder_is_run(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def prompt(*_: object) -> str:
        raise AssertionError("the user is asked")

    monkeypatch.setattr("builtins.input", prompt)
    place, marker = folder(tmp_path / "m"), tmp_path / "ran"
    code(place, marker)
    change(place / file, auto_map=AUTO_MAPS[file], **({"model_type": "evil"} if file == "config.json" else {}))
    if file == "tokenizer_config.json":
        change(place / file, tokenizer_class="Evil")
    try:
        bm.HuggingFace(place)  # a tokenizer that transformers knows itself may be used instead
    except ModelError as error:
        assert "trust=yes" in str(error)  # noqa: PT017
    assert not marker.exists()
    with pytest.raises(ModelError):  # what was typed is done, and the code is not that of a model
        bm.HuggingFace(place, trust=True)
    assert marker.exists()


class Bomb:
    """Runs when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return open, (str(self.marker), "w")


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.pkl"])
def test_an_index_of_safetensors_names_nothing_else(name: str, tmp_path: Path) -> None:
    place, marker = folder(tmp_path / "m", weights=False), tmp_path / "ran"
    (place / name).write_bytes(pickle.dumps(Bomb(marker)))
    names = load_file(TINY / "model.safetensors")
    change(place / "model.safetensors.index.json", metadata={}, weight_map=dict.fromkeys(names, name))
    with pytest.raises(ModelError, match=r"is not a safetensors file; pickled weights may run code.*trust=yes"):
        bm.HuggingFace(place)
    assert not marker.exists()


def test_an_index_of_another_name_is_checked_too(tmp_path: Path) -> None:
    place = folder(tmp_path / "m", weights=False)
    torch.save(load_file(TINY / "model.safetensors"), place / "w.bin")
    names = load_file(TINY / "model.safetensors")
    change(place / "other.safetensors.index.json", metadata={}, weight_map=dict.fromkeys(names, "w.bin"))
    change(place / "config.json", transformers_weights="other.safetensors.index.json")
    with pytest.raises(ModelError, match="is not a safetensors file"):
        bm.HuggingFace(place)


def test_an_index_that_is_sound_is_used(tmp_path: Path) -> None:
    place = folder(tmp_path / "m")
    (place / "model.safetensors").rename(place / "a.safetensors")
    names = load_file(TINY / "model.safetensors")
    change(place / "model.safetensors.index.json", metadata={}, weight_map=dict.fromkeys(names, "a.safetensors"))
    assert bm.HuggingFace(place).weights_fingerprint == tiny().weights_fingerprint


@pytest.mark.parametrize("shard", ["../a.safetensors", "/a.safetensors", "..", "", "x\\y.safetensors"])
def test_an_index_names_files_of_its_folder(shard: str, tmp_path: Path) -> None:
    change(tmp_path / "model.safetensors.index.json", weight_map={"w": shard})
    for trusted in (False, True):
        with pytest.raises(ModelError, match="not one of its folder"):
            check_settings(lambda name: found if (found := tmp_path / name).exists() else None, "m", trusted=trusted)


def test_an_adapter_does_not_name_its_base(tmp_path: Path) -> None:
    place = folder(tmp_path / "m")
    change(place / "adapter_config.json", base_model_name_or_path="someone/else", peft_type="LORA")
    with pytest.raises(ModelError, match=r"names another model \('someone/else'\).*hf:BASE,adapter=FOLDER"):
        bm.HuggingFace(place)


@pytest.mark.parametrize("value", ["owner/kernel", "owner/kernel@main:f", {"": "owner/kernel"}])
def test_no_compiled_code_of_the_hub_is_asked_for(value: Any, tmp_path: Path) -> None:
    place = folder(tmp_path / "m")
    for setting in ({"attn_implementation": value}, {"text_config": {"_attn_implementation": value}}):
        change(place / "config.json", **setting)
        with pytest.raises(ModelError, match="compiled code on the hub"):
            bm.HuggingFace(place)


def test_an_attention_that_transformers_has_is_no_compiled_code(tmp_path: Path) -> None:
    place = folder(tmp_path / "m")
    change(place / "config.json", attn_implementation="eager")
    assert bm.HuggingFace(place).size == tiny().size


@pytest.mark.parametrize("file", ["config.json", "adapter_config.json", "model.safetensors.index.json"])
@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b'{"weight_map": 3}', b'{"weight_map": {"a": 1}}'])
def test_damaged_settings_are_typed_errors(file: str, content: bytes, tmp_path: Path) -> None:
    place = folder(tmp_path / "m")
    (place / file).write_bytes(content)
    with pytest.raises(ModelError):
        bm.HuggingFace(place)


def test_a_folder_reaches_no_network(tmp_path: Path) -> None:
    """Its settings name hub models wherever one can be named; no address is looked up."""
    place = folder(tmp_path / "m")
    change(place / "config.json", _name_or_path="someone/else")
    change(
        place / "tokenizer_config.json", name_or_path="mistralai/Mistral-7B-v0.1", tokenizer_file="/nowhere/t.json",
        chat_template="{{ ''.__class__ }}",
    )  # fmt: skip
    change(place / "generation_config.json", _name_or_path="someone/else", custom_generate="someone/else")
    (place / "model.safetensors").rename(place / "kept")
    program = (
        "import sys\n"
        "asked = []\n"
        "sys.addaudithook(lambda name, found: asked.append(found) if name.startswith('socket.') else None)\n"
        "import bitmeter as bm\n"
        "def load():\n"
        "    try: print(bm.HuggingFace(sys.argv[1]).size)\n"
        "    except bm.BitmeterError as error: print(type(error).__name__)\n"
        "load()\n"
        "import os; os.rename(sys.argv[1] + '/kept', sys.argv[1] + '/model.safetensors')\n"
        "load()\n"
        "print([found for found in asked if 'AF_UNIX' not in str(found)])\n"
    )
    environment = {**os.environ, "HF_HUB_OFFLINE": "0"}
    run = subprocess.run([sys.executable, "-c", program, str(place)], capture_output=True, text=True, env=environment)
    assert run.stdout.split("\n")[:3] == ["ModelError", str(tiny().size), "[]"], run.stderr
