"""A few kills of one verb, as `make faults` does by the hundred; and that it would see what must not be."""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CAMPAIGN = [
    sys.executable, str(ROOT / "faults" / "campaign.py"), "--only", "score", "--workers", "1", "--scale", "0.1",
]  # fmt: skip

#: Writes under the final name from the start, as a careless program would.
CARELESS = """
import contextlib, sys
from pathlib import Path
from bitmeter._util import files
@contextlib.contextmanager
def careless(path, *, force=False):
    Path(path).write_bytes(b"")
    yield Path(path)
import bitmeter.measure.score, bitmeter.measure.trace.files
bitmeter.measure.score.replacing = bitmeter.measure.trace.files.replacing = careless
sys.path.insert(0, sys.argv[1])
sys.argv = ["campaign.py", *sys.argv[2:]]
import campaign
sys.exit(campaign.main())
"""


@pytest.mark.timeout(600)  # seconds on a quiet machine, minutes on a busy one
def test_kills_leave_nothing_and_the_second_run_is_equal(tmp_path: Path) -> None:
    done = subprocess.run(
        [*CAMPAIGN, "--kills", "8", "--cases", "1", "--work", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("score ")]
    assert len(rows) == 9
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_waits_for_the_processor_is_not_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patience is the processor's time: one that computes is late by that alone, one that sleeps by the clock."""
    monkeypatch.syspath_prepend(ROOT / "faults")
    processes = importlib.import_module("processes")
    for code, most, still in (("while True: pass", 0.3, 1e9), ("import time; time.sleep(1e5)", 1e9, 1.0)):
        with subprocess.Popen([sys.executable, "-c", code]) as child:
            try:
                over, patience = processes.Patience(child.pid, most, still), processes.Patience(child.pid, 1e9, 1e9)
                while not over.is_over():
                    assert not patience.is_over()
                    time.sleep(0.05)
            finally:
                child.kill()


@pytest.mark.timeout(600)
def test_a_partial_file_would_be_seen(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CARELESS, str(ROOT / "faults"), *CAMPAIGN[2:], "--kills", "16", "--cases", "0",
         "--work", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FAILED" in done.stdout
