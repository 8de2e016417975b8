"""Remembered runs: the same figures come back; parallel writers, a kill, damage and limits."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import FileFormatError
from bitmeter.history import runs as module
from bitmeter.history.runs import History, Measured, is_short

TEXT = b"to be or not to be\nthat is the question\n"


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "data" / "h.sqlite")


def test_a_run_comes_back_as_it_was(history: History) -> None:
    first, second = bm.score("kt", TEXT, docs="line"), bm.score("xz", TEXT)
    assert history.record([first, second], "compare") == [1, 2]
    lines = history.runs()
    assert [(line.id, line.model, line.verb, line.times, line.whole) for line in lines] == [
        (2, second.model, "compare", 1, True),
        (1, first.model, "compare", 1, True),
    ]
    assert lines[1].bits == first.bits_per_byte
    assert history.load(lines[1]) == first
    assert history.load(lines[0]) == second
    assert history.find(first.signature.short) == history.find(first.signature.short[:8]) == history.find("1")
    assert history.find("3") == history.find("bm1-00000000") == history.find("nonsense") == history.find("9" * 30) == []


def test_the_same_run_again_is_one_line(history: History) -> None:
    run = bm.score("kt", TEXT)
    for seconds in (1.0, 2.0, 3.0):
        assert history.record([replace(run, seconds=seconds)]) == [1]
    (line,) = history.runs()
    assert line.times == 3
    assert history.load(line).seconds == 3.0
    assert history.record([bm.score("kt", TEXT, confidence=0.9)]) == [2]


def test_infinite_and_empty_scores(history: History) -> None:
    infinite = bm.score(bm.Distribution({"a": 1.0}), b"ab")
    empty = bm.score("kt", b"")
    history.record([infinite, empty])
    assert [line.bits for line in history.runs()] == [None, float("inf")]
    assert [history.load(line) for line in history.runs()] == [empty, infinite]


def test_lists_are_narrowed(history: History) -> None:
    history.record([bm.score(model, TEXT) for model in ("kt", "uniform", "xz")])
    assert [line.model for line in history.runs(model="KT")] == ["kt"]
    assert len(history.runs(limit=2)) == 2
    assert history.runs(text="nowhere") == []


def test_nothing_of_the_text_is_kept(history: History) -> None:
    history.record([bm.score("kt", b"a very secret sentence")])
    data = b"".join(path.read_bytes() for path in history.path.parent.iterdir())
    with sqlite3.connect(history.path) as database:
        data += zlib.decompress(database.execute("SELECT run FROM runs").fetchone()[0])
    database.close()
    assert b"secret" not in data


def test_addresses_are_listed_without_their_secrets(history: History) -> None:
    run = replace(bm.score("kt", TEXT), text="https://me:word@host/a?key=hidden")
    history.record([run])
    assert history.runs()[0].text == "https://…@host/a?…"


def test_deleting_and_pruning(history: History) -> None:
    assert history.delete([1]) == history.prune() == 0
    history.record([bm.score(model, TEXT) for model in ("kt", "uniform", "xz", "bz2")])
    assert history.delete([2, 99]) == 1
    assert history.prune(keep=2) == 1
    assert [line.id for line in history.runs()] == [4, 3]
    assert history.prune(before=0.0) == 0
    assert history.prune(before=1e12) == 2
    history.record([bm.score("kt", TEXT)])
    assert [line.id for line in history.runs()] == [5]  # a number is never given twice
    assert history.prune() == 1


def test_the_oldest_are_forgotten(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_RUNS", 3)
    monkeypatch.setattr(module, "_EVERY", 5)
    history.record([bm.score("kt", TEXT, confidence=0.5 + k / 100) for k in range(5)])
    assert [line.id for line in history.runs()] == [5, 4, 3]
    monkeypatch.setattr(module, "MOST_BYTES", 1)
    history.record([bm.score("uniform", TEXT, confidence=0.5 + k / 100) for k in range(5)])
    assert [line.whole for line in history.runs()] == [False] * 3
    with pytest.raises(FileFormatError, match="only the figure and the signature were kept"):
        history.load(history.runs()[0])


def test_a_run_of_very_many_documents_keeps_its_figure(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_ROWS", 1)
    run = bm.score("kt", TEXT, docs="line")
    assert history.record([run, run]) == [1, 1]
    (line,) = history.runs()
    assert (line.whole, line.bits, line.signature) == (False, run.bits_per_byte, str(run.signature))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("run = x'0011'", "cannot be unpacked; delete it: bitmeter runs delete 1"),
        ("run = 'text'", "cannot be unpacked"),
        ("run = zip('{}')", "not a run of bitmeter"),
        ("signature = 'schema:1'", "its signature is not that of its line"),
        ("model = x'00'", "a line of it holds"),
        ("bits = 'many'", "a line of it holds"),
        ("time = NULL", "a line of it holds"),
    ],
)
def test_a_damaged_line_is_a_typed_error(change: str, said: str, history: History) -> None:
    history.record([bm.score("kt", TEXT)])
    database = sqlite3.connect(history.path)
    database.create_function("zip", 1, lambda text: zlib.compress(text.encode()))
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')")
    database.commit()
    database.close()
    database = sqlite3.connect(history.path)
    database.create_function("zip", 1, lambda text: zlib.compress(text.encode()))
    database.execute(f"UPDATE runs SET {change}")
    database.commit()
    database.close()
    with pytest.raises(FileFormatError, match=said):
        history.load(history.runs()[0])


WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
import bitmeter as bm
from bitmeter.history.runs import History
history, run = History(Path(sys.argv[1])), bm.score("kt", b"to be or not to be")
print("ready", flush=True)
for k in range(int(sys.argv[2])):
    history.record([replace(run, notes=(f"{sys.argv[3]} {k}",))])
    print(k, flush=True)
"""


def test_writers_at_once_lose_nothing(history: History) -> None:
    words = [sys.executable, "-c", WRITER, str(history.path), "12"]
    started = [subprocess.Popen([*words, str(number)], stdout=subprocess.DEVNULL) for number in range(3)]
    assert [process.wait(timeout=200) for process in started] == [0, 0, 0]
    assert len(history.runs()) == 36
    notes = {history.load(line).notes for line in history.runs()}
    assert len(notes) == 36


def test_a_killed_writer_leaves_a_sound_history(history: History) -> None:
    words = [sys.executable, "-c", WRITER, str(history.path), "100000", "x"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout is not None
    while process.stdout.readline() != b"5\n":
        pass
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    lines = history.runs()
    assert len(lines) >= 6
    assert history.load(lines[0]).tokens == 18
    assert history.record([bm.score("uniform", TEXT)])[0] > 6


def test_the_form_of_a_short_signature() -> None:
    assert is_short(bm.score("kt", TEXT).signature.short)
    assert not any(map(is_short, ("bm1-ABCD0123", "bm1-*", "bm1-0", "bm1-012345678", "bm-0123")))


def test_what_is_no_score_keeps_its_figure(history: History) -> None:
    found = bm.word_surprisals("uniform", b"to be")
    line = Measured("uniform", "text", found.signature, "word", 20.5, 5)
    assert history.record([line], "surprisal") == history.record([line], "surprisal") == [1]
    (kept,) = history.find(found.signature.short)
    assert (kept.verb, kept.per, kept.bits, kept.times, kept.whole) == ("surprisal", "word", 20.5, 2, False)
    with pytest.raises(bm.BitmeterError, match="it is no score"):
        history.load(kept)
    history.record(
        [Measured("m", "t", found.signature, "byte", None, 0), Measured("m", "t", found.signature, "x", 1, 0)]
    )
    assert sorted(str(run.bits) for run in history.runs()) == ["1.0", "20.5", "None"]
