"""Tasks on Ray: one task per part of the work, a few in flight, nothing large in its object store.

Ray is started on this machine for as long as the work takes, unless the address of a cluster is given. Its own retries
are off: a task whose process or machine is lost is given out again here, as by the local pool. Nothing is cancelled
but a task of which a copy was faster, since cancelling many tasks can abort the program that does; what still runs at
the end is ended with its processes.
"""

from __future__ import annotations

import collections
import contextlib
import importlib
import logging
import os
import pickle
import shutil
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import Any

from bitmeter._util.jobs import Ended, Executor, Task, TaskReport
from bitmeter._util.optional import require
from bitmeter.errors import WorkerError
from bitmeter.scale.local import MOST_TRIES, lost_task, pickled, placed
from bitmeter.scale.pace import Pace
from bitmeter.scale.worker import sendable

__all__ = ["RayPool"]

#: For a cluster of our own: all that travels is small.
_OBJECT_STORE = 100 << 20
#: What may be wrong where a cluster does not let one in.
_TOKEN = ". If it asks for a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN as where it was started"
#: Seconds for an answer from a cluster.
_PATIENCE = 10.0
#: Seconds in which a process that keeps a device must have begun; Ray may try a machine that is gone for half a minute.
_PATIENCE_START = 180.0
#: Nothing is reported to anyone: the port of the discard service, which is closed.
_NOWHERE = "http://127.0.0.1:9"


class RayPool(Executor):
    """Runs tasks on Ray.

    Parameters
    ----------
    workers
        How many tasks run at once; None for as many as there are processors.
    address
        Of a running cluster; None to start one here.
    """

    def __init__(self, workers: int | None, address: str | None) -> None:
        self.lost = 0
        self._address, self._asked = address, workers
        self._folder: str | None = None
        for name, value in (("RAY_USAGE_STATS_ENABLED", "0"), ("RAY_USAGE_STATS_REPORT_URL", _NOWHERE)):
            os.environ.setdefault(name, value)
        self._ray = require("ray", "--engine ray (engine='ray')")
        self._is_ours = not self._ray.is_initialized()
        self.workers = workers or os.cpu_count() or 1
        self._is_ready = False
        self._idle: list[Any] = []
        self._busy: dict[Any, Any] = {}
        self._begun: dict[Any, Any] = {}
        self._waited: float | None = None
        self._printer: Any = None
        self._print: Any = None

    def _begin(self) -> None:
        """Start Ray, or join the cluster."""
        if self._is_ready:
            return
        if self._is_ours:
            about: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
            if self._address is None:
                # Sockets are in it, and their names must be short. Without the name "local", an address that another
                # program left behind would be used.
                self._folder = tempfile.mkdtemp(prefix="bm-")
                about |= {
                    "address": "local", "num_cpus": self.workers, "object_store_memory": _OBJECT_STORE,
                    "include_dashboard": False, "_temp_dir": self._folder,
                }  # fmt: skip
            else:
                about |= {"address": self._address}
            try:
                _knock(self._address)
                self.dashboard = _link(self._ray.init(**about).dashboard_url)
            except (OSError, RuntimeError, ValueError, self._ray.exceptions.RayError) as error:
                where = "on this machine" if self._address is None else f"at {self._address}"
                first = str(error).partition("\n")[0]
                message = f"Ray cannot be used {where}: {first}{'' if self._address is None else _TOKEN}"
                raise WorkerError(message, value=self._address) from error
            self._hush()
        resources = self._ray.cluster_resources()
        kind = "GPU" if self.per_device and resources.get("GPU", 0) >= 1 else "CPU"
        if self._asked is None:
            self.workers = max(1, int(resources.get(kind, 1)))
        needs = {"num_gpus": 1, "num_cpus": 1} if kind == "GPU" else {"num_cpus": 1}
        self._remote = self._ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(_call)
        self._actor = self._ray.remote(max_restarts=0, scheduling_strategy="SPREAD", **needs)(_Device)
        self._is_ready = True

    def _launch(self, payload: bytes, here: str) -> Any:
        """Give out a task; one that needs a device goes to a process that keeps one."""
        if not self.per_device:
            return self._remote.remote(payload, here)
        actor = self._idle.pop() if self._idle else self._actor.remote()
        begun = actor.begun.remote()
        reference = actor.call.remote(payload, here)
        self._busy[reference], self._begun[reference] = actor, begun
        return reference

    def _landed(self, reference: Any, *, lost: bool) -> None:
        """A task has ended; its process does another one, unless it was lost."""
        actor = self._busy.pop(reference, None)
        self._begun.pop(reference, None)
        if actor is not None and not lost:
            self._idle.append(actor)
            self._waited = None

    def _never_began(self, reference: Any) -> bool:
        """Whether the process of a lost task was lost before that, with a machine that Ray takes to be there still.

        Then the task is not to blame, and is given out again after a moment, until Ray has noticed.
        """
        begun = self._begun.get(reference)
        if begun is None:
            return False
        try:
            self._ray.get(begun, timeout=0)
        except self._ray.exceptions.RayError:
            self._waited = self._waited or time.monotonic()
            if time.monotonic() - self._waited < _PATIENCE_START:
                time.sleep(1.0)
                return True
        return False

    def _hush(self) -> None:
        """Keep what Ray prints of each lost process from standard output, where results go; there is no setting."""
        with contextlib.suppress(ImportError, AttributeError):
            self._printer = importlib.import_module("ray._private.worker")
            self._print = self._printer.print_to_stdstream
            self._printer.print_to_stdstream = _print_nothing

    def run(self, tasks: Iterable[Task], report: TaskReport) -> Iterator[Ended]:
        """Each task as it ends, in any order."""
        self._begin()
        ray, here = self._ray, os.getcwd()
        waiting = iter(tasks)
        again: collections.deque[tuple[Task, bytes]] = collections.deque()
        tries: collections.Counter[int] = collections.Counter()
        flying: dict[Any, tuple[Task, bytes]] = {}
        done: set[int] = set()
        pace, since = Pace(), 0.0
        # On a cluster of others no more than asked for; of our own, which has no more processors, some in advance.
        ahead = not self.per_device and (self._asked is None or self._address is None)
        most = 2 * self.workers if ahead else self.workers
        exhausted = False
        while True:
            while len(flying) < most and (again or not exhausted):
                if again:
                    task, payload = again.popleft()
                else:
                    found = next(waiting, None)
                    if found is None:
                        exhausted = True
                        break
                    task, payload = found, pickled(found)
                flying[self._launch(payload, here)] = task, payload
            if not flying:
                return
            if exhausted and len(flying) < self.workers:  # so that all of them run
                since = since or time.monotonic()
                if pace.is_late(time.monotonic() - since):
                    self._copy_late(flying, here)
            # A time limit, so that an interrupt is seen.
            ready, _ = ray.wait(list(flying), num_returns=1, timeout=1.0)
            for reference in ready:
                if reference not in flying:
                    continue
                task, payload = flying.pop(reference)
                try:
                    kind, value, seconds = ray.get(reference)
                    self._landed(reference, lost=False)
                except ray.exceptions.RayError as error:
                    never_began = self._never_began(reference)
                    self._landed(reference, lost=True)
                    if task.number in done or any(other.number == task.number for other, _ in flying.values()):
                        continue
                    self.lost += 1
                    tries[task.number] += not never_began
                    if tries[task.number] < MOST_TRIES:
                        again.append((task, payload))
                        continue
                    lost = lost_task(task, tries[task.number])
                    lost.__cause__ = error
                    yield Ended(task.number, error=lost)
                    continue
                pace.ended(seconds)
                others = [other for other, (its, _) in flying.items() if its.number == task.number]
                if task.number in done or (kind != "value" and others):
                    continue  # the first result counts; an error only if no copy is left
                done.add(task.number)
                for other in others:
                    # Its end is not waited for, which may take Ray minutes: what it writes has the same bytes.
                    del flying[other]
                    if self.per_device:
                        self._begun.pop(other)
                        ray.kill(self._busy.pop(other))
                    else:
                        ray.cancel(other, force=True)
                yield Ended(task.number, value) if kind == "value" else Ended(task.number, error=placed(value, task))

    def _copy_late(self, flying: dict[Any, tuple[Task, bytes]], here: str) -> None:
        """Give out copies of the tasks that are left, as far as there are processors; the first result counts."""
        running = collections.Counter(task.number for task, _ in flying.values())
        for task, payload in list(flying.values()):
            if running[task.number] == 1 and len(flying) < self.workers:
                flying[self._launch(payload, here)] = task, payload

    def close(self) -> None:
        """Leave the cluster; end it, and remove its files, if it is ours."""
        for actor in (*self._idle, *self._busy.values()):
            with contextlib.suppress(Exception):
                self._ray.kill(actor)
        self._idle, self._busy, self._begun = [], {}, {}
        if self._is_ready and self._is_ours:
            self._ray.shutdown()
            if self._print is not None:
                self._printer.print_to_stdstream = self._print
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._is_ready, self._folder = False, None


def _link(address: str | None) -> str:
    """The address of the dashboard as a browser takes it; a cluster may have none.

    Examples
    --------
    >>> _link("127.0.0.1:8265"), _link("https://ray.example.org/"), _link("")
    ('http://127.0.0.1:8265', 'https://ray.example.org/', '')
    """
    return f"http://{address}" if address and "://" not in address else address or ""


def _knock(address: str | None) -> None:
    """See whether anyone listens at HOST:PORT; Ray itself tries for minutes."""
    host, colon, port = (address or "").rpartition(":")
    if colon and port.isascii() and port.isdigit() and "/" not in host:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE):
            pass


def _call(payload: bytes, folder: str) -> tuple[str, Any, float]:
    """A task, in a process of Ray, and how long it took; names of files are relative to the folder of the caller."""
    began = time.monotonic()
    try:
        with contextlib.suppress(FileNotFoundError):
            os.chdir(folder)
        call, arguments = pickle.loads(payload)
        return "value", call(*arguments, _ignore), time.monotonic() - began
    except Exception as error:
        return "error", sendable(error), time.monotonic() - began


class _Device:
    """A process of Ray that keeps its device, and the model on it, from task to task."""

    def begun(self) -> None:
        """That the process is there."""

    def call(self, payload: bytes, folder: str) -> tuple[str, Any, float]:
        return _call(payload, folder)


def _print_nothing(*arguments: Any, **keywords: Any) -> None:
    """In place of Ray's printer."""


def _ignore(more: float) -> None:
    """Within a task nothing is reported: a message would cost as much as a small part does."""
