"""The last layer of a network: our part-by-part normalisation beside torch's linear_cross_entropy.

    python benchmarks/head.py [--positions 128 512 2048] [--width 576] [--vocabulary 49152] [--repeat 3]

The same states, weights and targets for all, float32, one thread, each way in a process of its own. Printed are the
least CPU seconds, how far the memory rose above what the tensors take, and the largest difference from float64 in nats.
`reference` is linear_cross_entropy(reduction='none') as it is, `chunked` with its options for little memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from stopwatch import header

WAYS = ("ours", "reference", "chunked")


def made(way: str, positions: int, width: int, vocabulary: int) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """The call that is timed, and the truth; both give ln p of the targets."""
    import torch

    from bitmeter.models.causal.hf.head import chosen

    torch.manual_seed(1)
    head = torch.nn.Linear(width, vocabulary, bias=False)
    states = torch.randn(positions, width)
    # Logits as networks have them: some units wide.
    head.weight.data.normal_(0.0, 3.0 / width**0.5)
    targets = torch.randint(vocabulary, (positions,))

    def truth() -> Any:
        parts = torch.arange(positions).split(64)
        logits = (states[part].double() @ head.weight.double().T for part in parts)
        return torch.cat(
            [values.log_softmax(-1).gather(1, targets[p, None])[:, 0] for p, values in zip(parts, logits, strict=True)]
        )

    if way == "ours":
        return lambda: chosen(states, targets, head, lambda logits: logits), truth
    options = torch.nn.LinearCrossEntropyOptions() if way == "chunked" else None
    loss = torch.nn.functional.linear_cross_entropy
    return lambda: -loss(states, head.weight, targets, reduction="none", options=options).double(), truth


def worker(way: str, positions: int, width: int, vocabulary: int, repeat: int) -> None:
    """Print the result as JSON."""
    import torch

    torch.set_num_threads(1)
    run, truth = made(way, positions, width, vocabulary)
    with torch.inference_mode(), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = []
        for _ in range(repeat):
            began = time.process_time()
            found = run()
            seconds.append(time.process_time() - began)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        off = float((found - truth()).abs().max())
    said = {"seconds": min(seconds), "peak": peak / (1024 if sys.platform != "darwin" else 1 << 20), "off": off}
    print(json.dumps(said | {"warned": [str(one.message) for one in warned]}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, nargs="+", default=[128, 512, 2048])
    parser.add_argument("--width", type=int, default=576)
    parser.add_argument("--vocabulary", type=int, default=49152)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        worker(given.worker, given.positions[0], given.width, given.vocabulary, given.repeat)
        return
    print(header())
    print(f"width {given.width}, vocabulary {given.vocabulary:,}, float32, one thread; the least of {given.repeat}")
    print(f"{'positions':>10} {'':<10}{'CPU s':>9}{'more MB':>9}{'nats off':>10}{'against ours':>14}")
    for positions in given.positions:
        first = 0.0
        for way in WAYS:
            sizes = ("--width", str(given.width), "--vocabulary", str(given.vocabulary), "--repeat", str(given.repeat))
            done = subprocess.run(
                [sys.executable, __file__, "--worker", way, "--positions", str(positions), *sizes],
                capture_output=True, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
            )  # fmt: skip
            found = json.loads(done.stdout.splitlines()[-1])
            first = first or found["seconds"]
            ratio = f"{found['seconds'] / first:.2f}"
            print(
                f"{positions:>10,} {way:<10}{found['seconds']:>9.3f}{found['peak']:>9.0f}{found['off']:>10.1e}"
                f"{ratio:>14}"
            )
            for line in dict.fromkeys(found["warned"]):
                print(f"           torch warns: {line[:150]}")


if __name__ == "__main__":
    main()
