"""SIGTERM and SIGHUP end a command as Ctrl-C does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bitmeter.cli.signals import ended_by_signals

#: A named temporary file is what a signal could leave; files without a name leave nothing by themselves.
TRAINING = """
import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and so it would stay
del os.O_TMPFILE
os.O_TMPFILE = os.O_DIRECTORY
from bitmeter._util.files import replacing
from bitmeter import cli
from bitmeter.cli.measure import score
def slow(*words, **options):
    with replacing(sys.argv[1]):
        print("begun", flush=True)
        import time
        time.sleep(60)
score._measure = slow
cli.main(["score", "kt", sys.argv[2], "-q"])
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_removes_what_was_begun(name: str, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("to be or not to be\n")
    with subprocess.Popen(
        [sys.executable, "-c", TRAINING, str(tmp_path / "out"), str(text)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as child:  # fmt: skip
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == b"begun\n"
        assert len(os.listdir(tmp_path)) == 2
        child.send_signal(signal.Signals[name])
        assert child.wait(30) == 128 + signal.Signals[name]
        assert child.stderr.read() == b""
    assert os.listdir(tmp_path) == ["text"]


def test_a_signal_raises_an_exit_with_its_number() -> None:
    before = signal.getsignal(signal.SIGTERM)

    def ended() -> None:
        with ended_by_signals():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)

    with pytest.raises(SystemExit) as caught:
        ended()
    assert caught.value.code == 143
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_second_signal_does_not_interrupt_the_removal() -> None:
    removed = []

    def ended() -> None:
        with ended_by_signals():
            try:
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(5)
            finally:
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(0.01)
                removed.append(True)

    with pytest.raises(SystemExit):
        ended()
    assert removed


def test_what_is_ignored_stays_so() -> None:
    """As with nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_by_signals():
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(0.01)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_other_threads_are_left_alone() -> None:
    reached = []

    def inside() -> None:
        with ended_by_signals():
            reached.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert reached == [signal.getsignal(signal.SIGTERM)]


class Meddlesome:
    """Its __set_name__ is interrupted, of which Python 3.11 makes a RuntimeError."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __set_name__(self, owner: type, name: str) -> None:
        os.kill(os.getpid(), self.number)
        time.sleep(5)


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)])
def test_a_signal_that_a_library_turns_into_an_error_is_still_a_signal(
    number: int, expected: type[BaseException]
) -> None:
    def ended() -> None:
        with ended_by_signals():
            type("Interrupted", (), {"field": Meddlesome(number)})

    with pytest.raises(expected):
        ended()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_without_a_signal_stays_what_it_is() -> None:
    def failed() -> None:
        with ended_by_signals():
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failed()
