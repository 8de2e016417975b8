"""Models on their way to other processes: by the path and fingerprint of their file, or by value.

A pickle that names a file loads what the path would load, with the options that were typed, and nothing else than the
model that was pickled.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from bitmeter._util.leftovers import temporary_folder
from bitmeter.errors import ModelError

__all__ = ["SharedCopies", "check_same", "from_file", "pickled_file"]

State = dict[str, Any]


class SharedCopies:
    """A model whose copies, deep ones too, share what never changes: weights, tables, what was learned."""

    def __copy__(self) -> Self:
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()


def pickled_file(
    kind: Any, path: str | None, fingerprint: str, state: State, write: Callable[[str], object], suffix: str
) -> tuple[Any, ...]:
    """What `__reduce__` returns for a model with a file: its path, or the bytes of a file that `write` writes.

    `state` holds the attributes that the file does not.
    """
    if path is not None:
        return from_file, (kind, os.path.abspath(path), fingerprint, state)
    with temporary_folder() as folder:
        file = folder / f"model{suffix}"
        write(str(file))
        return _from_bytes, (kind, file.read_bytes(), suffix, fingerprint, state)


def from_file(kind: Any, path: str, fingerprint: str, state: State) -> Any:
    """The model of a file, which must be the one that was pickled."""
    return _restored(kind.load(path), path, fingerprint, state)


def _from_bytes(kind: Any, data: bytes, suffix: str, fingerprint: str, state: State) -> Any:
    import tempfile  # imports what scoring does not need

    # The file may be mapped: where it cannot be removed then, it stays until the system clears its folder.
    with tempfile.TemporaryDirectory(prefix="bitmeter-", ignore_cleanup_errors=True) as folder:
        file = Path(folder, f"model{suffix}")
        file.write_bytes(data)
        return _restored(kind.load(file), "the pickle", fingerprint, {"path": None, **state})


def _restored(made: Any, where: str, fingerprint: str, state: State) -> Any:
    vars(made).update(state)
    check_same(where, made.fingerprint, fingerprint)
    return made


def check_same(where: str, found: str, wanted: str) -> None:
    """Refuse another model than the one that was pickled."""
    if found != wanted:
        message = f"{where} holds another model than the one that was pickled: {found}, not {wanted}"
        raise ModelError(message, value=where)
