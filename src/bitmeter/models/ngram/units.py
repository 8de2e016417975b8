"""What an n-gram model predicts: words, characters, bytes or tokens, and the id of each in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.check import shown
from bitmeter._util.paths import is_inside
from bitmeter.errors import ChoiceError, FileFormatError, MissingSourceError, ModelError
from bitmeter.text.units.base import Units
from bitmeter.text.units.named import units_of
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.words import Words

__all__ = ["ModelIds", "UnitPlan", "plan_of"]

Ids = NDArray[np.int64]

#: Ids that a model reserves.
UNKNOWN, BEGIN, END = 0, 1, 2
NEWLINE = 10

#: How the units may be called, and what they are to the core.
_NAMES = {"words": "words", "bytes": "bytes", "characters": "characters", "chars": "characters"}
_IDS = {"words": 0, "bytes": 256, "characters": Characters.INVALID + 256}
_CLOSED = ("bytes", "tokens")
_TOKENIZERS = ("tokenizer", "sentencepiece")


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """The units of a model, as its file says it.

    Attributes
    ----------
    kind
        "words", "bytes", "characters" or "tokens".
    ids
        How many ids there may be; none for words, which the model itself numbers.
    newline_ends
        A newline is the end of a sentence: bytes or characters, with lines as sentences.
    name, fingerprint
        Of the tokenizer.
    path
        Where the tokenizer's file was; only its name is used, because a file may name nothing outside its folder.
    """

    kind: str = "words"
    ids: int = 0
    newline_ends: bool = False
    name: str = ""
    fingerprint: str = ""
    path: str = ""

    @property
    def closed(self) -> bool:
        """Whether every unit that can come is known."""
        return self.kind in _CLOSED

    @property
    def end_unit(self) -> int:
        """The unit that ends a sentence; -1 for none."""
        return NEWLINE if self.newline_ends else -1

    @property
    def end_id(self) -> int:
        """The id by which the end of a sentence is asked for: a newline, or one that no unit has."""
        if self.kind == "words":
            return END
        return NEWLINE if self.newline_ends else self.ids

    def to_metadata(self) -> dict[str, Any]:
        """What the file says of it."""
        described: dict[str, Any] = {"kind": self.kind, "ids": self.ids, "newline_ends": self.newline_ends}
        if self.kind == "tokens":
            described |= {"name": self.name[-200:], "fingerprint": self.fingerprint, "path": self.path[-1000:]}
        return described

    @staticmethod
    def from_metadata(about: dict[str, Any], name: str) -> UnitPlan:
        """What a file says of its units; words if it says nothing."""
        described = about.get("units")
        if described is None:
            return UnitPlan()
        kinds = {"kind": str, "ids": int, "newline_ends": bool, "name": str, "fingerprint": str, "path": str}
        sound = isinstance(described, dict) and set(described) <= set(kinds)
        if sound and all(type(value) is kinds[key] for key, value in described.items()):
            plan = UnitPlan(**described)
            if (plan.kind == "tokens" and 0 < plan.ids < 2**31 - 8) or _IDS.get(plan.kind) == plan.ids:
                return plan
        message = f"{name} is not a sound n-gram model: it does not say what its units are; fetch or train it again"
        raise FileFormatError(message, value=name)

    def units(self, folder: Path | None) -> Units:
        """Bytes, characters or tokens; the tokenizer is looked for beside the model, and nowhere else."""
        if self.kind == "bytes":
            return Bytes()
        if self.kind == "characters":
            return Characters()
        scheme, file = self.name.partition(":")[0], PureWindowsPath(self.path).name
        beside = None if folder is None else folder / file
        if beside is not None and scheme in _TOKENIZERS and is_inside(file, beside.parent) and beside.is_file():
            found = units_of(f"{scheme}:{beside}")
            self.check(found)
            return found
        looked = "" if beside is None else f": there is no {beside}"
        message = (
            f"the model was trained on tokens of {self.name:.200}, but the tokenizer is missing{looked}; put it beside "
            f"the model, or give it: --with tokenizer:FILE (in Python: NGram.load(path, units='tokenizer:FILE'))"
        )
        raise MissingSourceError(message, path=self.path)

    def check(self, units: Units) -> None:
        """Refuse units that are not those of the training."""
        if units.fingerprint != self.fingerprint:
            message = (
                f"the model was trained on tokens of {self.name} ({self.fingerprint[:24]}…), but this is {units.name} "
                f"({units.fingerprint[:24]}…); its ids would mean other tokens. Give the tokenizer of the training"
            )
            raise ModelError(message, value=units.name)


def plan_of(what: Any) -> tuple[UnitPlan, Units]:
    """Units by name, or a tokenizer, as a model's."""
    if isinstance(what, str) and what in _NAMES:
        kind = _NAMES[what]
        return UnitPlan(kind, _IDS[kind]), units_of("chars" if kind == "characters" else kind)
    for kind, made in (("words", Words), ("bytes", Bytes), ("characters", Characters)):
        if type(what) is made and what == made():
            return UnitPlan(kind, _IDS[kind]), what
    if isinstance(what, str):
        scheme, _, file = what.partition(":")
        if scheme in _TOKENIZERS and file:
            what = units_of(what)
        elif what.endswith((".json", ".model")):
            what = units_of(("tokenizer:" if what.endswith(".json") else "sentencepiece:") + what)
    from bitmeter.text.units.sentencepiece import SentencePiece
    from bitmeter.text.units.tokenizers import Tokenizer

    if isinstance(what, Tokenizer | SentencePiece):
        return tokens_plan(what), what
    message = (
        f"units is {shown(what)}; it must be 'words', 'chars', 'bytes', 'tokenizer:FILE' (a tokenizer.json), "
        "'sentencepiece:FILE' (a .model), or such a tokenizer"
    )
    if isinstance(what, str) and what == "bpe":
        message += "; byte pairs are learned for a network (--kind lstm or transformer)"
    raise ChoiceError(message, value=what)


def tokens_plan(units: Any) -> UnitPlan:
    """The plan of a tokenizer."""
    return UnitPlan("tokens", units.vocabulary_size, name=units.name, fingerprint=units.fingerprint, path=units.path)


class ModelIds:
    """From the ids of units to a model's own ids and back."""

    def __init__(self, plan: UnitPlan, model: _core.NgramModel | _core.CompactNgram) -> None:
        self.ids: Ids = model.unit_ids(plan.kind, plan.ids, plan.end_unit)
        self.ids[END] = plan.end_id
        self._own = np.zeros(plan.ids + 1, dtype=np.int64)
        self._own[self.ids[END:]] = np.arange(END, len(self.ids))
        #: The same for the core: the model's own id of each unit, and last that of the end.
        self.own = self._own.astype(np.uint32)

    def of(self, ids: NDArray[Any]) -> Ids:
        """The model's own id of each unit; that of `<unk>` for what the model does not know."""
        found = np.asarray(ids).astype(np.int64)
        known = (found >= 0) & (found < len(self._own))
        return np.where(known, self._own[np.where(known, found, 0)], UNKNOWN)


def sentences_within(numbers: Ids, bounds: Ids) -> Ids:
    """Documents cut also after each end of a sentence in them."""
    return np.union1d(bounds, np.flatnonzero(numbers == END) + 1).astype(np.int64)
