"""How often bitmeter's intervals contain the true value, and how often its tests reject wrongly: simulations.

    python benchmarks/intervals.py [--runs 2000] [--write]

Prints Markdown; --write also writes it to docs/coverage.md. Seeds are fixed, so the figures are reproducible (up to the
last digits, which may depend on the version of numpy).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter
from scipy.special import stdtrit
from stopwatch import header, used

from bitmeter.measure.interval.anytime import e_process
from bitmeter.measure.interval.blocks import batch_means
from bitmeter.measure.interval.cluster import cluster_ratio
from bitmeter.measure.interval.paired import paired

Floats = NDArray[np.float64]
PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
Z = 1.959964
#: Simulations per row of the page.
RUNS = 2000


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def share(hits: float) -> str:
    return f"{hits:.3f}".replace("0.", ".", 1) if hits < 1.0 else "1"


# One long text


@dataclass(frozen=True)
class Series:
    """A process whose mean cost per step and long-run variance are known."""

    name: str
    mean: float
    variance: float
    draw: Callable[[np.random.Generator, int, int, int], Floats]  # runs, steps, steps per block -> sums of blocks


def markov(name: str, matrix: list[list[float]]) -> Series:
    """The cost −log2 P of each step of a chain under itself; the variance by Poisson's equation."""
    p = np.asarray(matrix)
    number = len(p)
    left = np.vstack([p.T - np.eye(number), np.ones(number)])
    stationary = np.linalg.lstsq(left, np.append(np.zeros(number), 1.0), rcond=None)[0]
    cost = -np.log2(p)
    local = (p * cost).sum(axis=1)
    mean = float(stationary @ local)
    g = np.linalg.solve(np.eye(number) - p + np.outer(np.ones(number), stationary), local - mean)
    variance = float((stationary[:, None] * p * np.square(cost - mean + g[None] - g[:, None])).sum())

    def draw(rng: np.random.Generator, runs: int, steps: int, block: int) -> Floats:
        bounds = p.cumsum(axis=1)[:, :-1]
        state = rng.choice(number, size=runs, p=stationary)
        sums = np.zeros((steps // block, runs))
        for step in range(steps):
            following = (rng.random(runs)[:, None] > bounds[state]).sum(axis=1)
            sums[step // block] += cost[state, following]
            state = following
        return np.ascontiguousarray(sums.T)

    return Series(name, mean, variance, draw)


def drift(name: str, weight: float, decay: float) -> Series:
    """White noise of variance one over a slow autoregression, as the subjects of a text are."""

    def draw(rng: np.random.Generator, runs: int, steps: int, block: int) -> Floats:
        shocks = rng.standard_normal((runs, steps)) * math.sqrt(1.0 - decay**2)
        start = rng.standard_normal((runs, 1)) * decay
        x = rng.standard_normal((runs, steps)) + weight * lfilter([1.0], [1.0, -decay], shocks, axis=1, zi=start)[0]
        return np.asarray(x.reshape(runs, -1, block).sum(axis=2))

    return Series(name, 0.0, 1.0 + weight**2 * (1.0 + decay) / (1.0 - decay), draw)


def regimes() -> Series:
    """Two regimes of two states each; one step in 200 leaves the regime."""
    slow, quick, leave = np.array([[0.6, 0.4], [0.5, 0.5]]), np.array([[0.05, 0.95], [0.98, 0.02]]), 0.005
    p = np.full((4, 4), leave / 2)
    p[:2, :2], p[2:, 2:] = (1 - leave) * slow, (1 - leave) * quick
    return markov("regimes, switch .005", p.tolist())


SERIES = [
    markov("independent", [[0.9, 0.1], [0.9, 0.1]]),
    markov("two-state chain", [[0.9, 0.1], [0.3, 0.7]]),
    regimes(),
    drift("drift of 100 steps under noise", 0.22, 0.99),
    drift("drift of 500 steps under noise", 0.1, 0.998),
]


def newey_west(x: Floats) -> Floats:
    d = x - x.mean(axis=1, keepdims=True)
    lags = round(x.shape[1] ** (1 / 3))
    value = np.square(d).mean(axis=1)
    for lag in range(1, lags + 1):
        value += 2 * (1 - lag / (lags + 1)) * (d[:, lag:] * d[:, :-lag]).sum(axis=1) / x.shape[1]
    return np.asarray(np.sqrt(value / x.shape[1]))


def ten_batches(x: Floats) -> Floats:
    means = x[:, : x.shape[1] // 10 * 10].reshape(len(x), 10, -1).mean(axis=2)
    return np.asarray(means.std(axis=1, ddof=1) / math.sqrt(10))


def one_text(runs: int) -> str:
    rows = []
    for steps in (4000, 40_000):
        for series in SERIES:
            rng = np.random.default_rng(steps)
            block = -(-steps // 8192)
            hits = np.zeros(4)
            widths: list[float] = []
            warned = 0
            for batch in batches(runs, 500):
                x = series.draw(rng, batch, steps, block) / block
                off = np.abs(x.mean(axis=1) - series.mean)
                hits[0] += np.sum(off <= Z * x.std(axis=1) / math.sqrt(x.shape[1]))
                hits[1] += np.sum(off <= Z * newey_west(x))
                hits[2] += np.sum(off <= stdtrit(9, 0.975) * ten_batches(x))
                for row in x:
                    found = batch_means(row, np.ones(row.size))
                    hits[3] += series.mean in found
                    widths.append(found.half_width or 0.0)
                    warned += found.note != ""
            ideal = Z * math.sqrt(series.variance / steps)
            cells = [f"{series.name}, n = {steps:,}", *(share(h / runs) for h in hits)]
            rows.append([*cells, f"{float(np.median(widths)) / ideal:.2f}", share(warned / runs)])
            say(cells)
    head = ["process", "naive", "Newey–West n^⅓", "ten batches", "**bitmeter**", "width / ideal", "warned"]
    return table(head, rows)


# Documents


@dataclass(frozen=True)
class Collection:
    """Documents with log-normal lengths, an effect each, and autocorrelated tokens; 2 bits per token on average."""

    name: str
    spread: float  # of the logarithm of the lengths
    skewed: bool = False
    by_length: float = 0.0  # how far the effect follows the logarithm of the length

    @property
    def truth(self) -> float:
        return 2.0 + 0.15 * self.by_length * self.spread

    def draw(self, rng: np.random.Generator, number: int) -> tuple[Floats, NDArray[np.int64]]:
        normal = rng.standard_normal(number)
        lengths = np.maximum(40, np.rint(1000 * np.exp(self.spread * normal))).astype(np.int64)
        effects = rng.standard_exponential(number) - 1.0 if self.skewed else rng.standard_normal(number)
        noise = lfilter([1.0], [1.0, -0.3], rng.standard_normal(int(lengths.sum())) * 2.0)
        return np.repeat(2.0 + 0.15 * (effects + self.by_length * normal), lengths) + noise, lengths


COLLECTIONS = [
    Collection("equal lengths", 0.0),
    Collection("lengths vary (σ = ½)", 0.5),
    Collection("lengths vary much (σ = 1)", 1.0),
    Collection("σ = 1, skewed effects", 1.0, skewed=True),
    Collection("σ = 1, longer ones cost more", 1.0, by_length=0.5),
]


def bootstrap(rng: np.random.Generator, x: Floats, n: Floats, resamples: int = 200) -> tuple[float, float]:
    drawn = rng.integers(0, x.size, (resamples, x.size))
    low, high = np.quantile(x[drawn].sum(axis=1) / n[drawn].sum(axis=1), [0.025, 0.975])
    return float(low), float(high)


def by_document(runs: int) -> str:
    rows = []
    for collection in COLLECTIONS:
        for number in (10, 40, 100):
            rng = np.random.default_rng(number)
            hits = np.zeros(4)
            widths: list[float] = []
            off: list[float] = []
            for _ in range(runs):
                tokens, lengths = collection.draw(rng, number)
                truth, mean = collection.truth, float(tokens.mean())
                sizes = lengths.astype(np.float64)
                sums = np.add.reduceat(tokens, np.append(0, np.cumsum(lengths)[:-1]))
                starts = np.arange(0, tokens.size, 20)
                ends = np.append(starts[1:], tokens.size)
                low, high = bootstrap(rng, np.add.reduceat(tokens, starts), (ends - starts).astype(np.float64))
                least, most = bootstrap(rng, sums, sizes)
                found = cluster_ratio(sums, sizes)
                if found.half_width is None:  # one document is nearly all: refused, and left out here
                    continue
                hits += [
                    abs(mean - truth) <= Z * float(tokens.std()) / math.sqrt(tokens.size),
                    low <= truth <= high,
                    least <= truth <= most,
                    truth in found,
                ]
                widths.append(found.half_width)
                off.append(mean - truth)
            cells = [f"{collection.name}, {number} documents", *(share(h / len(off)) for h in hits)]
            rows.append([*cells, f"{float(np.median(widths)) / (Z * float(np.std(off))):.2f}"])
            say(cells)
    head = ["documents", "naive tokens", "sentence bootstrap", "document bootstrap", "**bitmeter**", "width / ideal"]
    return table(head, rows)


# Tests of two models


def pairs(
    rng: np.random.Generator, number: int, shift: float, kind: str, spread: float = 1.0
) -> tuple[Floats, Floats, Floats]:
    """Two models whose difference per byte has standard deviation .03 between documents."""
    n = np.ceil(2000 * np.exp(spread * rng.standard_normal(number)))
    effects = {
        "normal": lambda: rng.standard_normal(number),
        "skewed": lambda: rng.standard_exponential(number) - 1.0,
        "heavy tails (t₃)": lambda: rng.standard_t(3, number) / math.sqrt(3.0),
    }[kind]()
    b = n * (2.0 + 0.1 * rng.standard_normal(number))
    return b + n * (shift + 0.03 * effects) + np.sqrt(n) * 0.5 * rng.standard_normal(number), b, n


def nulls(runs: int) -> str:
    rows = []
    for kind in ("normal", "skewed", "heavy tails (t₃)"):
        for number in (10, 40, 100):
            rng = np.random.default_rng(number)
            found = [paired(*pairs(rng, number, 0.0, kind)).p_value for _ in range(runs)]
            rejected = [p for p in found if p is not None]
            cells = [share(sum(p < level for p in rejected) / runs) for level in (0.1, 0.05, 0.01)]
            rows.append([f"{kind}, {number} documents", *cells])
    return table(["differences without a preference", "p < .10", "p < .05", "p < .01"], rows)


def anytime(runs: int) -> str:
    rows = []
    for kind in ("normal", "skewed", "heavy tails (t₃)"):
        for shift in (0.0, 0.005, 0.01, 0.02, 0.05):
            rng = np.random.default_rng(7)
            crossed, when, last, small = 0, [], [], 0
            for _ in range(runs):
                a, b, n = pairs(rng, 250, shift, kind)
                wealth = e_process(a, b, n)
                over = wealth >= 20.0
                crossed += bool(over.any())
                when.append(int(np.argmax(over)) + 1 if over.any() else 251)
                last.append(float(wealth[-1]))
                small += (paired(a, b, n).p_value or 0.0) < 0.05
            middle = float(np.median(when))
            mean = f"{np.mean(last):.2f}" if shift == 0.0 else ""
            cells = [share(crossed / runs), "" if middle > 250 else f"{middle:.0f}", mean, share(small / runs)]
            rows.append([f"{kind}, {shift:g}", *cells])
    head = ["difference, bits per byte", "e ≥ 20 at any time", "median documents", "mean last e", "p < .05 at the end"]
    return table(head, rows)


def batches(runs: int, size: int) -> Iterator[int]:
    yield from (min(size, runs - start) for start in range(0, runs, size))


def say(cells: list[str]) -> None:
    print("  ".join(cells), file=sys.stderr)


TEXT = """\
# Coverage

A 95 % interval should contain the true value in 95 % of cases. Text makes that hard: words of one document are alike,
and so are pages of one book. These are simulations in which the truth is known, made by
`python benchmarks/intervals.py --write` ({runs:,} runs per row, so that a figure near .95 has an error of ±{error}).
*Ideal* is the width of an interval that knows the true variance.

The rules were chosen by simulations of the same kinds as these, with other seeds: 29 variants were tried for batches,
10 for documents, 24 for the bets behind the e-value. Expect lower coverage on real text than in the better rows.

## One long text

Batch means with Student's t: see `batch_means`. The chains are scored under themselves. The regimes are two pairs of
states, with a long-run variance of 30.12, thirty-five times that of one step. The n steps are given as at most 8192
blocks. *Warned* is the share of intervals with a note that they may be too narrow. The drift of 500 steps is an eighth
of the shorter text: no method can see it in full, and less than half of those intervals warn.

{series}
## Documents

Cluster-t: see `cluster_ratio`. Tokens are autocorrelated (.3 per step). Each document, of some 1000 tokens, has an
effect of its own whose spread is a fourteenth of that of its tokens: too small to see, yet it decides the coverage. A
sentence is 20 tokens. Student's t assumes neither skewed effects nor costs that depend on length: there, few documents
of very unequal lengths cover less than they should. The rare draws of ten documents in which one document is nearly all
of the text get no interval, and are left out.

{documents}
## Two models without a difference

How often a p-value falls below a level; it should be that level. Lengths vary much (σ = 1).

{nulls}
## E-values

You may look at the e-value after each document. If neither model is better, it reaches 20 with a probability of at most
5 %, whenever you stop, and its mean is at most 1. Beside it is what the p-value finds at the end of the same 250
documents, looked at only once: the freedom to stop costs power where differences are small. The two weight documents
differently: the e-value counts documents, the p-value bytes. That is why the e-value can find more where lengths vary
as much as here. The standard deviation between documents is .03 bits per byte.

{anytime}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS, help="simulations per row")
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name}")
    options = parser.parse_args()
    if options.runs < RUNS and options.write:
        parser.error(f"fewer than {RUNS:,} runs are too rough for the page; leave out --runs or --write")
    runs, start = options.runs, used()
    print(header(), file=sys.stderr)
    page = TEXT.format(
        runs=runs,
        error=share(Z * math.sqrt(0.95 * 0.05 / runs)),
        series=one_text(runs),
        documents=by_document(runs),
        nulls=nulls(runs),
        anytime=anytime(runs),
    )
    print(page)
    print(f"{used() - start:.0f} CPU s", file=sys.stderr)
    if options.write:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
