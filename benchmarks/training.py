"""Training n-gram models on a long text: time and memory against KenLM's programs, and how they grow with the text.

    python benchmarks/training.py TEXT [--order 5] [--memory 4G 1G] [--repeat 1] [--kenlm-bin DIR] [--plot FILE.svg]

Every side runs as a process of its own, with the same threads and the same allowance of memory (lmplz -S, build_binary
-S), in turns, and the best of the rounds is shown. `--kenlm-bin` names a folder with lmplz and build_binary. Then ours
is trained on an eighth, a quarter, a half and all of the text; `--plot` draws that. `<s>`, `</s>` and `<unk>` in the
text become ordinary words. The goals are those of each allowance of memory against the first: CPU time, and the peak
within what was allowed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from goals import Goal, show_goals
from rich.console import Console
from rich.table import Table
from stopwatch import header

from bitmeter.models.ngram.estimate.memory import Allowance

TRAIN = "import sys; from bitmeter.cli import main; main(['train', *sys.argv[1:]])"
#: How many times the CPU time of the largest allowance of memory a smaller one may take.
SLOWER = 1.4
PARTS = (1 / 8, 1 / 4, 1 / 2, 1.0)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took."""

    wall: float
    cpu: float
    peak: int  # bytes of memory

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.wall + other.wall, self.cpu + other.cpu, max(self.peak, other.peak))


def cost(words: list[str]) -> Cost:
    """Run a program; its times and peak memory by the system's count."""
    begin = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode != 0:
        sys.exit(f"{words[0]} failed: {said.decode(errors='replace')[-2000:]}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Cost(time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale)


def ours(text: Path, target: Path, order: int, memory: str, folder: Path) -> Cost:
    words = ["--order", str(order), "--memory", memory, "--temp", str(folder), "--force"]
    return cost([sys.executable, "-c", TRAIN, str(text), "-o", str(target), *words])


def theirs(programs: Path, text: Path, target: Path, order: int, memory: str, folder: Path) -> Cost:
    arpa = folder / "theirs.arpa"
    count = ["-o", str(order), "-S", memory, "-T", f"{folder}/", "--discount_fallback"]
    made = cost([str(programs / "lmplz"), *count, "--text", str(text), "--arpa", str(arpa)])
    build = ["-S", memory, "-T", f"{folder}/", "probing", str(arpa), str(target)]
    made += cost([str(programs / "build_binary"), *build])
    arpa.unlink()
    return made


def compared(text: Path, folder: Path, chosen: argparse.Namespace) -> tuple[Table, list[Goal]]:
    table = Table(title=f"training, order {chosen.order}, {text.stat().st_size / 1e6:.0f} MB of text", box=None)
    for column in ("", "wall s", "CPU s", "peak MB", "file MB", "wall ratio", "CPU ratio"):
        table.add_column(column, justify="left" if not column else "right")
    alone: list[Cost] = []
    for memory in chosen.memory:
        best: dict[str, Cost] = {}
        target = {"bitmeter": folder / "ours.bmn", "lmplz and build_binary": folder / "theirs.bin"}
        for _ in range(chosen.repeat):
            rounds = {"bitmeter": ours(text, target["bitmeter"], chosen.order, memory, folder)}
            if chosen.kenlm_bin is not None:
                name = "lmplz and build_binary"
                rounds[name] = theirs(chosen.kenlm_bin, text, target[name], chosen.order, memory, folder)
            for name, found in rounds.items():
                best[name] = min(best.get(name, found), found, key=lambda one: one.wall)
        base = best["bitmeter"]
        alone.append(base)
        for name, found in best.items():
            table.add_row(
                f"{name}, {memory}", f"{found.wall:.1f}", f"{found.cpu:.1f}", f"{found.peak / 2**20:.0f}",
                f"{target[name].stat().st_size / 1e6:.0f}", f"{found.wall / base.wall:.1f}",
                f"{found.cpu / base.cpu:.1f}",
            )  # fmt: skip
    goals = [
        goal
        for memory, one in zip(chosen.memory[1:], alone[1:], strict=True)
        for goal in (
            Goal(f"CPU time within {memory} against {chosen.memory[0]}", "≤", SLOWER, one.cpu / alone[0].cpu),
            Goal(f"peak memory within {memory}, MB", "≤", Allowance.of(memory, None).memory / 1e6, one.peak / 1e6, 0),
        )
    ]
    return table, goals


def beginning(text: Path, share: float, target: Path) -> int:
    """The first part of a text, in whole lines; its words and ends."""
    wanted, tokens = share * text.stat().st_size, 0
    with text.open("rb") as source, target.open("wb") as sink:
        while sink.tell() < wanted and (lines := source.readlines(1 << 20)):
            data = b"".join(lines)
            tokens += len(data.split()) + len(lines)
            sink.write(data)
    return tokens


def series(text: Path, folder: Path, chosen: argparse.Namespace) -> list[tuple[int, Cost]]:
    found = []
    for share in PARTS:
        part = folder / "part.txt"
        tokens = beginning(text, share, part)
        runs = [ours(part, folder / "part.bmn", chosen.order, chosen.memory[0], folder) for _ in range(chosen.repeat)]
        found.append((tokens, min(runs, key=lambda one: one.cpu)))
    return found


def series_table(found: list[tuple[int, Cost]]) -> Table:
    table = Table(title="cost by the length of the text", box=None)
    for column in ("M words and ends", "wall s", "CPU s", "CPU s per million", "peak MB", "bytes per word"):
        table.add_column(column, justify="right")
    for tokens, one in found:
        table.add_row(
            f"{tokens / 1e6:.1f}", f"{one.wall:.1f}", f"{one.cpu:.1f}", f"{one.cpu / tokens * 1e6:.3f}",
            f"{one.peak / 2**20:.0f}", f"{one.peak / tokens:.0f}",
        )  # fmt: skip
    return table


def drawn(found: list[tuple[int, Cost]], order: int) -> str:
    """CPU seconds over millions of words, and the line from nothing to the longest text."""
    width, height, left, bottom = 560, 320, 60, 50
    most_x, most_y = found[-1][0] * 1.08, found[-1][1].cpu * 1.15

    def x(tokens: float) -> float:
        return left + tokens / most_x * (width - left - 20)

    def y(seconds: float) -> float:
        return height - bottom - seconds / most_y * (height - bottom - 30)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="13" fill="#808080">',
        f'<text x="{left}" y="18">CPU seconds to train an n-gram model of order {order}</text>',
        f'<path d="M{left} 30V{height - bottom}H{width - 20}" fill="none" stroke="#808080"/>',
        f'<path d="M{x(0):.1f} {y(0):.1f}L{x(found[-1][0]):.1f} {y(found[-1][1].cpu):.1f}" stroke="#808080" '
        'stroke-dasharray="4 4"/>',
    ]
    for tokens, one in found:
        lines.append(f'<circle cx="{x(tokens):.1f}" cy="{y(one.cpu):.1f}" r="5" fill="#009688"/>')
        lines.append(f'<text x="{x(tokens) - 8:.1f}" y="{y(one.cpu) - 10:.1f}" text-anchor="end">{one.cpu:.1f}</text>')
        lines.append(
            f'<text x="{x(tokens):.1f}" y="{height - bottom + 20}" text-anchor="middle">{tokens / 1e6:.1f}</text>'
        )
    lines.append(f'<text x="{width - 20}" y="{height - 8}" text-anchor="end">million words and sentence ends</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Training n-gram models on a long text.")
    parser.add_argument("text", type=Path)
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--memory", nargs="+", default=["4G", "1G"])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--kenlm-bin", type=Path, help="a folder with lmplz and build_binary")
    parser.add_argument("--plot", type=Path, help="an SVG file to write")
    parser.add_argument("--only", choices=("table", "series"), help="one of the two parts")
    chosen = parser.parse_args()
    print(header())
    console = Console(width=110)
    with tempfile.TemporaryDirectory(dir=chosen.text.parent) as name:
        folder = Path(name)
        text = folder / "text.txt"
        with chosen.text.open("rb") as source, text.open("wb") as sink:
            while lines := source.readlines(1 << 20):
                data = b"".join(lines)
                for word in (b"<s>", b"</s>", b"<unk>"):
                    data = data.replace(word, word.replace(b"<", b"_").replace(b">", b"_"))
                sink.write(data)
        if chosen.only != "series":
            table, goals = compared(text, folder, chosen)
            console.print(table)
            show_goals(goals)
        if chosen.only != "table":
            found = series(text, folder, chosen)
            console.print(series_table(found))
            if chosen.plot is not None:
                chosen.plot.write_text(drawn(found, chosen.order))
        print(f"load of the machine at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
