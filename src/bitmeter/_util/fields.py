"""Checked reading of JSON that somebody else wrote: each field is asked for by name, kind and range.

An error names the file and the field, so that whoever reads it can look there. What JSON itself leaves open is refused:
names that occur twice, NaN, numbers beyond a double, nesting without end.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter.errors import BitmeterError, FileFormatError

__all__ = ["Fields", "parse_json", "read_fields"]

#: The largest count that a file may state.
MOST = 2**53
#: The largest number that a file may state: no measurement is larger.
LARGEST = 1e100
#: The most digits of a whole number that is read at all; Python refuses 4,300 with advice that is not for users.
_MOST_DIGITS = 1000


def parse_json(data: str | bytes) -> Any:
    """The value of a JSON text; ValueError with the reason if it has none.

    Examples
    --------
    >>> parse_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: the field 'a' occurs twice
    """
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_int=_integer)
    except UnicodeDecodeError as error:
        message = f"it is not UTF-8 at byte {error.start}"
        raise ValueError(message) from error
    except json.JSONDecodeError as error:
        message = f"it is not JSON at line {error.lineno}, column {error.colno} ({error.msg})"
        raise ValueError(message) from error
    except RecursionError as error:
        message = "its JSON is nested too deeply"
        raise ValueError(message) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        message = f"the field {twice!r:.60} occurs twice"
        raise ValueError(message)
    return found


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        message = f"it holds a number of {len(digits):,} digits, and no count or measurement has so many"
        raise ValueError(message)
    return int(digits)


def _no_constant(name: str) -> NoReturn:
    message = f"it holds {name}, which is not JSON"
    raise ValueError(message)


def read_fields(
    data: str | bytes, file: str, fault: str, remedy: str, error: type[BitmeterError] = FileFormatError
) -> Fields:
    """The fields of a JSON object.

    Parameters
    ----------
    data
        The JSON text.
    file
        The name of the file, for messages.
    fault
        How every message begins: "r.json is not a run of bitmeter".
    remedy
        How every message ends: what to do instead.
    error
        The kind of error to raise.
    """
    try:
        found = parse_json(data)
    except ValueError as reason:
        message = f"{fault}: {reason}. {remedy}"
        raise error(message, value=file) from reason
    fields = Fields(found if isinstance(found, dict) else {}, fault, remedy, error, "", file)
    if not isinstance(found, dict):
        fields.fail(f"it holds {_kind(found)} where an object belongs")
    return fields


class Fields:
    """The fields of a JSON object, each checked when it is asked for.

    Examples
    --------
    >>> run = read_fields('{"bytes": -3}', "r.json", "r.json is no run", "Measure again")
    >>> run.count("bytes")
    Traceback (most recent call last):
    bitmeter.errors.FileFormatError: r.json is no run: bytes is -3; it must be a whole ... Measure again
    """

    def __init__(
        self, found: Mapping[str, Any], fault: str, remedy: str, error: type[BitmeterError], path: str, file: str
    ) -> None:
        self._found, self._fault, self._remedy, self._error, self._path = found, fault, remedy, error, path
        self.file = file

    def fail(self, reason: str) -> NoReturn:
        """Raise the error of this file."""
        message = f"{self._fault}: {reason}. {self._remedy}"
        raise self._error(message, value=self.file)

    def wrong(self, name: str, must: str) -> NoReturn:
        """Raise the error for a field that is not what it must be."""
        self.fail(f"{self._path}{name} is {_shown(self._found.get(name))}; it must be {must}")

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def value(self, name: str) -> Any:
        """A field of any kind."""
        if name not in self._found:
            self.fail(f"it has no field {self._path}{name}")
        return self._found[name]

    def is_null(self, name: str) -> bool:
        """Whether a field is null; it has to be there."""
        return self.value(name) is None

    def text(self, name: str, options: tuple[str, ...] = ()) -> str:
        """A string, perhaps one of several; control characters and what cannot be written as UTF-8 are refused."""
        value = self.value(name)
        if not isinstance(value, str) or not _is_text(value):
            self.wrong(name, "text")
        if options and value not in options:
            self.wrong(name, f"one of {', '.join(options)}")
        return value

    def texts(self, name: str) -> list[str]:
        """A list of strings."""
        value = self.value(name)
        if not isinstance(value, list) or not all(isinstance(item, str) and _is_text(item) for item in value):
            self.wrong(name, "a list of texts")
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.value(name)
        if not isinstance(value, bool):
            self.wrong(name, "true or false")
        return value

    def count(self, name: str, low: int = 0, high: int = MOST) -> int:
        """A whole number within a range."""
        value = self.value(name)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.wrong(name, f"a whole number from {low} to {high}")
        return value

    def real(self, name: str, low: float = -LARGEST, high: float = LARGEST, *, infinite: bool = False) -> float:
        """A number within a range; with `infinite` also the text "inf"."""
        value = self.value(name)
        if infinite and value == "inf":
            return math.inf
        # The comparison comes first: a whole number may be too large for a double.
        if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
            self.wrong(name, f"a number from {low:g} to {high:g}{' or inf' if infinite else ''}")
        return float(value)

    def counts(self, name: str, low: int = 0, high: int = MOST) -> Ints:
        """A list of whole numbers within a range."""
        value = self.value(name)
        if not isinstance(value, list):
            self.wrong(name, "a list of whole numbers")
        for index, item in enumerate(value):
            if not isinstance(item, int) or isinstance(item, bool) or not low <= item <= high:
                self._wrong_item(name, index, item, f"a whole number from {low} to {high}")
        return np.array(value, dtype=np.int64)

    def reals(self, name: str, low: float = -LARGEST, high: float = LARGEST, *, infinite: bool = False) -> Floats:
        """A list of numbers within a range; with `infinite` also the text "inf"."""
        value = self.value(name)
        if not isinstance(value, list):
            self.wrong(name, "a list of numbers")
        for index, item in enumerate(value):
            if infinite and item == "inf":
                continue
            if not isinstance(item, int | float) or isinstance(item, bool) or not low <= item <= high:
                must = f"a number from {low:g} to {high:g}{' or inf' if infinite else ''}"
                self._wrong_item(name, index, item, must)
        return np.array(value, dtype=np.float64)

    def lists_of_reals(self, name: str) -> tuple[tuple[float, ...], ...]:
        """A list of lists of numbers, of which some may be infinite."""
        lists = self.value(name)
        if not isinstance(lists, list):
            self.wrong(name, "a list of lists of numbers")
        by_index = {str(index): item for index, item in enumerate(lists)}
        inner = Fields(by_index, self._fault, self._remedy, self._error, f"{self._path}{name}.", self.file)
        return tuple(tuple(inner.reals(str(index), infinite=True).tolist()) for index in range(len(lists)))

    def _wrong_item(self, name: str, index: int, item: Any, must: str) -> NoReturn:
        self.fail(f"{self._path}{name}[{index}] is {_shown(item)}; it must be {must}")

    def fields(self, name: str) -> Fields:
        """An object within this one."""
        value = self.value(name)
        if not isinstance(value, dict):
            self.wrong(name, "an object")
        return Fields(value, self._fault, self._remedy, self._error, f"{self._path}{name}.", self.file)

    def list_of_fields(self, name: str) -> list[Fields]:
        """A list of objects within this one."""
        value = self.value(name)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.wrong(name, "a list of objects")
        shared = self._fault, self._remedy, self._error
        return [Fields(item, *shared, f"{self._path}{name}[{i}].", self.file) for i, item in enumerate(value)]


def _is_text(value: str) -> bool:
    """Whether it may be shown: no half of a surrogate pair, and no control character, which a terminal would obey."""
    return not any("\ud800" <= letter <= "\udfff" or letter < " " or "\x7f" <= letter <= "\x9f" for letter in value)


def _kind(value: object) -> str:
    kinds: dict[type, str] = {list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _shown(value: object) -> str:
    if isinstance(value, int) and abs(value) > MOST:  # printing one of many digits may be refused
        return "a whole number that is too large"
    if isinstance(value, list | dict):
        return "an object" if isinstance(value, dict) else f"a list of {len(value)}"
    return "null" if value is None else f"{value!r:.60}"
