"""The universal model against compressors: bits per byte, speed and memory on any texts, and bits per character.

    python benchmarks/compressors.py TEXT… [--train TEXT|half] [--only NAME,NAME] [--repeat 1]
    python benchmarks/compressors.py --languages TEXT…

Each contender runs in a process of its own, one thread, one after the other. Speed is megabytes per CPU second,
the best of the repeats, for compressing (models of bitmeter: for scoring, which costs what compressing does); memory
is the peak of that process. zpaq and bzip3 run if their programs are installed, the rest through Python modules.

N-gram models need training text: the one of --train, or else the largest of the texts (which then has no such rows
itself). With --train half it is the first half of each text, and all contenders are measured on the second half alone.
There is one n-gram model of words, order 5, with unknown words spelled, one of bytes, order 6, and the universal model
after it has read the same text. These rows have seen text that the others have not, and neither that text nor the
model's file is counted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from stopwatch import header

import bitmeter as bm

#: Programs: how each is called with the output and the input.
PROGRAMS = {
    "zpaq -m5": ["zpaq", "a", "{output}.zpaq", "{input}", "-m5", "-t1"],
    "bzip3 -b 64": ["bzip3", "-e", "-b", "64", "{input}", "{output}.bz3"],
}
#: Models of bitmeter, as they are typed.
MODELS = (
    "universal:fast", "universal:small", "universal:medium", "universal:large",
    "ppmd:8", "ppmd:16", "zstd:22", "xz:9e", "brotli:11", "bz2:9",
)  # fmt: skip
REFERENCE = "universal:medium"
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


def measure(name: str, text: Path, repeat: int, prime: Path | None = None) -> Measured:
    before = [] if prime is None else ["--prime", str(prime)]
    found = []
    for _ in range(repeat):
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen([sys.executable, __file__, "--one", name, str(text), *before], stdout=output)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                message = f"{name} failed on {text}"
                raise RuntimeError(message)
            output.seek(0)
            bits, seconds = json.loads(output.read())
        found.append(Measured(bits, seconds, used.ru_maxrss * 1024))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--only", help="contenders, with commas between")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument(
        "--languages", action="store_true", help="bits per byte and per character of the universal model"
    )
    parser.add_argument(
        "--train", help="what n-gram models are trained on: a text, or half; by default the largest text"
    )
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--prime", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.one:
        print(header())
    installed = [name for name, command in PROGRAMS.items() if shutil.which(command[0])]
    if given.one:
        run_here(given.one, given.texts[0], given.prime)
    elif given.languages:
        languages(given.texts)
    else:
        names = given.only.split(",") if given.only else [*MODELS, *installed, *TRAINED]
        with tempfile.TemporaryDirectory() as folder:
            compare(given.texts, names, given.repeat, given.train, Path(folder))


if __name__ == "__main__":
    main()
