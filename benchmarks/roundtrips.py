"""Round trips: odd bytes, and every file of some folders, compressed and decompressed by several models.

    python benchmarks/roundtrips.py [FOLDER…] [--models universal:small,kt] [--most 2000000] [--zeros 100]

Beside the files of the folders (each cut to --most bytes), these are compressed and decompressed: no bytes, one byte,
all 256 bytes, random bytes, invalid UTF-8, blank lines, and --zeros megabytes of zeros by the command line in a process
of its own, whose time and peak memory are printed. A model file (.bmn, .bmu, .bmx) may be among the models. Exits with
1 if anything does not come back.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from stopwatch import header, used

import bitmeter as bm

ODD = {
    "no bytes": b"",
    "one byte": b"x",
    "all bytes": bytes(range(256)),
    "random": random.Random(5).randbytes(100_000),
    "invalid UTF-8": b"na\xc3\xafve \xff\xfe \xc3( \xed\xa0\x80 \xf4\x90\x80\x80 \x80\n" * 50,
    "blank lines": b" \t\r\n\n\n \x0b\x0c\n" * 100,
    "one long word": b"x" * 100_000,
    "bytes of an archive": b"\x89BMZ\r\n\x1a\n" * 20,
}


def texts(folders: list[Path], most: int) -> Iterator[tuple[str, bytes]]:
    yield from ODD.items()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            with path.open("rb") as file:
                yield str(path.relative_to(folder.parent)), file.read(most)


def there_and_back(model: object, text: bytes, folder: Path) -> tuple[int, bool]:
    """The size of the archive, and whether the text came back."""
    made = bm.compress(model, text, folder / "x.bmz", force=True)
    bm.decompress(folder / "x.bmz", folder / "x", model=model, force=True)
    return made.size, (folder / "x").read_bytes() == text


def by_models(names: list[str], folders: list[Path], most: int, folder: Path) -> bool:
    table = Table()
    for column in (
        "model",
        "texts",
        "bytes",
        "archives",
        "bits/byte",
        "kB/CPU s, coded once and decoded twice",
        "did not come back",
    ):
        table.add_column(column, justify="left" if column == "model" else "right")
    sound = True
    for name in names:
        model, number, size, archives, lost = bm.load(name), 0, 0, 0, []
        started = used()
        for called, text in texts(folders, most):
            written, same = there_and_back(model, text, folder)
            number, size, archives = number + 1, size + len(text), archives + written
            lost += [] if same else [called]
        seconds = used() - started
        sound = sound and not lost
        table.add_row(
            name, f"{number:,}", f"{size:,}", f"{archives:,}", f"{8 * archives / size:.3f}",
            f"{size / seconds / 1e3:,.0f}", ", ".join(lost) or "none",
        )  # fmt: skip
    Console(width=140).print(table)
    return sound


def zeros(megabytes: int, model: str, folder: Path) -> bool:
    """Zeros by the command line, with CPU seconds and peak memory."""
    source, archive, back = folder / "zeros", folder / "zeros.bmz", folder / "back"
    with source.open("wb") as file:
        for _ in range(megabytes):
            file.write(bytes(1_000_000))
    main = [sys.executable, "-c", "from bitmeter.cli import main; main()"]
    for words in (["compress", model, str(source), "-o", str(archive)], ["decompress", str(archive), "-o", str(back)]):
        started = time.monotonic()
        process = subprocess.Popen([*main, *words], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        print(
            f"{megabytes} MB of zeros, bitmeter {words[0]} by {model}: exit {process.returncode}, "
            f"{used.ru_utime + used.ru_stime:.1f} s of CPU, {time.monotonic() - started:.1f} s in all, peak memory "
            f"{used.ru_maxrss / 1e3:,.0f} MB",
            flush=True,
        )
        if process.returncode:
            return False
    same = subprocess.run(["cmp", str(source), str(back)], check=False).returncode == 0
    print(f"archive {archive.stat().st_size:,} bytes; {'the same bytes came back' if same else 'NOT the same bytes'}")
    return same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--models", default="universal:small,kt,uniform", help="with commas between")
    parser.add_argument("--most", type=int, default=2_000_000, help="bytes of each file")
    parser.add_argument("--zeros", type=int, default=100, help="megabytes of zeros; 0 for none")
    given = parser.parse_args()
    print(header())
    with tempfile.TemporaryDirectory() as folder:
        sound = by_models(given.models.split(","), given.folders, given.most, Path(folder))
        if given.zeros:
            sound = zeros(given.zeros, "universal", Path(folder)) and sound
    sys.exit(0 if sound else 1)


if __name__ == "__main__":
    main()
