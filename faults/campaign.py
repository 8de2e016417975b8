"""`make faults`: every long verb killed, starved and misled; what it leaves, and whether it can be run again.

Prints a table and exits with 1 if there is a partial file under a final name, a leftover after the second run, a second
run whose output differs from an undisturbed one, or an end by anything but a message. Of `serve`, partial are also runs
that it acknowledged and does not have, and figures other than those of an undisturbed server.
"""

from __future__ import annotations

import argparse
import os
import pickle
import platform
import random
import shutil
import signal
import sys
import time
from importlib import metadata
from pathlib import Path

from disturb import FAULTS, SIGNALS, Case, Found, Reference, kill, mounts
from jobs import JOBS, Job, prepare
from processes import load
from serving import ServeCase

ROOT = Path(__file__).parents[1]
COLUMNS = ("verb", "fault", "cases", "completed", "partial", "left", "left after", "equal", "other")


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="signals sent to each verb, a quarter of each kind")
    parser.add_argument("--cases", type=int, help="cases of each other fault; a tenth of the kills by default")
    parser.add_argument("--only", help="names of verbs, separated by commas")
    parser.add_argument("--faults", help="names of faults, separated by commas")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="cases at a time")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the texts; below 1 nothing is sorted on disk")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "faults", help="folder for the cases")
    asked = parser.parse_args()
    chosen = [job for job in JOBS if asked.only is None or job.name in asked.only.split(",")]
    if not chosen:
        raise SystemExit(f"--only: no such verb; there are {', '.join(job.name for job in JOBS)}")
    faults = [*SIGNALS, *FAULTS] if asked.faults is None else asked.faults.split(",")
    if not set(faults) <= {*SIGNALS, *FAULTS}:
        raise SystemExit(f"--faults: no such fault; there are {', '.join((*SIGNALS, *FAULTS))}")
    others = max(4, asked.kills // 10) if asked.cases is None else asked.cases
    begun = time.perf_counter()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    work = asked.work.resolve() / str(os.getpid())
    # Caches are no leftovers: ours, and the one that torch keeps among the temporary files. The history is the user's.
    os.environ["XDG_CACHE_HOME"] = os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(work / "cache")
    os.environ["BITMETER_DATA"] = str(work / "data")
    try:
        load(networks=any(job.is_network for job in chosen), server=any(job.is_server for job in chosen))
        prepare(work / "prepared", chosen, asked.scale)
        os.chdir(work)
        _describe(asked.kills, others)
        each = {name: -(-asked.kills // len(SIGNALS)) if name in SIGNALS else others for name in faults}
        failed = _table(chosen, work, each, asked.workers, asked.seed)
    finally:
        os.chdir(ROOT)
        if work.exists():
            shutil.rmtree(work)
    print(f"\n{time.perf_counter() - begun:.0f} s; {'FAILED' if failed else 'all cases as promised'}")
    return 1 if failed else 0


def _describe(kills: int, others: int) -> None:
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("bitmeter", "numpy", "pyarrow", "torch"))
    print(f"{time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}; Python {platform.python_version()}, {versions}")
    print(f"{platform.system()} {platform.release()} {platform.machine()}, {_processor()}, {os.cpu_count()} cores")
    way = "a tmpfs that is too small" if mounts() else "a limit on the size of files (no right to mount a tmpfs)"
    user = "root without capabilities" if os.geteuid() == 0 else "this user"
    print(f"{kills} signals per verb, {others} cases of each other fault. Disk full: {way}; read-only folder: {user}.")
    print("Compared are the bytes of all outputs, in JSON without the fields `seconds`.\n")


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def _table(chosen: list[Job], work: Path, each: dict[str, int], workers: int, seed: int) -> bool:
    print("{:<15} {:<17} {:>5} {:>9} {:>7} {:>5} {:>10} {:>6} {:>6}".format(*COLUMNS))
    failed, remarks = False, []
    for job in chosen:
        reference = _reference(job, work)
        plan = [(name, at) for name, cases in each.items() for at in range(cases)]
        found = _in_workers(job, reference, work, plan, workers, seed)
        for name in each:
            rows = [result for (fault, _), result in zip(plan, found, strict=True) if fault == name]
            bad = _row(job.name, name, rows)
            failed |= bad
            remarks += sorted({f"{job.name}, {name}: {row.rude}" for row in rows if row.rude})
        sys.stdout.flush()
    if remarks:
        print("\nOther ends:")
        print("\n".join(remarks))
    return failed


def _row(verb: str, fault: str, rows: list[Found]) -> bool:
    """Print a row; whether it breaks a promise."""
    partial, left, after = (sum(getattr(row, name) for row in rows) for name in ("partial", "left", "left_after"))
    equal, rude = sum(row.equal for row in rows), sum(bool(row.rude) for row in rows)
    completed = sum(row.completed for row in rows)
    print(
        f"{verb:<15} {fault:<17} {len(rows):>5} {completed:>9} {partial:>7} {left:>5} {after:>10} {equal:>6} {rude:>6}"
    )
    # Only what cannot clean up may leave anything for the next run.
    return bool(partial or after or rude or equal < len(rows) or (left and fault not in ("SIGKILL", "memory limited")))


def _reference(job: Job, work: Path) -> Reference:
    """The last of three undisturbed runs, which must agree; the first also fills the system's caches."""
    found = []
    for at in range(3):
        case = _kind(job)(job, work / "prepared", work / f"reference-{at}")
        found.append(case.reference())
        case.close()
    if any(other.content != found[0].content for other in found):
        raise SystemExit(f"{job.name} does not write the same bytes each time")
    return found[-1]


def _kind(job: Job) -> type[Case]:
    return ServeCase if job.is_server else Case


def _in_workers(
    job: Job, reference: Reference, work: Path, plan: list[tuple[str, int]], workers: int, seed: int
) -> list[Found]:
    """Each case in one of some processes. They are forked before any thread is started."""
    files = [work / f"worker-{number}" for number in range(workers)]
    children = []
    for number, file in enumerate(files):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                mine = {at: _one(job, reference, work, *plan[at], seed) for at in range(number, len(plan), workers)}
                file.write_bytes(pickle.dumps(mine))
                code = 0
            except BaseException as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
                raise
            finally:
                sys.stdout.flush()
                os._exit(code)
        children.append(child)
    try:
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    except BaseException:  # the workers must unmount what they mounted
        for child in children:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
        raise
    if any(codes):
        raise SystemExit(f"a worker failed: {codes}")
    found: dict[int, Found] = {}
    for file in files:
        found |= pickle.loads(file.read_bytes())
        file.unlink()
    return [found[at] for at in range(len(plan))]


def _one(job: Job, reference: Reference, work: Path, fault: str, at: int, seed: int) -> Found:
    draw = random.Random(f"{seed} {job.name} {fault} {at}")
    case = _kind(job)(job, work / "prepared", work / f"case-{os.getpid()}", reference)
    try:
        return kill(case, SIGNALS[fault], draw) if fault in SIGNALS else FAULTS[fault](case, draw)
    finally:
        case.close()


if __name__ == "__main__":
    sys.exit(main())
