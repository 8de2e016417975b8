"""Every benchmark, one after the other: `make bench` at full size, `make bench SIZE=small` in about two minutes.

    python benchmarks/suite.py [--size full|small] [--only NAME…]

A benchmark that fails does not stop the others; the program then exits with 1. The texts are parts of the language
reference that comes with Python, and the network is the tiny one of the tests: figures to see that all of it runs. For
figures worth citing, give a benchmark texts and models of your own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from stopwatch import header, timed

from bitmeter.text.corpus.sample import sample_text

HERE = Path(__file__).parent
NETWORK = HERE.parent / "tests" / "parity" / "tiny"


@dataclass(frozen=True)
class Job:
    """A benchmark and its arguments; `{train}`, `{valid}`, `{test}`, `{text}` and `{network}` are paths."""

    name: str
    small: str
    full: str = ""

    def command(self, size: str, paths: dict[str, Path]) -> list[str]:
        words = (self.small if size == "small" else self.full).split()
        return [sys.executable, str(HERE / f"{self.name}.py"), *(word.format(**paths) for word in words)]


JOBS = [
    Job("startup", "--runs 2"),
    Job("footprint", ""),
    Job("theory", "--size 50000 --repeat 1 --lz76 5000"),
    Job("estimators", "--replicates 1 --length 5000 --text {test}"),
    Job("intervals", "--runs 4 --draws 2", "--runs 200 --draws 50"),
    Job("text", "--size 1 --repeat 1"),
    Job("streaming", "kt --size 0.5", "--size 200"),
    Job("ngram", "{train} {test} --order 3 --repeat 1 --starts 1", "{train} {test}"),
    Job("kenlm_module", "{train} {test} --order 3 --repeat 1", "{train} {test}"),
    Job("filter", "{train} {test} --vocabulary 400 --order 3 --repeat 1", "{train} {test}"),
    Job("pieces", "{train} {test} --size 1000 --order 3 --repeat 1", "{train} {test}"),
    Job("overlap", "{train} {test} --repeat 1 --peer-bytes 500", "{train} {test}"),
    Job("scale", "{train} {test} --order 3 --copies 1 --repeat 1 --parts 10", "{train} {test} --copies 200"),
    Job("scale_training", "{train} --order 3", "{train}"),
    Job("schedule", "--runs 1 --most 3900"),
    Job("training", "{train} --order 3 --memory 1G", "{train} --memory 4G 1G"),
    Job("mixture", "{valid} {valid} {test} --no-unk-word", "{train} {valid} {test} --no-unk-word"),
    Job("learning", "{valid} --kinds lstm --epochs 1", "{text}"),
    Job("compressors", "--front --size 0.01", "--front"),
    Job("roundtrips", "--models universal:small,kt --zeros 1", "--zeros 100"),
    Job("clients", "--clients 8 --seconds 2"),
    Job("pages", "--size 0.03 --tries 1"),
    Job("head", "--positions 16 --width 32 --vocabulary 600 --repeat 1", "--repeat 3"),
    Job("neural", "{network} {lines} --docs 4 --only ours", "{network} {lines}"),
]


def texts(folder: Path, size: str) -> dict[str, Path]:
    """The sample text, split 8:1:1 at line ends; the small size takes 200 kB of it."""
    data = sample_text().encode()
    data = data[:200_000] if size == "small" else data
    first, second = (data.index(b"\n", len(data) * tenths // 10) + 1 for tenths in (8, 9))
    parts = {"text": data, "train": data[:first], "valid": data[first:second], "test": data[second:]}
    # The tiny network reads 64 tokens: short lines, each a document.
    parts["lines"] = b"\n".join(line[:80] for line in parts["test"].split(b"\n"))
    paths = {name: folder / f"{name}.txt" for name in parts}
    for name, path in paths.items():
        path.write_bytes(parts[name])
    return paths | {"network": NETWORK}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("full", "small"), default="full")
    parser.add_argument("--only", nargs="+", choices=[job.name for job in JOBS], help="some of them")
    chosen = parser.parse_args()
    print(header())
    lines, failed = [], []
    with tempfile.TemporaryDirectory() as folder:
        paths = texts(Path(folder), chosen.size)
        for job in JOBS:
            if chosen.only and job.name not in chosen.only:
                continue
            print(f"== {job.name}", flush=True)
            command = job.command(chosen.size, paths)
            taken, done = timed(lambda words=command: subprocess.run(words, check=False))  # type: ignore[misc]
            failed += [job.name] if done.returncode else []
            lines.append(f"{job.name:<14}{taken.cpu:>10.1f}{taken.wall:>10.1f}{done.returncode:>8}")
    print(f"\n{'benchmark':<14}{'CPU s':>10}{'wall s':>10}{'exit':>8}", *lines, sep="\n")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
