"""A model of the scheduler, event by event: what late tasks and lost processes add to the cost of a large run.

    python benchmarks/schedule.py [--seconds 9] [--spread 0.15] [--seed 1] [--runs 5] [--most FILES] [--check]

Workers take one file after the other. A file takes `--seconds`, by a lognormal distribution with this spread: the
figures of `benchmarks/scale.py` for files of 256 MB. Some files take five times as long, and processes are lost at
random, each with the file that it had, and replaced after 20 seconds. Late files are given to a second worker by the
rule of the program itself (`bitmeter.scale.pace`). It prints how long a run takes beyond the work divided by the
workers, with and without copies. --check compares the model with the local pool itself, whose tasks then sleep.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from stopwatch import header, sleep_once_longer

from bitmeter._util.jobs import Task
from bitmeter.scale import pace as pacing
from bitmeter.scale.local import LocalPool
from bitmeter.scale.pace import Pace


@dataclass
class Plan:
    """What is simulated; seconds."""

    workers: int
    tasks: list[float]  # how long each takes, the first time
    again: list[float] = field(default_factory=list)  # and each time after, elsewhere
    lost_per_hour: float = 0.0
    restart: float = 20.0
    copies: bool = True
    look: float = 1.0


@dataclass(order=True)
class _Event:
    at: float
    order: int
    worker: int = field(compare=False)
    task: int = field(compare=False)
    kind: str = field(compare=False)  # "end", "lost", "back" or "look"


class Simulation:
    """One run."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self._plan, self._draw = plan, random.Random(seed)
        self._events: list[_Event] = []
        self._pushed = 0
        self._waiting = list(range(len(plan.tasks)))[::-1]
        self._tried = [0] * len(plan.tasks)
        self._running: dict[int, tuple[int, float, int]] = {}  # by worker: the task, since when, and its event
        self._done: set[int] = set()
        self.busy = 0.0
        self.copied = self.lost = 0

    def _push(self, at: float, worker: int, task: int, kind: str) -> int:
        self._pushed += 1
        heapq.heappush(self._events, _Event(at, self._pushed, worker, task, kind))
        return self._pushed

    def _start(self, worker: int, task: int, now: float) -> None:
        plan = self._plan
        first = self._tried[task] == 0
        self._tried[task] += 1
        seconds = plan.tasks[task] if first or not plan.again else plan.again[task]
        until_lost = self._draw.expovariate(plan.lost_per_hour / 3600.0) if plan.lost_per_hour else math.inf
        kind = "lost" if until_lost < seconds else "end"
        event = self._push(now + min(seconds, until_lost), worker, task, kind)
        self._running[worker] = task, now, event

    def _stop(self, worker: int, now: float) -> None:
        self.busy += now - self._running.pop(worker)[1]

    def run(self) -> float:
        """Seconds until all tasks are done."""
        plan, pace, now = self._plan, Pace(), 0.0
        idle = list(range(plan.workers))
        self._push(plan.look, -1, -1, "look")
        while len(self._done) < len(plan.tasks):
            while self._waiting and idle:
                self._start(idle.pop(), self._waiting.pop(), now)
            event = heapq.heappop(self._events)
            now = event.at
            if event.kind == "look":
                self._push(now + plan.look, -1, -1, "look")
                if plan.copies and not self._waiting:
                    self._copy(idle, pace, now)
                continue
            if event.kind == "back":
                idle.append(event.worker)
                continue
            if self._running.get(event.worker, (0, 0.0, -1))[2] != event.order:
                continue  # ended because a copy was faster
            since = self._running[event.worker][1]
            self._stop(event.worker, now)
            others = [
                worker for worker, (task, _, _) in (self._running.items() if self.copied else ()) if task == event.task
            ]
            if event.kind == "lost":
                self.lost += 1
                self._push(now + plan.restart, event.worker, -1, "back")
                if not others:
                    self._waiting.append(event.task)
                continue
            pace.ended(now - since)
            self._done.add(event.task)
            idle.append(event.worker)
            for worker in others:
                self._stop(worker, now)
                idle.append(worker)
        return now

    def _copy(self, idle: list[int], pace: Pace, now: float) -> None:
        counts = [task for task, _, _ in self._running.values()]
        for task, since, _ in list(self._running.values()):
            if idle and counts.count(task) == 1 and pace.is_late(now - since):
                self.copied += 1
                self._start(idle.pop(), task, now)


def durations(number: int, seconds: float, spread: float, late: float, seed: int) -> tuple[list[float], list[float]]:
    """How long tasks take, with a share of late ones, and how long they take elsewhere: `seconds` on average."""
    draw = random.Random(seed)
    sigma = math.sqrt(math.log1p(spread * spread))
    plain = [seconds * math.exp(draw.gauss(-sigma * sigma / 2.0, sigma)) for _ in range(number)]
    return [5.0 * one if draw.random() < late else one for one in plain], plain


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=9.0, help="of a file of 256 MB")
    parser.add_argument("--spread", type=float, default=0.15, help="standard deviation over the mean")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--most", type=int, default=246_000, help="leave out runs of more files")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    print(header())
    print(f"files of {given.seconds:g} s; the mean of {given.runs} runs; over: wall time beyond work / workers")
    titles = (("files", 8), ("workers", 8), ("late", 7), ("lost/h", 7), ("wall", 10), ("over", 8), ("no copies", 10))
    print("".join(f"{title:>{width}}" for title, width in (*titles, ("copied", 8), ("lost", 6))))
    for files, workers in ((3_900, 32), (3_900, 256), (246_000, 1_024)):
        if files > given.most:
            continue
        for late, lost in ((0.0, 0.0), (0.01, 0.0), (0.0, 0.1), (0.01, 0.1)):
            rows = []
            for run in range(given.runs if files < 100_000 else 1):
                seed = given.seed + run
                first, again = durations(files, given.seconds, given.spread, late, seed)
                ideal = sum(first) / workers
                with_copies = Simulation(Plan(workers, first, again, lost), seed)
                wall = with_copies.run()
                without = Simulation(Plan(workers, first, again, lost, copies=False), seed).run()
                rows.append((wall, wall / ideal - 1.0, without / ideal - 1.0, with_copies.copied, with_copies.lost))
            wall, over, plain, copied, gone = (statistics.fmean(column) for column in zip(*rows, strict=True))
            print(
                f"{files:8,}{workers:8,}{late:7.0%}{lost:7.1f}{wall / 60.0:8.1f} m{over:8.1%}{plain:10.1%}"
                f"{copied:8.1f}{gone:6.1f}"
            )
    print(f"simulated in {time.process_time():.1f} CPU seconds")
    if given.check:
        _check(given.seed)


def _check(seed: int) -> None:
    """The model against the pool, with tasks that sleep: 4 processes, 60 tasks of 0.4 s, some five times late."""
    first, again = durations(60, 0.4, 0.3, 0.05, seed)
    first[-1] = 20.0  # the last one hangs, so that a copy is needed
    before, pacing.LEAST = pacing.LEAST, 1.0
    try:
        expected = Simulation(Plan(4, first, again), seed).run()
        with tempfile.TemporaryDirectory() as folder, LocalPool(4) as pool:
            list(
                pool.run(
                    [
                        Task(number, sleep_once_longer, (str(Path(folder, f"start{number}")), 0.0, 0.0))
                        for number in range(4)
                    ],
                    _ignore,
                )
            )
            began = time.perf_counter()
            tasks = [
                Task(number, sleep_once_longer, (str(Path(folder, str(number))), first[number], again[number]))
                for number in range(len(first))
            ]
            list(pool.run(tasks, _ignore))
            found = time.perf_counter() - began
    finally:
        pacing.LEAST = before
    print(f"\nthe pool: {found:.2f} s, the model: {expected:.2f} s ({found / expected - 1.0:+.1%})")


def _ignore(number: int, more: float) -> None:
    pass


if __name__ == "__main__":
    main()
