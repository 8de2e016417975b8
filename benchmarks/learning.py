"""Small networks against n-grams, trained on the same bytes and measured on text that neither was trained on.

    python benchmarks/learning.py TEXT [--kinds lstm transformer] [--threads N]

The lines of TEXT are parted eight to one to one: all models learn from the first part, the second tells the networks
when to stop, and the third is the test. Every model is a distribution over byte strings, so that bits a byte compare.
"""

from __future__ import annotations

import argparse
import resource
from pathlib import Path

import bitmeter as bm


def main() -> None:
    """Print a row a model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--kinds", nargs="+", default=["lstm", "transformer"], choices=["lstm", "transformer"])
    parser.add_argument("--threads", type=int, default=0, help="how many torch uses; 0 for its own choice")
    options = parser.parse_args()
    train, valid, test = parts(options.text.read_bytes())
    print(f"{options.text.name}: {len(train):,} bytes to learn from, {len(valid):,} to stop by, {len(test):,} to test")
    print("| model | bits/byte of test | CPU seconds to train |\n|---|--:|--:|")
    for units, order in (("words", 5), ("bytes", 5), ("bytes", 7), ("bytes", 9)):
        started = cpu()
        docs = "line" if units == "words" else "file"
        model = bm.NGram(order, units=units).fit(bm.Corpus.from_text(train.decode(), docs=docs))
        row(f"{order}-gram of {units}", model, test, cpu() - started)
    row("universal, unprimed", bm.Universal(), test, 0.0)
    started = cpu()
    row("universal, primed", bm.Universal().with_prime(train), test, cpu() - started)
    for kind in options.kinds:
        started = cpu()
        network = bm.Neural(kind, threads=options.threads).fit(train, heldout=valid)
        row(f"{kind}, {network.parameters:,} parameters", network, test, cpu() - started)


def parts(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Eight to one to one, cut at ends of lines."""
    first = data.index(b"\n", len(data) * 8 // 10) + 1
    second = data.index(b"\n", len(data) * 9 // 10) + 1
    return data[:first], data[first:second], data[second:]


def cpu() -> float:
    """Seconds of all threads, in the kernel too."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def row(name: str, model: object, test: bytes, seconds: float) -> None:
    """Measure and print."""
    score = bm.score(model, test)
    print(f"| {name} | {score.bits_per_byte:.3f} | {seconds:,.1f} |", flush=True)


if __name__ == "__main__":
    main()
