"""`bitmeter overlap`: building the index of a corpus, and matching a text against it, beside what Python can do.

    python benchmarks/overlap.py CORPUS TEXT [--memory 500M] [--repeat 3] [--peer-bytes 20000]

MB per CPU second on one thread, the best of several rounds. Building is sorting (libdivsufsort) and writing the file.
The peer is the loop that one would write with pydivsufsort: a binary search by slices of bytes for each byte of the
text, over the first bytes of it; its lengths must be equal. If `tokengrams` is installed, its index of the same bytes
is built as well.
"""

from __future__ import annotations

import argparse
import importlib
import math
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pydivsufsort import divsufsort
from stopwatch import header, timed

import bitmeter as bm


def by_slices(corpus: bytes, suffixes: Any, text: bytes, many: int) -> list[int]:
    """The longest match at each of the first bytes: two neighbours in sorted order, found by halves."""
    lengths = []
    for place in range(many):
        asked = text[place : place + 4096]
        low, high = 0, len(suffixes)
        while low < high:
            middle = (low + high) // 2
            start = int(suffixes[middle])
            if corpus[start : start + 4096] < asked:
                low = middle + 1
            else:
                high = middle
        best = 0
        for rank in (low - 1, low):
            if 0 <= rank < len(suffixes):
                start = int(suffixes[rank])
                other = corpus[start : start + 4096]
                same = next((i for i, (a, b) in enumerate(zip(asked, other, strict=False)) if a != b), None)
                best = max(best, min(len(asked), len(other)) if same is None else same)
        lengths.append(best)
    return lengths


def tokengrams_build(corpus: bytes, folder: Path) -> Any | None:
    """The peer's index of bytes as tokens of 16 bits, as it has no smaller ones."""
    try:
        peer = importlib.import_module("tokengrams")
    except ImportError:
        return None
    np.frombuffer(corpus, dtype=np.uint8).astype("<u2").tofile(folder / "tokens.bin")
    return lambda: peer.MemmapIndex.build(str(folder / "tokens.bin"), str(folder / "tokens.idx"), vocab=256)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--memory", default=None)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--peer-bytes", type=int, default=20_000)
    arguments = parser.parse_args()
    print(header())
    corpus, text = arguments.corpus.read_bytes(), arguments.text.read_bytes()
    corpus, text = corpus.replace(b"\xff", b"?"), text.replace(b"\xff", b"?")
    built = matched = overlapped = sorted_ = math.inf
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.bmi"
        for _ in range(arguments.repeat):
            taken, index = timed(lambda: bm.OverlapIndex.build(corpus, path, memory=arguments.memory, force=True))
            built = min(built, taken.cpu)
            taken, lengths = timed(partial(index.lengths, text))
            matched = min(matched, taken.cpu)
            taken, found = timed(partial(bm.overlap, text, index))
            overlapped = min(overlapped, taken.cpu)
            taken, suffixes = timed(lambda: divsufsort(np.frombuffer(corpus, dtype=np.uint8).copy()))
            sorted_ = min(sorted_, taken.cpu)
        size, asked = len(corpus) / 1e6, len(text) / 1e6
        print(f"corpus {size:,.1f} MB, text {asked:,.1f} MB, {100 * found.coverage:.2f} % of it covered")
        print(f"{'MB per CPU second':<40}{'bitmeter':>10}{'peer':>10}")
        print(f"{'build the index, write and check it':<40}{size / built:>10.2f}")
        print(f"{'  sorting alone (pydivsufsort)':<40}{'':>10}{size / sorted_:>10.2f}")
        build = tokengrams_build(corpus, Path(folder))
        if build is not None:
            print(f"{'  tokengrams, the same bytes':<40}{'':>10}{size / timed(build)[0].cpu:>10.2f}")
        many = min(arguments.peer_bytes, len(text))
        taken, slow = timed(lambda: by_slices(corpus, suffixes, text, many))
        if slow != np.minimum(lengths[:many], 4096).tolist():
            raise SystemExit("the loop in Python finds other lengths")
        print(f"{'longest match at each byte':<40}{asked / matched:>10.2f}{many / 1e6 / taken.cpu:>10.4f}")
        print(f"{'overlap: coverage, sources, matches':<40}{asked / overlapped:>10.2f}")


if __name__ == "__main__":
    main()
