"""Tasks that may run in other processes: the one interface to all executors, and the one that runs them here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeAlias

from bitmeter._util.progress import Step

__all__ = ["Ended", "Executor", "Here", "PartsStep", "Report", "Task", "TaskReport"]

#: By this a task says how much it has done since it last said so.
Report: TypeAlias = Callable[[float], object]
#: Called with the number of a task, and how much more of it is done.
TaskReport: TypeAlias = Callable[[int, float], object]


@dataclass(frozen=True, slots=True)
class Task:
    """Something to do, here or elsewhere.

    Attributes
    ----------
    number
        By which its result is known.
    call
        A function of a module, called with the arguments and, last, a `Report`. It may run twice, if the process that
        ran it first was lost: what it writes gets its name when it is whole.
    arguments
        What can be pickled, and is small: names of files rather than what they hold.
    place
        What it works on, for people.
    """

    number: int
    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    place: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """A task that has ended: what it returned, or what it raised."""

    number: int
    value: Any = None
    error: Exception | None = None

    def result(self) -> Any:
        """The value; or the error is raised."""
        if self.error is not None:
            raise self.error
        return self.value


@dataclass(frozen=True)
class PartsStep(Step):
    """How far work in parts is.

    Attributes
    ----------
    parts, of
        How many parts are done, and how many there are; 0 where they are not counted.
    workers
        How many processes do them.
    lost
        How many processes were lost.
    dashboard
        Where a browser shows what they do; empty if nowhere.
    """

    parts: int = 0
    of: int = 0
    workers: int = 1
    lost: int = 0
    dashboard: str = ""


class Executor(ABC):
    """Runs tasks.

    Attributes
    ----------
    workers
        How many tasks run at once.
    lost
        How many processes were lost (killed, or out of memory) and their tasks done by others.
    per_device
        Set before work begins whose tasks each need a device, such as a GPU, for as long as the process lives.
    dashboard
        The address of a page that shows what the processes do; empty if there is none, or it is not known yet.
    """

    workers: int = 1
    lost: int = 0
    per_device: bool = False
    dashboard: str = ""

    def state(self) -> dict[str, Any]:
        """What a `PartsStep` says of it."""
        return {"workers": self.workers, "lost": self.lost, "dashboard": self.dashboard}

    @abstractmethod
    def run(self, tasks: Iterable[Task], report: TaskReport) -> Iterator[Ended]:
        """Each task as it ends, in any order; no more are taken from `tasks` than are needed to keep all busy.

        A task whose process is lost runs again. After a caller leaves this loop early, only `close` is allowed.
        """

    def close(self) -> None:  # noqa: B027 (not all have something to end)
        """End what still runs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Here(Executor):
    """Runs one task after the other in this process.

    Examples
    --------
    >>> def double(number, report):
    ...     return 2 * number
    >>> [ended.value for ended in Here().run([Task(0, double, (4,)), Task(1, double, (5,))], print)]
    [8, 10]
    """

    def run(self, tasks: Iterable[Task], report: TaskReport) -> Iterator[Ended]:
        """Each task as it ends."""
        for task in tasks:
            number = task.number
            try:
                value = task.call(*task.arguments, lambda more, number=number: report(number, more))
            except Exception as error:
                yield Ended(number, error=error)
            else:
                yield Ended(number, value)
