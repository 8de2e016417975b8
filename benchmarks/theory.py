"""Ours against scipy, numpy, dit, pyitlib, infomeasure and antropy: same input, one run, the ratio beside.

    python benchmarks/theory.py [--size 10000000] [--repeat 5]

Every row first checks that the peer's figure agrees with ours, where the peer is right. Times are the best of several
runs, CPU milliseconds of all threads beside wall milliseconds; ratios are of wall time. numpy has one thread. A peer
that is too slow for the full size gets a smaller one, and its time is scaled up in proportion (marked ~), which
flatters peers whose cost grows faster than the input. The last table has the goal of each row: numpy's CPU time
against ours on one core, so that one thread stands against one (where the system can hold a program to a core). With
BITMETER_CPU=avx2 numpy is held to AVX2, too.
"""

from __future__ import annotations

import argparse
import logging
import math
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

# Before numpy is imported: its dot products would wait for each other on two threads, which costs CPU time.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
# Where bitmeter is held to AVX2, numpy is, too: with AVX-512 its logarithm takes half the time.
if os.environ.get("BITMETER_CPU") == "avx2":
    os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "AVX512F AVX512CD AVX512_SKX AVX512_ICL AVX512_SPR X86_V4")

import numpy as np
from goals import Goal, show_goals
from rich.console import Console
from rich.table import Table
from stopwatch import Seconds, best, header

import bitmeter as bm

#: Wall seconds after which a slow peer is not run again.
ENOUGH = 3.0
#: How many times our CPU time numpy should take, on every row.
GOAL = 1.5


@dataclass
class Peer:
    name: str
    run: Callable[[Any], Any]
    size: int | None = None  # samples that it gets, if fewer than all
    right: bool = True  # whether its figure is expected to agree


@dataclass
class Task:
    title: str
    inputs: Any
    ours: Callable[[Any], Any]
    cut: Callable[[Any, int], Any]
    length: int
    peers: list[Peer] = field(default_factory=list)


def tasks(size: int) -> list[Task]:
    import dit
    import infomeasure
    from pyitlib import discrete_random_variable as drv
    from scipy import stats
    from scipy.special import rel_entr

    rng = np.random.default_rng(0)
    bytes_, others = (rng.integers(0, 256, size, dtype=np.uint8) for _ in range(2))
    longs, more = bytes_.astype(np.int64), others.astype(np.int64)
    p, q = rng.standard_exponential(size), rng.standard_exponential(size)
    p /= math.fsum(p)
    q /= math.fsum(q)

    def head(data: Any, n: int) -> Any:
        return tuple(x[:n] for x in data) if isinstance(data, tuple) else data[:n]

    def head_of_pmf(data: Any, n: int) -> Any:
        cut = tuple(x[:n] / math.fsum(x[:n]) for x in (data if isinstance(data, tuple) else (data,)))
        return cut if isinstance(data, tuple) else cut[0]

    def numpy_entropy(x: Any) -> float:
        counts = np.bincount(x)
        shares = counts[counts > 0] / len(x)
        return float(-np.dot(shares, np.log2(shares)))

    def numpy_joint(xy: Any) -> float:
        return numpy_entropy(xy[0].astype(np.int64) * 256 + xy[1])

    def scipy_entropy(x: Any) -> float:
        return float(stats.entropy(np.unique(x, return_counts=True)[1], base=2))

    def numpy_kl(xy: Any) -> float:
        a, b = (np.bincount(z, minlength=256) / len(z) for z in xy)
        return float(stats.entropy(a, b, base=2))

    def ours_kl(xy: Any) -> Any:
        return bm.kl_divergence(bm.Distribution.from_data(xy[0]), bm.Distribution.from_data(xy[1]))

    def dit_from_samples(x: Any) -> float:
        return float(dit.shannon.entropy(dit.inference.distribution_from_data(x, L=1, base="linear")))

    def dit_entropy(x: Any) -> float:
        return float(dit.shannon.entropy_pmf(x))

    measure = infomeasure.entropy
    peers_of_samples = [
        Peer("numpy bincount", numpy_entropy),
        Peer("scipy + np.unique", scipy_entropy),
        Peer("infomeasure", lambda x: measure(x, approach="discrete", base=2)),
        Peer("pyitlib", lambda x: float(drv.entropy(x)), size // 10),
        Peer("dit", dit_from_samples, size // 1000),
    ]
    return [
        Task("H of uint8 samples", bytes_, lambda x: bm.entropy(x, of="samples"), head, size, peers_of_samples),
        Task("H of int64 samples", longs, lambda x: bm.entropy(x, of="samples"), head, size, peers_of_samples),
        Task(
            "H(X, Y) of uint8 samples",
            (bytes_, others),
            lambda xy: bm.joint_entropy(*xy),
            head,
            size,
            [
                Peer("numpy bincount", numpy_joint),
                Peer("pyitlib", lambda xy: float(drv.entropy_joint(np.vstack(xy))), size // 100),
                Peer("infomeasure", lambda xy: measure(*xy, approach="discrete", base=2), size // 100, right=False),
            ],
        ),
        Task(
            "I(X; Y) of int64 samples",
            (longs, more),
            lambda xy: bm.mutual_information(*xy),
            head,
            size,
            [
                Peer("numpy bincount", lambda xy: numpy_entropy(xy[0]) + numpy_entropy(xy[1]) - numpy_joint(xy)),
                Peer("pyitlib", lambda xy: float(drv.information_mutual(*xy)), size // 100),
                Peer(
                    "infomeasure",
                    lambda xy: infomeasure.mutual_information(*xy, approach="discrete", base=2),
                    size // 100,
                ),
            ],
        ),
        Task(
            "D(X‖Y) of uint8 samples",
            (bytes_, others),
            ours_kl,
            head,
            size,
            [
                Peer("numpy + scipy", numpy_kl),
                Peer("pyitlib", lambda xy: float(drv.divergence_kullbackleibler(*xy)), size // 100),
                # infomeasure intersects the supports, which agree here.
                Peer("infomeasure", lambda xy: infomeasure.kld(*xy, approach="discrete", base=2), size // 10),
            ],
        ),
        Task(
            "H of a distribution",
            p,
            bm.entropy,
            head_of_pmf,
            size,
            [
                Peer("numpy dot(p, log2 p)", lambda x: float(-np.dot(x, np.log2(x)))),
                Peer("scipy", lambda x: float(stats.entropy(x, base=2))),
                Peer("dit entropy_pmf", dit_entropy),
                Peer("pyitlib", lambda x: float(drv.entropy_pmf(x)), size // 10),
            ],
        ),
        Task(
            "H(p, q) of distributions",
            (p, q),
            lambda pq: bm.cross_entropy(*pq),
            head_of_pmf,
            size,
            [
                Peer("numpy dot(p, log2 q)", lambda pq: float(-np.dot(pq[0], np.log2(pq[1])))),
                Peer("pyitlib", lambda pq: float(drv.entropy_cross_pmf(*pq)), size // 10),
            ],
        ),
        Task(
            "D(p‖q) of distributions",
            (p, q),
            lambda pq: bm.kl_divergence(*pq),
            head_of_pmf,
            size,
            [
                Peer("numpy dot(p, log2 p/q)", lambda pq: float(np.dot(pq[0], np.log2(pq[0] / pq[1])))),
                Peer("scipy rel_entr", lambda pq: float(rel_entr(*pq).sum() / math.log(2))),
                Peer("scipy entropy(p, q)", lambda pq: float(stats.entropy(pq[0], pq[1], base=2))),
                Peer("pyitlib", lambda pq: float(drv.divergence_kullbackleibler_pmf(*pq)), size // 10),
            ],
        ),
    ]


def milliseconds(taken: Seconds, scale: float = 1.0) -> tuple[str, str]:
    """Wall and CPU."""
    return f"{taken.wall * scale * 1e3:,.1f}", f"{taken.cpu * scale * 1e3:,.1f}"


def counting(size: int, repeat: int, console: Console) -> list[Goal]:
    """The core's counting alone against numpy's bincount, with one thread and with all."""
    from bitmeter import _core

    rng = np.random.default_rng(1)
    table = Table(title=f"Counting {size:,} symbols (256 kinds), milliseconds", title_justify="left")
    columns = ("symbols", "bincount", "CPU", "ours, 1 thread", "CPU ", "ratio", "ours, all threads", " CPU", "ratio ")
    for column in columns:
        table.add_column(column, justify="left" if column == "symbols" else "right")
    small = rng.integers(0, 256, size, dtype=np.uint8)
    goals = []
    for x in (small, small.astype(np.int64)):
        peer, expected = best(lambda data=x: np.bincount(data), repeat)  # type: ignore[misc]
        row = [str(x.dtype), *milliseconds(peer)]
        for threads in (1, 0):
            ours, (_, counts) = best(lambda data=x, n=threads: _core.count_symbols(data, n), repeat)  # type: ignore[misc]
            assert (counts == expected[expected > 0]).all()
            row += [*milliseconds(ours), f"{peer.wall / ours.wall:.1f}×"]
            if threads == 1:
                goals.append(Goal(f"counting {x.dtype}, one thread", "≥", GOAL, peer.cpu / ours.cpu))
        table.add_row(*row)
    console.print(table)
    return goals


def complexity(sizes: list[int], repeat: int, console: Console) -> None:
    """LZ76 against antropy, whose time grows with the square of the length."""
    import antropy

    from bitmeter.text.corpus.sample import sample_text

    text = sample_text()
    table = Table(title="LZ76 of English text, milliseconds", title_justify="left")
    for column in ("bytes", "antropy", "CPU", "bitmeter", "CPU ", "ratio"):
        table.add_column(column, justify="right")
    antropy.lziv_complexity("01" * 10)  # compiles itself on its first call
    for n in sizes:
        data = text.encode()[:n]
        peer, count = best(lambda x=data: antropy.lziv_complexity(x.decode("latin-1")), 1)  # type: ignore[misc]
        ours, estimate = best(lambda x=data: bm.estimate_rate(x, "lz76"), repeat)  # type: ignore[misc]
        assert estimate.parameters["phrases"] == count
        table.add_row(f"{n:,}", *milliseconds(peer), *milliseconds(ours), f"{peer.wall / ours.wall:,.0f}×")
    console.print(table)


@contextmanager
def one_core() -> Iterator[None]:
    """Hold the program to one core, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def compare(task: Task, repeat: int, table: Table) -> tuple[float, Goal]:
    """Adds the task's rows; returns the smallest ratio of wall time, and the goal against numpy, the first peer."""
    ours, value = best(lambda: task.ours(task.inputs), repeat, ENOUGH)
    with one_core():
        alone, _ = best(lambda: task.ours(task.inputs), repeat, ENOUGH)
    table.add_row(task.title, "bitmeter", *milliseconds(ours), "", f"{float(value):.12g}")
    worst, numpys = math.inf, math.nan
    for peer in task.peers:
        n = min(task.length, peer.size or task.length)
        data = task.inputs if n == task.length else task.cut(task.inputs, n)
        theirs, figure = best(lambda run=peer.run, x=data: run(x), repeat, ENOUGH)  # type: ignore[misc]
        expected = float(value) if n == task.length else float(task.ours(data))
        if peer.right and not math.isclose(float(figure), expected, rel_tol=1e-8, abs_tol=1e-10):
            message = f"{task.title}: {peer.name} says {figure}, we say {expected}"
            raise SystemExit(message)
        scale = task.length / n
        ratio = theirs.wall * scale / ours.wall
        worst = min(worst, ratio)
        if peer is task.peers[0]:
            numpys = theirs.cpu / alone.cpu
        mark = "" if n == task.length else "~"
        wall, cpu = milliseconds(theirs, scale)
        note = f"{float(figure):.12g}" if n == task.length else f"agrees on {n:,}" if peer.right else f"ran on {n:,}"
        table.add_row("", peer.name, mark + wall, mark + cpu, f"{ratio:,.1f}×", note)
    table.add_section()
    return worst, Goal(task.title, "≥", GOAL, numpys)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10**7)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--lz76", type=int, nargs="+", default=[10_000, 50_000, 100_000], help="bytes of text for LZ76")
    arguments = parser.parse_args()
    print(header())
    warnings.simplefilter("ignore")  # the peers' own
    logging.disable(logging.WARNING)
    console = Console(width=120)
    goals = counting(arguments.size, arguments.repeat, console)
    table = Table(title=f"Measures of {arguments.size:,} entries, milliseconds", title_justify="left")
    for column in ("measure", "tool", "wall", "CPU", "ours is faster by", "bits"):
        table.add_column(column, justify="right" if column in ("wall", "CPU", "ours is faster by") else "left")
    found = [compare(task, arguments.repeat, table) for task in tasks(arguments.size)]
    console.print(table)
    complexity(arguments.lz76, arguments.repeat, console)
    console.print(f"The closest peer takes {min(worst for worst, _ in found):.2f}× our wall time.")
    show_goals([*goals, *(goal for _, goal in found)], "numpy's CPU time over ours, one thread of each")


if __name__ == "__main__":
    main()
