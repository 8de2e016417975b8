"""Validation of arguments: every public function passes its input through here, so that bad input is a typed error."""

from __future__ import annotations

import math
import operator
import sys
from array import array as machine_array
from collections.abc import Callable, Hashable, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from bitmeter import _core
from bitmeter._util.foreign import TOLERANCE, as_numpy, is_missing, is_rational, precision, tolerance
from bitmeter._util.lazy import np
from bitmeter.errors import (
    BitmeterError,
    ChoiceError,
    EmptyError,
    InputError,
    InputTypeError,
    NegativeError,
    NotFiniteError,
    NotNormalisedError,
    RangeError,
    ShapeError,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitmeter._util.arrays import Floats, Ints

Unit: TypeAlias = Literal["bits", "nats", "hartleys"] | float  # a number is the base of the logarithm
Seed: TypeAlias = "int | np.random.Generator | None"  # in quotes: numpy.random is imported where it is used

#: The largest sample drawn in one call: more would exhaust memory before it takes too long.
MOST_DRAWS = 2**32

_NATS_PER_UNIT = {"bits": math.log(2.0), "nats": 1.0, "hartleys": math.log(10.0)}


def nats_per(unit: Any) -> float:
    """How many nats one `unit` is: a name, or the base of the logarithm. Units exist only here."""
    if isinstance(unit, str):  # first, since the other question is asked of numpy
        return _NATS_PER_UNIT[choice(unit, "unit", tuple(_NATS_PER_UNIT))]
    if isinstance(unit, int | float | np.integer | np.floating) and not isinstance(unit, bool | np.bool_):
        if not 1.0 < unit < math.inf:
            message = f"unit is {shown(unit)}; as the base of a logarithm it must be a finite number above 1"
            raise RangeError(message, value=unit)
        return math.log(unit)
    return _NATS_PER_UNIT[choice(unit, "unit", tuple(_NATS_PER_UNIT))]


def unit_name(unit: Unit) -> str:
    """A unit in words.

    Examples
    --------
    >>> unit_name("bits"), unit_name(3)
    ('bits', 'digits of base 3')
    """
    return unit if isinstance(unit, str) else f"digits of base {unit:g}"


def from_bits(unit: Any) -> float:
    """How many of `unit` one bit is: exactly 1 for bits, so that textbook figures stay exact."""
    return 1.0 if nats_per(unit) == _NATS_PER_UNIT["bits"] else _NATS_PER_UNIT["bits"] / nats_per(unit)


def choice(value: Any, name: str, options: Iterable[str]) -> str:
    """One of several words."""
    options = tuple(options)
    if not isinstance(value, str) or value not in options:
        message = f"{name} is {shown(value)}; it must be one of {', '.join(map(repr, options))}"
        raise ChoiceError(message, value=value)
    return value


def flag(value: Any, name: str) -> bool:
    """True or False, and nothing that merely looks like it."""
    if not isinstance(value, bool | np.bool_):
        message = f"{name} is {shown(value)}; it must be True or False"
        raise InputTypeError(message, value=value)
    return bool(value)


def integer(value: Any, name: str, *, low: int | None = None, high: int | None = None) -> int:
    """A whole number within [low, high]."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except Exception:  # foreign objects may raise anything in __index__
        message = f"{name} is {shown(value)}; it must be a whole number"
        raise InputTypeError(message, value=value) from None
    _within(number, name, low, high)
    return number


def real(
    value: Any, name: str, *, low: float | None = None, high: float | None = None, infinite: bool = False
) -> float:
    """A number within [low, high], finite unless `infinite` allows otherwise."""
    if isinstance(value, str | bytes | bool | np.bool_) or (isinstance(value, np.ndarray) and value.ndim > 0):
        message = f"{name} is {shown(value)}; it must be a number"
        raise InputTypeError(message, value=value)
    try:
        number = float(value)
    except Exception:  # as above
        message = f"{name} is {shown(value)}; it must be a number"
        raise InputTypeError(message, value=value) from None
    if math.isnan(number) or (math.isinf(number) and not infinite):
        message = f"{name} is {number}; it must be a finite number"
        raise NotFiniteError(message, value=number)
    _within(number, name, low, high)
    return number


def _within(number: float, name: str, low: float | None, high: float | None) -> None:
    if low is not None and number < low:
        message = f"{name} is {shown(number)}; it must be at least {low}"
        raise (NegativeError if low == 0 else RangeError)(message, value=number)
    if high is not None and number > high:
        message = f"{name} is {shown(number)}; it must be at most {high}"
        raise RangeError(message, value=number)


def generator(seed: Any) -> np.random.Generator:
    """A random generator: from a whole number, an existing generator, or None for a new one."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(None if seed is None else integer(seed, "seed", low=0))


def shown(value: Any, form: Callable[[Any], str] = repr) -> str:
    """A short form of a value for a message, on one line."""
    try:
        text = form(value)
    except Exception as error:  # such as an integer of more digits than Python prints
        text = f"<{type(value).__name__} whose {form.__name__} raises {type(error).__name__}>"
    text = " ".join(text.split()) if "\n" in text else text
    return text if len(text) <= 60 else text[:57] + "..."


def shown_json(value: Any) -> str:
    """A value of JSON for a message: nothing is null there."""
    return "null" if value is None else shown(value)


def hashes(value: object) -> bool:
    """Whether something can be looked up in a dictionary."""
    try:
        hash(value)
    except Exception:  # a writable memoryview raises ValueError, other classes anything
        return False
    return True


def native(value: Any, name: str) -> Any:
    """The arrays of other libraries (pandas, pyarrow, torch, …) and typed buffers as numpy's; all else as it is.

    Iterated item by item, these would give library objects that compare equal to nothing else.
    """
    if type(value) is np.ndarray:  # the common case
        return value.astype(np.float32) if value.dtype.name == "bfloat16" else value
    if "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray):  # else there is none
        if np.ma.is_masked(value):
            message = f"{name} is a masked array with masked entries; take value.compressed() or value.filled(…) first"
            raise InputError(message, value=value)
        return np.asarray(value)
    if isinstance(value, np.ndarray | np.generic | str | bytes | list | tuple):
        return value
    typed = isinstance(value, machine_array) or (isinstance(value, memoryview) and not holds_bytes(value))
    if not typed and not (hasattr(value, "__array__") and not isinstance(value, type)):
        return value
    try:
        return as_numpy(value)
    except Exception as error:
        message = f"{name} is {shown(value)}, which cannot be read as an array: {error}"
        raise InputTypeError(message, value=value) from error


def holds_bytes(value: memoryview) -> bool:
    """Whether a buffer holds bytes, and not wider numbers."""
    return value.ndim == 1 and value.format in ("B", "b", "c")


def array(value: Any, name: str) -> Floats | NDArray[np.float32]:
    """Numbers as a C-contiguous float array of at least one axis; float32 stays, all else becomes float64."""
    if isinstance(value, str | bytes | bytearray | Mapping | set | frozenset) or value is None:
        message = f"{name} is {shown(value)}; it must be an array of numbers"
        raise InputTypeError(message, value=value)
    value = native(value, name)
    if isinstance(value, Iterator | KeysView | ValuesView):
        value = list(_guarded(value, name))
    try:
        found = np.asarray(value)
        if found.dtype.kind not in "fiub" or found.dtype.itemsize > 8:
            if found.dtype.kind not in "fO":
                raise TypeError
            found = _as_doubles(found, name)
    except BitmeterError:
        raise
    except Exception:  # the entries of an object array may raise anything, too
        message = f"{name} is {shown(value)}; it must be an array of numbers, all rows of one length"
        raise InputTypeError(message, value=value) from None
    if found.ndim == 0:
        message = f"{name} is the single number {shown(value)}; it must be an array of numbers"
        raise ShapeError(message, value=value)
    if found.size == 0:
        message = f"{name} is empty (shape {found.shape}); there is nothing to measure"
        raise EmptyError(message)
    if found.dtype == np.float32:
        return np.ascontiguousarray(found, dtype=np.float32)
    return np.ascontiguousarray(found, dtype=np.float64)


def _as_doubles(values: NDArray[Any], name: str) -> Floats:
    if values.dtype == object:
        values = np.array([math.nan if is_missing(item) else item for item in values.flat], object).reshape(
            values.shape
        )
    made = values.astype(np.float64)
    lost = (made == 0.0) & (values != 0)
    if lost.any():
        index = tuple(int(i) for i in np.argwhere(lost)[0])
        message = (
            f"{name}[{_index(index)}] is {shown(values[index])}, smaller than a double can hold: as 0 it would be "
            "impossible; the functions of information take sequences of fractions exactly"
        )
        raise RangeError(message, index=index[0] if len(index) == 1 else index, value=values[index])
    return made


def raise_bad_entry(values: NDArray[Any], index: tuple[int, ...], name: str, what: str = "probability") -> None:
    """Say what is wrong with one entry of an array of probabilities or counts."""
    place: int | tuple[int, ...] = index[0] if len(index) == 1 else index
    found = float(values[index])
    if math.isnan(found):
        message = f"{name}[{_index(index)}] is NaN; a {what} must be a number"
        raise NotFiniteError(message, index=place, value=found)
    if math.isinf(found):
        message = f"{name}[{_index(index)}] is {found}; a {what} must be finite"
        raise NotFiniteError(message, index=place, value=found)
    message = f"{name}[{_index(index)}] is {found}; a {what} cannot be negative"
    raise NegativeError(message, index=place, value=found)


def check_sums(sums: Floats, shape: tuple[int, ...], name: str, *, normalise: bool, within: float = TOLERANCE) -> None:
    """Raise unless each row sums to one, or to something positive when `normalise` was asked for."""
    with np.errstate(over="ignore"):
        wrong = ~(np.isfinite(sums) & (sums > 0)) if normalise else ~(np.abs(sums - 1.0) <= within)
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    index = tuple(int(i) for i in np.unravel_index(row, shape[:-1])) if len(shape) > 1 else ()
    where = f"{name}[{_index(index)}]" if index else name
    total = float(sums[row])
    if normalise:
        message = f"{where} sums to {total}; it cannot be normalised"
    else:
        message = (
            f"{where} sums to {total!r}, not to 1 (tolerance {within:g}); "
            "if these are counts or weights, say so with normalise=True"
        )
    raise NotNormalisedError(message, index=index or None, value=total)


def probabilities(value: Any, name: str, *, normalise: bool = False, within: float | None = None) -> Floats:
    """Probabilities along the last axis, validated, as float64 rows that sum to one as nearly as doubles can.

    Before that they may miss one by `within`; by default, by what their kind of float allows.
    """
    values = array(value, name)
    rows = values.reshape(-1, values.shape[-1])
    _, sums, _, bad, _, _ = _core.row_sums(rows)
    if (bad >= 0).any():
        row = int(np.argmax(bad >= 0))
        raise_bad_entry(values, unravel(values.shape, row, int(bad[row])), name)
    check_sums(sums, values.shape, name, normalise=normalise, within=tolerance(value) if within is None else within)
    return np.asarray(values, dtype=np.float64) / sums.reshape((*values.shape[:-1], 1))


def rows(value: Any, name: str, *, normalise: bool) -> Floats | NDArray[np.float32]:
    """Numbers along the last axis; what comes in half precision is held to its own tolerance, and divided by its sum.

    Once it is an array of wider floats, it does not show how exact it was.
    """
    half = precision(value) in ("float16", "bfloat16")
    return probabilities(value, name) if half and not normalise else array(value, name)


def unravel(shape: tuple[int, ...], row: int, column: int) -> tuple[int, ...]:
    """The full index of entry `column` of flat row `row`."""
    return (*(int(i) for i in np.unravel_index(row, shape[:-1])), column) if len(shape) > 1 else (column,)


def _index(index: tuple[int, ...]) -> str:
    return ", ".join(map(str, index))


@dataclass(frozen=True, slots=True)
class Symbols:
    """A sequence of symbols as integers, with what each integer stands for."""

    ids: NDArray[Any]
    #: The label of id i is labels[i]; None where the integers are the labels themselves.
    labels: tuple[Hashable, ...] | None

    def label(self, number: int) -> Hashable:
        """What an id stands for."""
        return int(number) if self.labels is None else self.labels[number]


def symbols(value: Any, name: str) -> Symbols:
    """A sequence of symbols: a string, bytes, integers, or any hashable labels."""
    value = native(value, name)
    if isinstance(value, str):
        points = np.frombuffer(value.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        _not_empty(points.size, name)
        kinds, _ = _core.count_symbols(points)
        return Symbols(np.searchsorted(kinds, points), tuple(chr(int(k)) for k in kinds))
    if isinstance(value, bytes | bytearray | memoryview):
        gaps = isinstance(value, memoryview) and not value.c_contiguous
        ids = np.frombuffer(bytes(value) if gaps else value, dtype=np.uint8)
        _not_empty(ids.size, name)
        return Symbols(ids, None)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iub":
        return Symbols(_flat_integers(value, name), None)
    return _labelled(value, name)


def _flat_integers(value: NDArray[Any], name: str) -> NDArray[Any]:
    if value.ndim != 1:
        message = f"{name} has shape {value.shape}; a sequence of symbols has one axis"
        raise ShapeError(message)
    _not_empty(value.size, name)
    if value.dtype == np.uint64 and value.max() > np.iinfo(np.int64).max:
        message = f"{name} holds symbols above 2**63 - 1; number them from zero"
        raise RangeError(message)
    kept = {"u1": np.uint8, "u2": np.uint16, "u4": np.uint32, "i4": np.int32, "b1": np.uint8}
    return np.ascontiguousarray(value, dtype=kept.get(value.dtype.kind + str(value.dtype.itemsize), np.int64))


def items(value: Any, name: str, what: str) -> Iterable[Any]:
    """Something to go through once: not a mapping, and an array only of one axis."""
    value = native(value, name)
    if value is None or isinstance(value, Mapping) or not isinstance(value, Iterable):
        message = f"{name} is {shown(value)}; it must be {what}"
        raise InputTypeError(message, value=value)
    if isinstance(value, np.ndarray):
        if value.ndim != 1:
            message = f"{name} has shape {value.shape}; it must be {what}, in one axis"
            raise ShapeError(message)
        if value.dtype.kind in "mM" and np.isnat(value).any():
            place = int(np.argmax(np.isnat(value)))
            message = f"{name}[{place}] is NaT, a missing value; drop it"
            raise NotFiniteError(message, index=place)
        return list(value.tolist())
    return value if isinstance(value, str | bytes | list | tuple) else _guarded(value, name)


def _guarded(value: Iterable[Any], name: str) -> Iterator[Any]:
    """An exception in the caller's iterator is an input error."""
    place = 0
    try:
        for item in value:
            yield item
            place += 1
    except Exception as error:
        message = f"{name} could not be read beyond {place} entries: {type(error).__name__}: {error}"
        raise InputError(message, index=place) from error


def _labelled(value: Any, name: str) -> Symbols:
    sequence = items(value, name, "a sequence of symbols: a string, bytes, integers or labels")
    numbers: dict[Hashable, int] = {}
    ids: list[int] = []
    try:
        for item in sequence:
            if is_missing(item):
                what = "NaN" if isinstance(item, float | np.floating) else shown(item, str)
                message = f"{name}[{len(ids)}] is {what}, a missing value, which is not a symbol; drop it"
                raise NotFiniteError(message, index=len(ids), value=item)
            ids.append(numbers.setdefault(item, len(numbers)))
    except BitmeterError:
        raise
    except Exception as error:
        message = f"{name}[{len(ids)}] cannot be a symbol: {error}; symbols must be hashable"
        raise InputTypeError(message, index=len(ids)) from error
    _not_empty(len(ids), name)
    labels = tuple(numbers)
    if all(type(label) is int for label in labels) and all(-(2**63) <= label < 2**63 for label in labels):  # type: ignore[operator]
        return Symbols(np.asarray(labels, dtype=np.int64)[np.asarray(ids)], None)
    return Symbols(np.asarray(ids, dtype=np.int64), labels)


def _not_empty(size: int, name: str) -> None:
    if size == 0:
        message = f"{name} is empty; there is nothing to measure"
        raise EmptyError(message)


def counts(value: Any, name: str) -> Ints:
    """How often each symbol was seen: whole numbers, not negative, not all zero."""
    values = array(value, name)
    if values.ndim != 1:
        message = f"{name} has shape {values.shape}; counts have one axis"
        raise ShapeError(message)
    _, sums, _, bad, _, _ = _core.row_sums(values[None])
    if bad[0] >= 0:
        raise_bad_entry(values, (int(bad[0]),), name, "count")
    fractional = values != np.floor(values)
    if fractional.any():
        at = int(np.argmax(fractional))
        message = f"{name}[{at}] is {values[at]}; a count is a whole number"
        raise InputError(message, index=at, value=float(values[at]))
    if not 0 < sums[0] < 2.0**53:
        message = f"{name} sums to {sums[0]:g}; at least one observation is needed, and fewer than 2**53"
        raise (EmptyError if sums[0] == 0 else RangeError)(message)
    return values.astype(np.int64)


def count(sample: Symbols) -> tuple[Ints, Ints]:
    """The symbols that occur, in ascending order, and how often each does."""
    kinds, numbers = _core.count_symbols(sample.ids)
    return kinds, numbers


def labels(value: Any, name: str) -> tuple[Hashable, ...]:
    """Hashable labels, each once."""
    found: dict[Hashable, int] = {}
    for place, item in enumerate(items(value, name, "a sequence of labels")):
        try:
            seen = item in found
        except Exception as error:
            message = f"{name}[{place}] cannot be a label: {error}; labels must be hashable"
            raise InputTypeError(message, index=place) from error
        if seen:
            message = f"{name}[{place}] is {shown(item)}, which is in it already; each label may occur once"
            raise InputError(message, index=place, value=item)
        found[item] = place
    _not_empty(len(found), name)
    return tuple(found)


__all__ = [
    "TOLERANCE",
    "Floats",
    "Ints",
    "Seed",
    "Sequence",
    "Symbols",
    "Unit",
    "array",
    "check_sums",
    "choice",
    "count",
    "counts",
    "flag",
    "from_bits",
    "generator",
    "hashes",
    "holds_bytes",
    "integer",
    "is_missing",
    "is_rational",
    "items",
    "labels",
    "native",
    "nats_per",
    "precision",
    "probabilities",
    "raise_bad_entry",
    "real",
    "rows",
    "shown",
    "symbols",
    "tolerance",
    "unit_name",
    "unravel",
]
