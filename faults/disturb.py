"""The faults: each disturbs one run of a command, looks at what is there, and runs the command again."""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jobs import IN, OUT, TMP, Job, comparable
from processes import Ended, run

SIGNALS = {name: int(signal.Signals[name]) for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")}
_ROOM = 1 << 30
_PAGE = resource.getpagesize()
#: _LINUX_CAPABILITY_VERSION_3
_CAPABILITIES_VERSION = 0x20080522


@dataclass(frozen=True)
class Found:
    """What one case showed.

    Attributes
    ----------
    completed
        The command had done its work before the fault.
    partial
        Files under a final name that are not whole.
    left
        Other files after the fault; and after the command was run again.
    equal
        Whether the outputs of the second run are those of an undisturbed one.
    rude
        A traceback, an unexpected signal or exit code, or no end; and its last words.
    """

    completed: bool
    partial: int
    left: int
    left_after: int
    equal: bool
    rude: str = ""


@dataclass(frozen=True)
class Reference:
    """An undisturbed run: how long it took, what it wrote, how much room it needs."""

    seconds: float
    content: dict[str, bytes]
    size: int


class Case:
    """A folder with a job's inputs, fresh for each case."""

    def __init__(self, job: Job, prepared: Path, place: Path, reference: Reference | None = None) -> None:
        self.job, self.folder, self._prepared = job, place, prepared
        self._reference = reference
        (place / IN).mkdir(parents=True)
        (place / "disk").mkdir()
        self.fill()

    def fill(self) -> None:
        """Make the folders, and the inputs as they were."""
        for name in (OUT, TMP):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for name in self.job.inputs:
            shutil.copyfile(self._prepared / name, self.folder / IN / name)
        if self.job.prepared is not None and not (self.folder / OUT / self.job.prepared).exists():
            shutil.copytree(self._prepared / self.job.prepared, self.folder / OUT / self.job.prepared)

    def run(self, **how: Any) -> Ended:
        """Run the command, disturbed as `processes.run` says."""
        return run(self.job.words, self.folder, **how)

    def reference(self) -> Reference:
        """Run it undisturbed."""
        ended = self.run()
        if ended.code != 0:
            raise SystemExit(f"bitmeter {' '.join(self.job.words)} failed:\n{ended.said}")
        content = {name: comparable(self.folder / OUT / name) for name in self.job.outputs}
        size = sum((self.folder / OUT / name).stat().st_size for name in self.job.outputs)
        if self.strangers():
            raise SystemExit(f"{self.job.name} leaves files without any fault: {self.strangers()}")
        return Reference(ended.seconds, content, size)

    def strangers(self, begun: bool = False) -> list[str]:
        """Files and folders that are neither input nor output; `begun` ones may be there before the end."""
        job, disk = self.job, self.folder / "disk"
        known = {f"out/{name}" for name in job.outputs} | ({f"out/{name}" for name in job.begun} if begun else set())
        folders = {"out", "tmp", *(str(Path("out", name).parent) for name in (*job.outputs, *job.begun))}
        whole = tuple(name for name in known if name.endswith("/"))
        found = {str(path.relative_to(disk)): path.is_dir() and not path.is_symlink() for path in disk.rglob("*")}
        return sorted(
            name
            for name, is_folder in found.items()
            if name not in (folders if is_folder else known) and not f"{name}/".startswith(whole)
        )

    def judge(self, ended: Ended, expected: set[int], *, mixed: bool = False) -> Found:
        """Look at what a disturbed run left, then run the command again.

        `mixed`: its input changed, so that a run which succeeded may have written something else.
        """
        assert self._reference is not None
        completed, good = ended.code == 0, self._reference.content
        there = [name for name in self.job.outputs if (self.folder / OUT / name).exists()]
        partial = [name for name in there if comparable(self.folder / OUT / name) != good[name]]
        if mixed and completed:
            partial = []
        left = self.strangers(begun=not completed)
        rude = rudeness(ended, expected)
        self.fill()
        again = run(self.job.rerun, self.folder)
        # A training that had finished has nothing to resume.
        finished = self.job.again is not None and again.code == 2 and "is finished" in again.said
        equal = (again.code == 0 or finished) and all(
            (self.folder / OUT / name).exists() and comparable(self.folder / OUT / name) == good[name]
            for name in self.job.outputs
        )
        if not equal and not rude:
            rude = f"second run: exit {again.code}: {again.said[-160:].strip()}"
        return Found(completed, len(partial), len(left), len(self.strangers()), equal, rude)

    def close(self) -> None:
        """Delete it."""
        shutil.rmtree(self.folder)


def rudeness(ended: Ended, expected: set[int]) -> str:
    """How a command ended that did not end with a message: its last words. Empty if it did."""
    if not (ended.has_traceback or ended.late or ended.code not in expected | {0}):
        return ""
    last = (ended.said.strip().splitlines() or [""])[-1]
    return f"{'no end' if ended.late else f'exit {ended.code}'}: {last[:160]}"


def kill(case: Case, number: int, draw: random.Random) -> Found:
    """A signal at a moment of the command's duration."""
    assert case._reference is not None
    ended = case.run(kill=(number, draw.uniform(0.0, 1.02 * case._reference.seconds)))
    # A command that has not begun yet has no handlers, and nothing that could be left.
    expected = {-number} if number == signal.SIGKILL else {128 + number, -number}
    return case.judge(ended, expected)


def full_disk(case: Case, draw: random.Random) -> Found:
    """A disk with less room than the outputs need: a small tmpfs, or a limit on the size of a file."""
    assert case._reference is not None
    room = int(case._reference.size * draw.uniform(0.0, 1.05))
    disk = case.folder / "disk"
    if not mounts():
        ended = case.run(limit=lambda: _limit(resource.RLIMIT_FSIZE, room))
        return case.judge(ended, {1})
    kept = sum(_pages(path.stat().st_size) for path in disk.rglob("*") if path.is_file())
    size = (kept + room // _PAGE + 1) * _PAGE
    shutil.rmtree(disk)
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], check=True)
    try:
        case.fill()
        filler = disk / "filler"  # a tmpfs has one page or more
        filler.write_bytes(bytes(_PAGE))
        ended = case.run()
        filler.unlink()
        subprocess.run(["mount", "-o", f"remount,size={_ROOM}", str(disk)], check=True)
        return case.judge(ended, {1})
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _pages(size: int) -> int:
    return -(-size // _PAGE)


def read_only(case: Case, draw: random.Random) -> Found:
    """A folder in which the user may make no file; root, who may anywhere, gives that right up."""
    del draw
    out = case.folder / OUT
    for path in (out, *(found for found in out.rglob("*") if found.is_dir())):
        path.chmod(0o555)

    ended = case.run(limit=_without_capabilities)
    for path in (out, *(found for found in out.rglob("*") if found.is_dir())):
        path.chmod(0o755)
    return case.judge(ended, {1, 2})


def _change(case: Case, draw: random.Random, act: Callable[[Path], None]) -> Found:
    assert case._reference is not None
    file = case.folder / IN / draw.choice(case.job.inputs)
    ended = case.run(meanwhile=(lambda: act(file), draw.uniform(0.0, case._reference.seconds)))
    return case.judge(ended, {1}, mixed=True)


def input_cut(case: Case, draw: random.Random) -> Found:
    """An input that becomes shorter while it is read."""
    share = draw.random()
    return _change(case, draw, lambda file: os.truncate(file, int(share * file.stat().st_size)))


def input_replaced(case: Case, draw: random.Random) -> Found:
    """An input in whose place another file is put."""
    other = draw.randbytes(10_000)

    def replace(file: Path) -> None:
        beside = file.with_name("other")
        beside.write_bytes(other)
        beside.replace(file)

    return _change(case, draw, replace)


def little_memory(case: Case, draw: random.Random) -> Found:
    """A limit on the address space between what the process has and what the command needs."""
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    room = now + int(draw.uniform(1, 120) * (1 << 20))
    ended = case.run(limit=lambda: _limit(resource.RLIMIT_AS, room))
    # Libraries that cannot allocate may abort the process.
    return case.judge(ended, {1, -int(signal.SIGABRT), -int(signal.SIGSEGV)})


FAULTS: dict[str, Callable[[Case, random.Random], Found]] = {
    "disk full": full_disk,
    "folder read-only": read_only,
    "input cut": input_cut,
    "input replaced": input_replaced,
    "memory limited": little_memory,
}


def mounts() -> bool:
    """Whether this user may mount a tmpfs."""
    global _mounts
    if _mounts is None:
        place = Path.cwd() / f".mount-{os.getpid()}"
        place.mkdir()
        try:
            done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)], capture_output=True, check=False)
            _mounts = done.returncode == 0
            if _mounts:
                subprocess.run(["umount", str(place)], check=True)
        except FileNotFoundError:
            _mounts = False
        finally:
            place.rmdir()
    return _mounts


_mounts: bool | None = None


def _without_capabilities() -> None:
    """Be bound by the modes of files, also as root. Another user might not be able to read Python's own modules."""
    if os.geteuid() != 0:
        return
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    none = (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None, use_errno=True).capset(header, none) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def _limit(what: int, most: int) -> None:
    resource.setrlimit(what, (most, most))
