"""The universal model against compressors: bits per byte, speed and memory, over ten kinds of files or on any texts.

    python benchmarks/compressors.py --front [KIND=FILE…] [--size 1] [--plot FILE.svg] [--only NAME,NAME] [--repeat 1]
    python benchmarks/compressors.py TEXT… [--train TEXT|half] [--only NAME,NAME] [--repeat 1]
    python benchmarks/compressors.py --languages TEXT…

With --front, each contender compresses a file of each of ten kinds (kinds.py; KIND=FILE takes a file of yours for one
of them), at most --size megabytes of each. The size is that of the whole compressed file, of ours that of the archive
with its header; the time is that of compressing alone, the preparation of memory included. --plot draws bits against
megabytes per CPU second. The last table has the goals of the presets, as far as their contenders ran, those of speed
for compressing and for scoring prose.

Each contender runs in a process of its own, one thread, one after the other. Speed is megabytes per CPU second, the
best of the repeats, for compressing (without --front, models of bitmeter: for scoring, which costs what compressing
does); memory is the peak of that process. zpaq, bzip3 and lrzip run if their programs are installed, the rest through
Python modules.

N-gram models need training text: the one of --train, or else the largest of the texts (which then has no such rows
itself). With --train half it is the first half of each text, and all contenders are measured on the second half alone.
There is one n-gram model of words, order 5, with unknown words spelled, one of bytes, order 6, and the universal model
after it has read the same text. These rows have seen text that the others have not, and neither that text nor the
model's file is counted.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from front import Contender, Packed, draw, show
from goals import Goal, show_goals
from kinds import KINDS, described, write_kinds
from rich.console import Console
from rich.table import Table
from stopwatch import header, used

import bitmeter as bm
from bitmeter._util.compressors import COMPRESSORS
from bitmeter.coding.archive.format import ArchiveWriter
from bitmeter.errors import MissingPackageError
from bitmeter.models.universal.model import PRESETS

#: Programs: how each is called with the output and the input.
PROGRAMS = {
    "zpaq -m5": ["zpaq", "a", "{output}.zpaq", "{input}", "-m5", "-t1"],
    "zpaq -m3": ["zpaq", "a", "{output}.zpaq", "{input}", "-m3", "-t1"],
    "bzip3 -b 64": ["bzip3", "-e", "-b", "64", "{input}", "{output}.bz3"],
    "lrzip -z": ["lrzip", "-z", "-Q", "-p", "1", "-o", "{output}.lrz", "{input}"],
}
#: Presets, as they are typed.
OURS = [f"universal:{preset}" for preset in PRESETS]
#: Models of bitmeter, as they are typed.
MODELS = (*OURS, "ppmd:8", "ppmd:16", "zstd:22", "xz:9e", "brotli:11", "bz2:9")
#: Every compressor at its default, and some at another level, too.
LEVELS = {"xz": ("9e",), "zstd": ("3",), "brotli": ("5",), "ppmd": ("16",)}
PEERS = [f"{name}:{level}" for name, one in COMPRESSORS.items() for level in (one.default, *LEVELS.get(name, ()))]
REFERENCE = "universal:medium"
#: Megabytes of prose per CPU second that a preset should compress, and score.
SPEEDS = {"universal:fast": 4.0, REFERENCE: 1.0, "universal:max": 0.03}
#: What is trained on another text, and how; the universal model reads it.
TRAINED: dict[str, tuple[int, str] | None] = {
    "ngram words 5": (5, "words"),
    "ngram bytes 6": (6, "bytes"),
    f"{REFERENCE} primed": None,
}


@dataclass(frozen=True)
class Measured:
    """One contender on one text."""

    bits: float
    seconds: float
    memory: int


def cpu(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def pack(name: str, path: Path) -> int:
    """The size of the compressed file that a contender writes."""
    if name in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            command = [part.format(input=path, output=Path(folder, "out")) for part in PROGRAMS[name]]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return sum(file.stat().st_size for file in Path(folder).iterdir())
    if name in OURS:
        made = io.BytesIO()
        with path.open("rb") as file:
            ArchiveWriter(made, bm.load(name), b"", None).take(file, path.stat().st_size)
        return made.tell()
    meter = bm.load(name).meter()
    meter.feed(path.read_bytes())
    return int(meter.finish())


def pack_here(name: str, paths: list[Path]) -> None:
    """What the process of one contender does with all kinds: print sizes and CPU seconds."""
    found = []
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"warm up")
        file.flush()
        pack(name, Path(file.name))
    for path in paths:
        before = used()
        written = pack(name, path)
        found.append([written, used() - before])
    print(json.dumps(found))


def pack_all(name: str, paths: dict[str, Path], repeat: int) -> Contender:
    best: dict[str, Packed] = {}
    peak = 0
    for _ in range(repeat):
        printed, memory = child(["--pack", name, *map(str, paths.values())], name)
        peak = max(peak, memory)
        for (kind, path), (written, seconds) in zip(paths.items(), printed, strict=True):
            one = Packed(path.stat().st_size, written, seconds)
            best[kind] = min(best.get(kind, one), one, key=lambda found: found.seconds)
    return Contender(name, best, peak)


def front(given: dict[str, Path], names: list[str], size: int, repeat: int, plot: Path | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = write_kinds(Path(folder), size, given)
        print(*described(paths, given), "", sep="\n")
        contenders = [pack_all(name, paths, repeat) for name in names]
        scored = {name: measure(name, paths["prose"], repeat).seconds for name in names if name in SPEEDS}
    show(contenders)
    show_goals(goals({one.name: one for one in contenders}, scored), "speeds are megabytes of prose per CPU second")
    if plot is not None:
        draw(contenders, plot)


def goals(found: dict[str, Contender], scored: dict[str, float]) -> list[Goal]:
    """What each preset should reach on prose, and what bytes that nothing predicts may cost."""
    rows = []
    for preset, speed in SPEEDS.items():
        if (one := found.get(preset)) is not None:
            prose = one.packed["prose"]
            rows.append(Goal(f"{preset}, compressing", "≥", speed, prose.speed, 3))
            rows.append(Goal(f"{preset}, scoring", "≥", speed, prose.size / scored[preset] / 1e6, 3))
            rows.append(Goal(f"{preset}, bits of random bytes", "≤", 8.002, one.packed["random"].bits, 4))
    if (fast := found.get("universal:fast")) is not None:
        for peer in ("ppmd:8", "bzip3 -b 64"):
            if peer in found:
                bits = found[peer].packed["prose"].bits
                rows.append(
                    Goal(f"universal:fast, bits of prose, below {peer}", "<", bits, fast.packed["prose"].bits, 4)
                )
    if (most := found.get("universal:max")) is not None:
        rows.append(Goal("universal:max, memory in MB", "≤", 2000, most.memory / 1e6, 0))
        if (medium := found.get(REFERENCE)) is not None:
            theirs, ours = (one.packed["prose"].bits for one in (medium, most))
            rows.append(Goal("universal:max, bits of prose over those of medium", "≤", 1.90 / 2.002, ours / theirs, 4))
    return rows


def installed() -> list[str]:
    """The peers that this machine has; the others are named."""
    found = []
    for name in PEERS:
        try:
            bm.load(name)
            found.append(name)
        except MissingPackageError as error:
            print(f"without {name}: {error}")
    for name, command in PROGRAMS.items():
        if shutil.which(command[0]):
            found.append(name)
        else:
            print(f"without {name}: the program {command[0]} is not installed")
    return found


def run_here(name: str, text: Path, prime: Path | None) -> None:
    """What the process of one contender does: print bits and CPU seconds."""
    if name in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder, "out")
            command = [part.format(input=text, output=output) for part in PROGRAMS[name]]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            bits = 8.0 * sum(file.stat().st_size for file in Path(folder).iterdir())
        seconds = cpu(resource.RUSAGE_CHILDREN)
    else:
        model = bm.load(name)
        if prime is not None:
            model = model.with_prime(prime)
        bm.score("kt", b"warm up")
        before = cpu(resource.RUSAGE_SELF)
        bits = bm.score(model, text).bits
        seconds = cpu(resource.RUSAGE_SELF) - before
    print(json.dumps([bits, seconds]))


def child(words: list[str], name: str) -> tuple[Any, int]:
    """What this program prints in a process of its own, and the peak of that process' memory."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([sys.executable, __file__, *words], stdout=output)
        _, status, taken = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            message = f"{name} failed: {' '.join(words)}"
            raise RuntimeError(message)
        output.seek(0)
        return json.loads(output.read()), taken.ru_maxrss * 1024


def measure(name: str, text: Path, repeat: int, prime: Path | None = None) -> Measured:
    before = [] if prime is None else ["--prime", str(prime)]
    found = []
    for _ in range(repeat):
        (bits, seconds), memory = child(["--one", name, str(text), *before], name)
        found.append(Measured(bits, seconds, memory))
    return min(found, key=lambda one: one.seconds)


def trained(names: list[str], text: Path, folder: Path) -> dict[str, tuple[str, Path | None]]:
    """The name by which each trained contender is loaded, and the text it must read first."""
    found: dict[str, tuple[str, Path | None]] = {}
    for name in names:
        way = TRAINED[name]
        if way is None:
            found[name] = (REFERENCE, text)
            continue
        path = folder / f"{name.replace(' ', '-')}-{text.name}.bmn"
        if not path.exists():
            bm.NGram(way[0], units=way[1], unk_word=way[1] == "words").fit(bm.Corpus(text, docs="line")).save(path)
        found[name] = (str(path), None)
    return found


def halves(text: Path, folder: Path) -> tuple[Path, Path]:
    """A text cut at the line end nearest to its middle."""
    data = text.read_bytes()
    middle = data.rfind(b"\n", 0, len(data) // 2 + 1) + 1 or len(data) // 2
    parts = folder / f"first half of {text.name}", folder / f"second half of {text.name}"
    for path, part in zip(parts, (data[:middle], data[middle:]), strict=True):
        path.write_bytes(part)
    return parts


def compare(texts: list[Path], names: list[str], repeat: int, train: str | None, folder: Path) -> None:
    largest = max(texts, key=lambda text: text.stat().st_size)
    for given in texts:
        source, text = halves(given, folder) if train == "half" else (Path(train or largest), given)
        learners = [name for name in names if name in TRAINED and source.resolve() != text.resolve()]
        size = text.stat().st_size
        caption = f"trained on {source.name}: {', '.join(learners)}" if learners else None
        table = Table(
            title=f"{text.name}: {size:,} bytes", title_justify="left", caption=caption, caption_justify="left"
        )
        for column in ("", "bits/byte", f"against {REFERENCE}", "MB/CPU s", "peak memory"):
            table.add_column(column, justify="left" if not column else "right")
        found = {name: measure(name, text, repeat) for name in names if name not in TRAINED}
        for name, (model, prime) in trained(learners, source, folder).items():
            found[name] = measure(model, text, repeat, prime)
        base = found.get(REFERENCE) or next(iter(found.values()))
        for name, one in found.items():
            table.add_row(
                name, f"{one.bits / size:.4f}", f"{one.bits / base.bits:.3f}",
                f"{size / max(one.seconds, 1e-3) / 1e6:.2f}", f"{one.memory / 1e6:,.0f} MB",
            )  # fmt: skip
        Console(width=120).print(table)


def languages(texts: list[Path]) -> None:
    table = Table()
    for column in ("text", "bytes", "characters", "bits/byte", "bits/character", "ppmd:8 bits/byte"):
        table.add_column(column, justify="left" if column == "text" else "right")
    for text in texts:
        score = bm.score("universal", text)
        peer = bm.score("ppmd:8", text).bits_per_byte
        table.add_row(
            f"{text.parent.name}/{text.name}", f"{score.bytes:,}", f"{score.chars:,}", f"{score.bits_per_byte:.3f}",
            f"{score.per('char'):.3f}", f"{peer:.3f}",
        )  # fmt: skip
    Console(width=100).print(table)


def kinds_of(words: list[str]) -> dict[str, Path]:
    """KIND=FILE, each kind one of those that there are."""
    found = {}
    for word in words:
        kind, equals, path = word.partition("=")
        if not equals or kind not in [one.name for one in KINDS]:
            sys.exit(f"{word} must be KIND=FILE, with one of {', '.join(one.name for one in KINDS)}")
        found[kind] = Path(path)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*", metavar="TEXT|KIND=FILE")
    parser.add_argument("--front", action="store_true", help="ten kinds of files, by all that compress")
    parser.add_argument("--size", type=float, default=1.0, help="of each kind, in megabytes")
    parser.add_argument("--plot", type=Path, help="an .svg of the front")
    parser.add_argument("--only", help="contenders, with commas between")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument(
        "--languages", action="store_true", help="bits per byte and per character of the universal model"
    )
    parser.add_argument(
        "--train", help="what n-gram models are trained on: a text, or half; by default the largest text"
    )
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--pack", help=argparse.SUPPRESS)
    parser.add_argument("--prime", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.front and not given.texts:
        parser.error("name texts, or type --front for ten kinds of files")
    texts = [Path(text) for text in given.texts]
    if given.one:
        run_here(given.one, texts[0], given.prime)
        return
    if given.pack:
        pack_here(given.pack, texts)
        return
    print(header())
    chosen = given.only.split(",") if given.only else None
    if given.front:
        names = chosen or [*OURS, *installed()]
        front(kinds_of(given.texts), names, int(given.size * 1e6), given.repeat, given.plot)
    elif given.languages:
        languages(texts)
    else:
        programs = [name for name, command in PROGRAMS.items() if shutil.which(command[0])]
        with tempfile.TemporaryDirectory() as folder:
            compare(texts, chosen or [*MODELS, *programs, *TRAINED], given.repeat, given.train, Path(folder))


if __name__ == "__main__":
    main()
