"""Messages of fixed form; a process that ends when its caller does."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
from types import ModuleType

import pytest

from bitmeter.errors import SourceError
from bitmeter.scale.worker import read_message, sendable, write_message


def test_messages_come_back_in_order() -> None:
    file = io.BytesIO()
    for message in ({"a": 1}, None, b"x" * 100_000):
        write_message(file, message)
    file.seek(0)
    assert [read_message(file) for _ in range(3)] == [{"a": 1}, None, b"x" * 100_000]
    with pytest.raises(EOFError):
        read_message(file)


def test_a_message_that_is_cut_is_none() -> None:
    file = io.BytesIO()
    write_message(file, "hello")
    with pytest.raises(EOFError):
        read_message(io.BytesIO(file.getvalue()[:-1]))


def test_it_ends_when_its_input_does(work: ModuleType) -> None:
    """As when the process that started it was killed, while a task runs."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "bitmeter.scale.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        write_message(process.stdin, (0, pickle.dumps((work.tell_and_sleep, ()))))
        assert read_message(process.stdout) == ("report", 0, 1)
        process.stdin.close()
        assert process.wait(60) == 1


def test_errors_are_sent_as_they_are_or_as_text() -> None:
    sent = sendable(SourceError("no file", path="a"))
    assert (type(sent), str(sent)) == (SourceError, "no file")

    class LocalError(Exception):
        pass

    text = sendable(LocalError("only here"))
    assert "only here" in str(text)
    pickle.dumps(text)
