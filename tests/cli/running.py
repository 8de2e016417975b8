"""Running the command line in a test."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bitmeter import cli

#: The program, as a process.
MAIN = [sys.executable, "-c", "from bitmeter.cli import main; main()"]


class Terminal(io.StringIO):
    """Stands for a terminal, in this process."""

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> str:
        """What was written, without colours and movements of the cursor."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.getvalue())


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run a command in this process: its exit code, stdout and stderr."""
    code = cli._run(list(words))
    printed, said = capsys.readouterr()
    return code, printed, said


def at_terminal(*words: str, typed: str = "", folder: Path | None = None, columns: int = 90) -> tuple[int, str]:
    """Run a command with a terminal as stdin, stdout and stderr: its exit code and all that the terminal showed."""
    terminal, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CI")}
    child = subprocess.Popen(
        [*MAIN, *words], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, cwd=folder,
        env={**environment, "TERM": "xterm-256color", "COLUMNS": str(columns)},
    )  # fmt: skip
    os.close(theirs)
    os.write(terminal, typed.encode())
    shown = b""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            block = os.read(terminal, 65536)
        except OSError:  # the child has closed its side
            break
        if not block:
            break
        shown += block
    os.close(terminal)
    return child.wait(timeout=30), shown.decode()
