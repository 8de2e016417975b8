"""Bias of the entropy estimators, coverage of their intervals, and rates of known processes and of a text.

    python benchmarks/estimators.py [--replicates 100] [--length 1000000] [--text FILE]

Each table prints our figures beside those that were measured independently of this code.
"""

from __future__ import annotations

import argparse
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stopwatch import header, timed

from bitmeter.theory.estimators.entropy import ENTROPY_METHODS, estimate_entropy
from bitmeter.theory.estimators.rates import RATE_METHODS, estimate_rate
from bitmeter.theory.estimators.spectrum import FORMULAS, Spectrum

#: Mean error in nats on Zipf(1) over 10⁴ symbols, 100 replicates, by independent implementations.
REFERENCE = {
    300: "-1.82 -1.51 -1.12 -1.46 -1.07 -0.65 -1.23 -0.63 -0.80",
    1000: "-1.20 -0.94 -0.64 -0.91 -0.63 -0.35 -0.73 -0.80 -0.41",
    10_000: "-0.38 -0.24 -0.12 -0.22 -0.04 -0.05 -0.14 -0.34 +0.01",
}
METHODS = (
    "maximum-likelihood",
    "miller-madow",
    "grassberger",
    "zhang",
    "chao-shen",
    "chao-wang-jost",
    "jackknife",
    "james-stein",
    "nsb",
)
assert set(METHODS) == set(ENTROPY_METHODS)


def zipf(size: int, exponent: float = 1.0) -> NDArray[np.float64]:
    weights = 1 / np.arange(1, size + 1, dtype=np.float64) ** exponent
    return np.asarray(weights / weights.sum())


def entropy(p: NDArray[np.float64]) -> float:
    return -math.fsum((p * np.log(p)).tolist())


def known(method: str, size: int) -> dict[str, Any]:
    return {"alphabet_size": size} if method in ("james-stein", "nsb") else {}


def bias_table(replicates: int) -> None:
    p = zipf(10_000)
    truth = entropy(p)
    print(f"Mean error in nats, Zipf(1) over 10000 symbols, H = {truth:.4f}, {replicates} replicates")
    print(f"  {'N':>6} {'method':<20}{'ours':>8}{'reference':>11}{'± (2 se)':>10}")
    for draws, figures in REFERENCE.items():
        rng = np.random.default_rng(draws)
        samples = [rng.multinomial(draws, p) for _ in range(replicates)]
        for method, figure in zip(METHODS, figures.split(), strict=True):
            errors = [
                estimate_entropy(s, method, of="counts", unit="nats", resamples=0, **known(method, p.size)).value
                - truth
                for s in samples
            ]
            spread = 2 * float(np.std(errors)) / math.sqrt(replicates)
            print(f"  {draws:>6} {method:<20}{np.mean(errors):>+8.2f}{figure:>11}{spread:>10.3f}")


def interval_table(replicates: int) -> None:
    print(f"\nHow often the 95% interval contains the truth, and the estimator's own mean ({replicates} replicates)")
    print(f"  {'law':<16}{'N':>7}{'method':>20}{'coverage':>10}{'truth':>8}{'own mean':>10}")
    laws = {"Zipf, 100": zipf(100), "Zipf, 10000": zipf(10_000), "uniform, 1000": np.full(1000, 1e-3)}
    for name, p in laws.items():
        truth = entropy(p)
        for draws in (1000, 10_000):
            for method in ("chao-wang-jost", "maximum-likelihood", "nsb"):
                print(f"  {name:<16}{draws:>7}{method:>20}" + interval_row(p, truth, draws, method, replicates))


def interval_row(p: NDArray[np.float64], truth: float, draws: int, method: str, replicates: int) -> str:
    rng = np.random.default_rng(draws)
    found = [
        estimate_entropy(
            rng.multinomial(draws, p),
            method,
            of="counts",
            unit="nats",
            resamples=100,
            seed=rng,
            **known(method, p.size),
        )
        for _ in range(replicates)
    ]
    if method == "nsb":
        mean = float(np.mean([e.value for e in found]))
    else:
        mean = float(
            np.mean(
                [FORMULAS[method](Spectrum.of_counts(rng.multinomial(draws, p)), None) for _ in range(10 * replicates)]
            )
        )
    intervals = [e.interval for e in found if e.interval is not None]
    inside, own = (np.mean([low <= x <= high for low, high in intervals]) for x in (truth, mean))
    return f"{np.mean([e.coverage for e in found]):>10.3f}{inside:>8.2f}{own:>10.2f}"


def geometric(stop: float) -> NDArray[np.float64]:
    weights = stop * (1 - stop) ** np.arange(math.ceil(40 / stop))
    return np.asarray(weights / weights.sum())


def verdict_table(replicates: int) -> None:
    """How often a sample is called well sampled, and how often the interval of one so called contains the truth."""
    print(f"\nSamples that are called well sampled, and 95% intervals that contain the truth ({replicates} replicates)")
    print(f"  {'law':<22}{'N':>8}{'1 - f1/N':>10}{'called so':>11}{'covers then':>13}{'covers in all':>15}")
    laws = {f"Zipf {a}, 10^6 symbols": zipf(10**6, a) for a in (1.0, 1.2, 1.5, 1.8, 2.0)}
    laws |= {"Zipf 1.0, 100 symbols": zipf(100), "Zipf 1.5, 1000 symbols": zipf(1000, 1.5)}
    laws |= {f"geometric {g}": geometric(g) for g in (0.5, 0.1, 0.01)}
    laws |= {f"uniform, {k} symbols": np.full(k, 1 / k) for k in (2, 100, 1000)}
    pooled: list[bool] = []
    for name, p in laws.items():
        truth, sums = entropy(p), np.cumsum(p) / p.sum()
        for draws in (50, 100, 1000, 10_000, 100_000):
            rng = np.random.default_rng(draws)
            called, inside, coverage = [], [], []
            for _ in range(replicates):
                counts = np.bincount(np.searchsorted(sums, rng.random(draws), side="right"))
                found = estimate_entropy(counts[counts > 0], of="counts", unit="nats", resamples=100, seed=rng)
                assert found.interval is not None
                called.append(found.note.startswith("well sampled"))
                inside.append(found.interval[0] <= truth <= found.interval[1])
                coverage.append(found.coverage)
            chosen = [ok for ok, well in zip(inside, called, strict=True) if well]
            pooled += chosen
            then = f"{np.mean(chosen):.2f}" if len(chosen) >= 0.1 * replicates else "-"
            print(f"  {name:<22}{draws:>8}{np.mean(coverage):>10.3f}{np.mean(called):>11.2f}{then:>13}"
                  f"{np.mean(inside):>15.2f}")  # fmt: skip
    print(f"  all that were called so: {np.mean(pooled):.3f} of {len(pooled)}")


def processes(n: int) -> dict[str, tuple[float, NDArray[np.uint8], str]]:
    """Truth, a sample of n, and independent figures of 10⁶ for CTW, LZ76, match A and B, LZ78 and PPMd-16."""
    rng = np.random.default_rng(1)

    def chain(leave_zero: float, leave_one: float) -> NDArray[np.uint8]:
        runs = np.stack([rng.geometric(leave_zero, n), rng.geometric(leave_one, n)], axis=1).ravel()
        return np.repeat(np.tile(np.array([0, 1], dtype=np.uint8), n), runs)[:n]

    pairs = rng.random(n) < 0.5
    even = np.repeat(pairs.astype(np.uint8), np.where(pairs, 2, 1))[:n]
    hidden = (np.cumsum(rng.random(n) < 0.1) % 2 ^ (rng.random(n) < 0.1)).astype(np.uint8)
    iid = (rng.random(n) < 0.3).astype(np.uint8)
    return {
        "iid(.3)": (0.88129, iid, "0.88155 0.8865 0.817 0.839 0.996 0.986"),
        "Markov": (0.57207, chain(0.1, 0.3), "0.57188 0.5769 0.517 0.579 0.680 0.623"),
        "golden mean": (2 / 3, chain(0.5, 1.0), "0.66671 0.6860 0.633 0.642 0.800 0.688"),
        "even": (2 / 3, even, "0.66783 0.7146 0.656 0.666 0.844 0.694"),
        "hidden": (0.7665963, hidden, "0.76746 0.7725 0.712 0.752 0.889 0.844"),
    }


def rate_table(n: int) -> None:
    methods = ("ctw", "lz76", "match-a", "match-b", "lz78", "ppmd")
    print(f"\nBits per symbol, {n:,} symbols: ours / independent (another sample of 10⁶ of the same process)")
    print(f"  {'':<13}{'truth':>8}" + "".join(f"{m:>17}" for m in methods) + f"{'block':>9}")
    for name, (truth, data, figures) in processes(n).items():
        cells = "".join(
            f"{estimate_rate(data, m).value:>9.4f} / {figure:<6.6}"
            for m, figure in zip(methods, figures.split(), strict=True)
        )
        print(f"  {name:<13}{truth:>8.4f}{cells}{estimate_rate(data, 'block').value:>9.4f}")


def speed_table(text: bytes) -> None:
    print(f"\nSpeed on {len(text):,} bytes of text")
    print(f"  {'method':<12}{'bits/byte':>10}{'CPU s':>9}{'wall s':>9}{'CPU µs/byte':>13}")
    jobs: list[tuple[str, dict[str, Any]]] = [("ctw", {"depth": 5}), *((m, {}) for m in RATE_METHODS)]
    for method, settings in jobs:
        taken, found = timed(lambda m=method, s=settings: estimate_rate(text, m, **s))  # type: ignore[misc]
        name = method + (f"-{settings['depth']}" if settings else "")
        print(
            f"  {name:<12}{found.value:>10.3f}{taken.cpu:>9.2f}{taken.wall:>9.2f}{1e6 * taken.cpu / len(text):>13.3f}"
        )
    small = text[:20_000]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import antropy

    antropy.lziv_complexity("01" * 10, normalize=False)  # compiles itself on its first call
    peer, theirs = timed(lambda: antropy.lziv_complexity(list(small), normalize=False))
    own, ours = timed(lambda: estimate_rate(small, "lz76").parameters["phrases"])
    print(f"  LZ76 of {len(small)} bytes: ours {ours:g} phrases in {own.cpu:.4f} CPU s, antropy {theirs} in "
          f"{peer.cpu:.4f}, {peer.cpu / own.cpu:.0f} times ours")  # fmt: skip


def reference_text() -> bytes:
    import pydoc_data.topics

    return "\n".join(pydoc_data.topics.topics.values()).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=100)
    parser.add_argument("--length", type=int, default=10**6, help="symbols of each process")
    parser.add_argument("--text", type=Path, help="a text for the speed table; else Python's own language reference")
    arguments = parser.parse_args()
    print(header())
    bias_table(arguments.replicates)
    interval_table(arguments.replicates)
    verdict_table(arguments.replicates)
    rate_table(arguments.length)
    speed_table(arguments.text.read_bytes() if arguments.text else reference_text())


if __name__ == "__main__":
    main()
