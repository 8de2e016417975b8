"""What the benchmarks share: a header that names the processor, and CPU seconds beside wall seconds."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import bitmeter
from bitmeter import _core

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seconds:
    """What a run took. CPU seconds are those of all threads and of finished child processes, in the kernel too."""

    cpu: float
    wall: float


def processor() -> str:
    """The processor's name, as the system gives it."""
    if sys.platform == "darwin":
        asked = subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True, check=False
        )
        return asked.stdout.strip() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def features() -> str:
    """The instruction sets that numpy found, and those that bitmeter's core found and uses."""
    found = np.show_config(mode="dicts")["SIMD Extensions"]
    parts = [f"numpy {np.__version__}: {' '.join(found['baseline'] + found['found'])}"]
    core: dict[str, Any] = _core.cpu()
    kernels = ", ".join(f"{family} {kernel}" for family, kernel in core["kernels"].items())
    parts.append(f"bitmeter {bitmeter.__version__}: {core['level']} of {' '.join(core['levels'])} ({kernels})")
    parts.append(f"features: {' '.join(core['features']) or 'none beyond the baseline'}")
    return "; ".join(parts)


def header() -> str:
    """The machine that the figures below were taken on."""
    load = f"{os.getloadavg()[0]:.1f}"
    return f"processor: {processor()}, {os.cpu_count()} cores, load {load}, {platform.machine()}\n{features()}\n"


def used() -> float:
    """CPU seconds of this process and of its finished children."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def timed(run: Callable[[], T]) -> tuple[Seconds, T]:
    """Run once."""
    wall, cpu = time.perf_counter(), used()
    value = run()
    return Seconds(used() - cpu, time.perf_counter() - wall), value


def best(run: Callable[[], T], repeat: int, enough: float = float("inf")) -> tuple[Seconds, T]:
    """The least CPU and the least wall seconds of several runs, which stop early after one of `enough` seconds."""
    found = [timed(run)]
    while len(found) < repeat and found[-1][0].wall <= enough:
        found.append(timed(run))
    return Seconds(min(one.cpu for one, _ in found), min(one.wall for one, _ in found)), found[-1][1]


# Tasks of other processes, which import them from here.


def timed_call(
    call: Callable[..., Any], arguments: tuple[Any, ...], report: Callable[[float], object]
) -> tuple[Any, float]:
    """What a task gives, and the CPU seconds of its process."""
    started = time.process_time()
    return call(*arguments, report), time.process_time() - started


def nothing(number: int, report: Callable[[float], object]) -> int:
    """The least task."""
    return number


def sleep_once_longer(mark: str, first: float, again: float, report: object) -> None:
    """Sleep, the first time a mark is seen perhaps longer than later."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        first = again
    time.sleep(first)
