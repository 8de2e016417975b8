"""Long work: it goes on while the client asks how far it is, and can be cancelled."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar

from bitmeter._util.progress import Step
from bitmeter.errors import BitmeterError
from bitmeter.web.limits import BusyError, Deadline, Limits, StoppedError

__all__ = ["Job", "Jobs", "State"]

State = Literal["waiting", "running", "done", "failed", "cancelled"]
R = TypeVar("R")
#: Is given a deadline and a function to call when a stage begins.
Work: TypeAlias = Callable[[Deadline, Callable[[str, float], None]], R]
#: What is over, and does not change again.
_OVER = ("done", "failed", "cancelled")


@dataclass
class Job(Generic[R]):
    """One piece of work.

    Attributes
    ----------
    id
        A word that cannot be guessed.
    state
        How it stands.
    share, stage, estimate
        How far it is, from 0 to 1, at what, and the figure so far.
    error
        Why it failed.
    result
        What it found.
    """

    id: str
    state: State = "waiting"
    share: float = 0.0
    stage: str = ""
    estimate: float | None = None
    error: str = ""
    result: R | None = None
    #: What is to be done, with its text, until it begins or is cancelled.
    work: Work[R] | None = field(default=None, repr=False)
    deadline: Deadline | None = field(default=None, repr=False)
    cancelled: bool = False


class Jobs(Generic[R]):
    """All jobs of a server, one after the other."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._jobs: dict[str, Job[R]] = {}
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="bitmeter-job")
        self._busy = False

    def submit(self, work: Work[R]) -> Job[R]:
        """Begin a job; a BusyError if too many wait.

        Parameters
        ----------
        work
            Is given a deadline, to call as the progress callback, and a function to call when a stage begins, with
            its name and the share of the work that it is.
        """
        with self._lock:
            active = sum(job.state not in _OVER for job in self._jobs.values())
            if active >= self._limits.jobs:
                message = f"{active} jobs wait or run already; cancel one, or try again when one is done"
                raise BusyError(message)
            over = [key for key, job in self._jobs.items() if job.state in _OVER]
            for key in over[: max(0, len(over) - self._limits.kept + 1)]:
                del self._jobs[key]
            job: Job[R] = Job(secrets.token_urlsafe(12), work=work)
            self._jobs[job.id] = job
        self._threads.submit(self._run, job)
        return job

    def _run(self, job: Job[R]) -> None:
        parts = [0.0, 0.0]  # the share of the stages before this one, and of this one

        def stage(name: str, share: float) -> None:
            parts[:] = [parts[0] + parts[1], share]
            job.stage, job.share = name, parts[0]

        def listen(step: Step) -> None:
            if step.share is not None:
                job.share = min(1.0, parts[0] + parts[1] * step.share)
            job.estimate = step.estimate

        with self._lock:
            work, job.work = job.work, None
            if job.cancelled or work is None:
                return
            job.deadline = Deadline(self._limits.job_seconds, listen)
            job.state, self._busy = "running", True
        result, why = None, ""
        try:
            result = work(job.deadline, stage)
            job.deadline.check()
        except (StoppedError, BitmeterError, OSError, MemoryError) as error:
            why = str(error) or type(error).__name__
        except Exception as error:  # the thread must not die with its job waiting for ever
            why = f"{type(error).__name__}: {error}"
        with self._lock:
            self._busy = False
            if not job.deadline.is_stopped:  # else it was cancelled meanwhile, and is over already
                if why:
                    job.error, job.state = why, "failed"
                else:
                    job.result, job.share, job.state = result, 1.0, "done"

    def get(self, name: str) -> Job[R] | None:
        """The job of an id; None if there is none."""
        with self._lock:
            return self._jobs.get(name)

    def cancel(self, name: str) -> Job[R] | None:
        """Stop a job, or forget one that is over; None if there is none."""
        with self._lock:
            job = self._jobs.get(name)
            if job is None:
                return None
            if job.state in _OVER:
                del self._jobs[name]
                return job
            _cancel(job)
            return job

    def is_busy(self) -> bool:
        """Whether a job is still being computed, cancelled or not."""
        return self._busy

    def close(self) -> None:
        """Cancel all jobs, and end."""
        with self._lock:
            for job in self._jobs.values():
                if job.state not in _OVER:
                    _cancel(job)
        self._threads.shutdown(wait=False, cancel_futures=True)


def _cancel(job: Job[R]) -> None:
    """It is over at once for who asks; what computes for it ends at its next step, and its text goes with it."""
    job.cancelled, job.state, job.error, job.work = True, "cancelled", "it was cancelled", None
    if job.deadline is not None:
        job.deadline.stop()
