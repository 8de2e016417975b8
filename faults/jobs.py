"""The commands that are disturbed: what each reads and writes, and what of its output may differ from run to run."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from processes import run

from bitmeter.filter.receipts import FOLDER, Receipts

#: Below a case's folder: what is read, what is written, and where temporary files go. The last two are one file system.
IN, OUT, TMP = "in", "disk/out", "disk/tmp"

_NET = ["--kind", "lstm", "--units", "bytes", "--width", "16", "--layers", "1", "--context", "16", "--batch", "4",
        "--threads", "1", "--patience", "100"]  # fmt: skip


@dataclass(frozen=True)
class Job:
    """A command line, run in the folder of a case.

    Attributes
    ----------
    inputs
        Files of the prepared folder that it reads.
    outputs
        Files that it writes, below OUT.
    begun
        Outputs that may be there before it is done: a checkpoint; with a slash at its end, a folder and all that is in
        it.
    prepared
        A folder of the prepared ones that is its output to be: a training that was interrupted.
    again
        What the command is after an interruption; by default with --force.
    """

    name: str
    words: list[str]
    inputs: list[str]
    outputs: list[str]
    begun: list[str] = field(default_factory=list)
    prepared: str | None = None
    again: list[str] | None = None

    @property
    def is_network(self) -> bool:
        """Whether it trains a network."""
        return "--kind" in self.words

    @property
    def is_server(self) -> bool:
        """Whether it goes on until it is ended."""
        return self.name == "serve"

    @property
    def rerun(self) -> list[str]:
        """The command after an interruption."""
        return [*self.words, "--force"] if self.again is None else self.again


def _net(*more: str) -> list[str]:
    return ["train", f"{IN}/small.txt", "-o", f"{OUT}/net", *_NET, "--epochs", "0.3", *more]


#: What a filter writes of two files, and what it leaves for its second run if it is interrupted.
_DOCUMENTS = ["docs-0.jsonl", "docs-1.jsonl"]


def _kept(*kinds: str) -> list[str]:
    return [f"kept/{Receipts(Path()).path(name, kind)}" for name in _DOCUMENTS for kind in kinds]


_NET_FILES = ["net/model.json", "net/weights.safetensors", "net/curve.json"]

JOBS = (
    Job(
        "train n-gram", ["train", f"{IN}/large.txt", "-o", f"{OUT}/m.bmn", "--order", "8", "--memory", "64M"],
        ["large.txt"], ["m.bmn"],
    ),
    Job(
        "train --workers",
        ["train", f"{IN}/large.txt", "-o", f"{OUT}/m.bmn", "--order", "5", "--workers", "2", "--threads", "1"],
        ["large.txt"], ["m.bmn"], ["m.bmn.parts/"],
    ),
    Job("train lstm", _net(), ["small.txt"], _NET_FILES, ["net/checkpoint.safetensors"]),
    Job(
        "train --resume", _net("--resume"), ["small.txt"], _NET_FILES, ["net/checkpoint.safetensors"],
        prepared="net", again=_net("--resume"),
    ),
    Job(
        "score", ["score", f"{IN}/a.bmn", f"{IN}/heldout.txt", "-o", f"{OUT}/r.json", "--trace", f"{OUT}/t.parquet"],
        ["a.bmn", "heldout.txt"], ["r.json", "t.parquet"],
    ),
    Job(
        "compress", ["compress", f"{IN}/a.bmn", f"{IN}/small.txt", "-o", f"{OUT}/s.bmz", "--embed"],
        ["a.bmn", "small.txt"], ["s.bmz"],
    ),
    Job("decompress", ["decompress", f"{IN}/small.bmz", "-o", f"{OUT}/s.txt"], ["small.bmz"], ["s.txt"]),
    Job("convert", ["convert", f"{IN}/a.bmn", f"{OUT}/c.arpa.gz"], ["a.bmn"], ["c.arpa.gz"]),
    Job(
        "mix", ["mix", f"{IN}/a.bmn", f"{IN}/b.bmn", "--heldout", f"{IN}/small.txt", "-o", f"{OUT}/x.bmx"],
        ["a.bmn", "b.bmn", "small.txt"], ["x.bmx"],
    ),
    Job(
        "filter",
        ["filter", f"{IN}/a.bmn", *(f"{IN}/{name}" for name in _DOCUMENTS), "-o", f"{OUT}/kept", "--keep", "30%"],
        ["a.bmn", *_DOCUMENTS], [*(f"kept/{name}" for name in _DOCUMENTS), f"kept/{FOLDER}/lock", *_kept("receipt")],
        _kept("claim", "scored", "scores"),
    ),
    # The history's write-ahead log is a part of it until there is room, and a moment, to write it back.
    Job(
        "serve", ["serve", "--models", IN, "--port", "0"], ["a.bmn"], ["data/history.sqlite"],
        ["data/history.sqlite-wal", "data/history.sqlite-shm"],
    ),
)  # fmt: skip


def prepare(folder: Path, chosen: Sequence[Job], scale: float) -> None:
    """Write what the commands read: texts of words by Zipf's law, models, an archive, an interrupted training."""
    folder.mkdir(parents=True)
    needed = {name for job in chosen for name in job.inputs}
    draw = random.Random(12)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(20_000)]
    weights = list(accumulate(1 / (rank + 1) for rank in range(len(words))))
    # The first is large enough that its n-grams of order 8 are sorted on the disk within 64 MB. The others are small:
    # nothing that is tried depends on their size, and hundreds of cases are run.
    for name, lines in (("large.txt", 32_000), ("text.txt", 4_000), ("heldout.txt", 6_000), ("small.txt", 400)):
        if name in needed or name in ("text.txt", "small.txt"):
            chosen_words = random.Random(name).choices(words, cum_weights=weights, k=12 * int(scale * lines))
            rows = (" ".join(chosen_words[at : at + 12]) for at in range(0, len(chosen_words), 12))
            (folder / name).write_text("\n".join(rows) + "\n")
    for number, name in enumerate(_DOCUMENTS if needed & set(_DOCUMENTS) else ()):
        drawn = random.Random(number)
        texts = [
            " ".join(drawn.choices(words, cum_weights=weights, k=drawn.randint(1, 90)))
            for _ in range(int(scale * 3000))
        ]
        (folder / name).write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    for order, name in ((4, "a.bmn"), (2, "b.bmn")):
        _done(["train", "text.txt", "-o", name, "--order", str(order)], folder)
    if "small.bmz" in needed:
        _done(["compress", "a.bmn", "small.txt", "-o", "small.bmz", "--embed"], folder)
    if any(job.prepared for job in chosen):
        _interrupted(folder)


def _done(words: list[str], folder: Path) -> None:
    ended = run(words, folder)
    if ended.code != 0:
        raise SystemExit(f"bitmeter {' '.join(words)} failed:\n{ended.said}")


def _interrupted(folder: Path) -> None:
    """A training that was killed after its second checkpoint."""
    place = folder / "interrupted"
    (place / IN).mkdir(parents=True)
    (place / OUT).mkdir(parents=True)
    shutil.copy(folder / "small.txt", place / IN)
    checkpoint = place / OUT / "net" / "checkpoint.safetensors"
    seen: set[float] = set()

    def is_second() -> bool:
        if checkpoint.exists():
            seen.add(checkpoint.stat().st_mtime_ns)
        return len(seen) == 2

    run(_net(), place, kill_when=is_second)
    if not checkpoint.exists() or (place / OUT / "net" / "model.json").exists():
        raise SystemExit("the training was not interrupted between two checkpoints")
    shutil.move(place / OUT / "net", folder / "net")
    shutil.rmtree(place)


def comparable(path: Path) -> bytes:
    """The content of an output without the seconds that it took."""
    reader = _READERS.get(path.name)
    return path.read_bytes() if reader is None else reader(path)


def _without_seconds(path: Path) -> bytes:
    def rest(value: object) -> object:
        if isinstance(value, dict):
            return {key: rest(item) for key, item in value.items() if key != "seconds"}
        return [rest(item) for item in value] if isinstance(value, list) else value

    try:
        return json.dumps(rest(json.loads(path.read_bytes()))).encode()
    except ValueError:
        return path.read_bytes()


_READERS: dict[str, Callable[[Path], bytes]] = {"r.json": _without_seconds, "curve.json": _without_seconds}
