"""N-gram models against KenLM and NLTK on any text: training, scoring, file size.

    python benchmarks/ngram.py TRAIN TEST [--order 5] [--repeat 3] [--kenlm-bin DIR]

Best of several runs, taking turns. The modules `kenlm` (which only queries) and `nltk` are used if they are installed;
`--kenlm-bin` names a folder with KenLM's own lmplz, build_binary and query. In both texts `<unk>` becomes an ordinary
word. Every side scores the same words and sentence ends, and the perplexities are printed side by side.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import math
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import bitmeter as bm
from bitmeter import _core
from bitmeter.text.units import SEPARATORS

#: Sentences that NLTK is given: it needs minutes for more.
NLTK_LINES = 300


def timed(run: Callable[[], Any]) -> tuple[float, float, Any]:
    """Wall and CPU seconds, children's included, and what came out."""
    wall, before = time.perf_counter(), cpu()
    value = run()
    return time.perf_counter() - wall, cpu() - before, value


def cpu() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def in_turns(runs: dict[str, Callable[[], Any]], repeat: int) -> dict[str, tuple[float, float, Any]]:
    """The best of several rounds of all of them."""
    best: dict[str, tuple[float, float, Any]] = {}
    for _ in range(repeat):
        for name, run in runs.items():
            found = timed(run)
            if name not in best or found[0] < best[name][0]:
                best[name] = found
    return best


def trainers(train: Path, folder: Path, order: int, programs: Path | None) -> dict[str, Callable[[], Any]]:
    def ours() -> None:
        bm.NGram(order=order).fit(train).save(folder / "ours.bmn", force=True)

    def theirs() -> None:
        assert programs is not None
        lmplz = [str(programs / "lmplz"), "-o", str(order), "-T", str(folder), "--discount_fallback", "--skip_symbols"]
        with train.open("rb") as source, (folder / "theirs.arpa").open("wb") as target:
            subprocess.run(lmplz, stdin=source, stdout=target, stderr=subprocess.DEVNULL, check=True)
        build = [str(programs / "build_binary"), "probing", str(folder / "theirs.arpa"), str(folder / "theirs.bin")]
        subprocess.run(build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    return {"bitmeter": ours} if programs is None else {"bitmeter": ours, "lmplz and build_binary": theirs}


def numbered(model: bm.NGram, data: bytes) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The words and ends of a text as the model numbers them."""
    table = model._fitted.table()
    ids, _, bounds = _core.split_words(data, _core.line_ends(data), SEPARATORS["kenlm"], table)
    keep = ids != -2  # blank lines: their end alone
    places = np.cumsum(np.concatenate(([0], keep)))[bounds]
    ends = places[1:] + np.arange(1, len(places))
    return np.insert(ids[keep], places[1:], 2), np.concatenate(([0], ends))


def scorers(folder: Path, test: Path, programs: Path | None) -> dict[str, Callable[[], float]]:
    """Each gives the perplexity with unknown words."""
    data = test.read_bytes()
    data += b"" if data.endswith(b"\n") else b"\n"
    model = bm.NGram.load(folder / "ours.bmn").with_oov("class")
    ids, bounds = numbered(model, data)

    def from_ids(threads: int) -> Callable[[], float]:
        model.threads = threads
        core, before = model._fitted, np.zeros(0, dtype=np.int64)
        return lambda: math.exp(-float(core.logprobs(ids, bounds, before, True, threads).mean()))

    def from_text(threads: int) -> Callable[[], float]:
        core, before = model._fitted, np.zeros(0, dtype=np.int64)

        def run() -> float:
            return math.exp(-float(core.logprobs(*numbered(model, data), before, True, threads).mean()))

        return run

    runs: dict[str, Callable[[], float]] = {
        "bitmeter, text, 1 thread": from_text(1), "bitmeter, text, 2 threads": from_text(2),
        "bitmeter, numbers, 1 thread": from_ids(1), "bitmeter, numbers, 2 threads": from_ids(2),
        "bitmeter score(), intervals and all": lambda: bm.score(model, test, like="kenlm").perplexity("token"),
    }  # fmt: skip
    if programs is not None:
        query = [str(programs / "query"), "-v", "summary", str(folder / "theirs.bin")]

        def theirs() -> float:
            with test.open("rb") as source:
                done = subprocess.run(query, stdin=source, capture_output=True, text=True, check=True)
            return float(re.findall(r"including OOVs:\s*([\d.]+)", done.stdout + done.stderr)[0])

        runs["KenLM query, loading included"] = theirs
    if (kenlm := optional("kenlm")) is not None:
        arpa = folder / ("theirs.bin" if programs is not None else "ours.arpa")
        if programs is None:
            bm.NGram.load(folder / "ours.bmn").save(arpa)
        peer = kenlm.Model(str(arpa))
        lines = data.decode("utf-8", "surrogateescape").split("\n")[:-1]

        def full_scores() -> float:
            total = count = 0.0
            for line in lines:
                for score, _, _ in peer.full_scores(line):
                    total += score
                    count += 1
            return float(10.0 ** (-total / count))

        runs["kenlm module, full_scores"] = full_scores
    return runs


def nltk_speed(train: Path, test: Path) -> float | None:
    """Tokens a second of NLTK's interpolated Kneser-Ney of order 3 on the beginning of the texts; None without it."""
    if optional("nltk") is None:
        return None
    lm, preprocessing = importlib.import_module("nltk.lm"), importlib.import_module("nltk.lm.preprocessing")
    lines = [line.split() for line in train.read_text(errors="replace").splitlines()[:NLTK_LINES]]
    model = lm.KneserNeyInterpolated(3)
    model.fit(*preprocessing.padded_everygram_pipeline(3, lines))
    words = ["<s>", "<s>", *itertools.islice(test.read_text(errors="replace").split(), 40)]
    wall, _, _ = timed(lambda: [model.score(words[i], words[i - 2 : i]) for i in range(2, len(words))])
    return (len(words) - 2) / wall


def optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description="N-gram models against KenLM and NLTK.")
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--kenlm-bin", type=Path, help="a folder with lmplz, build_binary and query")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train, test = folder / "train.txt", folder / "test.txt"
        for source, target in ((chosen.train, train), (chosen.test, test)):
            target.write_bytes(source.read_bytes().replace(b"<unk>", b"_unk_"))
        report(train, test, folder, chosen)


def report(train: Path, test: Path, folder: Path, chosen: argparse.Namespace) -> None:
    console = Console(width=110)
    table = Table(title=f"training, order {chosen.order}, {train.stat().st_size / 1e6:.1f} MB", box=None)
    for column in ("", "wall s", "CPU s", "file MB", "ratio"):
        table.add_column(column, justify="left" if not column else "right")
    trained = in_turns(trainers(train, folder, chosen.order, chosen.kenlm_bin), chosen.repeat)
    files = {"bitmeter": folder / "ours.bmn", "lmplz and build_binary": folder / "theirs.bin"}
    for title, (wall, used, _) in trained.items():
        ratio = f"{wall / trained['bitmeter'][0]:.1f}"
        table.add_row(title, f"{wall:.2f}", f"{used:.2f}", f"{files[title].stat().st_size / 1e6:.1f}", ratio)
    console.print(table)
    data = test.read_bytes()
    tokens = len(data.split()) + data.count(b"\n")
    table = Table(title=f"scoring {tokens:,} words and ends", box=None)
    for column in ("", "M tokens/s", "CPU s", "perplexity", "ratio"):
        table.add_column(column, justify="left" if not column else "right")
    scored = in_turns(scorers(folder, test, chosen.kenlm_bin), chosen.repeat)
    base = scored["bitmeter, text, 1 thread"][0]
    for title, (wall, used, perplexity) in scored.items():
        table.add_row(title, f"{tokens / wall / 1e6:.2f}", f"{used:.3f}", f"{perplexity:.4f}", f"{wall / base:.2f}")
    if (speed := nltk_speed(train, test)) is not None:
        faster = tokens / base / speed
        table.add_row(f"nltk, order 3, {NLTK_LINES} lines", f"{speed / 1e6:.6f}", "", "", f"{faster:,.0f}")
    console.print(table)


if __name__ == "__main__":
    main()
