"""N-gram models against KenLM and NLTK on any text: training, scoring, file size.

    python benchmarks/ngram.py TRAIN TEST [--order 5] [--repeat 3] [--kenlm-bin DIR]

The least wall and the least CPU time of several runs, interleaved. The modules `kenlm` (which only queries) and
`nltk` are used if they are installed; `--kenlm-bin` names a folder with KenLM's own lmplz, build_binary and query. In
both texts `<unk>` becomes an ordinary word. Every side scores the same words and sentence ends, and the perplexities
are printed side by side, with the ratios below the tables. With `--kenlm-bin` a table shows the goals beside what was
reached.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from goals import Goal, show_goals
from rich.console import Console
from rich.table import Table
from stopwatch import header, used

import bitmeter as bm

QUERY, LOADING = "KenLM query, loading included", "KenLM query, one line: its loading"
TRIE, COMPACT = "KenLM query, trie, loading included", "bitmeter, compact form, score(file)"
ALONE, TOGETHER = "bitmeter, score(file), 1 thread", "bitmeter, score(file), 2 threads"
#: Times the words per CPU second of KenLM's query: score(file) against probing, the compact form against the trie.
QUERY_GOAL, TRIE_GOAL = 3.5, 3.0
#: Sentences that NLTK is given: it needs minutes for more.
NLTK_LINES = 300
#: Calls per timing of a single call.
CALLS = 2000


def timed(run: Callable[[], Any]) -> tuple[float, float, Any]:
    """Wall and CPU seconds, children's included, and the result."""
    wall, before = time.perf_counter(), used()
    value = run()
    return time.perf_counter() - wall, used() - before, value


def in_turns(runs: dict[str, Callable[[], Any]], repeat: int) -> dict[str, tuple[float, float, Any]]:
    """The best of several rounds of all of them."""
    best: dict[str, tuple[float, float, Any]] = {}
    for _ in range(repeat):
        for name, run in runs.items():
            wall, cpu, value = timed(run)
            before = best.get(name, (math.inf, math.inf, None))
            best[name] = (min(wall, before[0]), min(cpu, before[1]), value)
    return best


def trainers(train: Path, folder: Path, order: int, programs: Path | None) -> dict[str, Callable[[], Any]]:
    def ours() -> None:
        bm.NGram(order=order).fit(train).save(folder / "ours.bmn", force=True)

    def theirs() -> None:
        assert programs is not None
        lmplz = [str(programs / "lmplz"), "-o", str(order), "-T", str(folder), "--discount_fallback", "--skip_symbols"]
        with train.open("rb") as source, (folder / "theirs.arpa").open("wb") as target:
            subprocess.run(lmplz, stdin=source, stdout=target, stderr=subprocess.DEVNULL, check=True)
        build = [str(programs / "build_binary"), "probing", str(folder / "theirs.arpa"), str(folder / "theirs.bin")]
        subprocess.run(build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    return {"bitmeter": ours} if programs is None else {"bitmeter": ours, "lmplz and build_binary": theirs}


def smaller_forms(folder: Path, programs: Path | None) -> dict[str, tuple[float, Path]]:
    """The compact form, and KenLM's trie of eight bits per value: CPU seconds to make it, and its file."""
    compact = folder / "compact.bmn"
    made = timed(lambda: bm.NGram.load(folder / "ours.bmn").compact().save(compact, force=True))
    forms = {"bitmeter, compact (from the fast form)": (made[1], compact)}
    if programs is not None:
        quantised = ["-q", "8", "-b", "8", "-a", "22", "trie", str(folder / "theirs.arpa"), str(folder / "theirs.trie")]
        build = [str(programs / "build_binary"), *quantised]
        made = timed(lambda: subprocess.run(build, capture_output=True, check=True))
        forms["build_binary -q 8 -b 8 -a 22 trie (from ARPA)"] = (made[1], folder / "theirs.trie")
    return forms


def numbered(model: bm.NGram, data: bytes) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The word ids of a text, ends included."""
    scored = model.score(data)
    return scored.ids, scored.bounds


def scorers(folder: Path, test: Path, programs: Path | None) -> dict[str, Callable[[], float]]:
    """Each gives the perplexity with unknown words."""
    data = test.read_bytes()
    alone, together = (bm.NGram.load(folder / "ours.bmn").with_oov("class") for _ in range(2))
    compact = bm.NGram.load(folder / "compact.bmn").with_oov("class")
    alone.threads, together.threads, compact.threads = 1, 2, 1
    ids, bounds = numbered(alone, data)

    def from_ids(threads: int) -> Callable[[], float]:
        core, before = alone.fast_form, np.zeros(0, dtype=np.int64)
        return lambda: math.exp(-float(core.logprobs(ids, bounds, before, True, threads).mean()))

    runs: dict[str, Callable[[], float]] = {
        ALONE: lambda: alone.score(test).perplexity,
        TOGETHER: lambda: together.score(test).perplexity,
        "bitmeter, ids, 1 thread": from_ids(1),
        "bitmeter, ids, 2 threads": from_ids(2),
        COMPACT: lambda: compact.score(test).perplexity,
        "bitmeter score(), 1 thread": lambda: bm.score(alone, test, like="kenlm").perplexity("token"),
        "bitmeter score(), 2 threads": lambda: bm.score(together, test, like="kenlm").perplexity("token"),
        "bitmeter score(), spelled, 1 thread": lambda: bm.score(alone, test).perplexity("token"),
    }
    if programs is not None:

        def theirs(model: str, text: Path) -> Callable[[], float]:
            query = [str(programs / "query"), "-v", "summary", str(folder / model)]

            def run() -> float:
                with text.open("rb") as source:
                    done = subprocess.run(query, stdin=source, capture_output=True, text=True, check=True)
                return float(re.findall(r"including OOVs:\s*([\d.]+)", done.stdout + done.stderr)[0])

            return run

        runs[QUERY] = theirs("theirs.bin", test)
        runs[TRIE] = theirs("theirs.trie", test)
        runs[LOADING] = theirs("theirs.bin", one_line_of(test))
    if (kenlm := optional("kenlm")) is not None:
        arpa = folder / ("theirs.bin" if programs is not None else "ours.arpa")
        if programs is None:
            bm.NGram.load(folder / "ours.bmn").save(arpa)
        peer = kenlm.Model(str(arpa))
        lines = data.decode("utf-8", "surrogateescape").split("\n")[:-1]

        def full_scores() -> float:
            total = count = 0.0
            for line in lines:
                for score, _, _ in peer.full_scores(line):
                    total += score
                    count += 1
            return float(10.0 ** (-total / count))

        runs["kenlm module, full_scores"] = full_scores
    return runs


def one_line_of(text: Path) -> Path:
    """A file with one line of a text: the first that has as many words as a sentence."""
    found = text.with_name("line.txt")
    lines = text.read_bytes().split(b"\n")
    found.write_bytes(next((line for line in lines if len(line) > 60), lines[0])[:100] + b"\n")
    return found


def nltk_speed(train: Path, test: Path) -> float | None:
    """Tokens per second of NLTK's interpolated Kneser-Ney of order 3 on the beginning of the texts; None without it."""
    if optional("nltk") is None:
        return None
    lm, preprocessing = importlib.import_module("nltk.lm"), importlib.import_module("nltk.lm.preprocessing")
    lines = [line.split() for line in train.read_text(errors="replace").splitlines()[:NLTK_LINES]]
    model = lm.KneserNeyInterpolated(3)
    model.fit(*preprocessing.padded_everygram_pipeline(3, lines))
    words = ["<s>", "<s>", *itertools.islice(test.read_text(errors="replace").split(), 40)]
    wall, _, _ = timed(lambda: [model.score(words[i], words[i - 2 : i]) for i in range(2, len(words))])
    return (len(words) - 2) / wall


def optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description="N-gram models against KenLM and NLTK.")
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--starts", type=int, default=10, help="least number of whole processes per timing")
    parser.add_argument("--kenlm-bin", type=Path, help="a folder with lmplz, build_binary and query")
    chosen = parser.parse_args()
    print(header())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train, test = folder / "train.txt", folder / "test.txt"
        for source, target in ((chosen.train, train), (chosen.test, test)):
            data = source.read_bytes().replace(b"<unk>", b"_unk_")
            # KenLM's query leaves a last line that does not end out of its sum.
            target.write_bytes(data if data.endswith(b"\n") else data + b"\n")
        report(train, test, folder, chosen)


def report(train: Path, test: Path, folder: Path, chosen: argparse.Namespace) -> None:
    console = Console(width=130)
    table = Table(title=f"training, order {chosen.order}, {train.stat().st_size / 1e6:.1f} MB", box=None)
    for column in ("", "wall s", "CPU s", "file MB", "ratio"):
        table.add_column(column, justify="left" if not column else "right")
    trained = in_turns(trainers(train, folder, chosen.order, chosen.kenlm_bin), chosen.repeat)
    files = {"bitmeter": folder / "ours.bmn", "lmplz and build_binary": folder / "theirs.bin"}
    for title, (wall, cpu, _) in trained.items():
        ratio = f"{wall / trained['bitmeter'][0]:.1f}"
        table.add_row(title, f"{wall:.2f}", f"{cpu:.2f}", f"{files[title].stat().st_size / 1e6:.1f}", ratio)
    for title, (cpu, file) in smaller_forms(folder, chosen.kenlm_bin).items():
        table.add_row(title, "", f"{cpu:.2f}", f"{file.stat().st_size / 1e6:.1f}", "")
    console.print(table)
    data = test.read_bytes()
    tokens = len(data.split()) + data.count(b"\n")
    table = Table(title=f"scoring {tokens:,} words and ends", box=None)
    columns = ("", "wall s", "CPU s", "M tokens/s wall", "M tokens/s CPU", "perplexity", "times CPU of ours")
    for column in columns:
        table.add_column(column, justify="left" if not column else "right")
    scored = in_turns(scorers(folder, test, chosen.kenlm_bin), chosen.repeat)
    base, own = scored[ALONE][:2]
    for title, (wall, cpu, perplexity) in scored.items():
        speeds = ("", "") if title == LOADING else (f"{tokens / wall / 1e6:.2f}", f"{tokens / cpu / 1e6:.2f}")
        table.add_row(title, f"{wall:.3f}", f"{cpu:.3f}", *speeds, f"{perplexity:.4f}", f"{cpu / own:.2f}")
    if (speed := nltk_speed(train, test)) is not None:
        faster = tokens / base / speed
        table.add_row(f"nltk, order 3, {NLTK_LINES} lines", "", "", f"{speed / 1e6:.6f}", "", "", f"{faster:,.0f}")
    console.print(table)
    for line in ratios(scored):
        console.print(line)
    if chosen.kenlm_bin is not None:
        show_goals(goals(scored, folder))
    console.print(one_line(folder, chosen))


def ratios(scored: dict[str, tuple[float, float, Any]]) -> list[str]:
    """How many times as fast as the peers, and two threads as one."""
    alone, together = scored[ALONE], scored[TOGETHER]
    lines = [
        f"two threads against one: {alone[0] / together[0]:.2f} by wall time; CPU time {together[1] / alone[1]:.2f}"
    ]
    if QUERY in scored:
        whole, loading = scored[QUERY][1], scored[LOADING][1]
        lines.append(
            f"score(file) on one thread against query, by CPU time: {whole / alone[1]:.2f}; "
            f"without query's loading: {(whole - loading) / alone[1]:.2f}"
        )
    if (peer := scored.get("kenlm module, full_scores")) is not None:
        lines.append(f"score(file) on two threads against full_scores, by wall time: {peer[0] / together[0]:.1f}")
    return lines


def goals(scored: dict[str, tuple[float, float, Any]], folder: Path) -> list[Goal]:
    """The goals against KenLM's programs, and what was reached."""
    size, peer = ((folder / name).stat().st_size for name in ("compact.bmn", "theirs.trie"))
    return [
        Goal("score(file) against query, words per CPU second", "≥", QUERY_GOAL, scored[QUERY][1] / scored[ALONE][1]),
        Goal("compact form against trie, the same", "≥", TRIE_GOAL, scored[TRIE][1] / scored[COMPACT][1]),
        Goal("file of the compact form against trie, bytes", "≤", peer, size, 0),
    ]


def one_line(folder: Path, chosen: argparse.Namespace) -> Table:
    """Whole processes that load the model and score one line, and what one sentence costs once it is loaded."""
    line = one_line_of(folder / "test.txt")
    # As an installation has it: its modules compiled.
    surroundings = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [
        sys.executable,
        "-c",
        "from bitmeter.cli import main; main()",
        "score",
        str(folder / "ours.bmn"),
        str(line),
    ]
    quick = f"import bitmeter as bm; bm.NGram.load({str(folder / 'ours.bmn')!r}).logprob(open({str(line)!r}).read())"
    commands = {
        "bitmeter score model.bmn LINE": [*command, "-q"],
        "bitmeter score model.bmn LINE --like kenlm": [*command, "--like", "kenlm"],
        "python, NGram.load and logprob": [sys.executable, "-c", quick],
        "python -c pass": [sys.executable, "-c", "pass"],
        "python, import numpy": [sys.executable, "-c", "import numpy"],
    }
    if chosen.kenlm_bin is not None:
        commands["KenLM query"] = [str(chosen.kenlm_bin / "query"), "-v", "summary", str(folder / "theirs.bin")]

    def whole(words: list[str]) -> Callable[[], Any]:
        def run() -> None:
            with line.open("rb") as source:
                subprocess.run(words, stdin=source, capture_output=True, check=True, env=surroundings)

        run()  # compiles
        return run

    table = Table(title="one line, whole process", box=None)
    for column in ("", "wall s", "CPU s"):
        table.add_column(column, justify="left" if not column else "right")
    starts = in_turns({k: whole(v) for k, v in commands.items()}, max(chosen.starts, chosen.repeat))
    for title, (wall, cpu, _) in starts.items():
        table.add_row(title, f"{wall:.3f}", f"{cpu:.3f}")
    if "KenLM query" in starts:
        least = starts["KenLM query"][1] + starts["python -c pass"][1]
        table.add_row("KenLM query and python -c pass together", "", f"{least:.3f}")
    model, sentence = bm.NGram.load(folder / "ours.bmn"), line.read_text(errors="replace")
    state, number = model.begin(), model.word_id(sentence.split()[0])
    calls: dict[str, Callable[[], Any]] = {
        "NGram.logprob(line), loaded": lambda: model.logprob(sentence),
        "NGram.score(line), loaded": lambda: model.score(sentence.encode()),
        "NGramState.extend(word)": lambda: state.extend(number),
    }
    if chosen.kenlm_bin is not None and (kenlm := optional("kenlm")) is not None:
        peer = kenlm.Model(str(folder / "theirs.bin"))
        begun, after, word = kenlm.State(), kenlm.State(), sentence.split()[0]
        peer.BeginSentenceWrite(begun)
        calls["kenlm.Model.score(line), loaded"] = lambda: peer.score(sentence)
        calls["kenlm.Model.BaseScore(word)"] = lambda: peer.BaseScore(begun, word, after)
    for title, call in calls.items():
        taken = min(timeit.repeat(call, number=CALLS, repeat=9, timer=time.process_time)) / CALLS
        table.add_row(title, "", f"{taken * 1e6:.2f} µs")
    return table


if __name__ == "__main__":
    main()
