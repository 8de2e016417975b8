"""A pool of processes on this machine, which outlives the loss of any of them.

The pool of the standard library gives up all of its tasks when one process is killed. Here the process is replaced, and
the tasks that it had are done again.
"""

from __future__ import annotations

import collections
import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bitmeter._util.jobs import Ended, Executor, Task, TaskReport
from bitmeter.errors import BitmeterError, InputTypeError, WorkerError
from bitmeter.scale.pace import Pace
from bitmeter.scale.worker import read_message, write_message

__all__ = ["LocalPool", "lost_task", "pickled", "placed"]

#: How often a task is tried, if the process that does it is lost each time.
MOST_TRIES = 3
#: Tasks that a process has: one that it does, and one that waits, so that it never does.
_HELD = 2
#: Seconds after which tasks are looked at that have said nothing.
_LOOK = 1.0
#: Seconds that a process gets to end by itself.
_PATIENCE = 5.0


def pickled(task: Task) -> bytes:
    """What is sent of a task, or an error that says what cannot be."""
    try:
        return pickle.dumps((task.call, task.arguments), protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        message = (
            f"something of this job cannot be sent to another process: {error}. Give models and texts by name (a file "
            "that each process opens), not as objects in memory"
        )
        raise InputTypeError(message) from error


def lost_task(task: Task, tries: int) -> WorkerError:
    """The error for a task that ends every process."""
    message = (
        f"{task.place or f'task {task.number}'} could not be done: {tries} processes in a row were lost on it, perhaps "
        "for lack of memory (then use fewer workers), or killed by someone. What was done before is kept: the same "
        "command goes on from there"
    )
    return WorkerError(message, value=task.place)


def placed(error: Exception, task: Task) -> Exception:
    """An error of a task; one that does not say of itself where it came from says it now."""
    if not isinstance(error, BitmeterError | OSError) and task.place:
        error.add_note(f"while this was done: {task.place}")
    return error


@dataclass(eq=False)
class _Process:
    """One process, and the tasks that it has."""

    started: subprocess.Popen[bytes]
    held: dict[int, tuple[Task, bytes]] = field(default_factory=dict)
    #: The task that it does, and since when; others wait.
    current: int = -1
    since: float = 0.0


class LocalPool(Executor):
    """Runs tasks in processes of this machine.

    Parameters
    ----------
    workers
        How many processes.

    Examples
    --------
    >>> import operator
    >>> with LocalPool(2) as pool:
    ...     tasks = [Task(number, _plus_one, (number,)) for number in range(4)]
    ...     sorted(ended.value for ended in pool.run(tasks, lambda number, more: None))
    [1, 2, 3, 4]
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.lost = 0
        self._started = 0
        self._processes: list[_Process] = []
        self._threads: list[threading.Thread] = []
        #: What processes say: the process, and its message, or None when it has ended.
        self._said: queue.SimpleQueue[tuple[_Process, Any]] = queue.SimpleQueue()

    def run(self, tasks: Iterable[Task], report: TaskReport) -> Iterator[Ended]:
        """Each task as it ends, in any order."""
        waiting = iter(tasks)
        again: collections.deque[tuple[Task, bytes]] = collections.deque()
        tries: collections.Counter[int] = collections.Counter()
        done: set[int] = set()
        pace = Pace()
        exhausted = False
        while True:
            while not exhausted or again:
                free = self._free()
                if free is None:
                    break
                if again:
                    task, payload = again.popleft()
                else:
                    found = next(waiting, None)
                    if found is None:
                        exhausted = True
                        break
                    task, payload = found, pickled(found)
                self._give(free, task, payload)
            if exhausted and not again:
                if not any(process.held for process in self._processes):
                    return
                self._copy_late(pace)
            try:
                process, message = self._said.get(timeout=_LOOK)
            except queue.Empty:
                continue
            if message is None:
                yield from self._replace(process, again, tries, done)
                continue
            kind, number, value = message
            process.current = number
            if kind == "report":
                if number not in done:
                    report(number, value)
                continue
            task, _ = process.held.pop(number)
            pace.ended(time.monotonic() - process.since)
            process.current, process.since = next(iter(process.held), -1), time.monotonic()
            others = [other for other in self._processes if number in other.held]
            if number in done or (kind != "value" and others):
                continue  # the first result counts; an error only if no copy is left
            done.add(number)
            for other in others:
                if other.current in done:
                    other.started.kill()  # whoever listens to it announces its end
            yield Ended(number, value) if kind == "value" else Ended(number, error=placed(value, task))

    def _copy_late(self, pace: Pace) -> None:
        """Give copies of a task that is late, and of the one that waits for it, to processes without work."""
        idle = [process for process in self._processes if not process.held]
        now = time.monotonic()
        for process in [process for process in self._processes if process.held and pace.is_late(now - process.since)]:
            for number, held in process.held.items():
                if idle and sum(number in other.held for other in self._processes) == 1:
                    self._give(idle.pop(), *held)

    def _free(self) -> _Process | None:
        """The process with the fewest tasks that can take one more; a new one while there are fewer than asked for."""
        idle = next((process for process in self._processes if not process.held), None)
        if idle is not None:
            return idle
        if len(self._processes) < self.workers:
            return self._start()
        return next((process for process in self._processes if len(process.held) < _HELD), None)

    def _start(self) -> _Process:
        paths = [path or os.getcwd() for path in sys.path]
        try:
            started = subprocess.Popen(
                [sys.executable, "-m", "bitmeter.scale.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **self._share()},
            )
        except OSError as error:
            message = f"no further process can be started: {error}; use fewer workers"
            raise WorkerError(message) from error
        process = _Process(started)
        self._processes.append(process)
        thread = threading.Thread(target=self._listen, args=(process,), daemon=True)
        thread.start()
        self._threads.append(thread)
        return process

    def _share(self) -> dict[str, str]:
        """What a process may use, so that together they use no more than one would: processors, or one device each."""
        found = {"OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // self.workers)), **os.environ}
        devices = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
        if self.per_device and len(devices) > 1:
            found["CUDA_VISIBLE_DEVICES"] = devices[self._started % len(devices)]
        self._started += 1
        return {name: found[name] for name in ("OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES") if name in found}

    def _listen(self, process: _Process) -> None:
        file = process.started.stdout
        assert file is not None
        try:
            while True:
                self._said.put((process, read_message(file)))
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self._said.put((process, None))

    def _give(self, process: _Process, task: Task, payload: bytes) -> None:
        process.held[task.number] = task, payload
        if len(process.held) == 1:
            process.current, process.since = task.number, time.monotonic()
        assert process.started.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # its end is announced by whoever listens to it
            write_message(process.started.stdin, (task.number, payload))

    def _replace(
        self,
        process: _Process,
        again: collections.deque[tuple[Task, bytes]],
        tries: collections.Counter[int],
        done: set[int],
    ) -> Iterator[Ended]:
        """Take the tasks of a process that has ended; the one that it did has been tried once more."""
        self._processes.remove(process)
        _end(process)
        if not process.held:
            return
        if process.current not in done:
            self.lost += 1
            tries[process.current] += 1
        for number, (task, payload) in process.held.items():
            if number in done or any(number in other.held for other in self._processes):
                continue  # it was done, or is being done, by another
            if tries[number] >= MOST_TRIES:
                yield Ended(number, error=lost_task(task, tries[number]))
            else:
                again.append((task, payload))
        process.held.clear()

    def close(self) -> None:
        """End all processes, whatever they do."""
        for process in self._processes:
            # Without this word, the end of its input ends it at once.
            if not process.held:
                with contextlib.suppress(OSError):
                    assert process.started.stdin is not None
                    write_message(process.started.stdin, None)
            with contextlib.suppress(OSError):
                assert process.started.stdin is not None
                process.started.stdin.close()
        for process in self._processes:
            _end(process)
        self._processes.clear()
        for thread in self._threads:
            thread.join(_PATIENCE)
        self._threads.clear()


def _end(process: _Process) -> None:
    with contextlib.suppress(OSError):
        if process.started.stdin is not None:
            process.started.stdin.close()
    try:
        process.started.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.started.kill()
        process.started.wait()
    if process.started.stdout is not None:
        with contextlib.suppress(OSError):
            process.started.stdout.close()


def _plus_one(number: int, report: object) -> int:
    """For the example."""
    return number + 1
