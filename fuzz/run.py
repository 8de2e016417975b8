"""Runs all fuzz targets and prints a table: python fuzz/run.py --build build/fuzz --seconds 60.

Targets of the core are programs of libFuzzer (core/fuzz), those of Python are fuzz/python/NAME.py. A finding is an
input that crashes, breaks a rule of a sanitizer, takes more time or memory than it may, or raises an error of another
type than the readers promise; it is written to the folder `findings` of the build folder, and the run fails.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Limits of one input of the core: MB, and seconds, which a busy machine makes many of few.
TIMEOUT, MEMORY = 60, 2048
#: Targets that are at least so quick, compared with the quickest, go on until there are enough executions.
QUICK = 0.1
#: How many bytes an input may have: whole files for those that read files, little for those that are quicker so.
LONGEST = {
    "bmn_fast": 1 << 17,
    "bmn_compact": 1 << 17,
    "universal": 1 << 17,
    "spelling": 1 << 16,
    "arpa": 1 << 15,
    "kenlm": 1 << 14,
    "overlap": 1 << 13,
    "pieces": 1 << 14,
}
SHORT = 1 << 12


@dataclass(frozen=True)
class Row:
    """What came of one target."""

    name: str
    executions: int
    seconds: float
    edges: int | None
    findings: int
    peak: int
    log: str

    def and_then(self, later: Row) -> Row:
        """This run and one that went on from its corpus."""
        return replace(
            later, executions=self.executions + later.executions, seconds=self.seconds + later.seconds,
            findings=self.findings + later.findings, peak=max(self.peak, later.peak),
            log=(self.log if self.findings else "") + later.log,
        )  # fmt: skip

    def cells(self) -> tuple[str, ...]:
        """As the table shows it."""
        rate = self.executions / self.seconds if self.seconds > 0 else 0.0
        edges = "" if self.edges is None else f"{self.edges:,}"
        return (self.name, f"{self.executions:,}", f"{rate:,.0f}", edges, str(self.findings), f"{self.peak:,}")


def core_row(program: Path, build: Path, options: argparse.Namespace) -> Row:
    """Run a target of the core."""
    name = program.name.removeprefix("fuzz_")
    corpus, findings = build / "corpus" / name, build / "findings"
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    command = [
        str(program), str(corpus), str(build / "seeds" / name), f"-artifact_prefix={findings}/{name}-",
        f"-timeout={TIMEOUT}", f"-report_slow_units={TIMEOUT}", f"-rss_limit_mb={MEMORY}",
        f"-max_len={LONGEST.get(name, SHORT)}", "-print_final_stats=1",
    ]  # fmt: skip
    command.append(f"-runs={options.runs}" if options.runs else f"-max_total_time={options.seconds}")
    (build / "seeds" / name).mkdir(parents=True, exist_ok=True)
    before, begun = set(findings.glob(f"{name}-*")), time.monotonic()
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=0"}
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, env=environment)
    found = len(set(findings.glob(f"{name}-*")) - before)
    if done.returncode and not found:
        found = 1  # it ended without an input to blame
    return Row(
        name=name,
        executions=_number(r"stat::number_of_executed_units:\s+(\d+)|^#(\d+)\t", done.stderr),
        seconds=time.monotonic() - begun,
        edges=_number(r"cov: (\d+)", done.stderr),
        findings=found,
        peak=_number(r"stat::peak_rss_mb:\s+(\d+)", done.stderr),
        log=done.stderr,
    )


def _tell(*rows: Row) -> None:
    """Show what is done so far: a run takes long."""
    for row in rows:
        print(f"{row.name}: {row.executions:,} executions, {row.findings} findings", file=sys.stderr, flush=True)


def _number(pattern: str, text: str) -> int:
    """The last number of this kind."""
    found = list(re.finditer(pattern, text, re.MULTILINE))
    return int(next(filter(None, found[-1].groups()))) if found else 0


def python_row(script: Path, build: Path, options: argparse.Namespace) -> Row:
    """Run a target of Python."""
    begun = time.monotonic()
    findings = build / "findings" / script.stem
    command = [sys.executable, str(script), "--runs", str(options.python_runs), "--findings", str(findings)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, cwd=build)
    said = re.findall(r"^(\S+) executions=(\d+) findings=(\d+) peak_mb=(\d+)", done.stdout, re.MULTILINE)
    name, executions, count, peak = said[-1] if said else (script.stem, "0", "1", "0")
    found = max(int(count), 1 if done.returncode else 0)
    seconds = time.monotonic() - begun
    return Row(f"python: {name}", int(executions), seconds, None, found, int(peak), done.stdout + done.stderr)


def go_on(rows: list[Row], pool: ThreadPoolExecutor, build: Path, options: argparse.Namespace) -> list[Row]:
    """More rounds of the quick targets of the core, until all executions are as many as was asked for."""
    found = {row.name: row for row in rows}
    speeds = {row.name: row.executions / row.seconds for row in rows if row.edges is not None and row.seconds}
    quick = [name for name, speed in speeds.items() if speed >= QUICK * max(speeds.values())]
    while sum(row.executions for row in found.values()) < options.total:
        quick = [name for name in quick if not found[name].findings]
        if not quick:
            break
        several = quick * max(1, options.jobs // len(quick))  # processes of one target share its corpus
        for row in pool.map(lambda name: core_row(build / f"fuzz_{name}", build, options), several):
            found[row.name] = found[row.name].and_then(row)
        _tell(*(found[name] for name in quick))
    return list(found.values())


def table(rows: list[Row]) -> str:
    """The rows in Markdown, with their sums."""
    total = f"{sum(row.executions for row in rows):,}"
    lines = [
        ("target", "executions", "per second", "edges", "findings", "peak MB"),
        ("---", "---:", "---:", "---:", "---:", "---:"),
        *(row.cells() for row in rows),
        ("all", total, "", "", str(sum(row.findings for row in rows)), f"{max(row.peak for row in rows):,}"),
    ]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def versions() -> str:
    """Date, and what the run depends on."""
    import bitmeter

    clang = subprocess.run(["clang++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    asked = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=False, cwd=ROOT)
    day = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
    return (
        f"{day}; bitmeter {bitmeter.__version__} ({commit.stdout.strip() or 'no commit'}); {clang}; "
        f"Python {platform.python_version()}; {platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    )


def main() -> None:
    """Run all, print the table, and fail on any finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "fuzz", help="where the targets of the core are")
    parser.add_argument("--runs", type=int, default=0, help="executions of each target of the core")
    parser.add_argument("--seconds", type=int, default=60, help="time for each target of the core, without --runs")
    parser.add_argument("--total", type=int, default=0, help="go on until all targets have so many executions together")
    parser.add_argument("--python-runs", type=int, default=10_000, help="executions of each target of Python")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time")
    parser.add_argument("--only", nargs="*", help="names of targets")
    options = parser.parse_args()
    build = options.build.resolve()
    subprocess.run([sys.executable, str(ROOT / "fuzz" / "seeds.py"), str(build / "seeds")], check=True)
    programs = sorted(path for path in build.glob("fuzz_*") if os.access(path, os.X_OK) and path.is_file())
    scripts = sorted(
        path for path in (ROOT / "fuzz" / "python").glob("*.py") if "__main__" in path.read_text(encoding="utf-8")
    )
    if options.only:
        programs = [path for path in programs if path.name.removeprefix("fuzz_") in options.only]
        scripts = [path for path in scripts if path.stem in options.only]
    with ThreadPoolExecutor(options.jobs) as pool:
        core = [pool.submit(core_row, path, build, options) for path in programs]
        python = [pool.submit(python_row, path, build, options) for path in scripts]
        for future in (*core, *python):
            future.add_done_callback(lambda done: done.exception() or _tell(done.result()))
        rows = go_on([future.result() for future in (*core, *python)], pool, build, options)
    if not rows:
        sys.exit("no fuzz targets were found; build them first: make fuzz")
    failed = [row for row in rows if row.findings]
    for row in failed:
        print(f"---- {row.name}\n{row.log[-4000:]}", file=sys.stderr)
    print(f"{table(rows)}\n\n{versions()}")
    if failed:
        sys.exit(f"findings in {', '.join(row.name for row in failed)}; inputs are in {build / 'findings'}")


if __name__ == "__main__":
    main()
