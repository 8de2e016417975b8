"""Other fields of each record than the text: a label such as its source, or the context of an answer."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter._util.check import shown
from bitmeter.errors import RecordError
from bitmeter.text.corpus.encoding import encode

__all__ = ["CANDIDATES", "Candidates", "Collector", "Collectors", "Contexts", "Labels", "hash_of"]

#: Fields that may say which records belong together: first those that name a text, then those of its origin.
CANDIDATES = (
    "doc_id", "document_id", "docid", "article_id", "article", "page_id", "book_id", "book", "id", "title", "url",
    "uri", "link", "file", "filename", "file_name", "filepath", "file_path", "path", "thread_id", "thread",
    "conversation_id", "source_id", "source", "domain", "site", "host", "publisher", "author",
)  # fmt: skip
#: A longer string is a text, and no name.
_LONGEST = 1 << 12


class Collector(Protocol):
    """Collects fields, record by record, in the order of the corpus."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Those of them that hold texts, which may be long."""

    @property
    def optional(self) -> tuple[str, ...]:
        """Other fields, which are read where they are there and name something."""

    def clear(self) -> None:
        """Begin again, as the corpus is read again."""

    def add_row(self, row: Any, path: str, number: int, place: str) -> None:
        """Add a record that maps fields to values."""

    def add_columns(self, columns: Mapping[str, Sequence[Any]], path: str, first: int) -> None:
        """Add successive rows, of which the first has this number."""


class _Field:
    """Collects the values of one field."""

    texts: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    def __init__(self, field: str, purpose: str) -> None:
        self.field, self._purpose = field, purpose

    @property
    def fields(self) -> tuple[str, ...]:
        """The one."""
        return (self.field,)

    @property
    def _choose(self) -> str:
        keyword = "group" if self._purpose == "source" else self._purpose
        return f"--{keyword} ({keyword}=)"

    def add_row(self, row: Any, path: str, number: int, place: str) -> None:
        """Add the value of a record that maps fields to values."""
        try:
            value = row[self.field]
        except (KeyError, IndexError, TypeError):
            names = ", ".join(map(repr, row)) if isinstance(row, dict) else shown(row)
            message = (
                f"{path}, {place} {number} has no field {self.field!r} to {_VERBS[self._purpose]} by; it has "
                f"{names or 'none'}. Choose one with {self._choose}"
            )
            raise RecordError(message, path=path, line=number) from None
        self.add(value, path, number, place)

    def add_columns(self, columns: Mapping[str, Sequence[Any]], path: str, first: int) -> None:
        """Add the values of successive rows."""
        self.add_all(columns[self.field], path, first)

    def add_all(self, values: Iterable[Any], path: str, first: int) -> None:
        """Add the values of successive rows."""
        for number, value in enumerate(values, first):
            self.add(value, path, number, "row")

    def add(self, value: Any, path: str, number: int, place: str) -> None:
        """Add one value."""
        raise NotImplementedError


#: What is done by a field that a keyword names.
_VERBS = {"cluster": "cluster", "group": "group", "source": "group", "given": "condition"}


class Labels(_Field):
    """Collects the value of a field: records of one value belong together.

    Examples
    --------
    >>> labels = Labels("source")
    >>> for row in ({"source": "web"}, {"source": "news"}, {"source": "web"}):
    ...     labels.add_row(row, "a.jsonl", 1, "line")
    >>> labels.numbers.tolist(), labels.names
    ([0, 1, 0], ('web', 'news'))
    """

    def __init__(self, field: str, purpose: str = "cluster") -> None:
        super().__init__(field, purpose)
        self._known: dict[Any, int] = {}
        self._numbers = array("q")

    def clear(self) -> None:
        """Begin again, as the corpus is read again."""
        self._known.clear()
        self._numbers = array("q")

    def add(self, value: Any, path: str, number: int, place: str) -> None:
        """Add one value: a string, a number, a truth value or nothing, which NaN and an empty cell of CSV are, too."""
        if not isinstance(value, str | int | float | bool | None) or (isinstance(value, str) and len(value) > _LONGEST):
            message = (
                f"{path}, {place} {number}: {self.field!r} is {shown(value)}; records are {_VERBS[self._purpose]}ed by "
                f"a short string or a number. Choose another field with {self._choose}"
            )
            raise RecordError(message, path=path, line=number)
        if value != value or (self._purpose == "cluster" and value == ""):
            value = None
        self._numbers.append(self._known.setdefault((type(value).__name__, value), len(self._known)))

    @property
    def numbers(self) -> Ints:
        """For each record the number of its value, counted in the order of first appearance."""
        return np.array(self._numbers, dtype=np.int64)

    def between(self, first: int, stop: int) -> Ints:
        """The same for some of the records."""
        return np.array(self._numbers[first:stop], dtype=np.int64)

    @property
    def hashes(self) -> Ints:
        """For each number a hash of its value, of 52 bits: the same in every corpus, so that values can be joined."""
        return np.array([hash_of(value) for _, value in self._known], dtype=np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """The values in the order of first appearance; two that are written alike have their types with them."""
        written = ["".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value)) for _, value in self._known]
        times = Counter(written)
        return tuple(
            name if times[name] == 1 else f"{name} ({kind})"
            for name, (kind, _) in zip(written, self._known, strict=True)
        )


class Contexts(_Field):
    """Collects the texts of a field, each until it is taken.

    Examples
    --------
    >>> contexts = Contexts("prompt")
    >>> contexts.add_row({"prompt": "2 + 2 ="}, "a.jsonl", 1, "line")
    >>> contexts.take(1)
    [b'2 + 2 =']
    """

    def __init__(self, field: str) -> None:
        super().__init__(field, "given")
        self.texts = (field,)
        self._waiting: list[bytes] = []

    def clear(self) -> None:
        """Begin again, as the corpus is read again."""
        self._waiting.clear()

    def add(self, value: Any, path: str, number: int, place: str) -> None:
        """Add one text."""
        if isinstance(value, str):
            value = encode(value)
        if not isinstance(value, bytes):
            message = (
                f"{path}, {place} {number}: {self.field!r} is {shown(value)}; the context of an answer must be text, "
                f"which may be empty. Choose another field with {self._choose}"
            )
            raise RecordError(message, path=path, line=number)
        self._waiting.append(value)

    def take(self, count: int) -> list[bytes]:
        """The contexts of the next records, which are no longer kept."""
        found = self._waiting[:count]
        del self._waiting[:count]
        return found


class Candidates:
    """Finds the field by which neighbouring records belong together, if there is one.

    It is the first of `CANDIDATES` that every record has, as a string or a number; with at least `fewest` values; and
    in which neighbours agree: in at least half of all pairs, and at least halfway from what chance would give to all of
    them.

    Examples
    --------
    >>> found = Candidates(fewest=2)
    >>> for url in ("a", "a", "a", "b", "b", "b"):
    ...     found.add_row({"text": "a passage", "url": url, "id": 7}, "a.jsonl", 1, "line")
    >>> found.field, found.numbers.tolist()
    ('url', [0, 0, 0, 1, 1, 1])
    """

    fields: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def __init__(self, fewest: int) -> None:
        self._fewest = fewest
        self.clear()

    @property
    def optional(self) -> tuple[str, ...]:
        """Those that all records had so far."""
        return tuple(self._values)

    def clear(self) -> None:
        """Begin again, as the corpus is read again."""
        self._count = 0
        #: Of each field that all records had so far, the hash of each value; and the last value with its hash.
        self._values = {name: array("q") for name in CANDIDATES}
        self._last: dict[str, tuple[Any, int]] = {}
        self._chosen: tuple[int, str, Ints] = (-1, "", np.zeros(0, dtype=np.int64))

    def add_row(self, row: Any, path: str, number: int, place: str) -> None:
        """Add the values of a record that maps fields to values."""
        fields = row if isinstance(row, Mapping) else {}
        for name in list(self._values):
            self._add(name, (fields.get(name),))
        self._count += 1

    def add_columns(self, columns: Mapping[str, Sequence[Any]], path: str, first: int) -> None:
        """Add the values of successive rows."""
        for name in list(self._values):
            self._add(name, columns.get(name, (None,)))
        self._count += len(next(iter(columns.values()), ()))

    def _add(self, name: str, values: Iterable[Any]) -> None:
        hashes = self._values[name]
        last, found = self._last.get(name, (None, 0))
        known = name in self._last
        for value in values:
            if not (known and (value is last or (type(value) is type(last) and value == last))):
                if not _is_name(value):
                    del self._values[name]  # or not there: the field does not say where this record belongs
                    return
                last, found, known = value, hash_of(value), True
            hashes.append(found)
        if known:
            self._last[name] = (last, found)

    def _found(self) -> tuple[str, Ints]:
        if self._chosen[0] != self._count:
            self._chosen = (self._count, "", np.zeros(0, dtype=np.int64))
            for name, values in self._values.items():
                hashes = np.array(values, dtype=np.int64)
                if len(hashes) == self._count > 1 and self._agrees(hashes):
                    self._chosen = (self._count, name, hashes)
                    break
        return self._chosen[1:]

    def _agrees(self, hashes: Ints) -> bool:
        sizes = np.unique(hashes, return_counts=True)[1]
        same = float(np.mean(hashes[1:] == hashes[:-1]))
        chance = float(np.square(sizes / len(hashes)).sum())
        return len(sizes) >= self._fewest and same >= 0.5 and same - chance >= 0.5 * (1.0 - chance)

    @property
    def field(self) -> str:
        """The name of the field; "" if there is none."""
        return self._found()[0]

    @property
    def hashes(self) -> Ints:
        """For each number a hash of its value."""
        return _numbered(self._found()[1])[0]

    @property
    def numbers(self) -> Ints:
        """For each record the number of its value, counted in the order of first appearance."""
        return _numbered(self._found()[1])[1]


class Collectors:
    """Several collectors as one.

    Examples
    --------
    >>> both = Collectors([Labels("source"), Contexts("prompt")])
    >>> both.fields, both.texts
    (('source', 'prompt'), ('prompt',))
    """

    def __init__(self, members: Iterable[Collector]) -> None:
        self._members = tuple(members)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of all, each once."""
        return tuple(dict.fromkeys(field for member in self._members for field in member.fields))

    @property
    def texts(self) -> tuple[str, ...]:
        """Those of them that hold texts."""
        return tuple(dict.fromkeys(field for member in self._members for field in member.texts))

    @property
    def optional(self) -> tuple[str, ...]:
        """The others that are read where they are there."""
        wanted = dict.fromkeys(field for member in self._members for field in member.optional)
        return tuple(field for field in wanted if field not in self.fields)

    def clear(self) -> None:
        """Begin again."""
        for member in self._members:
            member.clear()

    def add_row(self, row: Any, path: str, number: int, place: str) -> None:
        """Add a record."""
        for member in self._members:
            member.add_row(row, path, number, place)

    def add_columns(self, columns: Mapping[str, Sequence[Any]], path: str, first: int) -> None:
        """Add successive rows."""
        for member in self._members:
            member.add_columns(columns, path, first)


def _is_name(value: Any) -> bool:
    """Whether it is a number, or a string that is neither empty nor a text; CSV has numbers as strings."""
    if isinstance(value, str):
        return 0 < len(value) <= _LONGEST
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _numbered(hashes: Ints) -> tuple[Ints, Ints]:
    """The values in the order of first appearance, and for each place the number of its value."""
    values, begins, numbers = np.unique(hashes, return_index=True, return_inverse=True)
    order = np.argsort(begins)
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return values[order], places[numbers.reshape(-1)]


def hash_of(value: Any) -> int:
    """A hash of the type and the value of a label, which JSON can hold exactly.

    Examples
    --------
    >>> hash_of("1") != hash_of(1), hash_of("web") == hash_of("web")
    (True, True)
    """
    text = f"{type(value).__name__}:{value}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") >> 12
