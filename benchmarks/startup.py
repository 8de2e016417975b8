"""What starting costs: wall time of `import bitmeter` and `bitmeter --help`, and the imports that are paid for.

    python benchmarks/startup.py [--runs 10]

The limit is 0.3 s on a quiet machine; the program ends with 1 when it is passed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time

LIMIT = 0.3
HELP = "import sys; from bitmeter.cli import main; sys.argv = ['bitmeter', '--help']; main()"
CASES = {
    "python -c pass": "pass",
    "import bitmeter": "import bitmeter",
    "bitmeter --help": HELP,
    "import numpy (for comparison)": "import numpy",
}


def best(code: str, runs: int) -> float:
    """The least wall time of several runs, in seconds: what the machine's other work adds is left out."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def imports(code: str) -> list[tuple[int, str]]:
    """Microseconds that each module takes in itself, without what it imports, the dearest first."""
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True)
    rows = re.findall(r"^import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)$", done.stderr, re.MULTILINE)
    return sorted(((int(micros), name) for micros, name in rows), reverse=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    runs = parser.parse_args().runs
    bare = best(CASES["python -c pass"], runs)
    slow = False
    print(f"best of {runs} runs            wall      above bare Python")
    for name, code in CASES.items():
        seconds = best(code, runs)
        slow = slow or ("bitmeter" in name and seconds > LIMIT)
        print(f"{name:<30} {seconds:6.3f} s  {max(seconds - bare, 0.0):6.3f} s")
    for name in ("import bitmeter", "bitmeter --help"):
        found = imports(CASES[name])
        print(f"\n{name}: {len(found)} modules; the dearest, in ms:")
        for micros, module in found[:8]:
            print(f"  {micros / 1000:6.2f}  {module}")
    print(f"\nlimit {LIMIT} s: {'PASSED OVER' if slow else 'met'}")
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
