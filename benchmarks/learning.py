"""Small networks against n-grams, trained on the same bytes and measured on text that neither was trained on.

    python benchmarks/learning.py TEXT [--kinds lstm transformer] [--threads N]

The lines of TEXT are split 8:1:1 into training, validation and test text. The validation text decides when training of
a network stops. Every model is a distribution over byte strings, so that bits per byte compare. The last lines say of
each network whether it is below the 5-gram of bytes, which is the goal of its defaults.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from goals import Goal, show_goals
from stopwatch import header, used

import bitmeter as bm

#: What the defaults of a network should be better than.
_GOAL = "5-gram of bytes"


def main() -> None:
    """Print one row per model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--kinds", nargs="+", default=["lstm", "transformer"], choices=["lstm", "transformer"])
    parser.add_argument("--threads", type=int, default=0, help="how many torch uses; 0 for its own choice")
    parser.add_argument("--epochs", type=int, help="of each network; the default of bm.Neural otherwise")
    options = parser.parse_args()
    print(header())
    train, valid, test = parts(options.text.read_bytes())
    print(f"{options.text.name}: {len(train):,} bytes to train, {len(valid):,} to validate, {len(test):,} to test")
    print("| model | bits/byte of test | CPU seconds to train |\n|---|--:|--:|")
    found: dict[str, float] = {}
    for units, order in (("words", 5), ("bytes", 5), ("bytes", 7), ("bytes", 9)):
        started = used()
        docs = "line" if units == "words" else "file"
        model = bm.NGram(order, units=units).fit(bm.Corpus.from_text(train.decode(), docs=docs))
        name = f"{order}-gram of {units}"
        found[name] = row(name, model, test, used() - started)
    row("universal, unprimed", bm.Universal(), test, 0.0)
    started = used()
    row("universal, primed", bm.Universal().with_prime(train), test, used() - started)
    given = {} if options.epochs is None else {"epochs": options.epochs}
    for kind in options.kinds:
        started = used()
        network = bm.Neural(kind, threads=options.threads).fit(train, heldout=valid, **given)
        found[kind] = row(f"{kind}, {network.parameters:,} parameters", network, test, used() - started)
    print()
    show_goals(
        Goal(f"{kind}, bits/byte, below the {_GOAL}", "<", found[_GOAL], found[kind], 3) for kind in options.kinds
    )


def parts(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Split 8:1:1 at ends of lines."""
    first = data.index(b"\n", len(data) * 8 // 10) + 1
    second = data.index(b"\n", len(data) * 9 // 10) + 1
    return data[:first], data[first:second], data[second:]


def row(name: str, model: object, test: bytes, seconds: float) -> float:
    """Measure, print, and return the bits per byte."""
    found = bm.score(model, test).bits_per_byte
    print(f"| {name} | {found:.3f} | {seconds:,.1f} |", flush=True)
    return found


if __name__ == "__main__":
    main()
