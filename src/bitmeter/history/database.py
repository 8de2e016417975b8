"""The file of the history: a SQLite database that several processes may write, and that may be damaged or read-only.

Writers wait for each other, and a process that is killed leaves the database as it was (a write-ahead log). Whatever
goes wrong is a FileFormatError that names the file, so that a score is never lost with its entry in the history.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from bitmeter._util.folders import data_folder
from bitmeter.errors import FileFormatError

__all__ = ["connected", "history_file", "is_on"]

#: Set to one of these, `BITMETER_HISTORY` turns the history off.
_OFF = ("0", "no", "off", "false")
#: Marks a SQLite file as a history ("bmrh"), so that no other program's database is written to.
_APPLICATION = 0x626D7268
_VERSION = 1
#: Seconds that a writer waits for others.
_PATIENCE = 10.0

_TABLES = """
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB NOT NULL UNIQUE,
  time REAL NOT NULL,
  times INTEGER NOT NULL,
  verb TEXT NOT NULL,
  short TEXT NOT NULL,
  signature TEXT NOT NULL,
  model TEXT NOT NULL,
  text TEXT NOT NULL,
  per TEXT NOT NULL,
  bits REAL,
  bytes INTEGER NOT NULL,
  run BLOB
);
CREATE INDEX by_short ON runs (short);
"""


def is_on() -> bool:
    """Whether runs are remembered: unless the variable `BITMETER_HISTORY` is off."""
    return os.environ.get("BITMETER_HISTORY", "").strip().lower() not in _OFF


def history_file() -> Path:
    """The database; it need not exist."""
    return data_folder() / "history.sqlite"


@contextlib.contextmanager
def connected(path: Path, *, write: bool) -> Iterator[sqlite3.Connection]:
    """A connection to the history, in a transaction that is undone if the block raises.

    Parameters
    ----------
    path
        The file. To read, it must exist.
    write
        Whether to make the file and its folder if they do not exist, and to lock it against other writers.
    """
    try:
        connection = _opened(path, write=write)
        try:
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            _check(connection, path, write=write)
            yield connection
            connection.execute("COMMIT")
        finally:
            connection.close()  # which rolls back what is not committed
    except sqlite3.OperationalError as error:
        message = f"the history {path} cannot be used: {error}. {_REMEDY}"
        raise FileFormatError(message, value=str(path)) from error
    except sqlite3.DatabaseError as error:
        message = (
            f"the history {path} is damaged ({error}). Move it away, and a new one is begun; runs that were saved with "
            "-o are not in it"
        )
        raise FileFormatError(message, value=str(path)) from error
    except OSError as error:
        message = f"the history {path} cannot be used: {error.strerror or error}. {_REMEDY}"
        raise FileFormatError(message, value=str(path)) from error


_REMEDY = "Set BITMETER_DATA to a folder that may be written, or BITMETER_HISTORY=off to keep no history"


def _opened(path: Path, *, write: bool) -> sqlite3.Connection:
    if path.exists() and not path.is_file():
        message = f"the history {path} is not a file. {_REMEDY}"
        raise FileFormatError(message, value=str(path))
    if not write:
        return _for_reading(path)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Only the user may read what was measured; SQLite gives its other files the same rights.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    try:
        if connection.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION:
            # Where two processes begin at once, one of them turns the log on.
            with contextlib.suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _for_reading(path: Path) -> sqlite3.Connection:
    """On a file system that cannot be written, SQLite has to know that, or it tries to make its other files."""
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    mode = "mode=rw" if writable else "immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=_PATIENCE, isolation_level=None)


def _check(connection: sqlite3.Connection, path: Path, *, write: bool) -> None:
    """Whether the database is a history, of a version that is known; a new one gets its tables."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if empty and application == version == 0:
        if write:
            for statement in filter(None, map(str.strip, _TABLES.split(";"))):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        else:
            message = f"the history {path} is empty; nothing was remembered yet"
            raise FileFormatError(message, value=str(path))
    elif application != _APPLICATION:
        message = f"{path} is a database of another program, not a history of bitmeter. {_REMEDY}"
        raise FileFormatError(message, value=str(path))
    elif version != _VERSION:
        message = (
            f"the history {path} has version {version}, and this bitmeter reads version {_VERSION}: it was written by "
            "a newer one. Use that, or set BITMETER_DATA to another folder"
        )
        raise FileFormatError(message, value=str(path))
