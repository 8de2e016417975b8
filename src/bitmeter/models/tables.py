"""Models that need no training: uniform, a Distribution or Conditional, and the adaptive order-0 estimator."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.errors import InputTypeError, ModelError
from bitmeter.models.base import Scheme
from bitmeter.models.details import Details, details_of_rows, joined_details
from bitmeter.text.units import Bytes, Characters, Units, Words
from bitmeter.theory._check import choice
from bitmeter.theory.conditional import Conditional
from bitmeter.theory.distributions import Distribution

Floats = NDArray[np.float64]

#: Predictions that are held whole at once.
_CHUNK = 4096
_BYTE_NAMES = tuple(bytes([byte]) for byte in range(256))
Bounds = NDArray[np.int64]


class Uniform:
    """Every unit is one of V, all equally likely: log2 V bits each, the baseline of all baselines.

    Over bytes V is 256. `uniform:V` speaks of words: each costs log2 V whatever it is, as the sources do when they say
    that a random guess among 10,000 words has perplexity 10,000.

    Parameters
    ----------
    size
        How many units there are to choose from, V.
    units
        What they are; bytes if V is 256, else words.

    Examples
    --------
    >>> import bitmeter as bm
    >>> bm.score(bm.Uniform(10_000), b"to be or not to be").perplexity("word")
    10000.0
    """

    def __init__(self, size: int = 256, units: Units | None = None) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= 2**53:
            message = f"uniform:{size} needs a whole number of choices, at least 1; such as uniform:10000"
            raise ModelError(message, value=size)
        self.size = size
        self.units: Units = units if units is not None else (Bytes() if size == 256 else Words())
        self.name = f"uniform:{size}"
        self.fingerprint = f"uniform-{size}-{self.units.name}"

    def logprobs(self, ids: NDArray[Any], bounds: Bounds) -> Floats:
        """−ln V for each."""
        return np.full(len(ids), -math.log(self.size))

    def predict(self, history: NDArray[Any]) -> Floats:
        """−ln V for each of the V choices."""
        return np.full(self.size, -math.log(self.size))

    def stream(self) -> _UniformStream:
        """No state to carry."""
        return _UniformStream(self)


class _UniformStream:
    def __init__(self, model: Uniform) -> None:
        self._model = model

    def logprobs(self, ids: NDArray[Any], bounds: Bounds, continues: bool) -> Floats:  # noqa: FBT001
        return self._model.logprobs(ids, bounds)

    def details(self, ids: NDArray[Any], bounds: Bounds, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        """All are as likely: each is of rank 1, and the first so many bytes stand for the alternatives."""
        size = len(ids)
        names = _BYTE_NAMES if isinstance(self._model.units, Bytes) else ()
        most = min(alternatives, len(names))
        level = math.log(self._model.size)
        top = np.tile(np.arange(most, dtype=np.int64), (size, 1))
        return Details(np.full(size, level), np.ones(size, dtype=np.int64), top, np.full((size, most), -level), names)


class TableModel:
    """A Distribution, or a Conditional on the unit before, as a model of text.

    Parameters
    ----------
    table
        Labels that are strings of one character make a model of characters, longer ones a model of words, integers
        from 0 to 255 a model of bytes. A Conditional begins each document from its `start`.
    units
        To say so instead of having it guessed.
    oov
        "none": what is none of the labels cannot happen. "class": it costs what the label `<unk>` costs.

    A table of words with the label `</s>` predicts the end of a document; see the keyword `eos` of `score`.

    Examples
    --------
    >>> import bitmeter as bm
    >>> words = bm.Distribution({"to": 0.25, "be": 0.25, "or": 0.25, "not": 0.125, "</s>": 0.125})
    >>> bm.score(words, b"to be or not to be").bits
    13.0
    >>> bm.score(words, b"to be or not to be", eos="yes").bits
    16.0
    """

    def __init__(self, table: Any, units: Any = None, oov: str = "none") -> None:
        if not isinstance(table, Distribution | Conditional):
            message = f"{table!r:.60} is no table; it must be a Distribution or a Conditional"
            raise InputTypeError(message, value=table)
        if units is not None and not isinstance(units, Units):
            message = f"units is {units!r:.60}; it must be Units, such as Units.of('words')"
            raise InputTypeError(message, value=units)
        self.table = table
        labels = _labels(table)
        self.units: Units = units if units is not None else _units_for(labels)
        self.name = f"{type(table).__name__.lower()}({len(labels)} labels)"
        self._oov = choice(oov, "oov", ("none", "class"))
        places = {label: i for i, label in enumerate(labels)}
        wordy = isinstance(self.units, Words)
        self.end_id = places.get("</s>") if wordy else None
        self.predicts_end = self.end_id is not None
        self._unk = places.get("<unk>") if wordy else None
        self.oov_ways = ("class",) if self._unk is not None else ()
        # Numbered in the order of the labels; one more row and column stand for everything else.
        self._keys, self._order = _sorted_keys(labels, self.units)
        self._start, self._logs = _log_table(table, labels)
        #: The bytes of each outcome; the last stands for everything else.
        self.outcome_names = (*(_label_bytes(label) for label in labels), b"")
        self.fingerprint = "table-" + hashlib.sha256(repr(labels).encode() + self._logs.tobytes()).hexdigest()[:16]

    def logprobs(self, ids: NDArray[Any], bounds: Bounds) -> Floats:
        """ln p of each unit, given the one before it in its document."""
        return self.stream().logprobs(ids, bounds, continues=False)

    def predict(self, history: NDArray[Any]) -> Floats:
        """ln p of each label, in their order, after this history; the last entry is for everything else."""
        numbers = self._numbers(np.asarray(history))
        row = self._start if numbers.size == 0 or self._logs.shape[0] == 1 else int(numbers[-1])
        return np.asarray(self._logs[min(row, self._logs.shape[0] - 1)])

    def with_oov(self, way: str) -> TableModel:
        """The same table with another cost for what it does not know."""
        return TableModel(self.table, self.units, way)

    def unknown(self, ids: NDArray[Any]) -> NDArray[np.bool_]:
        """Which units are none of the labels, or the label of all unknown ones."""
        numbers = self._places(ids)
        return np.asarray((numbers == len(self._keys)) | (numbers == (-1 if self._unk is None else self._unk)))

    def stream(self) -> _TableStream:
        """Remembers one unit."""
        return _TableStream(self)

    def _numbers(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """The row of each id in the table."""
        places = self._places(ids)
        if self._oov == "class" and self._unk is not None:
            places[places == len(self._keys)] = self._unk
        return places

    def _places(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """The place of each id among the labels; their number for what is none of them."""
        places = np.minimum(np.searchsorted(self._keys, ids), len(self._keys) - 1)
        return np.asarray(np.where(self._keys[places] == ids, self._order[places], len(self._keys)), dtype=np.int64)


class _TableStream:
    def __init__(self, model: TableModel) -> None:
        self._model = model
        self._last: int | None = None

    def logprobs(self, ids: NDArray[Any], bounds: Bounds, continues: bool) -> Floats:  # noqa: FBT001
        numbers = self._model._numbers(ids)
        rows = self._rows(numbers, bounds, continues=continues)
        if len(ids):
            self._last = int(numbers[-1])
        return np.asarray(self._model._logs[rows, numbers])

    def details(self, ids: NDArray[Any], bounds: Bounds, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        model = self._model
        numbers = model._numbers(ids)
        rows = self._rows(numbers, bounds, continues=continues)
        # Each row of the table once, then one look-up a unit.
        logs = model._logs
        parts = [
            details_of_rows(logs[rows[i : i + _CHUNK]], numbers[i : i + _CHUNK], alternatives, model.outcome_names)
            for i in range(0, max(1, len(ids)), _CHUNK)
        ]
        return joined_details(parts)

    def _rows(self, numbers: NDArray[np.int64], bounds: Bounds, *, continues: bool) -> NDArray[np.int64]:
        """The row of the table that predicts each unit."""
        model, size = self._model, len(numbers)
        if model._logs.shape[0] == 1:
            return np.zeros(size, dtype=np.int64)
        before = np.empty_like(numbers)
        before[1:] = numbers[:-1]
        before[bounds[:-1][bounds[:-1] < size]] = model._start
        if size and continues and self._last is not None:
            before[0] = self._last
        return before


class KrichevskyTrofimov:
    """Adaptive order 0 over bytes: p(x) = (n(x) + ½)/(n + 128), the counts of what came before in the corpus.

    Needs no training, and never more than ½·255·log2 n bits or so above the best fixed distribution.

    Examples
    --------
    >>> import bitmeter as bm
    >>> trace = bm.score(bm.KrichevskyTrofimov(), b"aaaa").trace
    >>> [round(bits, 2) for bits in trace.bits.tolist()]
    [8.0, 6.43, 5.7, 5.23]
    """

    name = "kt"
    fingerprint = "kt-order0-bytes-1"

    def __init__(self) -> None:
        self.units: Units = Bytes()

    def logprobs(self, ids: NDArray[Any], bounds: Bounds) -> Floats:
        """ln p of each byte; the counts go on from document to document."""
        return self.stream().logprobs(ids, bounds, continues=False)

    def predict(self, history: NDArray[Any]) -> Floats:
        """ln p of each byte after this history."""
        counts = np.bincount(np.asarray(history, dtype=np.uint8), minlength=256)
        return np.asarray(np.log((counts + 0.5) / (counts.sum() + 128.0)))

    def stream(self) -> _KtStream:
        """Counts from zero."""
        return _KtStream()


class _KtStream:
    def __init__(self) -> None:
        self._counts = np.zeros(256, dtype=np.int64)

    def details(self, ids: NDArray[Any], bounds: Bounds, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        counts, parts = self._counts.copy(), []
        for i in range(0, max(1, len(ids)), _CHUNK):
            truth = np.asarray(ids[i : i + _CHUNK], dtype=np.int64)
            seen = np.zeros((len(truth) + 1, 256), dtype=np.int64)
            seen[0] = counts
            seen[np.arange(1, len(truth) + 1), truth] = 1
            np.cumsum(seen, axis=0, out=seen)
            counts = seen[-1].copy()
            logs = np.log((seen[:-1] + 0.5) / (seen[:-1].sum(axis=1, keepdims=True) + 128.0))
            parts.append(details_of_rows(logs, truth, alternatives, _BYTE_NAMES))
        return joined_details(parts)

    def logprobs(self, ids: NDArray[Any], bounds: Bounds, continues: bool) -> Floats:  # noqa: FBT001
        return _core.adaptive_logprobs(np.ascontiguousarray(ids, dtype=np.uint8), self._counts)


def _label_bytes(label: Any) -> bytes:
    return bytes([label]) if isinstance(label, int) else str(label).encode("utf-8", "surrogatepass")


def _labels(table: Distribution | Conditional) -> tuple[Any, ...]:
    if isinstance(table, Distribution):
        return table.labels
    return tuple(dict.fromkeys((*table.contexts, *table.outcomes)))


def _units_for(labels: tuple[Any, ...]) -> Units:
    if all(isinstance(label, int) and not isinstance(label, bool) and 0 <= label < 256 for label in labels):
        return Bytes()
    if not all(isinstance(label, str) for label in labels):
        message = (
            "a table as a model of text needs labels that are characters, words, or bytes (integers from 0 to 255); "
            f"found {labels[0]!r:.40}"
        )
        raise InputTypeError(message, value=labels[0])
    # A label such as "other" may stand for all the rest in a table of characters.
    single = sum(len(label) == 1 for label in labels)
    if single >= len(labels) - 1 and single > 0:
        return Characters()
    return Words(vocabulary=[label.encode() for label in labels])


def _sorted_keys(labels: tuple[Any, ...], units: Units) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The ids of the labels under these units, ascending, and the label's place for each."""
    if isinstance(units, Words):
        keys = np.arange(len(labels), dtype=np.int64)
    elif isinstance(units, Bytes):
        keys = np.array([int(label) for label in labels], dtype=np.int64)
    else:
        # A label that is no single character ("other") gets a key that no text has.
        keys = np.array(
            [ord(label) if isinstance(label, str) and len(label) == 1 else -1 - i for i, label in enumerate(labels)],
            dtype=np.int64,
        )
    order = np.argsort(keys, kind="stable")
    return keys[order], order.astype(np.int64)


def _log_table(table: Distribution | Conditional, labels: tuple[Any, ...]) -> tuple[int, Floats]:
    """The row of the start, and ln p(outcome | context) with a last row and column for everything else."""
    with np.errstate(divide="ignore"):
        if isinstance(table, Distribution):
            return 0, np.log(np.array([[*table.probabilities, 0.0]]))
        if table.start is None:
            message = "this Conditional has no start, so a document's first unit has no context; make it with start=…"
            raise ModelError(message)
        unknown = _Nobody()
        rows = [[_chance(table, outcome, context) for outcome in (*labels, unknown)] for context in (*labels, unknown)]
        places = {label: i for i, label in enumerate(labels)}
        return places.get(table.start, len(labels)), np.log(np.array(rows))


class _Nobody:
    """A label that no table has."""


def _chance(table: Conditional, outcome: Any, context: Any) -> float:
    known = context in table.contexts or (table.other is not None and table.other in table.contexts)
    return table.probability(outcome, context) if known else 0.0


def _load_uniform(rest: str) -> Uniform:
    if not rest:
        return Uniform()
    if not rest.isdecimal():
        message = f"uniform:{rest} needs a whole number of choices; such as uniform:10000"
        raise ModelError(message, value=rest)
    return Uniform(int(rest))


def _load_kt(rest: str) -> KrichevskyTrofimov:
    if rest:
        message = f"kt takes no setting; found kt:{rest}"
        raise ModelError(message, value=rest)
    return KrichevskyTrofimov()


SCHEMES = (
    Scheme("uniform", "uniform[:V]", "every byte (or one of V words) equally likely: log2 V bits", _load_uniform),
    Scheme("kt", "kt", "adaptive order 0 over bytes (Krichevsky-Trofimov)", _load_kt),
)
