"""Training a small network: cross-entropy down, looks at held-out text, checkpoints from which it goes on.

Everything that happens in a step follows from the seed and the number of the step, so that a run that was killed and
resumed goes the same way as one that was not.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from bitmeter._util.files import as_utf8, replacing
from bitmeter.errors import BitmeterError, EmptyError, FileFormatError, ModelError
from bitmeter.models.causal.trained.curve import CurvePoint, LearningCurve, TrainingStep, curve_as_dict
from bitmeter.models.causal.trained.network import Network
from bitmeter.models.causal.trained.scorer import NetworkScorer
from bitmeter.models.causal.trained.units import Alphabet

__all__ = ["CHECKPOINT", "Material", "Schedule", "Trainer", "own_torch", "split_off"]

Ints = NDArray[np.int64]

CHECKPOINT = "checkpoint.safetensors"
_SCHEMA = "bitmeter.checkpoint/1"
#: Held-out text where none is given: a tenth, and not more than this.
_HELD_BYTES = 1 << 20
#: Into how many sequences the held-out text is cut for an LSTM, and the length of the shortest.
_SEQUENCES, _SHORTEST = 16, 2048
#: The share of the steps in which the learning rate rises, and what is left of it at the end.
_WARM, _LEFT = 0.05, 0.02


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a network is trained.

    Attributes
    ----------
    epochs
        How many times the text goes by at most.
    batch
        Sequences per batch.
    learning_rate
        The highest: it rises to it at first and falls by a cosine.
    weight_decay
        Of AdamW, for matrices.
    patience
        After so many looks at the held-out text without a gain, training stops.
    looks
        How often the held-out text is looked at if it does not stop early.
    seed
        From which all that is random follows.
    """

    epochs: float
    batch: int
    learning_rate: float
    weight_decay: float
    patience: int
    looks: int
    seed: int


@dataclass(frozen=True, slots=True)
class Material:
    """Training and held-out text: rows of ids, and their sizes in bytes."""

    train: Ints
    heldout: Ints
    train_bytes: int
    heldout_bytes: int
    #: Changes with either text.
    fingerprint: str


def split_off(documents: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    r"""Hold out the last tenth: whole documents, or lines of the last one.

    Examples
    --------
    >>> split_off([b"%d\n" % i for i in range(20)])[1]
    [b'19\n']
    >>> [len(part[0]) for part in split_off([b"0123456789\n" * 20])]
    [198, 22]
    """
    wanted = min(_HELD_BYTES, sum(map(len, documents)) // 10)
    kept, held = list(documents), []
    while len(kept) > 1 and len(kept[-1]) <= wanted:
        wanted -= len(kept[-1])
        held.append(kept.pop())
    if not held:
        last = kept.pop()
        cut = last.rfind(b"\n", 0, len(last) - wanted) + 1 or len(last) - wanted
        kept.append(last[:cut])
        held.append(last[cut:])
    return kept, held[::-1]


class Trainer:
    """One network on its way down.

    Parameters
    ----------
    network
        With its first weights.
    alphabet
        What it predicts.
    material
        The texts.
    schedule
        How.
    """

    def __init__(self, network: Network, alphabet: Alphabet, material: Material, schedule: Schedule) -> None:
        self._network, self._alphabet, self._material, self._schedule = network, alphabet, material, schedule
        shape = network.shape
        row = material.train
        if len(row) < 4 or not (material.heldout != alphabet.boundary).any():
            message = (
                f"there are {len(row)} units to learn from and {len(material.heldout)} held out, which is too little; "
                "give a longer text, or one to hold out (--heldout)"
            )
            raise EmptyError(message)
        self._batch = max(1, min(schedule.batch, (len(row) - 1) // (shape.context + 1)))
        self._length = min(shape.context, (len(row) - 1) // self._batch - (shape.kind == "lstm"))
        self._per_epoch = max(1, (len(row) - 1) // (self._batch * self._length) - (shape.kind == "lstm"))
        self.steps = max(1, round(schedule.epochs * self._per_epoch))
        self._every = max(1, self.steps // schedule.looks)
        matrices = [weight for weight in network.parameters() if weight.dim() > 1]
        others = [weight for weight in network.parameters() if weight.dim() <= 1]
        groups = [{"params": matrices, "weight_decay": schedule.weight_decay}, {"params": others, "weight_decay": 0.0}]
        if shape.kind == "transformer":  # it begins with how frequent each id is
            counts = np.bincount(row, minlength=shape.size) + 0.5
            network.bias.data.copy_(torch.from_numpy(np.log(counts / counts.sum())))
        self._optimiser = torch.optim.AdamW(groups, lr=schedule.learning_rate, betas=(0.9, 0.99))
        self._state: Any = None
        self._step = 0
        self._losses: list[float] = []
        self._points: list[CurvePoint] = []
        self._best: dict[str, torch.Tensor] = {}
        self._seconds = 0.0

    # ---- running -------------------------------------------------------------------------------------------------

    def run(self, folder: Path | None, progress: Callable[[TrainingStep], object] | None) -> LearningCurve:
        """Train to the end, or until the held-out text has cost more for long enough; leaves the best weights."""
        begun = time.perf_counter() - self._seconds
        stopped = self._verdict()
        while not stopped:
            self._losses.append(self._update())
            self._step += 1
            if self._step % self._every == 0 or self._step == self.steps:
                self._seconds = time.perf_counter() - begun
                self._look()
                stopped = self._verdict()
                if folder is not None:
                    self._save(folder / CHECKPOINT)
            if progress is not None:
                progress(TrainingStep(self._step, self.steps, "steps", curve=self._curve(stopped)))
        self._network.load_state_dict(self._best)
        self._network.eval()
        return self._curve(stopped)

    def _verdict(self) -> str:
        """Why training is over, or "" where it is not."""
        best = self._curve("").best
        if best is not None and len(self._points) - 1 - self._points.index(best) >= self._schedule.patience:
            return "early"
        return "all steps" if self._step >= self.steps else ""

    def _curve(self, stopped: str) -> LearningCurve:
        material = self._material
        return LearningCurve(tuple(self._points), self.steps, stopped, material.train_bytes, material.heldout_bytes)

    def _rate(self) -> float:
        """Up in a straight line, down by a cosine."""
        rise = max(1.0, _WARM * self.steps)
        fall = _LEFT + (1.0 - _LEFT) * 0.5 * (1.0 + math.cos(math.pi * self._step / self.steps))
        return self._schedule.learning_rate * min(1.0, (self._step + 1) / rise) * fall

    def _update(self) -> float:
        """One optimiser step; returns the loss before it, in nats per unit."""
        torch.manual_seed(int(np.random.SeedSequence((self._schedule.seed, self._step)).generate_state(1)[0]))
        for group in self._optimiser.param_groups:
            group["lr"] = self._rate()
        ids, targets = self._batch_of()
        self._network.train()
        loss, state = self._network.loss(ids, targets, self._state)
        value = float(loss.detach())
        if not math.isfinite(value):
            message = (
                f"the loss of step {self._step} is {value}: training has diverged; take a lower learning rate "
                f"than {self._schedule.learning_rate:g}"
            )
            raise ModelError(message, value=value)
        self._state = tuple(part.detach() for part in state) if self._network.shape.kind == "lstm" else None
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), 1.0)
        self._optimiser.step()
        return value

    def _batch_of(self) -> tuple[torch.Tensor, torch.Tensor]:
        epoch, step = divmod(self._step, self._per_epoch)
        row = self._material.train
        if self._network.shape.kind == "lstm":
            # Sequences that carry on from step to step; their offsets differ from epoch to epoch.
            each = (len(row) - 1) // self._batch
            shift = _draws(self._schedule.seed, epoch).integers(self._length) if self._per_epoch > 1 else 0
            starts = np.arange(self._batch) * each + step * self._length + shift
            if step == 0:
                self._state = None
            starts = np.minimum(starts, len(row) - 1 - self._length)
            parts = row[starts[:, None] + np.arange(self._length + 1)]
            ids, targets = parts[:, :-1], parts[:, 1:]
        else:
            # As in scoring, a boundary stands before each window.
            starts = _draws(self._schedule.seed, self._step).integers(len(row) - self._length + 1, size=self._batch)
            targets = row[starts[:, None] + np.arange(self._length)]
            ids = np.concatenate((np.full((self._batch, 1), self._alphabet.boundary), targets[:, :-1]), axis=1)
        return torch.from_numpy(np.ascontiguousarray(ids)), torch.from_numpy(np.ascontiguousarray(targets))

    def _look(self) -> None:
        """Measure the held-out text, and keep the weights if they are the best so far."""
        nats, number = self._heldout_nats()
        material = self._material
        loss = math.fsum(self._losses) / len(self._losses)
        self._losses.clear()
        per_byte = len(material.train) / max(1, material.train_bytes) / math.log(2.0)
        before = self._curve("").best
        self._points.append(
            CurvePoint(
                step=self._step,
                epoch=self._step / self._per_epoch,
                train_bits_per_byte=loss * per_byte,
                train_perplexity=_exp(loss),
                bits_per_byte=nats / material.heldout_bytes / math.log(2.0),
                perplexity=_exp(nats / number),
                learning_rate=float(self._optimiser.param_groups[0]["lr"]),
                seconds=self._seconds,
            )
        )
        if before is None or self._points[-1].bits_per_byte < before.bits_per_byte:
            self._best = {name: weight.detach().clone() for name, weight in self._network.state_dict().items()}

    def _heldout_nats(self) -> tuple[float, int]:
        """In sequences, each after a boundary: slightly above the loss of the whole text, and much faster."""
        row = self._material.heldout[1:]
        if self._network.shape.kind == "lstm":
            length = max(_SHORTEST, -(-len(row) // _SEQUENCES))
        else:
            length = self._network.shape.context - 1
        lead = np.array([self._alphabet.boundary])
        parts = [row[at : at + length] for at in range(0, len(row), length)]
        found = NetworkScorer(self._network).logprobs(
            [np.concatenate((lead, part)) for part in parts], [1] * len(parts)
        )
        logs = np.concatenate(found)
        if self._alphabet.kind != "words":  # the ends of documents are no part of the text
            logs = logs[row != self._alphabet.boundary]
        return -math.fsum(logs), len(logs)

    # ---- checkpoints ---------------------------------------------------------------------------------------------

    def _settings(self) -> dict[str, Any]:
        return {
            "shape": self._network.shape.as_dict(),
            "schedule": asdict(self._schedule),
            "units": self._alphabet.units.fingerprint,
            "text": self._material.fingerprint,
        }

    def _save(self, path: Path) -> None:
        """All that the next step depends on, in one file that appears whole."""
        tensors = {f"now.{name}": weight for name, weight in self._network.state_dict().items()}
        tensors |= {f"best.{name}": weight for name, weight in self._best.items()}
        for number, kept in self._optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{number}.{name}": value for name, value in kept.items()}
        tensors |= {f"state.{number}": part for number, part in enumerate(self._state or ())}
        about = {
            "schema": _SCHEMA,
            "settings": self._settings(),
            "step": self._step,
            "curve": curve_as_dict(self._curve("")),
            "seconds": self._seconds,
        }
        with replacing(path, force=True) as beside:
            whole = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
            beside.write_bytes(save(whole, metadata={"bitmeter": json.dumps(about)}))

    def resume(self, path: Path) -> None:
        """Go back to where a checkpoint was written."""
        try:
            with as_utf8(path) as name, safe_open(name, framework="pt") as file:
                about = json.loads((file.metadata() or {}).get("bitmeter", "{}"))
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (OSError, SafetensorError, ValueError, RecursionError) as error:
            message = f"{path} is not a checkpoint: {error}; begin again with --force"
            raise FileFormatError(message, value=str(path)) from error
        settings = about.get("settings") if isinstance(about, dict) else None
        if not isinstance(settings, dict):
            message = f"{path} is not a checkpoint: it does not say how it was trained; begin again with --force"
            raise FileFormatError(message, value=str(path))
        if about.get("schema") != _SCHEMA:
            message = f"{path} has the schema {about.get('schema')!r:.60}; this bitmeter reads {_SCHEMA}"
            raise FileFormatError(message, value=str(path))
        _check_same(path, settings, self._settings())
        try:
            self._network.load_state_dict(_part(tensors, "now."))
            self._best = _part(tensors, "best.")
            kept = self._optimiser.state_dict()
            numbers = range(len(list(self._network.parameters())))
            kept["state"] = {number: _part(tensors, f"optimiser.{number}.") for number in numbers}
            self._optimiser.load_state_dict(kept)
            state = _part(tensors, "state.")
            self._state = tuple(state[str(number)] for number in range(len(state))) or None
            self._points = list(LearningCurve.from_dict(about["curve"], str(path)).points)
            self._step, self._seconds = int(about["step"]), float(about["seconds"])
            if self._step < 0 or not 0.0 <= self._seconds < math.inf:
                message = f"step {self._step} after {self._seconds} seconds"
                raise ValueError(message)
        except (KeyError, RuntimeError, TypeError, ValueError, OverflowError) as error:
            if isinstance(error, BitmeterError):
                raise
            message = f"{path} does not hold what a checkpoint needs: {error}; begin again with --force"
            raise FileFormatError(message, value=str(path)) from error


def _check_same(path: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    flat = [
        {
            **{key: value for key, value in found.items() if not isinstance(value, dict)},
            **{key: value for group in found.values() if isinstance(group, dict) for key, value in group.items()},
        }
        for found in (before, now)
    ]
    differing = sorted(key for key in flat[0].keys() | flat[1].keys() if flat[0].get(key) != flat[1].get(key))
    if differing:
        listed = ", ".join(f"{key} ({flat[0].get(key)!s:.40} then, {flat[1].get(key)!s:.40} now)" for key in differing)
        message = f"{path} belongs to another run: {listed}; train with the same settings and text, or use --force"
        raise ModelError(message, value=str(path))


def _part(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _draws(seed: int, number: int) -> np.random.Generator:
    return np.random.default_rng((seed, number))


def _exp(nats: float) -> float:
    return math.exp(nats) if nats < 700 else math.inf


@contextmanager
def own_torch(seed: int, threads: int) -> Iterator[None]:
    """torch's generator and its threads are ours for a while, and then as they were."""
    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(threads or before)
        try:
            yield
        finally:
            torch.set_num_threads(before)
