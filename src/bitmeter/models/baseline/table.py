"""A Distribution, or a Conditional on the unit before, as a model of text."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Self

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter._util.check import choice, shown
from bitmeter.errors import InputTypeError, ModelError, UnknownLabelError
from bitmeter.models.baseline.coding import LARGEST_TABLE, TableCoder
from bitmeter.models.baseline.table_files import read_table, write_table
from bitmeter.models.coder import Coder, CodeWatch, StepwiseCoder
from bitmeter.models.outcomes import Details, Outcomes, details_of_rows, joined_details
from bitmeter.models.protocols import Bundled, Codes, OpenVocabulary, Options, Predictor, Traits
from bitmeter.models.session import End, HistoryStepper, PredictingSession, Stepper, Watch
from bitmeter.text.corpus.readers import encode
from bitmeter.text.units.base import UNKNOWN, Units
from bitmeter.text.units.named import units_of
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.words import Words
from bitmeter.theory.conditional import Conditional
from bitmeter.theory.distributions import Distribution

__all__ = ["TableModel"]

#: Predictions that are held at once.
_AT_ONCE = 4096
_NOTHING = np.zeros(0, dtype=np.int64)


class TableModel(Predictor, OpenVocabulary, Codes, Bundled):
    """A Distribution, or a Conditional on the unit before, as a model of text.

    A table with the label `</s>` predicts the end of a document; see the keyword `eos` of `score`.

    Parameters
    ----------
    table
        Labels that are strings of one character make a model of characters, longer ones a model of words, integers
        from 0 to 255 a model of bytes. A Conditional begins each document from its `start`; its `other` stands for
        all units that it does not name.
    units
        Overrides the guess.
    oov
        "none": a unit that is no label (and that no `other` stands for) is impossible. "class": it costs what the
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

    BUNDLE = "table.json"
    name: str
    units: Units
    fingerprint: str
    path = None

    def __init__(self, table: Distribution | Conditional, units: Units | str | None = None, oov: str = "none") -> None:
        self.table = table
        labels = _labels(table)
        self.units = units_of(units) if units is not None else _units_for(table, labels)
        self.name = f"{type(table).__name__.lower()}({len(labels)} labels)"
        keys = _keys_of(labels, self.units)
        order = np.argsort(keys, kind="stable")
        self._keys, self._order = keys[order], order.astype(np.int64)
        index = {label: i for i, label in enumerate(labels)}
        self._end = End(int(keys[index["</s>"]])) if "</s>" in index else None
        self._unk = index.get("<unk>", index.get("<UNK>"))
        self._oov = self._checked(oov)
        # A row for each label as context, a column for each as outcome; one more of each for everything else.
        self._start, self._columns, self._logs = _log_table(table, index)
        #: The bytes of each outcome; the last stands for everything else.
        self._names = (*(_label_bytes(label) for label in labels), b"")
        content = repr((labels, self._start, self._oov, self.units.fingerprint)).encode() + self._logs.tobytes()
        self.fingerprint = "table-" + hashlib.sha256(content).hexdigest()[:16]

    def _checked(self, oov: str) -> str:
        if choice(oov, "oov", ("none", "class")) == "class" and self._unk is None:
            message = "this table has no label <unk>, so oov must be 'none'"
            raise ModelError(message, value=oov)
        return oov

    @property
    def traits(self) -> Traits:
        """Of a Distribution, the number of labels is known."""
        size = len(self.table.labels) if isinstance(self.table, Distribution) else None
        return Traits(vocabulary=size, end=self._end, oov=() if self._unk is None else ("class",))

    @property
    def outcomes(self) -> Outcomes:
        """The labels, in their order; the last entry is for everything else."""
        return Outcomes(len(self._names), lambda: self._outcome_ids, lambda: self._names, self._entries)

    def open(self, options: Options = Options()) -> TableSession:  # noqa: B008
        """Begin a text; one unit is remembered."""
        return TableSession(self)

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """ln p of each unit, given the one before it in its document."""
        return self.open().logprobs(ids, bounds, continues=False)

    def predict(self, history: Ids) -> Floats:
        """ln p of each label, in their order, after this history; the last entry is for everything else."""
        numbers = self._rows(np.asarray(history, dtype=np.int64)[-1:])
        row = self._start if numbers.size == 0 or len(self._logs) == 1 else int(numbers[-1])
        if np.isneginf(self._logs[row]).all():
            message = "the table has no row for what came last, so nothing can be predicted; name one with other=…"
            raise UnknownLabelError(message, value=history)
        return np.array(self._logs[row])

    def stepper(self) -> Stepper:
        """Begin a document; one unit is looked at."""
        return HistoryStepper(self.predict, reach=1)

    def coder(self, watch: CodeWatch | None = None) -> Coder:
        """By rows of frequencies, where they are not too many."""
        if self._logs.size > LARGEST_TABLE:
            return StepwiseCoder(self.name, self.units, self.outcomes, self.stepper(), watch)
        return TableCoder(self.name, self.units, self.outcomes, self._logs, self._start)

    def bundle(self, folder: Path, stem: str = "model") -> list[str]:
        """Write the table as JSON; a table of words has no file."""
        write_table(self.table, self.units, self._oov, folder / self.BUNDLE, self.name)
        return [self.BUNDLE]

    @classmethod
    def unbundle(cls, folder: Path, name: str) -> Self:
        """The table from its JSON."""
        return cls(*read_table(folder / cls.BUNDLE, name))

    def _entries(self, ids: Ids) -> Ints:
        return np.asarray(self._columns[self._rows(ids)])

    @property
    def _outcome_ids(self) -> Ints:
        ids = np.full(len(self._keys) + 1, UNKNOWN, dtype=np.int64)
        own = self._columns[self._order] == self._order
        ids[self._order[own]] = self._keys[own]
        return ids

    def with_oov(self, way: str) -> Self:
        """The same table with another cost for what it does not know."""
        return type(self)(self.table, self.units, way)

    def unknown(self, ids: Ids) -> Bools:
        """Which units are not labels, or are the label of all unknown units."""
        rows = self._labelled(ids)
        return np.asarray((rows == len(self._keys)) | (rows == (-1 if self._unk is None else self._unk)))

    def _rows(self, ids: Ids) -> Ints:
        """The row of each id in the table."""
        rows = self._labelled(ids)
        if self._oov == "class" and self._unk is not None:
            rows[rows == len(self._keys)] = self._unk
        return rows

    def _labelled(self, ids: Ids) -> Ints:
        """The index of each id among the labels; the number of labels for any other id."""
        at = np.minimum(np.searchsorted(self._keys, ids), len(self._keys) - 1)
        return np.asarray(np.where(self._keys[at] == ids, self._order[at], len(self._keys)), dtype=np.int64)


class TableSession(PredictingSession):
    """Scores a text by a table; remembers one unit."""

    def __init__(self, model: TableModel) -> None:
        self._model = model
        self._last: int | None = None  # a row of the table
        self._last_id = _NOTHING

    @property
    def outcomes(self) -> Outcomes:
        """Those of the table."""
        return self._model.outcomes

    def stepper(self) -> Stepper:
        """Goes on from the last unit."""
        return HistoryStepper(self._model.predict, reach=1, history=self._last_id)

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """ln p of each unit, given the one before it in its document."""
        model = self._model
        numbers = model._rows(ids)
        rows = self._before(numbers, bounds, continues=continues)
        if len(bounds) > 1 and bounds[-1] > bounds[-2]:
            self._last, self._last_id = int(numbers[-1]), np.asarray(ids[-1:], dtype=np.int64)
        elif len(bounds) > 2 or not continues:
            self._last, self._last_id = None, _NOTHING  # a document has begun, and none of its units was seen
        return np.asarray(model._logs[rows, model._columns[numbers]])

    def details(
        self,
        ids: Ids,
        bounds: Ints,
        continues: bool,  # noqa: FBT001
        alternatives: int,
        watch: Watch | None = None,
    ) -> Details:
        """By rows of the table."""
        model = self._model
        numbers = model._rows(ids)
        rows, columns = self._before(numbers, bounds, continues=continues), model._columns[numbers]
        logs = model._logs
        parts = []
        for i in range(0, max(1, len(ids)), _AT_ONCE):
            here = slice(i, i + _AT_ONCE)
            parts.append(details_of_rows(logs[rows[here]], columns[here], alternatives, model._names))
            if watch is not None:
                watch(min(i + _AT_ONCE, len(ids)), max(1, len(ids)))
        return joined_details(parts)

    def _before(self, numbers: Ints, bounds: Ints, *, continues: bool) -> Ints:
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


def _keys_of(labels: tuple[Any, ...], units: Units) -> Ints:
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


def _log_table(table: Distribution | Conditional, index: dict[Any, int]) -> tuple[int, Ints, Floats]:
    """The row of the start, the column of each label, and ln p(outcome | context)."""
    size = len(index)
    columns = np.arange(size + 1, dtype=np.int64)
    with np.errstate(divide="ignore"):
        if isinstance(table, Distribution):
            return 0, columns, np.log(np.array([[*table.probabilities, 0.0]]))
        masses = np.zeros((size + 1, size + 1))
        for context in table.contexts:
            row = table[context]
            masses[index[context], [index[label] for label in row.labels]] = row.probabilities
        unnamed = [i for label, i in index.items() if label not in table.contexts]
        rest = index[table.other] if table.other is not None and table.other in index else size
        masses[[*unnamed, size]] = masses[rest]
        outcomes = set(table.outcomes)
        columns[[*(i for label, i in index.items() if label not in outcomes), size]] = rest
        return _start_row(table, index), columns, np.log(masses)


def _start_row(table: Conditional, index: dict[Any, int]) -> int:
    if table.start is None:
        message = "this Conditional has no start, so a document's first unit has no context; make it with start=…"
        raise ModelError(message)
    if table.start not in table.contexts and table.other not in table.contexts:
        message = f"the start {shown(table.start)} is not a context of this Conditional; add its row, or other=…"
        raise ModelError(message, value=table.start)
    return index.get(table.start, len(index))
