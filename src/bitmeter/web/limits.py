"""How much one request, and all requests together, may ask of the server."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from bitmeter._util.progress import Step

__all__ = ["BusyError", "Deadline", "Limits", "Pool", "StoppedError"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """What the server refuses to go beyond.

    Attributes
    ----------
    body
        The most bytes of one request.
    held
        The most bytes of all requests that are being answered.
    live
        The most bytes of a text that is scored while the client waits.
    text
        The most bytes of a text of a job.
    seconds, job_seconds
        The longest that a request and a job may compute.
    body_seconds
        The longest that a client may take to send a request.
    workers
        How many requests compute at once; jobs have one worker of their own.
    waiting
        How many requests may wait for a worker.
    jobs
        How many jobs may wait or run.
    kept
        How many finished jobs are kept until they are fetched.
    models
        The most models of one request.
    """

    body: int = 16_000_000
    held: int = 256_000_000
    live: int = 300_000
    text: int = 10_000_000
    seconds: float = 30.0
    job_seconds: float = 3600.0
    body_seconds: float = 30.0
    workers: int = 2
    waiting: int = 64
    jobs: int = 8
    kept: int = 12
    models: int = 6


class BusyError(Exception):
    """As many requests wait already as may wait."""


class StoppedError(Exception):
    """The work was cancelled, or took too long."""


class Deadline:
    """A progress callback that stops the work: when it takes too long, or when it was cancelled.

    Parameters
    ----------
    seconds
        From now on.
    listener
        Called with each step.

    Examples
    --------
    >>> deadline = Deadline(60.0)
    >>> deadline.stop()
    >>> deadline(Step(1, 2))
    Traceback (most recent call last):
    bitmeter.web.limits.StoppedError: it was cancelled
    """

    def __init__(self, seconds: float, listener: Callable[[Step], object] | None = None) -> None:
        self._seconds, self._listener = seconds, listener
        self._until = time.monotonic() + seconds
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Stop the work at its next step."""
        self._stopped.set()

    @property
    def is_stopped(self) -> bool:
        """Whether the work was cancelled."""
        return self._stopped.is_set()

    def check(self) -> None:
        """Raise if the work must not go on."""
        if self._stopped.is_set():
            message = "it was cancelled"
            raise StoppedError(message)
        if time.monotonic() > self._until:
            message = f"it took longer than {self._seconds:g} s; give a shorter text, or make it a job (POST /api/jobs)"
            raise StoppedError(message)

    def __call__(self, step: Step) -> None:
        """One step of the work."""
        self.check()
        if self._listener is not None:
            self._listener(step)


class Pool:
    """Threads for work that a client waits for; more than may wait are refused."""

    def __init__(self, workers: int, waiting: int) -> None:
        self._most = workers + waiting
        self._inside = 0
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="bitmeter-live")
        self._lock = threading.Lock()
        self._running: set[Deadline] = set()
        self._closed = False

    async def run(self, work: Callable[[Deadline], T], seconds: float) -> T:
        """Do the work in a thread, for at most so long; a BusyError if too many wait."""
        if self._inside >= self._most:
            message = f"{self._inside} requests wait already; try again in a second"
            raise BusyError(message)
        if self._closed:
            message = "the server is ending"
            raise StoppedError(message)
        self._inside += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, work, seconds)
        finally:
            self._inside -= 1

    def _run(self, work: Callable[[Deadline], T], seconds: float) -> T:
        deadline = Deadline(seconds)
        with self._lock:
            self._running.add(deadline)
            if self._closed:
                deadline.stop()
        try:
            deadline.check()
            return work(deadline)
        finally:
            with self._lock:
                self._running.discard(deadline)

    def is_busy(self) -> bool:
        """Whether a thread still works."""
        return bool(self._running)

    def close(self) -> None:
        """End the work at its next step, and the threads with it; what waits ends, too."""
        with self._lock:
            self._closed = True
            for deadline in self._running:
                deadline.stop()
        self._threads.shutdown(wait=False)
