"""Numbers with labels: mappings, and the series and frames of pandas, polars, pyarrow and xarray.

The libraries are recognised by the names of their classes, so that none of them is imported here.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitmeter._util import check
from bitmeter.errors import InputError, InputTypeError, ShapeError

Names: TypeAlias = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Numbers, and the labels of each axis (None where there are only positions)."""

    values: NDArray[Any]
    axes: tuple[Names | None, ...]
    #: The last axis has no names: its labels are the positions that a library counts by default.
    positional: bool = False

    @property
    def names(self) -> Names | None:
        """The labels of the last axis, over which probabilities sum."""
        return self.axes[-1]


def read(value: Any, name: str) -> Labelled | None:
    """Numbers with labels; None where the value has no labels, or holds no numbers."""
    if isinstance(value, Mapping):
        return Labelled(_numbers(value, name), (tuple(value),))
    kind = library_class(value)
    if kind in ("pandas.Series", "pandas.DataFrame"):
        values = check.native(value, name)
        last = value.index if kind == "pandas.Series" else value.columns
        rows = () if kind == "pandas.Series" else (None if _counted(value.index) else tuple(value.index.tolist()),)
        found = Labelled(values, (*rows, tuple(last.tolist())), _counted(last))
    elif kind in ("polars.DataFrame", "pyarrow.Table", "pyarrow.RecordBatch"):
        columns = value.columns if kind == "polars.DataFrame" else value.schema.names
        found = Labelled(check.native(value, name), (None, tuple(columns)))
    elif kind == "xarray.DataArray" and value.ndim > 0:
        axes = tuple(tuple(value.coords[d].values.tolist()) if d in value.coords else None for d in value.dims)
        found = Labelled(check.native(value, name), axes)
    else:
        return None
    if found.values.dtype.kind not in "fiubO" or found.names is None or not _are_numbers(found.values):
        return None
    for axis in found.axes:
        _check_unique(axis, name)
    return found


def _are_numbers(values: NDArray[Any]) -> bool:
    from numbers import Number

    return values.dtype.kind != "O" or all(isinstance(v, Number) or check.is_missing(v) for v in values.flat)


def library_class(value: Any) -> str:
    """The library and class that a value is of, or inherits from, such as "pandas.Series"; empty for others."""
    for base in type(value).__mro__:
        library = base.__module__.partition(".")[0]
        if library in ("pandas", "polars", "pyarrow", "xarray") and base.__name__ in _CLASSES:
            return f"{library}.{base.__name__}"
    return ""


_CLASSES = ("Series", "DataFrame", "DataArray", "Table", "RecordBatch")


def index_of(value: Any, name: str) -> Names | None:
    """What the entries of a series of samples are called; None where they are only counted."""
    kind = library_class(value)
    if kind == "pandas.Series" and not _counted(value.index):
        return tuple(value.index.tolist())
    if kind == "xarray.DataArray" and value.ndim == 1 and value.dims[0] in value.coords:
        return tuple(value.coords[value.dims[0]].values.tolist())
    return None


def _counted(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _numbers(value: Mapping[Any, Any], name: str) -> NDArray[Any]:
    if value and all(isinstance(number, np.floating) for number in value.values()):
        return np.array(list(value.values()))
    found = np.empty(len(value), dtype=object)
    for place, (label, number) in enumerate(value.items()):
        if not check.is_rational(number):
            number = check.real(number, f"{name}[{check.shown(label)}]", infinite=True)
        found[place] = number
    return found if any(check.is_rational(number) for number in found) else found.astype(np.float64)


def _check_unique(axis: Names | None, name: str) -> None:
    seen = set()
    for place, label in enumerate(axis or ()):
        if not check.hashes(label) or label in seen:
            message = (
                f"label {place} of {name} is {check.shown(label)}, which is in it already; sum what belongs together"
            )
            raise InputError(message, index=place, value=label)
        seen.add(label)


def align(p: Labelled, q: Labelled, names: tuple[str, str] = ("p", "q")) -> tuple[Names | None, Any, Any]:
    """Both over the labels of either, a label that one of them lacks having probability 0 there."""
    first, second = p, q
    if p.values.ndim == q.values.ndim:
        for axis in range(p.values.ndim - 1):
            second = _same_rows(first, second, axis, names)
    one, two = first.names, second.names
    if p.positional != q.positional and set(one or ()) != set(two or ()):
        lacks, has = (names[0], names[1]) if p.positional else (names[1], names[0])
        refuse(has, two if p.positional else one, lacks)
    if one == two or (p.positional and q.positional):
        return one, first.values, second.values
    union = tuple(dict.fromkeys((*(two or ()), *(one or ()))))
    return union, _spread(first, union), _spread(second, union)


def refuse(has: str, labels: Names | None, lacks: str) -> None:
    """Say that it is not known which label a probability belongs to."""
    message = (
        f"{has} has labels ({check.shown(list(labels or ()))}) and {lacks} has none, so that it is not known which "
        f"number of {lacks} belongs to which label: give {lacks} as a mapping, a Series or a Distribution with the "
        f"same labels; or say of='probabilities' if it is in the order of the labels of {has}"
    )
    raise InputTypeError(message)


def _same_rows(p: Labelled, q: Labelled, axis: int, names: tuple[str, str]) -> Labelled:
    """The rows of q in the order of those of p."""
    one, two = p.axes[axis], q.axes[axis]
    if one is None or two is None or one == two:
        return q
    if set(one) != set(two):
        missing = next(iter(set(one) ^ set(two)))
        message = (
            f"{names[0]} and {names[1]} have different rows: {check.shown(missing)} is in one alone; "
            "choose the rows that both have"
        )
        raise ShapeError(message, value=missing)
    place = {label: i for i, label in enumerate(two)}
    order = np.array([place[label] for label in one])
    return Labelled(np.take(q.values, order, axis=axis), (*q.axes[:axis], one, *q.axes[axis + 1 :]), q.positional)


def _spread(value: Labelled, union: Names) -> NDArray[Any]:
    place = {label: i for i, label in enumerate(value.names or ())}
    order = np.array([place.get(label, len(place)) for label in union])
    empty = np.zeros((*value.values.shape[:-1], 1), dtype=value.values.dtype)
    return np.ascontiguousarray(np.concatenate((value.values, empty), axis=-1)[..., order])


def table(value: Any, name: str) -> tuple[Any, Names | None, Names | None]:
    """A table, and the labels of its rows and columns; where both name the same things, the rows in that order."""
    found = None if isinstance(value, Mapping) else read(value, name)
    if found is None or found.values.ndim != 2:
        return value, None, None
    rows, columns = found.axes[0], None if found.positional else found.axes[1]
    if rows is not None and columns is not None and rows != columns and set(rows) == set(columns):
        values = np.stack([found.values[rows.index(label)] for label in columns])
        return values, columns, columns
    return found.values, rows, columns


def in_order(value: Any, labels: Names | None, name: str) -> Any:
    """Numbers in the order of `labels`, where they have labels of their own."""
    found = read(value, name)
    if found is None or found.values.ndim != 1 or found.positional or labels is None:
        return value if found is None else found.values
    extra = next((label for label in found.names or () if label not in set(labels)), None)
    if extra is not None:
        message = f"{name} has the label {check.shown(extra)}, which is none of {check.shown(list(labels))}"
        raise InputError(message, value=extra)
    return _spread(found, labels)


__all__ = ["Labelled", "align", "in_order", "index_of", "library_class", "read", "refuse", "table"]
