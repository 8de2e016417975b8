"""Runs bitmeter's command line in a child that is forked after all imports, so that kills meet work and not imports."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

#: A child that should have ended is killed after so many seconds of the processor's time, or so many in which it
#: neither used any nor waited for the processor or a disk. A busy machine is no reason.
PATIENCE, STILL = 120.0, 60.0
_STEP = 0.002
#: Seconds between two looks at what a child does.
_LOOK = 0.5
_TICKS = os.sysconf("SC_CLK_TCK")
_BLOCKED = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


@dataclass(frozen=True)
class Ended:
    """How a child ended: its exit code (negative for a signal), what it said, how long it took."""

    code: int
    said: str
    seconds: float
    late: bool = False

    @property
    def has_traceback(self) -> bool:
        """Whether an exception was not turned into a message."""
        return "Traceback" in self.said or "Exception ignored" in self.said


def load(*, networks: bool, server: bool) -> None:
    """Import what the commands use."""
    import numpy  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import scipy.special  # noqa: F401
    import zstandard  # noqa: F401

    # What pyarrow and typer import on first use where it is installed.
    for package, name in (("pandas", "pyarrow.pandas_compat"), ("pydantic", "pydantic.type_adapter")):
        if find_spec(package) is not None:
            import_module(name)

    import bitmeter.cli.coding.compress
    import bitmeter.cli.coding.decompress
    import bitmeter.cli.measure.score
    import bitmeter.cli.models.convert
    import bitmeter.cli.models.mix
    import bitmeter.cli.models.train
    import bitmeter.cli.remembering
    import bitmeter.cli.signals
    import bitmeter.cli.verbs
    import bitmeter.coding.archive.compress
    import bitmeter.history.runs
    import bitmeter.measure.scoring
    import bitmeter.measure.trace.files
    import bitmeter.models.mixture.model
    import bitmeter.models.ngram.convert
    import bitmeter.reports.panel

    if server:
        import anyio._backends._asyncio  # noqa: F401
        import uvicorn.lifespan.on
        import uvicorn.protocols.http.auto  # noqa: F401

        import bitmeter.cli.see.serve
        import bitmeter.models.registry
        import bitmeter.web.app
        import bitmeter.web.start

        bitmeter.models.registry.resolve("kt")  # which imports the other kinds, too

    if networks:
        import safetensors.torch  # noqa: F401
        import tokenizers  # noqa: F401
        import torch._dynamo  # noqa: F401 (by optimisers, on first use)

        import bitmeter.models.causal.trained.files


def run(
    words: list[str],
    folder: Path,
    *,
    kill: tuple[int, float] | None = None,
    kill_when: Callable[[], bool] | None = None,
    meanwhile: tuple[Callable[[], None], float] | None = None,
    limit: Callable[[], None] | None = None,
    beside: Callable[[int, Path], None] | None = None,
) -> Ended:
    """Run a command in a folder.

    Parameters
    ----------
    kill
        A signal, and after how many seconds it is sent.
    kill_when
        Send SIGKILL when this is true.
    meanwhile
        What is done beside it, and after how many seconds.
    limit
        Called in the child first: limits, another user.
    beside
        Run in a process of its own, with the number of the child and the file to which it prints.
    """
    said = folder.with_name(f"{folder.name}.said")
    sys.stdout.flush()
    sys.stderr.flush()
    output = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    begun = time.perf_counter()
    # A signal between the fork and the child's own code must not run the handlers of this process in the child.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _BLOCKED)
    child = os.fork()
    if child == 0:
        _be_command(words, folder, output, limit)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    os.close(output)
    other = None if beside is None else _fork(lambda: beside(child, said))
    events: list[tuple[float, Callable[[], object]]] = []
    if kill is not None:
        number, after = kill
        events.append((after, lambda: os.kill(child, number)))
    if meanwhile is not None:
        act, after = meanwhile
        events.append((after, act))
    try:
        status, late = _watch(child, begun, events, kill_when)
        if other is not None:
            ended = os.waitstatus_to_exitcode(os.waitpid(other, 0)[1])
            other = None
            if ended != 0:
                raise SystemExit(f"what was run beside bitmeter {' '.join(words)} ended with {ended}")
    except BaseException:
        for started in (child, other):
            if started is not None:
                with contextlib.suppress(ProcessLookupError, ChildProcessError):
                    os.kill(started, signal.SIGKILL)
                    os.waitpid(started, 0)
        raise
    text = said.read_text(errors="replace")
    said.unlink()
    return Ended(os.waitstatus_to_exitcode(status), text, time.perf_counter() - begun, late)


def _watch(
    child: int, begun: float, events: list[tuple[float, Callable[[], object]]], kill_when: Callable[[], bool] | None
) -> tuple[int, bool]:
    """Let things happen in time; the status of the child, and whether it had to be ended."""
    patience = Patience(child)
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        now = time.perf_counter() - begun
        if done:
            return status, False
        for event in [event for event in events if now >= event[0]]:
            event[1]()
            events.remove(event)
        late = patience.is_over()
        if (kill_when is not None and kill_when()) or late:
            os.kill(child, signal.SIGKILL)
            return os.waitpid(child, 0)[1], late
        time.sleep(_STEP)


class Patience:
    """How long a process may go on: by the processor's time that it uses, and not by the clock.

    Parameters
    ----------
    process
        Its number.
    most, still
        Seconds of the processor's time; and of the clock, in which it uses none though it could.
    """

    def __init__(self, process: int, most: float = PATIENCE, still: float = STILL) -> None:
        self._process, self._most, self._still = process, most, still
        self._looked = self._moved = time.monotonic()
        self._used = 0.0

    def is_over(self) -> bool:
        """Whether it should have ended; it is looked at twice per second."""
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return False
        used, wants = _activity(self._process)
        # There was no look for long: this process itself did not get the processor, and the child may not have, either.
        if used > self._used or wants or now - self._looked > 4 * _LOOK:
            self._moved = now
        self._looked, self._used = now, used
        return used > self._most or now - self._moved > self._still


def _activity(process: int) -> tuple[float, bool]:
    """Seconds of the processor that a process and its threads used, and whether any of them wants more.

    One that is runnable or waits for a disk is not idle, however little it gets. The commands start no processes.
    """
    used, wants = 0.0, False
    with contextlib.suppress(OSError):  # it may end meanwhile
        used = sum(map(int, _fields(Path(f"/proc/{process}/stat"))[11:13])) / _TICKS
        for task in Path(f"/proc/{process}/task").iterdir():
            wants |= _fields(task / "stat")[0] in "RD"
    return used, wants


def _fields(stat: Path) -> list[str]:
    """What is known of a process or thread after its name, which may hold anything."""
    return stat.read_text().rpartition(")")[2].split()


def _fork(act: Callable[[], None]) -> int:
    """A process that does this and ends; its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            act()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return child


def _be_command(words: list[str], folder: Path, output: int, limit: Callable[[], None] | None) -> None:
    """What the child does; it never returns, also where a signal comes while it ends."""
    code = 1
    try:
        try:
            code = _command(words, folder, output, limit)
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
        except KeyboardInterrupt:  # before or after the command itself
            code = 130
        except BaseException:
            traceback.print_exc()
        os._exit(code)
    except KeyboardInterrupt:
        os._exit(code)


def _command(words: list[str], folder: Path, output: int, limit: Callable[[], None] | None) -> int:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _BLOCKED)
    for stream in (1, 2):
        os.dup2(output, stream)
    os.close(output)
    os.chdir(folder)
    if (folder / "disk" / "tmp").is_dir():
        os.environ["TMPDIR"] = str(folder / "disk" / "tmp")
    if limit is not None:
        limit()
    from bitmeter import cli

    try:
        code = cli._run(words)
        sys.stdout.flush()
    finally:
        threading._shutdown()  # type: ignore[attr-defined] # as at the end of a program: threads are waited for
    return code
