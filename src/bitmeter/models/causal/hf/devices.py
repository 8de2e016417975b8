"""One network on several devices: a process for each beyond the first, which share out the sequences of a text.

A process of its own for each device, because one interpreter cannot keep several of them busy. They are started as
programs of their own, so that nothing is asked of the script that uses bitmeter. They end with the model, or when their
input does.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter.errors import ModelError

__all__ = ["Workers", "shares"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_SIZE = 8


def shares(lengths: Sequence[int], number: int) -> list[list[int]]:
    """Sequences by their places, shared out so that all have about as many tokens: the longest first.

    Examples
    --------
    >>> shares([5, 1, 4, 2], 2)
    [[0, 1], [2, 3]]
    """
    found: list[list[int]] = [[] for _ in range(number)]
    loads = [0] * number
    for place in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        least = loads.index(min(loads))
        found[least].append(place)
        loads[least] += lengths[place]
    return found


class Workers:
    """Processes, each with the same network on a device of its own.

    Parameters
    ----------
    arguments
        Those of `HuggingFace`, without the device.
    devices
        One for each process.
    """

    def __init__(self, arguments: dict[str, Any], devices: Sequence[str]) -> None:
        self._lock = threading.Lock()
        self._asked = 0
        self._process = os.getpid()
        self._workers = [_Worker({**arguments, "device": device}) for device in devices]

    def ready(self) -> None:
        """Wait until all have loaded the network, which they do at once."""
        for worker in self._workers:
            worker.answer(0)

    def __len__(self) -> int:
        return len(self._workers)

    def score(
        self,
        sequences: Sequence[Ints],
        firsts: Sequence[int],
        way: str,
        own: Callable[[list[Ints], list[int]], list[Floats]],
        watch: Callable[[int, int], object] | None,
    ) -> list[Floats]:
        """What each sequence gets, some of them by `own`, the network of this process; `way` as in `ARITHMETICS`."""
        if self._process != os.getpid():
            message = "a forked process cannot use the devices of its parent; load the model in the new process"
            raise ModelError(message)
        parts = shares([len(sequence) for sequence in sequences], len(self) + 1)
        found: list[Floats] = [np.zeros(0)] * len(sequences)
        done = 0
        with self._lock:
            self._asked += 1
            for worker, part in zip(self._workers, parts[1:], strict=True):
                worker.ask(self._asked, ([sequences[i] for i in part], [firsts[i] for i in part], way))
            for place, part in enumerate(parts):
                answers = (
                    own([sequences[i] for i in part], [firsts[i] for i in part])
                    if place == 0
                    else self._workers[place - 1].answer(self._asked)
                )
                for i, answer in zip(part, answers, strict=True):
                    found[i] = answer
                done += len(part)
                if watch is not None:
                    watch(done, len(sequences))
        return found


class _Worker:
    """One process, and the numbered questions to it."""

    def __init__(self, arguments: dict[str, Any]) -> None:
        self._device = arguments["device"]
        # What it writes to stderr is shown only if it ends by itself; the file is closed with the process.
        self._words = tempfile.TemporaryFile()  # noqa: SIM115
        paths = os.pathsep.join(path for path in sys.path if path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bitmeter.models.causal.hf.worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words,
            env={**os.environ, "PYTHONPATH": paths}, start_new_session=True,  # Ctrl-C is for this process alone
        )  # fmt: skip
        weakref.finalize(self, _end, self._process, self._words)
        self.ask(0, arguments)

    def ask(self, number: int, question: Any) -> None:
        assert self._process.stdin is not None
        try:
            send(self._process.stdin, (number, question))
        except OSError as error:
            raise self._gone() from error

    def answer(self, number: int) -> Any:
        """The answer to a question; those to questions that were broken off are passed over."""
        assert self._process.stdout is not None
        while True:
            try:
                found, failed, value = receive(self._process.stdout)
            except EOFError as error:
                raise self._gone() from error
            if found == number:
                break
        if failed:
            message = f"the process for device {self._device}: {value}"
            raise ModelError(message, value=self._device)
        return value

    def _gone(self) -> ModelError:
        self._process.wait()
        self._words.seek(0)
        last = " ".join(self._words.read().decode("utf-8", "replace").split()[-40:])
        message = f"the process for device {self._device} ended by itself ({self._process.returncode}): {last}"
        return ModelError(message, value=self._device)


def _end(process: subprocess.Popen[bytes], words: IO[bytes]) -> None:
    """It holds nothing that would have to be saved."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):  # what was not sent yet is of no use to a process that is gone
                stream.close()
    words.close()


def send(stream: IO[bytes], what: Any) -> None:
    """Write one message."""
    data = pickle.dumps(what, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(_SIZE, "little") + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message. It comes from a process of our own: no other process holds the other end."""
    head = stream.read(_SIZE)
    data = stream.read(int.from_bytes(head, "little")) if len(head) == _SIZE else b""
    if not data:
        raise EOFError
    return pickle.loads(data)
