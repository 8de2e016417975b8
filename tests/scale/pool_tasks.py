"""Tasks for the tests: functions of a module, since they are run by other processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from bitmeter._util.jobs import Report


def double(number: int, report: Report) -> int:
    report(number)
    return 2 * number


def fail(message: str, report: Report) -> None:
    raise ValueError(message)


def die(anything: Any, report: Report) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(mark: str, report: Report) -> str:
    """Kill the process that does it, unless one has been killed already."""
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return "done"
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def sleep(report: Report) -> None:
    time.sleep(600)


def sleep_once(mark: str, report: Report) -> str:
    """Take very long, unless someone else does already."""
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return "done"
    time.sleep(600)
    raise AssertionError


def tell_and_sleep(report: Report) -> None:
    report(1)
    time.sleep(600)


def speak(word: str, report: Report) -> int:
    print(word, flush=True)
    return len(word)


def give_function(report: Report) -> Any:
    return lambda: None


def killed_once(mark: str, call: Any, arguments: tuple[Any, ...], report: Report) -> Any:
    """Kill the process after the task was done and before anyone knows, unless one has been killed already."""
    found = call(*arguments, report)
    die_once(mark, report)
    return found


def environment(name: str, report: Report) -> str | None:
    return os.environ.get(name)


def process(report: Report) -> int:
    time.sleep(0.05)
    return os.getpid()
