"""Causal language models of Hugging Face transformers."""

from __future__ import annotations

import copy
import hashlib
import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import choice, flag, integer, items, shown
from bitmeter._util.files import as_path, label, read_whole
from bitmeter._util.optional import require
from bitmeter.errors import InputTypeError, ModelError
from bitmeter.models.arithmetic import ARITHMETICS, OWN
from bitmeter.models.causal.arithmetic import torch_machine
from bitmeter.models.causal.base import SPECIAL, CausalPredictor
from bitmeter.models.causal.forking import survive_forks
from bitmeter.models.causal.hf.adapter import merge_adapter
from bitmeter.models.causal.hf.devices import Workers
from bitmeter.models.causal.hf.loading import load_both
from bitmeter.models.causal.hf.scorer import Scorer
from bitmeter.models.causal.hf.template import ROLES, lead_of
from bitmeter.models.causal.stepping import NetworkStepper
from bitmeter.models.machine import Machine
from bitmeter.models.outcomes import Details
from bitmeter.models.pickling import SharedCopies, check_same
from bitmeter.models.protocols import Traits
from bitmeter.models.scheme import Scheme
from bitmeter.models.session import Watch
from bitmeter.text.units.base import Units
from bitmeter.text.units.sentencepiece import SentencePiece
from bitmeter.text.units.tokenizers import Tokenizer

__all__ = ["DTYPES", "HuggingFace"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: The arithmetic that can be asked for. "autocast" keeps float32 weights and runs in bfloat16.
DTYPES = ("auto", "float64", "float32", "bfloat16", "float16", "autocast", "int8")
#: What those cost on a processor without instructions for bfloat16.
_SLOW = {
    "bfloat16": "it is emulated: slower than float32, and coarser",
    "autocast": "it is emulated: slower than float32, and coarser",
    "int8": "int8 saves memory and no time",
}
#: What a forward pass takes at once, in tokens, by default.
_BATCH = {"cpu": 512, "other": 16_384}
_ROW = {"cpu": 512, "other": 2048}
#: The longest context that is used by default where a model names none.
_UNBOUNDED = 2048


class HuggingFace(SharedCopies, CausalPredictor):
    """Any causal language model that transformers can load, with its tokenizer.

    Weights are read from safetensors files only, and no code that comes with a model is run, unless `trust` says so. A
    folder reaches no network, and its settings may name no other model.

    Parameters
    ----------
    path
        A folder, or the name of a model on the hub.
    revision
        A branch, tag or commit of the hub.
    dtype
        "auto" (float32 on a processor, the checkpoint's own type elsewhere), "float64", "float32", "bfloat16",
        "float16", "autocast" (float32 weights, operations in bfloat16), or "int8" (weights of the layers as int8 with a
        scale per row, a quarter of their memory, and products in bfloat16; the rest, embeddings and head in float32).
    device
        "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
    device_map
        As transformers takes it, to spread a model over several devices: "auto", "balanced", …
    batch
        How many tokens go through the network at once; 0 to leave it to bitmeter.
    trust
        Run code that comes with the model, and read pickled weights, which may run code too.
    gguf_file
        The name of a GGUF file in that folder, read by transformers itself with its weights dequantised.
    threads
        How many threads torch uses; 0 to leave it as it is.
    devices
        Several devices, each of which gets the whole network and a process of its own, to share out the documents and
        windows of a text: ["cuda:0", "cuda:1"], "cuda:0+cuda:1", or "all" for all GPUs. Instead of `device`.
    adapter
        The folder of a LoRA adapter, which is merged into the weights.
    special
        Take the name of a special token in a text for that token; by default, text is text.
    template
        Put what the tokenizer's chat template writes before each document: "assistant" if it is an answer, to an empty
        message of the user, or "user" if it is the user's own message. It conditions and is not counted.

    Examples
    --------
    >>> HuggingFace("no-such-folder/model", dtype="float31")
    Traceback (most recent call last):
    bitmeter.errors.ChoiceError: dtype is 'float31'; it must be one of ...
    """

    #: How logits become log-probabilities, how far that moved sums, and over how many tokens.
    _way = OWN
    _moved: list[float] | None = None
    _tokens = 0

    def __init__(
        self,
        path: Any,
        *,
        revision: str | None = None,
        dtype: str = "auto",
        device: str = "auto",
        device_map: Any = None,
        batch: int = 0,
        trust: bool = False,
        gguf_file: str | None = None,
        threads: int = 0,
        devices: Any = None,
        adapter: Any = None,
        special: bool = False,
        template: str | None = None,
    ) -> None:
        place = _place(path)
        named = flag(special, "special")
        role = None if template is None else choice(template, "template", ROLES)
        tuned = None if adapter is None else as_path(adapter)
        strings: dict[str, Any] = {"revision": revision, "gguf_file": gguf_file}
        for name, value in strings.items():
            if value is not None and not isinstance(value, str):
                message = f"{name} is {shown(value)}; it must be a string"
                raise InputTypeError(message, value=value)
        kind = choice(dtype, "dtype", DTYPES)
        tokens = integer(batch, "batch", low=0, high=1 << 24)
        trusted = flag(trust, "trust")
        number = integer(threads, "threads", low=0, high=1024)
        torch = require("torch", "Running a neural model")
        require("transformers", "Loading a model of Hugging Face")
        survive_forks()
        several = _several(torch, devices, device, device_map)
        if number:
            torch.set_num_threads(number)
        where = _device(torch, several[0] if several else device)
        short = _short(place)
        self.name = f"hf:{label(gguf_file or short)}" + (f"@{revision}" if revision else "")
        self.name += f",adapter={label(tuned.name)}" if tuned is not None else ""
        self.name += f",template={role}" if role is not None else ""
        self._workers: Workers | None = None
        if len(several) > 1:
            same = {"path": place, "revision": revision, "dtype": dtype, "batch": batch, "trust": trust}
            same |= {"adapter": adapter}
            self._workers = Workers({**same, "gguf_file": gguf_file, "threads": threads}, several[1:])
        given: dict[str, Any] = {key: value for key, value in strings.items() if value}
        # Always said: where it is not, transformers asks on stdin, which may be the text.
        given["trust_remote_code"] = trusted
        given["local_files_only"] = Path(place).exists()  # a folder reaches no network
        tokenizer, network = load_both(self.name, place, given, _weights_type(torch, kind, where), device_map)
        if tuned is not None:
            if device_map is not None:
                message = (
                    "adapter= and device_map= cannot be used together; merge the adapter by peft and save the result"
                )
                raise ModelError(message, value=str(tuned))
            self.caveats += (f"with the adapter {label(tuned.name)}: {merge_adapter(network, tuned, self.name)}",)
        if kind == "int8":
            if device_map is not None:
                message = "dtype=int8 and device_map= cannot be used together; use device=, or another type"
                raise ModelError(message, value=dtype)
            from bitmeter.models.causal.hf.int8 import quantise

            quantise(network, self.name, native=where.type != "cpu" or _has_bfloat16(torch))
        if device_map is None:
            network = network.to(where)
        if kind in _SLOW and where.type == "cpu" and not _has_bfloat16(torch):
            self.caveats += (f"this processor has no instructions for bfloat16, so {_SLOW[kind]}",)
        self._units = _units_of(tokenizer, place, gguf_file or short, special=named)
        self.caveats += (SPECIAL,) * named
        self.size = int(network.get_input_embeddings().weight.shape[0])
        _check_fit(self.name, self._units, self.size)
        self.bos_id, self.eos_id = (
            _special(tokenizer, "bos", self.size),
            _special(tokenizer, "eos", self.size),
        )
        self.adds_bos = _adds_bos(tokenizer, self.bos_id)
        self.context = _context(network.config.get_text_config(), tokenizer)
        if role is not None:
            self.lead = tuple(lead_of(tokenizer, role, self.name))
        self.precision = _precision(network, kind)
        group = "cpu" if where.type == "cpu" else "other"
        self._network = network
        self._scorer = Scorer(
            network,
            row=min(_ROW[group], tokens or _ROW[group]),
            batch=tokens or _BATCH[group],
            autocast=torch.bfloat16 if kind == "autocast" else None,
            coarse=kind == "int8",
            name=self.name,
        )
        bound = self._position_bound
        if bound is not None:
            self.caveats += (
                f"in windows of more than {bound:,} tokens the network computes every position by another rule, so a "
                f"token's figure depends on how long its window is; --ctx {bound}.{bound // 2} keeps to one rule",
            )
        self._digest = ""
        self._typed = {
            "path": os.path.abspath(place) if Path(place).exists() else place, "revision": revision, "dtype": dtype,
            "device": device, "device_map": device_map, "batch": batch, "trust": trusted, "gguf_file": gguf_file,
            "threads": threads, "devices": devices, "special": named, "template": role,
            "adapter": None if tuned is None else os.path.abspath(tuned),
        }  # fmt: skip
        if self._workers is not None:
            self._workers.ready()
            self.block_bytes = CausalPredictor.block_bytes * len(several)

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value for name, value in vars(self).items() if name in _KEPT}
        return _unpickled, (self._typed, self.weights_fingerprint, self.units.fingerprint, state)

    @property
    def units(self) -> Units:
        """The tokenizer's tokens."""
        return self._units

    @property
    def weights_fingerprint(self) -> str:
        """A hash of every weight as it is used, and of the configuration."""
        if not self._digest:
            self._digest = f"hf-{_digest(self._network)}" + "-autocast" * self._scorer.casts
        return self._digest

    @property
    def machine(self) -> Machine:
        """What torch computes with, and the code of the network."""
        torch = require("torch", "Running a neural model")
        return torch_machine(torch, self._network.get_input_embeddings().weight.device, "transformers")

    @property
    def _position_bound(self) -> int | None:
        """Above how many tokens of a window its positions are computed by another rule, if it sees so many."""
        bound = self._scorer.lengths.positions
        return bound if bound and (self.context is None or bound < self.context) else None

    @property
    def packs(self) -> bool:
        """Whether several documents share a row; where that would change a figure they do not."""
        return self._scorer.packs

    def score_sequences(
        self, sequences: Sequence[Ints], firsts: Sequence[int], watch: Watch | None = None
    ) -> list[Floats]:
        """ln p of each token of each sequence from `first` on."""

        def own(parts: Sequence[Ints], begins: Sequence[int], seen: Watch | None = None) -> list[Floats]:
            return self._scorer.logprobs(parts, begins, seen, self._way, self._moved)

        self._tokens += sum(len(sequence) - first for sequence, first in zip(sequences, firsts, strict=True))
        if self._workers is None:
            return own(sequences, firsts, watch)
        return self._workers.score(sequences, firsts, self._way, own, watch)

    def with_arithmetic(self, way: str) -> Self:
        """The same model with its logits normalised as another tool does it; see `Windowed.with_arithmetic`."""
        if choice(way, "arithmetic", tuple(ARITHMETICS)) == self._way:
            return self
        other = copy.copy(self)
        other._way, other._moved, other._tokens = way, [], 0
        other.precision = self.precision if way == OWN else f"{self.precision}, {ARITHMETICS[way]}"
        return other

    @property
    def traits(self) -> Traits:
        """As of every causal model; and what another tool's arithmetic did."""
        found = super().traits
        if self._way == OWN or not self._tokens:
            return found
        nats = math.fsum(self._moved or ())
        note = (
            f"the log-probabilities are by {ARITHMETICS[self._way]}, as the tool computes them: "
            f"{nats:+.3g} nats against the exact ones, {nats / self._tokens:+.2g} per token"
        )
        return replace(found, caveats=(*found.caveats, note))

    def predictions(self, sequence: Ints, first: int) -> Iterator[Floats]:
        """Whole predictions, in blocks of rows."""
        return self._scorer.predictions(sequence, first)

    def detailed_sequence(
        self, sequence: Ints, first: int, alternatives: int, names: tuple[bytes, ...]
    ) -> tuple[Floats, Details]:
        """ln p and details of a sequence, computed where the network is."""
        values, details = self._scorer.detailed(sequence, first, alternatives, names)
        if self._way != OWN:
            (values,) = self.score_sequences([sequence], [first])
        return values, details

    def stepper(self) -> NetworkStepper:
        """Begin a document token by token, with what was computed before kept."""
        bound = self._position_bound
        if bound is not None and self.windowing.window > bound:
            message = (
                f"{self.name} cannot go token by token in windows of {self.windowing.window:,} tokens: "
                f"beyond {bound:,} it computes every position by another rule; use ctx={bound}.{bound // 2} (--ctx)"
            )
            raise ModelError(message, value=bound)
        return NetworkStepper(lambda: self._scorer, self.windowing, self.size, self.name)

    def __repr__(self) -> str:
        return f"<HuggingFace {self.name}, {self.size:,} ids, context {self.context}, {self.precision}>"


#: What is set after a model was loaded, and travels with it.
_KEPT = ("name", "precision", "caveats", "llama_adds_bos", "_windowing")


def _unpickled(typed: dict[str, Any], weights: str, units: str, state: dict[str, Any]) -> HuggingFace:
    """The model from where it was, with the options that were typed then; trust is among them only if it was typed."""
    made = HuggingFace(**typed)
    check_same(typed["path"], made.weights_fingerprint, weights)
    check_same(typed["path"], made.units.fingerprint, units)
    vars(made).update(state)
    return made


# ---- loading ---------------------------------------------------------------------------------------------------------


def _place(path: Any) -> str:
    if isinstance(path, Path):
        path = str(path)
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        message = f"path is {shown(path)}; it must be a folder with a model, or the name of one on the hub"
        raise (InputTypeError if not isinstance(path, str) else ModelError)(message, value=path)
    return path


def _short(place: str) -> str:
    """A folder by its own name, without those above it."""
    return Path(place).resolve().name if Path(place).is_dir() else place


def _device(torch: Any, device: Any) -> Any:
    if not isinstance(device, str):
        message = f"device is {shown(device)}; it must be a string such as 'cpu' or 'cuda:0'"
        raise InputTypeError(message, value=device)
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
        if found.type == "mps" and not torch.backends.mps.is_available():
            message = f"the device {device!r:.40} cannot be used here: there is no Apple GPU. Use device='cpu'"
            raise ModelError(message, value=device)
        torch.zeros(1, device=found)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        first = str(error).splitlines()[0].split(". ")[0][:200]
        message = f"the device {device!r:.40} cannot be used here: {first}. Use device='cpu'"
        raise ModelError(message, value=device) from error
    return found


def _several(torch: Any, devices: Any, device: Any, device_map: Any) -> list[str]:
    """The devices that were asked for; none where it was one in another way."""
    if devices is None:
        return []
    if device != "auto" or device_map is not None:
        message = "devices= is instead of device= and device_map=: each of them gets the whole network"
        raise ModelError(message, value=devices)
    if devices == "all":
        found = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
        if not found:
            message = "devices is 'all', but there is no GPU here; leave it out, or use device='cpu'"
            raise ModelError(message, value=devices)
        return found
    listed = devices.split("+") if isinstance(devices, str) else items(devices, "devices", "a list of devices")
    found = list(listed)
    if not found or not all(isinstance(name, str) and name for name in found):
        message = f"devices is {shown(devices)}; it must be names such as ['cuda:0', 'cuda:1'], or 'all'"
        raise (ModelError if isinstance(devices, str) else InputTypeError)(message, value=devices)
    return found


def _weights_type(torch: Any, kind: str, where: Any) -> Any:
    if kind == "auto":
        return torch.float32 if where.type == "cpu" else "auto"
    return torch.float32 if kind in ("autocast", "int8") else getattr(torch, kind)


def _has_bfloat16(torch: Any) -> bool:
    """Whether the processor multiplies matrices of bfloat16 by itself; True where torch is too old to know."""
    capabilities = getattr(torch.cpu, "get_capabilities", None)
    found = capabilities() if capabilities is not None else {"bf16": True}
    return any(found.get(name, False) for name in ("avx512_bf16", "amx_bf16", "bf16", "sve_bf16"))


def _units_of(tokenizer: Any, place: str, name: str, *, special: bool) -> Units:
    """The tokenizer's own rules with byte spans: those of its fast form, or of its SentencePiece model."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is not None:
        return Tokenizer.from_data(backend.to_str().encode(), name, special=special)
    if special:
        message = f"special= cannot be used with {place}: its tokenizer takes no name in a text for a token"
        raise ModelError(message, value=place)
    file = getattr(tokenizer, "vocab_file", None)
    if file and str(file).endswith(".model"):
        return SentencePiece.from_data(read_whole(file), name)
    message = (
        f"the tokenizer of {place} ({type(tokenizer).__name__}) has neither a fast form (tokenizer.json) nor a "
        "SentencePiece model, so that the bytes of its tokens are not known"
    )
    raise ModelError(message, value=place)


def _check_fit(name: str, units: Any, size: int) -> None:
    number = units.vocabulary_size
    if number > size:
        message = (
            f"the tokenizer of {name} has ids up to {number - 1:,}, but the network knows {size:,}: they do not belong "
            "together, or tokens were added without resizing the network's embeddings"
        )
        raise ModelError(message, value=number)


def _special(tokenizer: Any, which: str, size: int) -> int | None:
    found = getattr(tokenizer, f"{which}_token_id", None)
    return int(found) if isinstance(found, int) and 0 <= found < size else None


def _adds_bos(tokenizer: Any, bos: int | None) -> bool:
    """Whether the tokenizer by itself puts BOS before a text."""
    if bos is None:
        return False
    ids = tokenizer("a")["input_ids"]
    return bool(ids) and ids[0] == bos and tokenizer("a", add_special_tokens=False)["input_ids"][:1] != [bos]


def _context(config: Any, tokenizer: Any) -> int | None:
    for name in ("n_positions", "max_position_embeddings", "n_ctx", "seq_length", "max_seq_len"):
        found = getattr(config, name, None)
        if isinstance(found, int) and found > 0:
            return found
    longest = getattr(tokenizer, "model_max_length", None)
    return int(longest) if isinstance(longest, int) and longest < 1 << 24 else _UNBOUNDED


def _precision(network: Any, kind: str) -> str:
    weights = str(network.dtype).removeprefix("torch.")
    if kind == "autocast":
        return "float32 cast to bfloat16, logits float32"
    if kind == "int8":
        return "int8 weights, products bfloat16"
    return weights if weights in ("float32", "float64") else f"{weights}, logits float32"


#: What a configuration says of the files and not of the function.
_IDLE = ("_name_or_path", "transformers_version", "dtype", "torch_dtype", "architectures", "use_cache")


def _digest(network: Any) -> str:
    """A hash of the configuration and of every weight in memory."""
    import torch

    config = {key: value for key, value in network.config.to_dict().items() if key not in _IDLE}
    total = hashlib.blake2b(json.dumps(config, sort_keys=True, default=str).encode(), digest_size=12)
    for name, weight in sorted(network.state_dict().items()):
        if weight.device.type == "meta":
            message = f"the weight {name} is not in memory, so the model has no fingerprint; load it without offloading"
            raise ModelError(message, value=name)
        flat = weight.detach().cpu().contiguous().view(-1)
        total.update(f"{name} {weight.dtype} {tuple(weight.shape)}".encode())
        total.update(memoryview(flat.view(torch.uint8).numpy()) if flat.numel() else b"")
    return total.hexdigest()


# ---- by name ---------------------------------------------------------------------------------------------------------

_OPTIONS = (
    "dtype",
    "device",
    "device_map",
    "devices",
    "batch",
    "trust",
    "gguf_file",
    "threads",
    "adapter",
    "special",
    "template",
)


def options_of(rest: str, more: tuple[str, ...] = ()) -> tuple[str, dict[str, Any]]:
    """What stands before the first comma, and the options behind it as `name=value`; `more` are known besides ours.

    Examples
    --------
    >>> options_of("./model,dtype=bfloat16,batch=4096")
    ('./model', {'dtype': 'bfloat16', 'batch': 4096})
    """
    place, *parts = rest.split(",")
    options: dict[str, Any] = {}
    for part in parts:
        name, equals, value = part.partition("=")
        if not equals or name not in (*_OPTIONS, *more):
            known = ", ".join(f"{name}=…" for name in (*_OPTIONS, *more))
            message = f"{part!r:.40} is no option of a model; they are {known}"
            raise ModelError(message, value=part)
        if name in ("batch", "threads"):
            if not value.isdecimal():
                message = f"{part!r:.40} needs a whole number"
                raise ModelError(message, value=part)
            options[name] = int(value)
        elif name in ("trust", "special"):
            options[name] = choice(value, name, ("yes", "no")) == "yes"
        elif name == "template":
            chosen = choice(value, name, ("yes", "no", *ROLES))
            options[name] = {"yes": ROLES[0], "no": None}.get(chosen, chosen)
        else:
            options[name] = value
    return place, options


def _load(rest: str) -> HuggingFace:
    place, options = options_of(rest)
    if not place:
        message = "hf needs a folder or a name: hf:./model, hf:gpt2, hf:gpt2@main,dtype=bfloat16"
        raise ModelError(message, value=rest)
    path, revision = revision_of(place)
    return HuggingFace(path, revision=revision, **options)


def revision_of(place: str) -> tuple[str, str | None]:
    """A folder or a name, and the revision behind its last `@`, where there is one; a folder may have one in its name.

    Examples
    --------
    >>> revision_of("gpt2"), revision_of("org/model@v1.0")
    (('gpt2', None), ('org/model', 'v1.0'))
    """
    path, at, revision = place.rpartition("@")
    return (path, revision or None) if at and not Path(place).exists() else (place, None)


SCHEMES = (
    Scheme(
        "hf",
        "hf:PATH[@REV]",
        "a Hugging Face model; options: ,dtype=bfloat16",
        _load,
        "transformers",
    ),
)
