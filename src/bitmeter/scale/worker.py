"""A process of the local pool: takes tasks from its standard input, and answers on its standard output.

It is started as `python -m bitmeter.scale.worker`, so that nothing of the caller's program is run a second time. When
its standard input ends, the caller has gone or has no more use for it: it ends at once, whatever it is doing. What it
was writing has no name yet.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import struct
import sys
import threading
from typing import IO, Any

__all__ = ["main", "read_message", "write_message"]

_LENGTH = struct.Struct("<Q")


def read_message(file: IO[bytes]) -> Any:
    """The next message; EOFError when there are no more."""
    head = _read(file, _LENGTH.size)
    return pickle.loads(_read(file, _LENGTH.unpack(head)[0]))


def _read(file: IO[bytes], size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        more = file.read(size - len(data))
        if not more:
            raise EOFError
        data += more
    return bytes(data)


def write_message(file: IO[bytes], message: Any) -> None:
    """Send a message."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    file.write(_LENGTH.pack(len(data)))
    file.write(data)
    file.flush()


def main() -> None:
    """Do tasks until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the caller decides
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints is no answer
    asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    while (task := asked.get()) is not None:
        number, payload = task
        try:
            write_message(answers, _answer(number, payload, answers))
        except BrokenPipeError:
            break
    with contextlib.suppress(BrokenPipeError):
        answers.close()


def _listen(file: IO[bytes], asked: queue.SimpleQueue[Any]) -> None:
    try:
        while (task := read_message(file)) is not None:
            asked.put(task)
    except EOFError:
        os._exit(1)
    asked.put(None)


def _answer(number: int, payload: bytes, answers: IO[bytes]) -> tuple[str, int, Any]:
    def report(more: float) -> None:
        write_message(answers, ("report", number, more))

    try:
        call, arguments = pickle.loads(payload)
        answer = ("value", number, call(*arguments, report))
    except BrokenPipeError:
        raise
    except Exception as error:
        return "error", number, sendable(error)
    try:
        pickle.dumps(answer[2])
    except Exception as error:
        return "error", number, sendable(error)
    return answer


def sendable(error: Exception) -> Exception:
    """The error, or one that says the same and can be pickled; with the lines where it came from."""
    import traceback

    from bitmeter.errors import BitmeterError

    lines = "".join(traceback.format_exception(error))
    try:
        copy = pickle.loads(pickle.dumps(error))
    except Exception:
        copy = RuntimeError(f"{type(error).__name__}: {error}")
    if not isinstance(copy, BitmeterError | OSError):
        copy.add_note(f"in a worker:\n{lines}")
    assert isinstance(copy, Exception)
    return copy


if __name__ == "__main__":
    main()
