"""`bitmeter.kenlm` against the module `kenlm`, call by call and in one call, on the lines of a text.

    python benchmarks/kenlm_module.py TRAIN TEST [--order 5] [--repeat 3] [--binary FILE]

Both open the same model: a binary of KenLM (`--binary`, such as CCNet's en.arpa.bin), or one trained on TRAIN, which
`kenlm` reads from ARPA and bitmeter from .bmn. The least CPU seconds of several rounds, in turns, loading left out.
Each line of TEST comes once per round, so that no cache of results can help. Without `kenlm` only our column is
printed.
"""

from __future__ import annotations

import argparse
import importlib
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from stopwatch import header, timed

import bitmeter as bm
import bitmeter.kenlm as ours


def peer_module() -> Any | None:
    """The real `kenlm`, if it is installed."""
    try:
        return importlib.import_module("kenlm")
    except ImportError:
        return None


def calls(module: Any, model: Any, lines: list[str]) -> dict[str, Callable[[], Any]]:
    """What both modules have."""
    words = [line.split() for line in lines]

    def by_word() -> float:
        total = 0.0
        for row in words:
            state, after = module.State(), module.State()
            model.BeginSentenceWrite(state)
            for word in row:
                total += model.BaseScore(state, word, after)
                state, after = after, state
        return total

    def in_full() -> float:
        return float(sum(p for line in lines for p, _, _ in model.full_scores(line)))

    return {
        "score(line)": lambda: sum(model.score(line) for line in lines),
        "perplexity(line)": lambda: sum(model.perplexity(line) for line in lines),
        "full_scores(line)": in_full,
        "BaseScore(state, word, state)": by_word,
    }


def opened(arguments: argparse.Namespace, folder: Path) -> tuple[str, str]:
    """The files that bitmeter and kenlm open."""
    if arguments.binary is not None:
        return str(arguments.binary), str(arguments.binary)
    model = bm.NGram(order=arguments.order, unk_word=False).fit(arguments.train)
    model.save(folder / "model.bmn")
    model.save(folder / "model.arpa")
    return str(folder / "model.bmn"), str(folder / "model.arpa")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--binary", type=Path, help="a binary of KenLM for both, instead of training")
    arguments = parser.parse_args()
    print(header())
    text = arguments.test.read_text(encoding="utf-8", errors="replace")
    lines = list(dict.fromkeys(line for line in text.split("\n") if line.strip()))
    peer = peer_module()
    with tempfile.TemporaryDirectory() as folder:
        mine, its = opened(arguments, Path(folder))
        model = ours.Model(mine)
        other = None if peer is None else peer.Model(its)
        column = pa.array(lines)
        sides = {"bitmeter": calls(ours, model, lines)}
        if peer is not None:
            sides["kenlm"] = calls(peer, other, lines)
        sides["bitmeter"] |= {
            "scores(list)": lambda: float(np.sum(model.scores(lines))),
            "scores(Arrow column)": lambda: float(np.sum(model.scores(column))),
            "perplexities(list)": lambda: float(np.sum(model.perplexities(lines))),
        }
        best: dict[tuple[str, str], float] = {}
        values: dict[tuple[str, str], float] = {}
        for _ in range(arguments.repeat):
            for side, runs in sides.items():
                for name, run in runs.items():
                    taken, value = timed(run)
                    best[side, name] = min(taken.cpu, best.get((side, name), math.inf))
                    values[side, name] = value
    same = {
        "scores(list)": "score(line)",
        "scores(Arrow column)": "score(line)",
        "perplexities(list)": "perplexity(line)",
    }
    print(f"{len(lines):,} distinct lines, {sum(len(line.split()) for line in lines):,} words; CPU seconds")
    print(f"{'call':<32}{'bitmeter':>10}{'kenlm':>10}{'ratio':>8}{'sums differ by':>17}")
    for name in sides["bitmeter"]:
        other_name = same.get(name, name)
        row = f"{name:<32}{best['bitmeter', name]:>10.4f}"
        if peer is not None:
            theirs = best["kenlm", other_name]
            apart = values["bitmeter", name] / values["kenlm", other_name] - 1.0
            row += f"{theirs:>10.4f}{theirs / best['bitmeter', name]:>8.2f}{apart:>17.1e}"
        print(row)
    if peer is None:
        print("the module kenlm is not installed: pip install kenlm (it needs a compiler)")


if __name__ == "__main__":
    main()
