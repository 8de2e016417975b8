"""`bitmeter learn`: the tour on a terminal, in a pipe, and by topic."""

from __future__ import annotations

import subprocess

from tests.cli.running import MAIN, at_terminal


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MAIN, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def test_the_tour_stops_after_each_topic() -> None:
    code, shown = at_terminal("learn", typed="\nb\nq\n")
    assert code == 0
    assert shown.count("1. Information") == 2
    assert shown.count("2. Entropy") == 1
    assert "3. Cross" not in shown


def test_the_tour_in_a_pipe_is_all_of_it() -> None:
    from bitmeter.tour import topics

    done = run("learn")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    for lesson in topics():
        assert f"\n{lesson.number}. {lesson.title}\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_topics_are_found_by_name_and_number_and_missed_with_a_hint() -> None:
    assert run("learn", "entropy").stdout == run("learn", "2").stdout
    missed = run("learn", "entropi")
    assert missed.returncode == 1
    assert missed.stderr.strip().endswith("Type: bitmeter learn entropy")
    assert "information" in run("learn", "--list").stdout
