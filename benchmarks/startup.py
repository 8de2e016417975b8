"""What starting costs: CPU and wall seconds of `import bitmeter`, `bitmeter --help` and the panel of a short text.

    python benchmarks/startup.py [--runs 10]

The limit is 0.3 CPU seconds, so that other work on the machine does not count; the program exits with 1 above it. The
goal of the panel, all that `bitmeter score MODEL TEXT` prints of a text of 12 kB under a small n-gram model, is 0.08
CPU seconds. All runs are with compiled modules, as an installed package has them.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from goals import Goal, show_goals
from stopwatch import Seconds, best, header

import bitmeter as bm

LIMIT = 0.3
#: CPU seconds of the whole panel.
GOAL = 0.08
HELP = "import sys; from bitmeter.cli import main; sys.argv = ['bitmeter', '--help']; main()"
CASES: dict[str, str | None] = {
    "python -c pass": "pass",
    "import bitmeter": "import bitmeter",
    "bitmeter --help": HELP,
    "bitmeter score -q": None,
    "bitmeter score (the panel)": None,
    "import numpy (for comparison)": "import numpy",
}


def prepare(folder: Path) -> None:
    """Make the programs that score a short text under a small model, and let modules be compiled once."""
    words = [f"{a}{b}{c}" for a in "bcdfghjklmnp" for b in "aeiou" for c in "klmnprstvwxyz"]
    lines = [" ".join(words[(7 * i + k * k) % len(words)] for k in range(1 + i % 13)) for i in range(4000)]
    bm.NGram(order=5).fit("\n".join(lines[600:]).encode()).save(folder / "model.bmn")
    (folder / "text.txt").write_bytes("\n".join(lines).encode()[:12_000])
    os.environ |= {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "BITMETER_DATA": str(folder)}
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    files = [str(folder / "model.bmn"), str(folder / "text.txt")]
    for name, options in (("bitmeter score -q", ["-q"]), ("bitmeter score (the panel)", [])):
        CASES[name] = f"import sys; from bitmeter.cli import main; main({['score', *files, *options]!r})"


def start(code: str, runs: int) -> Seconds:
    """The least of several runs, after one that compiles modules."""
    command = [sys.executable, "-c", code]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return best(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True), runs)[0]


def imports(code: str) -> list[tuple[int, str]]:
    """Microseconds of each module by itself, without what it imports, the slowest first."""
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True)
    rows = re.findall(r"^import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)$", done.stderr, re.MULTILINE)
    return sorted(((int(micros), name) for micros, name in rows), reverse=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    runs = parser.parse_args().runs
    print(header())
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        sys.exit(measure(runs))


def measure(runs: int) -> int:
    """Print the table; 1 if a start exceeds the limit."""
    cases = {name: code for name, code in CASES.items() if code is not None}
    bare = start(cases["python -c pass"], runs)
    goals = []
    print(f"best of {runs:<2} runs                    CPU       wall   CPU above bare Python")
    for name, code in cases.items():
        taken = start(code, runs)
        above = max(taken.cpu - bare.cpu, 0.0)
        print(f"{name:<30} {taken.cpu:6.3f} s  {taken.wall:6.3f} s  {above:6.3f} s")
        if "bitmeter" in name:
            goals.append(Goal(f"{name}, CPU s", "≤", GOAL if "panel" in name else LIMIT, taken.cpu, 3))
    for name in ("import bitmeter", "bitmeter --help", "bitmeter score (the panel)"):
        found = imports(cases[name])
        print(f"\n{name}: {len(found)} modules; the slowest, in ms:")
        for micros, module in found[:8]:
            print(f"  {micros / 1000:6.2f}  {module}")
    print()
    show_goals(goals)
    return 1 if any(goal.reached > LIMIT for goal in goals) else 0


if __name__ == "__main__":
    main()
