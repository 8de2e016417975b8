"""The peak memory of a program of its own: what this process holds does not count."""

from __future__ import annotations

import subprocess
import sys

#: Promised: so much, and twice the largest record.
PROMISED = 256 << 20

_BEGIN = "import sys\n"
_END = """
from pathlib import Path
status = Path("/proc/self/status")
if status.exists():
    peak = next(int(line.split()[1]) << 10 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
else:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(peak)
"""


def peak_of(code: str, *arguments: object) -> tuple[int, list[str]]:
    """Run some lines of Python; the most bytes that were in memory, and the lines that it printed."""
    command = [sys.executable, "-c", _BEGIN + code + _END, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    *lines, peak = done.stdout.splitlines()
    return int(peak), lines
