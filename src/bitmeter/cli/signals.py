"""SIGTERM and SIGHUP end a command as Ctrl-C does: what it had begun is removed.

The library installs no handlers; the command line does, for as long as a verb runs.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["EXIT_CODE", "ended_by_signals"]

#: What is added to the number of a signal, as shells do.
EXIT_CODE = 128
_NAMES = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """While the block runs, a signal raises SystemExit with 128 plus its number; an ignored one stays so (nohup)."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python handles signals in its main thread only
        return
    known = [signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__]
    before = {number: signal.getsignal(number) for number in known}
    ours = [number for number in known if before[number] is signal.SIG_DFL]

    def end(number: int, frame: FrameType | None) -> None:
        del frame
        for each in ours:
            signal.signal(each, signal.SIG_IGN)  # a second one must not interrupt the removal
        raise SystemExit(EXIT_CODE + number)

    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])
