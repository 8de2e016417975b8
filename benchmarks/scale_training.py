"""An n-gram model counted by several processes against one: where the CPU seconds go, and that the bytes are the same.

    python benchmarks/scale_training.py TEXT [--order 5] [--smoothing modified-kneser-ney] [--workers 2] [--ray]

The model is made by this process with one thread, by pools of one process and of several, and with --ray on a Ray
cluster that is started for it. CPU seconds of tasks are measured in them, by stage; the rest is that of the caller,
which joins vocabularies, settles discounts, fits the spelling of words and writes the file, with one thread. Compare
CPU seconds, not wall time, on a busy machine. "threads": only the counting is shared, as for --smoothing katz.
"""

from __future__ import annotations

import argparse
import collections
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from unittest import mock

from stopwatch import header, timed_call

import bitmeter as bm
from bitmeter._util.jobs import Ended, Executor, Task, TaskReport
from bitmeter.scale.engines import executor_of
from bitmeter.scale.local import LocalPool

#: The stages that are tasks, by the first word of their functions.
STAGES = ("split", "sort", "merge", "grow", "link", "weigh", "finish")


class Staged(Executor):
    """Measures the CPU seconds of tasks where they run, by what they do."""

    def __init__(self, inner: Executor) -> None:
        self.inner, self.workers = inner, inner.workers
        self.seconds: collections.Counter[str] = collections.Counter()

    def run(self, tasks: Iterable[Task], report: TaskReport) -> Iterator[Ended]:
        names: dict[int, str] = {}

        def wrapped() -> Iterator[Task]:
            for task in tasks:
                names[task.number] = task.call.__name__.partition("_")[0]
                yield Task(task.number, timed_call, (task.call, task.arguments), task.place)

        for ended in self.inner.run(wrapped(), report):
            value, seconds = ended.result()
            self.seconds[names[ended.number]] += seconds
            yield Ended(ended.number, value)

    def close(self) -> None:
        self.inner.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--smoothing", default="modified-kneser-ney")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--ray", action="store_true")
    given = parser.parse_args()
    print(header())
    os.environ["PYTHONPATH"] = os.pathsep.join((str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")))
    engines: dict[str, Callable[[], Executor]] = {
        "pool of 1": lambda: LocalPool(1),
        f"pool of {given.workers}": lambda: LocalPool(given.workers),
        f"{given.workers} and threads": lambda: LocalPool(given.workers),
    }
    if given.ray:
        engines[f"Ray, {given.workers}"] = lambda: executor_of(given.workers, "ray")
    size = given.text.stat().st_size / 1e6
    print(f"{size:.1f} MB, order {given.order}, {given.smoothing}; CPU s")
    shown = "".join(f"{name:>8}" for name in (*STAGES, "caller", "all", "share", "wall s"))
    print(f"{'':14}{shown}")
    with tempfile.TemporaryDirectory() as folder:
        one = Path(folder, "one.bmn")
        wall, cpu = time.perf_counter(), time.process_time()
        _model(given).fit(given.text).save(one)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"{'this process':14}{'':{8 * len(STAGES)}}{cpu:8.2f}{cpu:8.2f}{'':8}{wall:8.2f}")
        for name, make in engines.items():
            executor = Staged(make())
            two = Path(folder, "two.bmn")
            wall, cpu = time.perf_counter(), time.process_time()
            shares = mock.patch("bitmeter._core.smooths_in_slices", return_value="threads" not in name)
            with shares, mock.patch("bitmeter.models.ngram.model.ask", return_value=executor):
                _model(given).fit(given.text, workers=max(2, executor.workers)).save(two, force=True)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            stages = [executor.seconds[stage] for stage in STAGES]
            whole = cpu + sum(stages)
            shown = "".join(f"{seconds:8.2f}" for seconds in (*stages, cpu, whole))
            print(f"{name:14}{shown}{cpu / whole:8.0%}{wall:8.2f}")
            assert two.read_bytes() == one.read_bytes(), "the models differ"
    print("all models are equal to the last byte")


def _model(given: argparse.Namespace) -> bm.NGram:
    return bm.NGram(given.order, given.smoothing, unk_word=True, threads=1)


if __name__ == "__main__":
    main()
