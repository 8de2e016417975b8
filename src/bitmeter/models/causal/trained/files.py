"""A trained network on disk: a folder with its description, its weights, its units and its learning curve.

`model.json` is written last, so that a folder that has it has all. Weights are safetensors, which run no code when they
are read; every size is checked against the description before it is used.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from bitmeter._util.files import as_path, as_utf8, check_destination, read_whole, replacing, unread
from bitmeter.errors import FileFormatError, MissingSourceError
from bitmeter.models.causal.trained.curve import LearningCurve, read_json
from bitmeter.models.causal.trained.network import MOST_RECENT, Network, Shape, build
from bitmeter.models.causal.trained.train import CHECKPOINT
from bitmeter.models.causal.trained.units import Alphabet, bpe_alphabet, learn_alphabet, word_alphabet
from bitmeter.models.ngram.model import NGram

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SCHEMA", "prepare_folder", "read_folder", "read_spelling", "write_folder"]

SCHEMA = "bitmeter.neural/1"
#: Of a transformer whose attention falls with the distance, which earlier versions cannot read.
SCHEMA_2 = "bitmeter.neural/2"
DESCRIPTION, WEIGHTS, CURVE, TOKENIZER, WORDS = (
    "model.json", "weights.safetensors", "curve.json", "tokenizer.json", "words.txt",
)  # fmt: skip
SPELLING = "spelling.bmn"
#: Beyond any network that is trained here.
_MOST = {"size": 1 << 22, "width": 1 << 14, "layers": 256, "context": 1 << 20}


def is_finished(path: Any) -> bool:
    """Whether a folder holds a network whose training came to its end."""
    folder = as_path(path)
    return (folder / DESCRIPTION).exists() and not (folder / CHECKPOINT).exists()


def prepare_folder(path: Any, *, force: bool, resume: bool = False) -> Path:
    """The folder of a model to be, made if it is not there."""
    folder = as_path(path)
    if folder.exists() and not folder.is_dir():
        message = f"{folder} is a file; a network is a folder"
        raise FileFormatError(message, value=str(folder))
    if (folder / DESCRIPTION).exists() and not force and not resume:
        message = f"{folder} exists already and is not overwritten; type --force (in Python: force=True)"
        raise FileFormatError(message, value=str(folder))
    if (folder / CHECKPOINT).exists() and not force and not resume:
        message = (
            f"{folder} holds a training that was not finished; go on with it by --resume, or begin again with --force "
            "(in Python: resume=True, force=True)"
        )
        raise FileFormatError(message, value=str(folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{folder} cannot be made: {error.strerror}"
        raise FileFormatError(message, value=str(folder)) from error
    check_destination(folder / CHECKPOINT, force=True)
    if force and not resume:
        (folder / CHECKPOINT).unlink(missing_ok=True)
    return folder


def write_folder(
    path: Any,
    network: Network,
    alphabet: Alphabet,
    curve: LearningCurve,
    about: dict[str, Any],
    words: NGram | None = None,
    *,
    force: bool,
) -> None:
    """Write a model; a checkpoint in the folder is then removed."""
    folder = prepare_folder(path, force=force, resume=True) if force else prepare_folder(path, force=False)
    weights = {name: weight.detach().contiguous() for name, weight in network.state_dict().items()}
    (folder / DESCRIPTION).unlink(missing_ok=True)
    with replacing(folder / WEIGHTS, force=True) as beside:
        # safetensors' own save_file writes to a file of a name of its own, which a kill would leave in the folder.
        beside.write_bytes(save(weights))
    curve.save(folder / CURVE, force=True)
    if alphabet.kind == "bpe":
        with replacing(folder / TOKENIZER, force=True) as beside:
            beside.write_bytes(alphabet.source)
    if alphabet.kind == "words":
        with replacing(folder / WORDS, force=True) as beside:
            beside.write_bytes(alphabet.source)
    if words is not None:
        words.save(folder / SPELLING, force=True)
    schema = SCHEMA_2 if network.shape.recency else SCHEMA
    description = {"schema": schema, "units": alphabet.kind, "shape": network.shape.as_dict(), **about}
    with replacing(folder / DESCRIPTION, force=True) as beside:
        beside.write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
    (folder / CHECKPOINT).unlink(missing_ok=True)


def read_folder(path: Any) -> tuple[Network, Alphabet, LearningCurve, dict[str, Any]]:
    """The network, its alphabet, its curve and the rest of its description."""
    folder = as_path(path)
    if not (folder / DESCRIPTION).exists():
        if (folder / CHECKPOINT).exists():
            message = f"the training of {folder} is not finished; go on with it: bitmeter train … -o {folder} --resume"
        else:
            message = f"there is no model {folder}; train one with: bitmeter train TEXT -o {folder} --kind lstm"
        raise MissingSourceError(message, path=str(folder))
    about = read_json(folder / DESCRIPTION)
    shape, kind = _described(folder / DESCRIPTION, about)
    alphabet = _alphabet(folder, kind)
    if (alphabet.size, alphabet.never) != (shape.size, shape.never):
        message = (
            f"{folder}: its units have {alphabet.size:,} ids, its network {shape.size:,}; they do not belong together"
        )
        raise FileFormatError(message, value=str(folder))
    _check_size(folder / WEIGHTS, shape)
    network = build(shape)
    try:
        with as_utf8(folder / WEIGHTS) as weights:
            found = load_file(weights)
        for name, weight in found.items():
            if weight.dtype != torch.float32:
                message = f"the weight {name} is of type {weight.dtype}, not torch.float32"
                raise ValueError(message)
        network.load_state_dict(found)
    except (OSError, SafetensorError, RuntimeError, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())[:300]
        message = f"{folder / WEIGHTS} does not hold the weights of this network: {reason}"
        raise FileFormatError(message, value=str(folder)) from error
    broken = next((name for name, weight in network.state_dict().items() if not torch.isfinite(weight).all()), None)
    if broken is not None:
        message = f"{folder / WEIGHTS}: the weight {broken} holds NaN or infinity, so its predictions are not numbers"
        raise FileFormatError(message, value=str(folder))
    return network, alphabet, LearningCurve.load(folder), about


def _check_size(file: Path, shape: Shape) -> None:
    """Refuse a description of more weights than the file can hold, before memory is taken for them."""
    with torch.device("meta"):  # shapes alone
        needed = sum(weight.numel() * weight.element_size() for weight in build(shape).state_dict().values())
    try:
        size = file.stat().st_size
    except OSError as error:
        message = f"{file} {unread(error)}"
        raise FileFormatError(message, value=str(file)) from error
    if needed > size:
        message = (
            f"{file} has {size:,} bytes, but the network that {DESCRIPTION} describes has {needed:,} bytes of weights"
        )
        raise FileFormatError(message, value=str(file))


def read_spelling(path: Any) -> NGram:
    """How the unknown words of a model of words are spelled."""
    return NGram.load(as_path(path) / SPELLING)


def _described(file: Path, about: Any) -> tuple[Shape, str]:
    try:
        if about["schema"] not in (SCHEMA, SCHEMA_2):
            message = f"{file} has the schema {about['schema']!r:.60}; this bitmeter reads {SCHEMA} and {SCHEMA_2}"
            raise FileFormatError(message, value=str(file))
        found = about["shape"]
        wholes = (*_MOST, "never", "previous", "recency")
        loose = [name for name in wholes if name in found and type(found[name]) is not int]
        if loose:
            message = f"its {loose[0]} is {found[loose[0]]!r:.60}, not a whole number"
            raise ValueError(message)
        sizes = {name: found[name] for name in _MOST}
        wrong = [name for name, value in sizes.items() if not 1 <= value <= _MOST[name]]
        kind, units = found["kind"], about["units"]
        more = {name: found.get(name, 0) for name in ("previous", "recency")}
        for name, value in more.items():
            if value not in (0, 1) or (value and kind != "transformer"):
                message = f"its {name} is {value!r:.60}"
                raise ValueError(message)
            sizes[name] = value
        if bool(sizes["recency"]) != (about["schema"] == SCHEMA_2) or sizes["recency"] * sizes["context"] > MOST_RECENT:
            message = f"its recency is {sizes['recency']}, with a context of {sizes['context']:,}"
            raise ValueError(message)
        shape = Shape(kind=kind, dropout=float(found["dropout"]), never=found["never"], **sizes)
        if not 0.0 <= shape.dropout < 1.0:
            message = f"its dropout is {shape.dropout}"
            raise ValueError(message)
        if wrong or kind not in ("lstm", "transformer") or units not in ("bytes", "bpe", "words"):
            message = f"{(wrong and sizes[wrong[0]]) or (kind, units)!r:.60} cannot be"
            raise ValueError(message)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, FileFormatError):
            raise
        message = f"{file} does not describe a network: {type(error).__name__}: {error}"
        raise FileFormatError(message, value=str(file)) from error
    return shape, units


def _alphabet(folder: Path, kind: str) -> Alphabet:
    if kind == "bytes":
        return learn_alphabet("bytes", (), 0)
    file = folder / (TOKENIZER if kind == "bpe" else WORDS)
    try:
        data = read_whole(file)
    except OSError as error:
        message = f"{file} {unread(error)}"
        raise FileFormatError(message, value=str(file)) from error
    return bpe_alphabet(data) if kind == "bpe" else word_alphabet(_words(data))


def _words(data: bytes) -> Sequence[bytes]:
    """A word has no white space in it, so a line feed can stand between two."""
    return data.split(b"\n") if data else ()
