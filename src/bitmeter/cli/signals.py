"""SIGTERM and SIGHUP end a command as Ctrl-C does: what it had begun is removed.

The library installs no handlers; the command line does, for as long as a verb runs.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType

__all__ = ["EXIT_CODE", "ended_by_signals"]

#: What is added to the number of a signal, as shells do.
EXIT_CODE = 128
_NAMES = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP

_Handler = Callable[[int, FrameType | None], None]


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """While the block runs, a signal raises SystemExit with 128 plus its number; an ignored one stays so (nohup).

    SIGINT raises KeyboardInterrupt, as ever. Either may reach code that turns it into another exception: Python 3.11
    makes a RuntimeError of an interrupt that comes while a class is created. Whatever leaves the block after a signal
    is therefore the signal's.
    """
    known = [signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__]
    ours = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    came: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        del frame
        came.append(number)
        for each in ours:
            signal.signal(each, signal.SIG_IGN)  # a second one must not interrupt the removal
        raise SystemExit(EXIT_CODE + number)

    def interrupt(number: int, frame: FrameType | None) -> None:
        came.append(number)
        signal.default_int_handler(number, frame)

    handlers: dict[int, _Handler] = dict.fromkeys(ours, end)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        handlers[signal.SIGINT] = interrupt
    with contextlib.ExitStack() as installed:
        for number, handler in handlers.items():
            try:
                before = signal.signal(number, handler)
            except ValueError:  # Python handles signals in its main thread only
                break
            installed.callback(signal.signal, number, before)
        try:
            yield
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            if not came:
                raise
            if came[0] == signal.SIGINT:
                raise KeyboardInterrupt from error
            raise SystemExit(EXIT_CODE + came[0]) from error
