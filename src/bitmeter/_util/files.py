"""Names of files, and atomic writes: a file gets its name when it is whole.

An error, an interrupt or a signal leaves the old file, or none, and nothing beside it. After a kill (SIGKILL) a
temporary file may stay where the system has no files without a name; the next write to the same folder removes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bitmeter._util.check import flag
from bitmeter._util.drafts import Draft
from bitmeter._util.leftovers import temporary_place
from bitmeter.errors import BitmeterError, FileFormatError, InputTypeError

__all__ = [
    "as_path",
    "as_utf8",
    "check_destination",
    "is_written_through",
    "label",
    "read_whole",
    "replacing",
    "unread",
    "unwritten",
]

#: The most links that a name may go through, as on Linux.
_MOST_LINKS = 40


def unread(error: OSError) -> str:
    """Why a file was not read, behind its name in a message.

    Examples
    --------
    >>> unread(FileNotFoundError(2, "No such file or directory")), unread(PermissionError(13, "Permission denied"))
    ('does not exist', 'cannot be read: Permission denied')
    """
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, IsADirectoryError):
        return "is a folder; name a file in it"
    return f"cannot be read: {error.strerror or error}"


def as_path(value: Any) -> Path:
    """A path, or a typed error. Names of files that are not UTF-8 are strings with surrogates (`os.fsdecode`)."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        message = f"{value!r:.60} is not a path; it must be a string or a pathlib.Path"
        raise InputTypeError(message, value=value)
    text = str(os.fspath(value))
    if not text or "\0" in text or not _can_be_encoded(text):
        message = f"{text!r:.60} cannot be the name of a file"
        raise FileFormatError(message, value=text)
    return Path(text)


def read_whole(path: str | os.PathLike[str], most: int = 1 << 28) -> bytes:
    """The content of a file that is small if it is sound: settings, tables, runs.

    A name in a stranger's folder may lead to a device without an end; beyond `most` bytes it is an OSError.
    """
    data = bytearray()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            data += block
            if len(data) > most:
                message = f"it has more than {most:,} bytes, which no sound file of its kind has"
                raise OSError(errno.EFBIG, message, str(path))
    return bytes(data)


def _can_be_encoded(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def label(name: str | os.PathLike[str]) -> str:
    r"""The name of a file for people, signatures and JSON: bytes that are not UTF-8 and control characters are escaped.

    Examples
    --------
    >>> import os
    >>> label("née.txt"), label(os.fsdecode(b"n\xe9e.txt")), label("two\nlines")
    ('née.txt', 'n\\xe9e.txt', 'two\\nlines')
    """
    text = os.fspath(name)
    if text.isprintable():
        return text
    text = "".join(_decoded(text))
    return "".join(char.encode("unicode_escape").decode() if _is_control(char) else char for char in text)


def _decoded(text: str) -> Iterator[str]:
    for char in text:
        if "\udc80" <= char <= "\udcff":
            yield f"\\x{ord(char) - 0xDC00:02x}"
        else:
            yield f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char


def _is_control(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f" or char in "\u2028\u2029"


@contextlib.contextmanager
def as_utf8(path: Path) -> Iterator[str]:
    """A name of a file or folder for libraries that take UTF-8 only: its own, or that of a descriptor."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            yield f"/dev/fd/{descriptor}"
        finally:
            os.close(descriptor)
    else:
        yield str(path)


def is_written_through(path: Any) -> bool:
    """Whether what is under this name is a device, a FIFO or a descriptor, which is written to and not replaced."""
    return _resolved(as_path(path))[1]


def check_destination(path: Any, *, force: Any = False) -> None:
    """Raise the error with which a file of this name could not be written: before the work, not after it.

    Parameters
    ----------
    path
        The file to be.
    force
        Whether an existing file will be replaced.
    """
    final, overwrite = as_path(path), flag(force, "force")
    file, through = _resolved(final)
    if through:
        if not os.access(file, os.W_OK):
            raise _refused(final, "Permission denied")
        return
    if os.path.lexists(file) and not overwrite:
        raise _exists(final)
    folder = os.path.dirname(file) or os.curdir
    if not os.path.isdir(folder):
        if os.path.lexists(folder):
            raise _refused(final, f"{folder} is not a folder")
        raise _refused(final, f"there is no folder {folder}; make it first, or name another")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _refused(final, f"no file can be made in the folder {folder} (permissions, or a read-only disk)")


@contextlib.contextmanager
def replacing(path: Any, *, force: Any = False) -> Iterator[Path]:
    """A path to write to, whose content becomes the file `path` at the end; after an error nothing of it remains.

    Symbolic links are followed: the file behind the link is replaced, in its own folder, and the link stays. A new file
    in its place keeps the mode, and where that is allowed the owner; other hard links to the old file keep the old
    content. Devices, FIFOs and descriptors (/dev/null, /dev/stdout, /dev/fd/3) are not replaced: the content is written
    to them when it is whole, and `force` is not needed. Block devices and sockets are refused.

    Parameters
    ----------
    path
        The file to be.
    force
        Replace an existing file. Without it, one that another process makes meanwhile is not replaced either.
    """
    final = as_path(path)
    check_destination(final, force=force)
    file, through = _resolved(final)
    try:
        draft = Draft(temporary_place() if through else os.path.dirname(file) or os.curdir)
    except OSError as error:
        raise unwritten(final, error) from error
    try:
        yield draft.path
        if through:
            _write_through(draft, file)
        else:
            draft.publish(file, replace=bool(force))
    except FileExistsError as error:
        raise _exists(final) from error
    except OSError as error:
        if isinstance(error, BitmeterError):
            raise
        raise unwritten(final, error) from error
    finally:
        draft.discard()


def unwritten(name: Any, error: OSError) -> FileFormatError:
    """The error for a file that could not be written, with the system's reason: a full disk, no permission."""
    # Libraries wrap the system's message in their own.
    return _refused(name, os.strerror(error.errno) if error.errno else str(error))


def _refused(name: Any, why: str) -> FileFormatError:
    return FileFormatError(f"{name} cannot be written: {why}", value=str(name))


def _exists(name: Path) -> FileFormatError:
    message = f"{name} exists already; type --force to overwrite it (in Python: force=True)"
    return FileFormatError(message, value=str(name))


def _resolved(path: Path) -> tuple[str, bool]:
    """The file behind a name, links followed, and whether it is written through."""
    file = str(path)
    for _ in range(_MOST_LINKS):
        if _descriptor(file) is not None:
            if not os.path.exists(file):
                raise _refused(path, "no such descriptor is open")
            return file, True
        try:
            file = os.path.join(os.path.dirname(file), os.readlink(file))
        except OSError:  # not a link
            break
    else:
        raise _refused(path, "its symbolic links do not end")
    try:
        kind = os.stat(file).st_mode
    except FileNotFoundError:
        if path.is_symlink():
            message = f"it is a symbolic link to {file}, which does not exist; remove the link, or make that file first"
            raise _refused(path, message) from None
        return file, False
    except OSError as error:
        raise unwritten(path, error) from error
    if stat.S_ISDIR(kind):
        message = f"{path} is a folder; name a file in it"
        raise FileFormatError(message, value=str(path))
    if stat.S_ISBLK(kind) or stat.S_ISSOCK(kind):
        what = "a block device, whose content would be lost" if stat.S_ISBLK(kind) else "a socket"
        raise _refused(path, f"it is {what}; name a file")
    return file, not stat.S_ISREG(kind)


def _descriptor(file: str) -> int | None:
    """The number in /dev/fd/N or /proc/self/fd/N, of this process or another."""
    folder, name = os.path.split(file)
    if not (name.isascii() and name.isdecimal()):
        return None
    folder = os.path.realpath(folder)
    in_proc = folder.startswith("/proc/") and folder.endswith("/fd")
    return int(name) if in_proc or (folder == "/dev/fd" and sys.platform != "win32") else None


def _write_through(draft: Draft, file: str) -> None:
    number = _descriptor(file)
    own = number is not None and os.path.realpath(os.path.dirname(file)) in (f"/proc/{os.getpid()}/fd", "/dev/fd")
    if own and number is not None:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        # To open it again would begin at the start of a file to which other output goes.
        target = os.dup(number)
    else:
        target = os.open(file, os.O_WRONLY)
    try:
        draft.copy_to(target)
    finally:
        os.close(target)
