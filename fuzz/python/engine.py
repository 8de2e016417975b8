"""Runs a reader on mutated inputs: only BitmeterError and OSError may escape from it, within limits of time and memory.

With atheris installed (`pip install atheris`) the mutations are guided by the coverage of bitmeter's Python code.
Without it a plain mutator runs, which keeps the inputs that gave an answer not seen before. Both run in a process of
their own, so that an input that ends the process is a finding and is kept.
"""

from __future__ import annotations

import argparse
import atexit
import faulthandler
import hashlib
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

if "--guided" in sys.argv:  # code is instrumented while it is imported; what bitmeter uses is left alone
    import atheris

    atheris.instrument_imports(include=["bitmeter"]).__enter__()

from bitmeter.errors import BitmeterError

ROOT = Path(__file__).parents[2]
Mutate = Callable[[random.Random, bytes], bytes]
#: What one input may take.
SECONDS, MEGABYTES = 10.0, 1024
#: The largest input, and how many inputs are kept.
LONGEST, MOST_KEPT = 1 << 16, 300
#: After so many inputs that ended the process, the plain mutator stops.
MOST_DEATHS = 5


class TooSlowError(BaseException):
    """An input took longer than it may; no handler of the reader should catch it."""


def main(
    name: str, run: Callable[[bytes], object], seeds: Callable[[], list[bytes]], mutate: Mutate | None = None
) -> None:
    """The command line of a target.

    Parameters
    ----------
    name
        The name of the target.
    run
        Reads one input as a user would; raises AssertionError for an answer that makes no sense.
    seeds
        Makes sound inputs.
    mutate
        Changes an input, with knowledge of its structure; half of all mutations are of plain bytes.
    """
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--plain", action="store_true", help="the plain mutator, even if atheris is installed")
    options.add_argument("--findings", type=Path, default=ROOT / "build" / "fuzz" / name, help="where findings go")
    options.add_argument("--guided", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options.add_argument("inputs", nargs="*", type=Path, help="run these files alone")
    given = options.parse_args()
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    sys.setrecursionlimit(1000)
    if given.inputs:
        _limit()
        sys.exit(max(_attempt(run, file.read_bytes(), show=True) is not None for file in given.inputs))
    given.findings.mkdir(parents=True, exist_ok=True)
    faulthandler.enable()  # what ends the process says where
    if given.guided is not None:
        _guided_child(run, mutate, given.guided, given.findings, given.runs, given.seed)
    if given.child is not None:
        _limit()
        _plain_child(name, run, seeds(), mutate, given.child, given.findings, given.runs, given.seed)
        return
    if importlib.util.find_spec("atheris") and not given.plain:
        done, findings, peak = _guided(name, seeds(), given.findings, given.runs, given.seed)
    else:
        done, findings, peak = _plain(name, given.findings, given.runs, given.seed)
    print(f"{name} executions={done} findings={findings} peak_mb={peak}")
    sys.exit(1 if findings else 0)


# ---- one input -------------------------------------------------------------------------------------------------------


def _limit() -> None:
    """Memory beyond what is mapped already is limited, and each input has an alarm, by the processor's time.

    A busy machine is no finding.
    """
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + (MEGABYTES << 20), resource.RLIM_INFINITY))
    signal.signal(signal.SIGPROF, _too_slow)


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TooSlowError


def _attempt(run: Callable[[bytes], object], data: bytes, *, show: bool = False) -> BaseException | None:
    """What escaped that may not; `run.answer` is what was said."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        run(data)
    except (BitmeterError, OSError) as error:
        _attempt.answer = f"{type(error).__name__}: {error}"  # type: ignore[attr-defined]
        return None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of Rust is a BaseException
        if show:
            traceback.print_exc()
        return error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    _attempt.answer = "sound"  # type: ignore[attr-defined]
    return None


def _place(error: BaseException) -> str:
    """Where an error came from: its kind and the last line of bitmeter on the way."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "bitmeter" in f.filename]
    last = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}-{Path(last.filename).stem}-{last.lineno}"


def _keep(folder: Path, place: str, data: bytes) -> Path:
    file = folder / f"{place}-{hashlib.sha256(data).hexdigest()[:8]}"
    file.write_bytes(data)
    return file


# ---- the plain mutator -----------------------------------------------------------------------------------------------


def _plain(name: str, findings: Path, runs: int, seed: int) -> tuple[int, int, int]:
    """Children run one after another: each until its runs are done, or until an input ends it."""
    done, deaths, places, peak = 0, 0, set[str](), 0
    with tempfile.TemporaryDirectory(prefix="bitmeter-fuzz-", dir=_memory()) as place:
        folder = Path(place)
        while done < runs and deaths < MOST_DEATHS:
            words = ["--findings", str(findings), "--runs", str(runs - done), "--seed", str(seed + done)]
            with subprocess.Popen([sys.executable, sys.argv[0], "--child", place, *words]) as child:
                code = child.wait()
            for left in Path(_memory() or tempfile.gettempdir()).glob(f"bitmeter-fuzz-{child.pid}-*"):
                shutil.rmtree(left)  # by a child that could not
            if code > 0:
                sys.exit(code)
            number, data = _last(folder)
            done += number
            places.update((folder / "places").read_text().splitlines())
            peak = max(peak, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
            if code < 0:
                deaths += 1
                file = _keep(findings, signal.Signals(-code).name, data)
                print(f"{name}: an input ended the process ({file})", file=sys.stderr)
    return done, len(places) + deaths, peak


def _note(folder: Path, number: int, data: bytes) -> None:
    """Written before each input is tried, for the parent."""
    (folder / "attempt").write_bytes(number.to_bytes(8, "little") + data)


def _last(folder: Path) -> tuple[int, bytes]:
    said = (folder / "attempt").read_bytes()
    return int.from_bytes(said[:8], "little"), said[8:]


def _plain_child(
    name: str, run: Callable[[bytes], object], seeds: list[bytes], mutate: Mutate | None,
    folder: Path, findings: Path, runs: int, seed: int,
) -> None:  # fmt: skip
    draw = random.Random(seed)
    kept, answers, found = list(seeds), set[str](), set[str]()
    (folder / "places").touch()
    for data in seeds:
        _note(folder, 0, data)
        error = _attempt(run, data, show=True)
        if error is not None or _attempt.answer != "sound":  # type: ignore[attr-defined]
            sys.exit(f"{name}: a seed is refused: {error or _attempt.answer}")  # type: ignore[attr-defined]
    for number in range(1, runs + 1):
        data = mutated(draw, draw.choice(seeds if draw.random() < 0.5 else kept), kept, mutate)
        _note(folder, number, data)
        error = _attempt(run, data)
        if error is None:
            answer = _attempt.answer.replace(str(folder.parent), "")  # type: ignore[attr-defined]
            answer = re.sub(r"bitmeter-fuzz-\w+-\w+|[0-9]+|'.*?'|\".*?\"", "#", answer)[:100]
            if answer not in answers:
                answers.add(answer)
                kept.append(data)
                if len(kept) > MOST_KEPT:
                    del kept[draw.randrange(len(seeds), len(kept))]
            continue
        place = _place(error)
        if place not in found:
            found.add(place)
            file = _keep(findings, place, data)
            print(f"{name}: {place}: {str(error)[:200]!r} ({file})", file=sys.stderr)
            with (folder / "places").open("a") as places:
                places.write(f"{place}\n")


def mutated(draw: random.Random, data: bytes, others: list[bytes], mutate: Mutate | None) -> bytes:
    """An input with one to a few changes."""
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        if mutate is not None and draw.random() < 0.6:
            data = mutate(draw, data)
        else:
            data = mutated_bytes(draw, data, draw.choice(others))
    return data[:LONGEST]


_NUMBERS = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**63, 2**64 - 1]


def mutated_bytes(draw: random.Random, data: bytes, other: bytes) -> bytes:
    """A change that knows nothing of the format."""
    if not data:
        return other or b"\0"
    at, length = draw.randrange(len(data)), draw.choice((1, 1, 2, 4, 8, 16, 64, 1024))
    way = draw.randrange(8)
    if way == 0:
        return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]
    if way == 1:
        return data[:at] + draw.randbytes(1) + data[at + 1 :]
    if way == 2:
        return data[:at] + draw.randbytes(length) + data[at:]
    if way == 3:
        return data[:at] + data[at + length :]
    if way == 4:
        return data[:at] + data[at : at + length] * 2 + data[at + length :]
    if way == 5:
        size = draw.choice((1, 2, 4, 8))
        return data[:at] + (draw.choice(_NUMBERS) % 2 ** (8 * size)).to_bytes(size, "little") + data[at + size :]
    if way == 6:
        return data[:at]
    begin = draw.randrange(len(other)) if other else 0
    return data[:at] + other[begin : begin + length] + data[at + length :]


# ---- JSON ------------------------------------------------------------------------------------------------------------

#: Written into JSON in place of a value; those in brackets are not strings but the text itself.
AWKWARD: list[Any] = [
    None, True, False, 0, 1, -1, 0.5, -0.5, 2**31, 2**53, 2**63, -(2**63) - 1, 2**64, 10**30, 1e308, -1e308, 5e-324,
    "<1e999>", "<-1e999>", "<NaN>", "<Infinity>", "<1" + "0" * 400 + ">", "<-1" + "0" * 400 + ">",
    "<" + "9" * 5000 + ">", "<" + "[" * 3000 + "]" * 3000 + ">",
    "<" + '{"a":' * 3000 + "1" + "}" * 3000 + ">", '<{"a": 1, "a": 2}>', "", "x", "inf", "nan", "-inf", "1", "\0",
    "\ud800", "é" * 300, [], {}, [[]], [None], [0], [-1], [1e308, 1e308], ["inf"], ["x"], {"": 0}, [{}], "../../x",
    "/dev/zero", "0", "1.5", "|", "\\", "a:b|c",
]  # fmt: skip


def mutated_json(draw: random.Random, data: bytes) -> bytes:
    """A change to one value, name or list of a JSON text; other texts are changed as bytes."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return mutated_bytes(draw, data, data)
    return written(changed(draw, found))


def written(value: Any) -> bytes:
    """JSON with the text of awkward values put in."""
    text = json.dumps(value)
    return re.sub(r'"<((?:[^"\\]|\\.)*)>"', lambda match: match[1].replace('\\"', '"'), text).encode()


def changed(draw: random.Random, value: Any) -> Any:
    """A value with one change somewhere within."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        key = draw.choice(list(value))
        way = draw.randrange(12)
        if way == 0:
            return {name: inner for name, inner in value.items() if name != key}
        if way == 1:
            return {(draw.choice(["", "x", key * 2]) if name == key else name): value[name] for name in value}
        if way == 2:
            return {**value, key: value[draw.choice(list(value))]}
        return {**value, key: changed(draw, value[key])}
    if isinstance(value, list) and value and draw.random() < 0.9:
        at = draw.randrange(len(value))
        way = draw.randrange(8)
        if way == 0:
            return value[:at] + value[at + 1 :]
        if way == 1:
            return value[:at] + [value[at]] * draw.choice((2, 3, 50)) + value[at + 1 :]
        if way == 2:
            return draw.sample(value, len(value))
        return [*value[:at], changed(draw, value[at]), *value[at + 1 :]]
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 and draw.random() < 0.5:
        return draw.choice([-value, value + 1, value - 1, value * 2, value * 1e10, -1e-9, str(value)])
    if isinstance(value, str) and value and draw.random() < 0.4:
        raw = mutated_bytes(draw, value.encode("utf-8", "surrogatepass"), b"")
        return raw.decode("utf-8", "replace")
    return draw.choice(AWKWARD)


# ---- files -----------------------------------------------------------------------------------------------------------


def _memory() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Folder:
    """A folder in memory for the files of a target."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=f"bitmeter-fuzz-{os.getpid()}-", dir=_memory()))
        atexit.register(shutil.rmtree, self.path, ignore_errors=True)

    def file(self, name: str, data: bytes) -> Path:
        """A file with this content."""
        found = self.path / name
        found.write_bytes(data)
        return found


# ---- guided by coverage ----------------------------------------------------------------------------------------------


def _guided(name: str, seeds: list[bytes], folder: Path, runs: int, seed: int) -> tuple[int, int, int]:
    """atheris in a process of its own: it ends the process at the first finding."""
    before = set(folder.iterdir())
    with tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(seeds):
            (Path(corpus) / str(number)).write_bytes(data)
        words = [sys.executable, sys.argv[0], "--guided", corpus, "--findings", str(folder)]
        words += ["--runs", str(runs), "--seed", str(seed)]
        ended = subprocess.run(
            words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace", check=False
        )
    figures = dict(re.findall(r"stat::(\w+):\s+(\d+)", ended.stderr))
    findings = len(set(folder.iterdir()) - before)
    if ended.returncode and not findings:
        sys.exit(f"{name}: {ended.stderr[-2000:]}")
    if findings:
        print(ended.stderr[-3000:], file=sys.stderr)
    return int(figures.get("number_of_executed_units", 0)), findings, int(figures.get("peak_rss_mb", 0))


def _guided_child(
    run: Callable[[bytes], object], mutate: Mutate | None, corpus: Path, findings: Path, runs: int, seed: int
) -> None:
    draw = random.Random(seed)
    _limit()

    def one(data: bytes) -> None:
        error = _attempt(run, data)
        if error is not None:
            _keep(findings, _place(error), data)
            raise error

    def change(data: bytes, longest: int, number: int) -> bytes:
        own = random.Random(number)
        if mutate is not None and own.random() < 0.6:
            return mutate(draw, data)[:longest]
        found: bytes = atheris.Mutate(data, longest)
        return found

    flags = [f"-runs={runs}", f"-seed={seed}", f"-max_len={LONGEST}", "-print_final_stats=1", "-timeout=30"]
    prefix = f"-artifact_prefix={findings}/"  # libFuzzer writes the input of a signal itself
    atheris.Setup([sys.argv[0], *flags, prefix, "-rss_limit_mb=4096", str(corpus)], one, custom_mutator=change)
    atheris.Fuzz()
