"""Models that need no training: uniform, a Distribution or Conditional, and the adaptive order-0 estimator."""

from __future__ import annotations

import hashlib
import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.check import choice, shown
from bitmeter.errors import InputTypeError, ModelError, UnknownLabelError
from bitmeter.models.outcomes import Details, details_of_rows, joined_details
from bitmeter.models.registry import Scheme
from bitmeter.text.corpus.readers import encode
from bitmeter.text.units.base import UNKNOWN, Bytes, Characters, Units, Words
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

    def __init__(self, size: int = 256, units: Units | str | None = None) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= 2**53:
            message = f"uniform:{size} needs a whole number of choices, at least 1; such as uniform:10000"
            raise ModelError(message, value=size)
        self.size = size
        self.units: Units = Units.of(units) if units is not None else (Bytes() if size == 256 else Words())
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

    A table with the label `</s>` predicts the end of a document; see the keyword `eos` of `score`.

    Parameters
    ----------
    table
        Labels that are strings of one character make a model of characters, longer ones a model of words, integers
        from 0 to 255 a model of bytes. A Conditional begins each document from its `start`; its `other` stands for
        all units that it does not name.
    units
        To say so instead of having it guessed.
    oov
        "none": what is none of the labels (and no `other` stands for it) cannot happen. "class": it costs what the
        label `<unk>` costs.

    Examples
    --------
    >>> import bitmeter as bm
    >>> words = bm.Distribution({"to": 0.25, "be": 0.25, "or": 0.25, "not": 0.125, "</s>": 0.125})
    >>> bm.score(words, b"to be or not to be").bits
    13.0
    >>> bm.score(words, b"to be or not to be", eos="yes").bits
    16.0
    """

    def __init__(self, table: Distribution | Conditional, units: Units | str | None = None, oov: str = "none") -> None:
        self.table = table
        labels = _labels(table)
        self.units: Units = Units.of(units) if units is not None else _units_for(table, labels)
        self.name = f"{type(table).__name__.lower()}({len(labels)} labels)"
        keys = _keys_of(labels, self.units)
        order = np.argsort(keys, kind="stable")
        self._keys, self._order = keys[order], order.astype(np.int64)
        places = {label: i for i, label in enumerate(labels)}
        self.predicts_end = "</s>" in places
        self.end_id = int(keys[places["</s>"]]) if self.predicts_end else None
        self._unk = places.get("<unk>", places.get("<UNK>"))
        self.oov_ways = ("class",) if self._unk is not None else ()
        self._oov = self._checked(oov)
        # A row for each label as context, a column for each as outcome; one more of each for everything else.
        self._start, self._columns, self._logs = _log_table(table, places)
        #: The bytes of each outcome; the last stands for everything else.
        self.outcome_names = (*(_label_bytes(label) for label in labels), b"")
        content = repr((labels, self._start, self._oov, self.units.fingerprint)).encode() + self._logs.tobytes()
        self.fingerprint = "table-" + hashlib.sha256(content).hexdigest()[:16]

    def _checked(self, oov: str) -> str:
        if choice(oov, "oov", ("none", "class")) == "class" and self._unk is None:
            message = "this table has no label <unk>, so oov must be 'none'"
            raise ModelError(message, value=oov)
        return oov

    def logprobs(self, ids: NDArray[Any], bounds: Bounds) -> Floats:
        """ln p of each unit, given the one before it in its document."""
        return self.stream().logprobs(ids, bounds, continues=False)

    def predict(self, history: NDArray[Any]) -> Floats:
        """ln p of each label, in their order, after this history; the last entry is for everything else.

        `places` says which entry is that of an id.
        """
        numbers = self._rows(np.asarray(history, dtype=np.int64)[-1:])
        row = self._start if numbers.size == 0 or len(self._logs) == 1 else int(numbers[-1])
        if np.isneginf(self._logs[row]).all():
            message = "the table has no row for what came last, so nothing can be predicted; name one with other=…"
            raise UnknownLabelError(message, value=history)
        return np.array(self._logs[row])

    def places(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """Where each id stands in what `predict` gives."""
        return np.asarray(self._columns[self._rows(ids)])

    @property
    def outcome_ids(self) -> NDArray[np.int64]:
        """The id of each entry of what `predict` gives; negative where several units share it, or none has it."""
        ids = np.full(len(self._keys) + 1, UNKNOWN, dtype=np.int64)
        own = self._columns[self._order] == self._order
        ids[self._order[own]] = self._keys[own]
        return ids

    def with_oov(self, way: str) -> TableModel:
        """The same table with another cost for what it does not know."""
        return TableModel(self.table, self.units, way)

    def unknown(self, ids: NDArray[Any]) -> NDArray[np.bool_]:
        """Which units are none of the labels, or the label of all unknown ones."""
        numbers = self._labelled(ids)
        return np.asarray((numbers == len(self._keys)) | (numbers == (-1 if self._unk is None else self._unk)))

    def stream(self) -> _TableStream:
        """Remembers one unit."""
        return _TableStream(self)

    def _rows(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """The row of each id in the table."""
        numbers = self._labelled(ids)
        if self._oov == "class" and self._unk is not None:
            numbers[numbers == len(self._keys)] = self._unk
        return numbers

    def _labelled(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """The number of each id among the labels; how many there are for what is none of them."""
        at = np.minimum(np.searchsorted(self._keys, ids), len(self._keys) - 1)
        return np.asarray(np.where(self._keys[at] == ids, self._order[at], len(self._keys)), dtype=np.int64)


class _TableStream:
    def __init__(self, model: TableModel) -> None:
        self._model = model
        self._last: int | None = None

    def logprobs(self, ids: NDArray[Any], bounds: Bounds, continues: bool) -> Floats:  # noqa: FBT001
        model = self._model
        numbers = model._rows(ids)
        rows = self._before(numbers, bounds, continues=continues)
        if len(bounds) > 1 and bounds[-1] > bounds[-2]:
            self._last = int(numbers[-1])
        elif len(bounds) > 2 or not continues:
            self._last = None  # a document has begun, and none of its units was seen
        return np.asarray(model._logs[rows, model._columns[numbers]])

    def details(self, ids: NDArray[Any], bounds: Bounds, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        model = self._model
        numbers = model._rows(ids)
        rows, columns = self._before(numbers, bounds, continues=continues), model._columns[numbers]
        # Each row of the table once, then one look-up a unit.
        logs = model._logs
        parts = [
            details_of_rows(logs[rows[i : i + _CHUNK]], columns[i : i + _CHUNK], alternatives, model.outcome_names)
            for i in range(0, max(1, len(ids)), _CHUNK)
        ]
        return joined_details(parts)

    def _before(self, numbers: NDArray[np.int64], bounds: Bounds, *, continues: bool) -> NDArray[np.int64]:
        """The row of the table that predicts each unit."""
        model, size = self._model, len(numbers)
        if len(model._logs) == 1:
            return np.zeros(size, dtype=np.int64)
        before = np.empty_like(numbers)
        before[1:] = numbers[:-1]
        before[bounds[:-1][bounds[:-1] < size]] = model._start
        if continues and self._last is not None and len(bounds) > 1 and bounds[1] > 0:
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

    @property
    def counts(self) -> NDArray[np.int64]:
        return self._counts

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
    return bytes([label]) if isinstance(label, int) else encode(str(label))


def _labels(table: Any) -> tuple[Any, ...]:
    if isinstance(table, Distribution):
        return table.labels
    if isinstance(table, Conditional):
        return tuple(dict.fromkeys((*table.contexts, *table.outcomes)))
    message = f"table is {shown(table)}; it must be a Distribution or a Conditional"
    raise InputTypeError(message, value=table)


#: Labels that are no units: the beginning and the end of a document, and all unknown units.
_SPECIAL = ("<s>", "</s>", "<unk>", "<UNK>")


def _units_for(table: Distribution | Conditional, labels: tuple[Any, ...]) -> Units:
    """What the labels are, leaving out those that stand for something else."""
    aside = [*_SPECIAL, *((table.other, table.start) if isinstance(table, Conditional) else ())]
    plain = [label for label in labels if label not in aside] or list(labels)
    if all(isinstance(label, int) and not isinstance(label, bool) and 0 <= label < 256 for label in plain):
        return Bytes()
    strange = next((label for label in plain if not isinstance(label, str)), None)
    if strange is not None:
        message = (
            "a table as a model of text needs labels that are characters, words, or bytes (integers from 0 to 255); "
            f"found {shown(strange)} among {len(labels)}"
        )
        raise InputTypeError(message, value=strange)
    if all(len(label) == 1 for label in plain):
        return Characters()
    return Words(vocabulary=[encode(label) for label in labels if isinstance(label, str)])


def _keys_of(labels: tuple[Any, ...], units: Units) -> NDArray[np.int64]:
    """The id of each label under these units; one that no text can have for a label that is not one unit."""
    never = np.iinfo(np.int64).min
    keys = [_key(label, units, never + i) for i, label in enumerate(labels)]
    if len(set(keys)) < len(keys):
        message = f"two labels of this table are the same unit of {units.name}: {shown(labels)}"
        raise ModelError(message, value=labels)
    return np.array(keys, dtype=np.int64)


def _key(label: Any, units: Units, never: int) -> int:
    if isinstance(units, Bytes):
        return label if isinstance(label, int) and not isinstance(label, bool) and 0 <= label < 256 else never
    found = units.split(encode(label)).ids.tolist() if isinstance(label, str) else []
    return int(found[0]) if len(found) == 1 and found[0] >= 0 else never


def _log_table(table: Distribution | Conditional, places: dict[Any, int]) -> tuple[int, NDArray[np.int64], Floats]:
    """The row of the start, the column of each label, and ln p(outcome | context)."""
    size = len(places)
    columns = np.arange(size + 1, dtype=np.int64)
    with np.errstate(divide="ignore"):
        if isinstance(table, Distribution):
            return 0, columns, np.log(np.array([[*table.probabilities, 0.0]]))
        masses = np.zeros((size + 1, size + 1))
        for context in table.contexts:
            row = table[context]
            masses[places[context], [places[label] for label in row.labels]] = row.probabilities
        unnamed = [i for label, i in places.items() if label not in table.contexts]
        rest = places[table.other] if table.other is not None and table.other in places else size
        masses[[*unnamed, size]] = masses[rest]
        outcomes = set(table.outcomes)
        columns[[*(i for label, i in places.items() if label not in outcomes), size]] = rest
        return _start_row(table, places), columns, np.log(masses)


def _start_row(table: Conditional, places: dict[Any, int]) -> int:
    if table.start is None:
        message = "this Conditional has no start, so a document's first unit has no context; make it with start=…"
        raise ModelError(message)
    if table.start not in table.contexts and table.other not in table.contexts:
        message = f"the start {shown(table.start)} is no context of this Conditional; add its row, or other=…"
        raise ModelError(message, value=table.start)
    return places.get(table.start, len(places))


def _load_uniform(rest: str) -> Uniform:
    if not rest:
        return Uniform()
    if not re.fullmatch("[0-9]{1,16}", rest):
        message = f"uniform:{rest:.20} needs a whole number of choices; such as uniform:10000"
        raise ModelError(message, value=rest)
    return Uniform(int(rest))


def _load_kt(rest: str) -> KrichevskyTrofimov:
    if rest:
        message = f"kt takes no setting; found kt:{rest}"
        raise ModelError(message, value=rest)
    return KrichevskyTrofimov()


SCHEMES = (
    Scheme("uniform", "uniform[:V]", "every byte (or one of V words) equally likely", _load_uniform),
    Scheme("kt", "kt", "adaptive, of order 0 (Krichevsky-Trofimov)", _load_kt),
)
