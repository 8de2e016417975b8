"""What starting costs: CPU and wall seconds of `import bitmeter` and `bitmeter --help`, and of each import in them.

    python benchmarks/startup.py [--runs 10]

The limit is 0.3 CPU seconds, so that other work on the machine does not count; the program exits with 1 above it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys

from stopwatch import Seconds, best, header

LIMIT = 0.3
HELP = "import sys; from bitmeter.cli import main; sys.argv = ['bitmeter', '--help']; main()"
CASES = {
    "python -c pass": "pass",
    "import bitmeter": "import bitmeter",
    "bitmeter --help": HELP,
    "import numpy (for comparison)": "import numpy",
}


def start(code: str, runs: int) -> Seconds:
    """The least of several runs."""
    return best(lambda: subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True), runs)[0]


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
    bare = start(CASES["python -c pass"], runs)
    slow = False
    print(f"best of {runs:<2} runs                    CPU       wall   CPU above bare Python")
    for name, code in CASES.items():
        taken = start(code, runs)
        slow = slow or ("bitmeter" in name and taken.cpu > LIMIT)
        above = max(taken.cpu - bare.cpu, 0.0)
        print(f"{name:<30} {taken.cpu:6.3f} s  {taken.wall:6.3f} s  {above:6.3f} s")
    for name in ("import bitmeter", "bitmeter --help"):
        found = imports(CASES[name])
        print(f"\n{name}: {len(found)} modules; the slowest, in ms:")
        for micros, module in found[:8]:
            print(f"  {micros / 1000:6.2f}  {module}")
    print(f"\nlimit {LIMIT} CPU s: {'EXCEEDED' if slow else 'met'}")
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
