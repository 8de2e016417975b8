"""Receipts: what was done with each file, so that work which is done is not done again.

A file is finished when its outputs and, last, its receipt have their names. Before an output gets its name, a claim
says which job it belongs to: after a kill between output and receipt, the output is known as ours and is replaced.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bitmeter._util.files import label, read_whole, replacing, unwritten
from bitmeter._util.leftovers import lock
from bitmeter.errors import FileFormatError

__all__ = ["FOLDER", "SCHEMA", "Receipts", "digest_of", "file_digest"]

#: Beside the outputs; hidden, so that a folder of outputs can be read as a corpus.
FOLDER = ".bitmeter-filter"
SCHEMA = "bitmeter.filter/1"


def digest_of(what: Any) -> str:
    """A hash of something that JSON can say, whatever the order of its keys.

    Examples
    --------
    >>> digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def file_digest(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The size of a file and the hash of its bytes."""
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
        return {"size": file.tell(), "sha256": found}


class Receipts:
    """The receipts and claims in one folder of outputs.

    Parameters
    ----------
    folder
        Where the outputs are.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Refuse to work where another process does; the lock goes with the process, however it ends."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise unwritten(self.folder, error) from error
        try:
            if lock(file) is False:
                message = (
                    f"another filter is writing to {label(str(self.folder.parent))}; wait until it is done, or name "
                    "another output"
                )
                raise FileFormatError(message, value=str(self.folder))
            yield
        finally:
            os.close(file)

    def path(self, name: str, kind: str) -> Path:
        """Where the receipt of an output is, or its claim, or scores."""
        # A name may have folders in it; a receipt has none, and stays short.
        mark = hashlib.sha256(os.fsencode(name)).hexdigest()[:12]
        return self.folder / f"{label(Path(name).name)[:100]}.{mark}.{kind}"

    def read(self, name: str, kind: str = "receipt") -> dict[str, Any] | None:
        """What was written of an output; None if nothing was, or nothing of this version."""
        try:
            found = json.loads(read_whole(self.path(name, kind)))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            message = f"{self.path(name, kind)} cannot be read ({error}); remove it, and run the filter again"
            raise FileFormatError(message, value=name) from error
        return found if isinstance(found, dict) and found.get("schema") == SCHEMA else None

    def write(self, name: str, content: Mapping[str, Any], kind: str = "receipt") -> None:
        """Write a receipt; it replaces an older one."""
        with replacing(self.path(name, kind), force=True) as path:
            path.write_bytes(json.dumps({"schema": SCHEMA, **content}, sort_keys=True).encode() + b"\n")

    def remove(self, name: str, kind: str) -> None:
        """Remove what is no longer needed."""
        with contextlib.suppress(FileNotFoundError):
            self.path(name, kind).unlink()
