"""How much memory an estimation may use, and where its temporary files go."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bitmeter._util.check import integer, shown
from bitmeter._util.files import as_path
from bitmeter._util.leftovers import temporary_place
from bitmeter.errors import InputError, RangeError

__all__ = ["LEAST_MEMORY", "Allowance", "amount", "free_memory"]

#: Less than this is no help: the blocks of the text that are read alone take a part of it.
LEAST_MEMORY = 64 << 20
#: The default share of the free memory.
SHARE = 0.75

_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*([BKMGT]?)(?:I?B)?\s*", re.IGNORECASE)
_PERCENT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*%\s*")
_NO_LIMIT = 1 << 60


@dataclass(frozen=True, slots=True)
class Allowance:
    """What an estimation may use.

    Attributes
    ----------
    memory
        Bytes beside what the process has already.
    folder
        Where temporary files go.
    """

    memory: int
    folder: str

    @classmethod
    def of(cls, memory: Any, temp: Any) -> Allowance:
        """From what a user says; None for the defaults."""
        found = int(SHARE * free_memory()) if memory is None else _bytes(memory)
        if memory is None:
            found = max(found, LEAST_MEMORY)
        if found < LEAST_MEMORY:
            message = f"memory is {shown(memory)}, {amount(found)}; an estimation needs {amount(LEAST_MEMORY)} or more"
            raise RangeError(message, value=memory)
        return cls(min(found, _NO_LIMIT), _folder(temp))

    def full(self, error: OSError, most: int | None) -> InputError:
        """What to say where a temporary file could not be written."""
        need = "" if most is None else f"it needs up to {amount(most)} of disk, and "
        message = (
            f"temporary files in {self.folder} cannot be written: {error.strerror}; within {amount(self.memory)} of "
            f"memory this text does not fit: {need}{amount(free_disk(self.folder))} are free there. Name a folder with "
            "more room by temp= (on the command line: --temp), or allow more memory"
        )
        return InputError(message, value=self.folder)

    def too_small(self, least: int, words: int) -> InputError:
        """What to say where the vocabulary alone is too large."""
        enough = f"{(least + least // 4 >> 20) + 1}M"
        message = (
            f"memory is {amount(self.memory)}, and the vocabulary of {words:,} words, which stays in memory, needs "
            f"about {amount(least)}; say memory={enough!r} (on the command line: --memory {enough}) or more"
        )
        return InputError(message, value=self.memory)


def amount(size: int) -> str:
    """A number of bytes for a reader."""
    for unit, letter in ((1 << 40, "TB"), (1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if size >= unit:
            return f"{size / unit:.3g} {letter}" if size < 999 * unit else f"{size / unit:.0f} {letter}"
    return f"{size} bytes"


def free_memory() -> int:
    """Bytes of memory that this process could still have without swapping, as far as the system reports."""
    found = [_meminfo()]
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        most, now = _number(limit), _number(used)
        if most is not None and now is not None:
            found.append(max(0, most - now))
    return min(found)


def free_disk(folder: str) -> int:
    """Bytes free where a folder is."""
    try:
        import shutil

        return shutil.disk_usage(folder).free
    except OSError:
        return 0


def _meminfo() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    except (OSError, ValueError, IndexError):
        pass
    # Systems that do not say what is free: half of what there is.
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def _number(path: str) -> int | None:
    try:
        return int(Path(path).read_text())
    except (OSError, ValueError):  # no such limit, or "max"
        return None


def _bytes(memory: Any) -> int:
    if not isinstance(memory, str):
        return integer(memory, "memory", low=0)
    if match := _PERCENT.fullmatch(memory):
        share = float(match[1])
        if not 0.0 < share <= 100.0:
            message = f"memory is {memory!r}; a share of the memory that is free must be above 0 % and at most 100 %"
            raise RangeError(message, value=memory)
        return int(share / 100.0 * free_memory())
    if match := _SIZE.fullmatch(memory):
        return int(min(float(_NO_LIMIT), float(match[1]) * _UNITS[match[2].upper()]))
    message = f"memory is {shown(memory)}; say how much as 4G, 500M, 1.5G, or as a share of what is free, 50%"
    raise InputError(message, value=memory)


def _folder(temp: Any) -> str:
    if temp is not None:
        found = as_path(temp)
        if not found.is_dir():
            message = f"temp is {str(found)!r}, which is not a folder; temporary files need one that exists"
            raise InputError(message, value=str(found))
        return str(found)
    # Where the system keeps /tmp in memory, /var/tmp is on a disk.
    if "TMPDIR" not in os.environ and os.access("/var/tmp", os.W_OK):
        return "/var/tmp"
    try:
        return temporary_place()
    except OSError as error:
        message = f"no folder for temporary files: {error}; name one by temp= (on the command line: --temp)"
        raise InputError(message) from error
