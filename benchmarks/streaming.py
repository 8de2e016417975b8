"""Scoring a long text: speed and peak memory.

    python benchmarks/streaming.py [MODEL…] [--size 1000] [--docs file,line] [--file TEXT]

Without a file, a text of the given size in MB is written to the disk first: the words of the language reference that
comes with Python, with the white space after each, in random order, so that a compressor finds no long repeats.
Each row is a process of its own; its memory is the largest resident set that the operating system saw.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table
from stopwatch import header

from bitmeter.text.corpus.sample import sample_text

MODELS = ["uniform", "kt", "zstd:3"]
#: What all must stay below, in MB.
LIMIT = 300

CHILD = """
import json, resource, sys, time
import bitmeter as bm
model, path, docs = sys.argv[1:]
bm.score(model, b"warm up\\n" * 50, docs=docs)
begun, used = time.perf_counter(), time.process_time()
score = bm.score(model, path, docs=docs)
seconds, used = time.perf_counter() - begun, time.process_time() - used
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps({
    "bytes": score.bytes, "documents": score.documents, "bits": score.bits_per_byte,
    "seconds": seconds, "used": used, "peak": peak,
}))
"""


def write(path: Path, size: int) -> None:
    """A text of `size` bytes: words in random order."""
    words = re.findall(rb"\S+\s*", sample_text().encode())
    dice = random.Random(0)
    done = 0
    with path.open("wb") as file:
        while done < size:
            done += file.write(b"".join(dice.choices(words, k=100_000))[: size - done])


def measure(model: str, path: Path, docs: str) -> dict[str, float]:
    run = subprocess.run(
        [sys.executable, "-c", CHILD, model, str(path), docs], capture_output=True, text=True, check=False
    )
    if run.returncode:
        sys.exit(run.stderr)
    found: dict[str, float] = json.loads(run.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed and memory of scoring a long text.")
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--size", type=float, default=1000, help="MB of text")
    parser.add_argument("--docs", default="file,line", help="what a document is, several with commas")
    parser.add_argument("--file", type=Path, help="a text instead of one that is made")
    arguments = parser.parse_args()
    print(header())
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.file or Path(folder) / "text.txt"
        if arguments.file is None:
            write(path, round(arguments.size * 1_000_000))
        table = Table(title=f"{path.stat().st_size / 1e6:,.0f} MB, one process per row", box=None)
        for column in (
            "model",
            "docs",
            "documents",
            "bits/byte",
            "MB/s",
            "MB/CPU s",
            "peak MB",
            f"under {LIMIT} MB",
        ):
            table.add_column(column, justify="left" if column in ("model", "docs") else "right")
        for model in arguments.models:
            for docs in arguments.docs.split(","):
                found = measure(model, path, docs)
                megabytes, peak = found["bytes"] / 1e6, found["peak"] / 1e6
                rates = [f"{megabytes / found[clock]:,.0f}" for clock in ("seconds", "used")]
                verdict = "yes" if peak < LIMIT else "NO"
                table.add_row(
                    model, docs, f"{found['documents']:,}", f"{found['bits']:.4f}", *rates, f"{peak:,.0f}", verdict
                )
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
