"""Temporary names, whose owner can be seen to be gone, and the removal of what such owners left.

Whoever uses a temporary file or folder holds a lock on it (flock), which the system releases however the process ends.
So what has one of our names and no lock is left from a process that was killed, also where that process was in another
container, where its number would mean nothing. It is removed by the next process that writes to the same folder.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from bitmeter.errors import InputError

__all__ = ["is_temporary", "lock", "sweep", "temporary_folder", "temporary_name", "temporary_place"]

_BEGIN, _END = ".bitmeter-", ".tmp"
_RANDOM_BYTES = 8
_LENGTH = len(_BEGIN) + 2 * _RANDOM_BYTES + len(_END)

#: The folders, by device and inode, that this process has swept: one look at a folder is enough.
_swept: set[tuple[int, int]] = set()


def temporary_name() -> str:
    """A new name; its length does not depend on what it stands for."""
    return f"{_BEGIN}{os.urandom(_RANDOM_BYTES).hex()}{_END}"


def is_temporary(name: str) -> bool:
    """Whether a name is one of ours, and cannot well be anyone else's.

    Examples
    --------
    >>> is_temporary(temporary_name()), is_temporary(".bitmeter-notes.tmp")
    (True, False)
    """
    random = name[len(_BEGIN) : -len(_END)]
    return (
        len(name) == _LENGTH
        and name.startswith(_BEGIN)
        and name.endswith(_END)
        and all(digit in "0123456789abcdef" for digit in random)
    )


if sys.platform == "win32":

    def lock(descriptor: int) -> bool | None:
        """None: Windows has other locks. There a file that is open cannot be deleted."""
        del descriptor
        return None

else:
    import fcntl

    def lock(descriptor: int) -> bool | None:
        """Lock an open file or folder: True if it is ours now, False if another has it, None without locks here."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return False if error.errno in (errno.EWOULDBLOCK, errno.EACCES) else None
        return True


def sweep(folder: str) -> None:
    """Remove what killed processes left in a folder, once per process.

    Only what has a temporary name, belongs to this user and is not locked. That it cannot be removed is no reason to
    fail: the caller has other work to do in this folder.
    """
    with contextlib.suppress(OSError):
        about = os.stat(folder)
        if (about.st_dev, about.st_ino) in _swept:
            return
        _swept.add((about.st_dev, about.st_ino))
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if is_temporary(entry.name)]
        for name in names:
            with contextlib.suppress(OSError):
                _remove_leftover(os.path.join(folder, name))


if sys.platform == "win32":

    def _remove_leftover(path: str) -> None:
        os.unlink(path)  # fails if it is open; folders are left alone

else:

    def _remove_leftover(path: str) -> None:
        is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
        descriptor = os.open(path, (os.O_RDONLY if is_folder else os.O_RDWR) | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            about = os.fstat(descriptor)
            if about.st_uid != os.geteuid() or lock(descriptor) is not True:
                return
            if stat.S_ISREG(about.st_mode):
                os.unlink(path)
            elif stat.S_ISDIR(about.st_mode):
                import shutil

                shutil.rmtree(path)
        finally:
            os.close(descriptor)


def temporary_place() -> str:
    """The folder of the system for temporary files, as tempfile finds it.

    tempfile.gettempdir() makes a file there to see whether it can, and a kill at that moment would leave it.
    """
    import tempfile

    if tempfile.tempdir is None and sys.platform != "win32":
        named = [os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")]
        for place in (*named, "/tmp", "/var/tmp", "/usr/tmp", os.curdir):
            if place and os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK):
                return os.path.abspath(place)
    return tempfile.gettempdir()


@contextlib.contextmanager
def temporary_folder(place: str | None = None) -> Iterator[Path]:
    """A new folder in this one, which only this user can read and which is deleted.

    Without `place` it is where the system keeps temporary files.
    """
    import shutil

    try:
        base = temporary_place() if place is None else place
        sweep(base)
        path, descriptor = _locked_folder(base)
    except OSError as error:
        message = f"no temporary folder can be made: {error}; set TMPDIR to a folder with room"
        raise InputError(message) from error
    try:
        yield path
    finally:
        shutil.rmtree(path)
        if descriptor is not None:
            os.close(descriptor)


def _locked_folder(base: str) -> tuple[Path, int | None]:
    while True:
        path = os.path.join(base, temporary_name())
        os.mkdir(path, 0o700)
        if sys.platform == "win32":
            return Path(path), None
        descriptor = None
        # Another process that sweeps may have found it before it was locked.
        with contextlib.suppress(FileNotFoundError):
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            if lock(descriptor) is not False and os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return Path(path), descriptor
        if descriptor is not None:
            os.close(descriptor)
