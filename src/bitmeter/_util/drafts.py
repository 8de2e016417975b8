"""A file that is being written and has no name yet; then it gets its name, whole.

Where the system has them, files without a name are used (O_TMPFILE), of which nothing remains however the process ends.
Elsewhere the file has a temporary name, by which the next process recognises and removes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path

from bitmeter._util.leftovers import lock, sweep, temporary_name

__all__ = ["Draft"]

_BLOCK = 1 << 20
#: The errors of a file system, or an older kernel, that has no files without a name.
_NOT_OFFERED = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT, errno.ENOSYS)


class Draft:
    """A new file in a folder; only its user can read it until it is published.

    Parameters
    ----------
    folder
        Where it will be published: names can be changed within one file system only.
    named
        Give it a temporary name even where the system has files without one.

    Attributes
    ----------
    path
        By which it can be opened for writing, as often as needed.
    """

    def __init__(self, folder: str, *, named: bool = False) -> None:
        self._folder = folder
        sweep(folder)
        self._name: str | None = None
        found = None if named else _without_name(folder)
        if found is None:
            found, self._name = _with_name(folder)
        self._file = found
        self.path = Path(f"/proc/self/fd/{found}" if self._name is None else os.path.join(folder, self._name))
        # The mode that the umask, or the folder's default, gives a new file: known without a call of os.umask, which
        # would change it for all threads for a moment.
        self._mode = stat.S_IMODE(os.fstat(found).st_mode)
        if sys.platform != "win32":
            os.fchmod(found, 0o600)

    def publish(self, final: str, *, replace: bool) -> None:
        """Give it its name. What is under this name is replaced, or the name is refused: FileExistsError.

        The content is on the disk before the name is, so that no crash of the machine leaves an empty file under it.
        """
        self._synchronise()
        if replace and self._publish_instead(final):
            return
        self._adopt(None)
        if self._name is None:
            try:
                self._link(final)
            except FileExistsError:
                raise
            except OSError:
                self._publish_copy(final, replace=replace)
        elif sys.platform == "win32":
            self._close_file()
            os.rename(self.path, final)  # refuses a name that is taken
        else:
            self._rename_new(final)

    def copy_to(self, descriptor: int) -> None:
        """Write the content to an open file."""
        at = 0
        while block := self._read(at):
            at += len(block)
            while block:
                block = block[os.write(descriptor, block) :]

    def discard(self) -> None:
        """Delete it, unless it was published."""
        if self._file >= 0:
            self._close_file()
        if self._name is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self._folder, self._name))
            self._name = None

    def _close_file(self) -> None:
        os.close(self._file)
        self._file = -1

    def _synchronise(self) -> None:
        try:
            os.fsync(self._file)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):  # a file system that cannot say
                raise

    def _read(self, at: int) -> bytes:
        os.lseek(self._file, at, os.SEEK_SET)
        return os.read(self._file, _BLOCK)

    def _adopt(self, before: os.stat_result | None) -> None:
        """Take the mode of a new file, or owner and mode of the one that is replaced, as far as that is allowed."""
        if sys.platform == "win32":
            return
        mode = self._mode
        if before is not None:
            mode = stat.S_IMODE(before.st_mode)
            own = os.fstat(self._file)
            if (own.st_uid, own.st_gid) != (before.st_uid, before.st_gid):
                try:
                    os.fchown(self._file, before.st_uid, before.st_gid)
                except OSError:
                    mode &= 0o777  # set-user-id of another user would mean something else
        os.fchmod(self._file, mode)

    def _publish_instead(self, final: str) -> bool:
        """Replace a file; False if there is none."""
        try:
            before = os.stat(final)
        except FileNotFoundError:
            return False
        self._adopt(before)
        if self._name is None:
            self._name = temporary_name()
            try:
                self._link(os.path.join(self._folder, self._name))
            except OSError:
                self._name = None
                self._publish_copy(final, replace=True)
                return True
        if sys.platform == "win32":
            self._close_file()
        os.replace(os.path.join(self._folder, self._name), final)
        self._name = None
        return True

    def _link(self, name: str) -> None:
        """The first name of a file without one. It is locked before, so that no process takes it for a leftover."""
        lock(self._file)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            # A descriptor of the folder has Python call linkat, which can follow the link in /proc.
            os.link(f"/proc/self/fd/{self._file}", os.path.abspath(name), dst_dir_fd=folder, follow_symlinks=True)
        finally:
            os.close(folder)

    def _rename_new(self, final: str) -> None:
        """Rename unless the name is taken, which rename alone would not say."""
        try:
            os.link(self.path, final)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if os.path.lexists(final):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), final) from None
            os.replace(self.path, final)
            self._name = None

    def _publish_copy(self, final: str, *, replace: bool) -> None:
        """For file systems that have files without a name and cannot give them one later."""
        other = Draft(self._folder, named=True)
        try:
            self.copy_to(other._file)
            other.publish(final, replace=replace)
        finally:
            other.discard()


def _without_name(folder: str) -> int | None:
    if sys.platform != "linux":
        return None
    try:
        found = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno in _NOT_OFFERED and os.path.isdir(folder):
            return None
        raise
    if not os.path.exists(f"/proc/self/fd/{found}"):  # /proc is not there
        os.close(found)
        return None
    return found


def _with_name(folder: str) -> tuple[int, str]:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    if sys.platform == "win32":
        flags |= os.O_BINARY
    while True:
        name = temporary_name()
        found = os.open(os.path.join(folder, name), flags, 0o666)
        # Another process that sweeps may have found it before it was locked.
        if lock(found) is not False and (sys.platform == "win32" or os.fstat(found).st_nlink):
            return found, name
        os.close(found)
