"""`bitmeter learn`: the tour on a terminal, in a pipe, and by topic."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from bitmeter.tour import find, topics
from tests.cli.running import MAIN, at_terminal, run


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LINES", "24")
    return tmp_path / "bitmeter" / "tour.json"


def plain(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r\n", "\n")


def test_the_tour_is_shown_in_pages_and_asks_its_exercises(state: Path) -> None:
    code, shown = at_terminal("learn", typed="\n\n\n4\n5 bits\n1/16\n\nq\n")
    text = plain(shown)
    assert code == 0
    assert [f"page {k} " in text for k in (1, 2, 3, 4)] == [True, True, True, False]
    assert text.count("Exercise 1 of 2") == 1
    assert "No.\n" in text
    assert "Right: 5 bits.\n" in text
    assert "Right: 0.0625.\n" in text
    assert "2. Entropy" in text
    assert json.loads(state.read_text()) == {"schema": "bitmeter.tour/1", "lesson": "entropy", "line": 0}


def test_the_place_is_remembered_and_can_be_forgotten(state: Path) -> None:
    at_terminal("learn", typed="n\n\nq\n")
    text = plain(at_terminal("learn", typed="q\n")[1])
    assert "You were in lesson 2." in text
    assert "page 2 " in text
    assert "1. Information" not in text
    text = plain(at_terminal("learn", "--restart", typed="q\n")[1])
    assert "1. Information" in text
    state.write_bytes(b"\x00{")
    text = plain(at_terminal("learn", typed="q\n")[1])
    assert "note: the place in the tour" in text
    assert "1. Information" in text


def test_a_topic_on_a_terminal_is_shown_in_pages_too() -> None:
    code, shown = at_terminal("learn", "units", typed="?\nq\n")
    assert code == 0
    assert f"{find('units').number}. Bits, nats" in plain(shown)
    assert "this help" in shown
    # Printed whole, without a prompt.
    code, shown = at_terminal("learn", "units", "--solutions")
    assert code == 0
    assert "Solution. log₁₀ 100 = 2" in plain(shown)
    assert "Enter:" not in shown


def test_the_end_of_the_input_ends_the_tour() -> None:
    for typed in ("\x04", "\n\n\n\x04", "\n\n\nwrong\n\x04"):
        assert at_terminal("learn", "--restart", typed=typed)[0] == 0


def test_the_tour_in_a_pipe_is_all_of_it(state: Path) -> None:
    done = subprocess.run([*MAIN, "learn"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    for lesson in topics():
        assert f"\n{lesson.number}. {lesson.title}\n" in done.stdout
        assert f"Answer with: bitmeter learn {lesson.name} --answer 1=ANSWER" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "page 1" not in done.stdout
    assert not state.exists()


@pytest.mark.parametrize("closed", ["<&-", "<&- 2>&-"])
def test_a_closed_input_neither_hangs_nor_fails(closed: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f'"$@" learn 1 {closed}', "-", *MAIN], capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == 0
    assert "Exercise 2 of 2" in done.stdout


def test_an_open_pipe_without_input_does_not_hang() -> None:
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [*MAIN, "learn", "1"], stdin=reading, capture_output=True, text=True, timeout=60, check=True
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert "Exercise 1 of 2" in done.stdout


def test_topics_are_found_by_name_and_number_and_missed_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "learn", "entropy") == run(capsys, "learn", "2")
    code, _, said = run(capsys, "learn", "entropi")
    assert code == 2
    assert "Type: bitmeter learn entropy\n" in said
    assert "information" in run(capsys, "learn", "--list")[1]


def test_answers_are_checked_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "learn", "information", "--answer", "1=5 bits", "-a", "2 = 1/16")
    assert found == (0, "1: Right: 5 bits.\n2: Right: 0.0625.\n", "")
    code, printed, _ = run(capsys, "learn", "information", "--answer", "1=4")
    assert code == 1
    assert printed == "1: No.\nHints and solutions: bitmeter learn information --solutions\n"
    for words in (["units", "-a", "9=1"], ["units", "-a", "1"], ["units", "-a", "x=1"], ["-a", "1=5"]):
        code, _, said = run(capsys, "learn", *words)
        assert code == 2, words
        assert "bitmeter learn" in said
