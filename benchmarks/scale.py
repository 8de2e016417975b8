"""A score by several processes against one: throughput, what parts cost, and the growth with the corpus.

    python benchmarks/scale.py TRAIN TEXT [--order 5] [--copies 8] [--workers 2] [--repeat 2] [--parts 200] [--ray]

The model is an n-gram model of TRAIN. TEXT is written as JSON lines, one document per paragraph, so many times over. It
is scored by this process with one thread, by pools of one process and of several, and with --ray on a Ray cluster that
is started for it. CPU seconds are those of tasks (measured in them) and of the caller, which reads the text as well;
the start of processes is shown apart. All scores must be equal to the last bit. Then the cost of tasks that do nothing.
Before that, the same with an eighth, a quarter and a half of the text. Wall time means little on a machine that does
other things: compare CPU seconds.

Then files of JSON lines that are compressed by zstd, to the scores of each document in a file, as a filter does before
it decides: MB of JSON lines, unpacked, per CPU second of one process with one thread. Below it is what unpacking and
reading take of that. Last, the same files filtered as `bitmeter filter` does (read, scored, decided, written, with
receipts): by this process, which scores with a thread per processor, by a pool and by Ray; wall time with the start of
processes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import zstandard
from stopwatch import header, nothing, timed_call

import bitmeter as bm
from bitmeter._util.jobs import Ended, Executor, Here, Task, TaskReport
from bitmeter.filter.plan import Shard, shards_of
from bitmeter.filter.reading import read_rows
from bitmeter.filter.scores import Scorers
from bitmeter.filter.settings import rule_of
from bitmeter.filter.settings import settle as settle_filter
from bitmeter.filter.shard import score_shard
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import settle
from bitmeter.models.protocols import Model
from bitmeter.scale.engines import executor_of
from bitmeter.scale.local import LocalPool
from bitmeter.scale.scoring import score_in_parts
from bitmeter.text.corpus.readers import file_blocks

#: Bytes of a part, and of JSON lines in a compressed file.
PART, PACKED = 8 << 20, 64 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--parts", type=int, default=200)
    parser.add_argument("--ray", action="store_true")
    given = parser.parse_args()
    print(header())
    engines: dict[str, Callable[[], Executor]] = {
        "this process": Here,
        "pool of 1": lambda: LocalPool(1),
        f"pool of {given.workers}": lambda: LocalPool(given.workers),
    }
    if given.ray:
        engines[f"Ray, {given.workers}"] = lambda: executor_of(given.workers, "ray")
    os.environ["PYTHONPATH"] = os.pathsep.join((str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")))
    with tempfile.TemporaryDirectory() as folder:
        bm.NGram(order=given.order, unk_word=True, threads=1).fit(given.train).save(Path(folder, "model.bmn"))
        model = bm.NGram.load(Path(folder, "model.bmn"))
        model.threads = 1
        path = Path(folder, "text.jsonl")
        lines = [json.dumps({"text": part}) + "\n" for part in re.split(r"\n\s*\n", given.text.read_text("utf-8"))]
        for share in (1 / 8, 1 / 4, 1 / 2, 1):
            copies = max(1, round(given.copies * share))
            path.write_text("".join(lines) * copies, encoding="utf-8")
            _compare(model, path, engines if share == 1 else dict(list(engines.items())[:3]), given.repeat)
        path.unlink()
        files = _pack(Path(folder), lines, given.copies)
        size = given.copies * len("".join(lines).encode()) / 1e6
        _packed(Path(folder), files, size, given.repeat)
        _filtered(Path(folder), files, size, given.workers, ray=given.ray)
    _empty(engines, given.parts)


def _pack(folder: Path, lines: list[str], copies: int) -> list[Path]:
    """Compressed files of all lines, so many times over."""
    data = "".join(lines).encode()
    many = max(1, PACKED // max(1, len(data)))
    files = [folder / f"{number}.jsonl.zst" for number in range(-(-copies // many))]
    for number, file in enumerate(files):
        file.write_bytes(zstandard.ZstdCompressor().compress(data * min(many, copies - number * many)))
    return files


def _filtered(folder: Path, files: list[Path], size: float, workers: int, *, ray: bool) -> None:
    """A filter that keeps about half of the documents."""
    model = folder / "model.bmn"
    limit = bm.score(model, files[0], cluster="none").bits_per_byte
    assert limit is not None
    runs = [("threads", 1, "local"), (f"pool of {workers}", workers, "local")]
    runs += [(f"Ray, {workers}", workers, "ray")] if ray else []
    print(f"\n{size:.1f} MB of JSON lines in {len(files)} files of zstd, filtered by bits/byte < {limit:.3f}")
    print(f"{'':16}{'wall s':>8}{'MB / s':>9}{'against threads':>17}")
    walls: list[float] = []
    kept = set()
    for name, number, engine in runs:
        (folder / "kept").mkdir()
        begun = time.perf_counter()
        done = bm.filter_corpus(
            str(model), list(map(str, files)), folder / "kept", max=limit, workers=number, engine=engine
        )
        walls.append(time.perf_counter() - begun)
        kept.add((done.share("kept").documents, done.documents))
        shutil.rmtree(folder / "kept")
        print(f"{name:16}{walls[-1]:8.2f}{size / walls[-1]:9.1f}{walls[0] / walls[-1]:17.2f}")
    assert len(kept) == 1, "filters differ"


def _packed(folder: Path, files: list[Path], size: float, repeat: int) -> None:
    """From compressed files to the scores of documents."""
    shards = shards_of([str(file) for file in files], None, None, None)
    settings = settle_filter(
        rule_of(high=1.0), field=None, language=None, docs=None, add=(), prefix="", tag=None, unscored="drop", seed=0
    )
    scorers = Scorers(str(folder / "model.bmn"), None, None, "", {}, threads=1)
    done: dict[str, Callable[[Shard], object]] = {
        "scored": lambda shard: score_shard(shard, settings, scorers, folder / "scores", _skip),
        "read": lambda shard: [len(rows) for rows in read_rows(shard.source, settings.fields)],
        "unpacked": lambda shard: [len(block) for block in file_blocks(shard.source, 1 << 20)],
    }
    print(f"\n{size:.1f} MB of JSON lines in {len(files)} files of zstd; the least of {repeat} rounds, one thread")
    print(f"{'':16}{'CPU s':>8}{'MB / CPU s':>12}")
    for name, act in done.items():
        spent = []
        for _ in range(repeat):
            begun = time.process_time()
            for shard in shards:
                act(shard)
            spent.append(time.process_time() - begun)
        print(f"{name:16}{min(spent):8.2f}{size / min(spent):12.1f}")


def _skip(more: int) -> None:
    pass


class Spent(NamedTuple):
    """Seconds."""

    wall: float
    tasks: float
    caller: float
    start: float


class Timed(Executor):
    """Measures the CPU seconds of tasks where they run."""

    def __init__(self, inner: Executor) -> None:
        self.inner, self.workers, self.seconds = inner, inner.workers, 0.0

    def run(self, tasks: Iterable[Task], report: TaskReport) -> Iterator[Ended]:
        wrapped = (Task(task.number, timed_call, (task.call, task.arguments), task.place) for task in tasks)
        for ended in self.inner.run(wrapped, report):
            value, seconds = ended.result()
            self.seconds += seconds
            yield Ended(ended.number, value)


def _ignore(number: int, more: float) -> None:
    pass


def _compare(model: Model, path: Path, engines: dict[str, Callable[[], Executor]], repeat: int) -> None:
    settings = settle(
        convention("bitmeter"), None, None, None, None, None, None, None, None, 0.95, "auto", None, None, None, None
    )
    if "spelled" in model.traits.oov:
        settings = replace(settings, oov="spelled")
    size = path.stat().st_size / 1e6
    print(f"\n{size:.1f} MB of JSON lines, parts of {PART / 1e6:.1f} MB; the least of {repeat} rounds")
    print(f"{'':16}{'wall s':>8}{'tasks s':>9}{'caller s':>9}{'start s':>9}{'MB / CPU s':>12}")
    scores: list[bm.Score] = []
    for name, make in engines.items():
        spent = []
        for _ in range(repeat):
            with make() as executor:
                begun = time.perf_counter()
                first = [Task(number, nothing, (number,)) for number in range(executor.workers)]
                list(executor.run(first, _ignore))
                start = time.perf_counter() - begun
                timed, wall, caller = Timed(executor), time.perf_counter(), time.process_time()
                scores.append(score_in_parts(model, bm.Corpus(path), settings, timed, None, PART))
                wall, caller = time.perf_counter() - wall, time.process_time() - caller
                own = caller - (timed.seconds if isinstance(executor, Here) else 0.0)
                spent.append(Spent(wall, timed.seconds, own, start))
        best = Spent(*(min(column) for column in zip(*spent, strict=True)))
        speed = size / (best.tasks + best.caller)
        print(f"{name:16}{best.wall:8.2f}{best.tasks:9.2f}{best.caller:9.2f}{best.start:9.2f}{speed:12.1f}")
    assert all(score == scores[0] for score in scores), "scores differ"
    print("all scores are equal to the last bit")


def _empty(engines: dict[str, Callable[[], Executor]], parts: int) -> None:
    print(f"\n{parts} tasks that do nothing")
    print(f"{'':16}{'wall ms':>10}{'caller CPU ms':>15}   per task")
    for name, make in engines.items():
        with make() as executor:
            list(executor.run([Task(number, nothing, (number,)) for number in range(executor.workers)], _ignore))
            wall, caller = time.perf_counter(), time.process_time()
            list(executor.run([Task(number, nothing, (number,)) for number in range(parts)], _ignore))
            wall, caller = time.perf_counter() - wall, time.process_time() - caller
        print(f"{name:16}{1000 * wall / parts:10.2f}{1000 * caller / parts:15.2f}")


if __name__ == "__main__":
    main()
