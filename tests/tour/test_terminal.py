"""Lessons on the terminal: the same text as in a pipe, at most 80 columns wide."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from bitmeter.tour import Block, Lesson, Statement, topics
from bitmeter.tour.exercises import read_exercise
from bitmeter.tour.terminal import WIDTH, listing, show

LESSON = Lesson(
    7,
    "sums",
    "Sums",
    ("M7",),
    (
        Block("prose", "Two and **two** are `four`, " + "and so on " * 20),
        Block("formula", "2 + 2 = 4"),
        Block("code", "", (Statement("for i in range(2):\n    print(i)\n", ""), Statement("'ab ' * 40\n", ""))),
    ),
    (
        read_exercise("What is **two** and two?\nanswer: 4\ncheck: 2 + 2\nhint: Count.\nsolution: Three, then four."),
        read_exercise("And two?\nanswer: 6.0 ± 0.1 bits\ncheck: 6\nhint: On.\nsolution: Five, then six."),
    ),
)


def shown(*, colour: bool, solutions: bool = False) -> str:
    file = io.StringIO()
    system: Any = "standard" if colour else None
    console = Console(file=file, width=WIDTH, highlight=False, force_terminal=colour, color_system=system)
    show(LESSON, console, solutions=solutions)
    return file.getvalue()


def test_colours_are_all_that_a_terminal_adds() -> None:
    from rich.text import Text

    plain, coloured = shown(colour=False), shown(colour=True)
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain
    assert Text.from_ansi(coloured).plain.splitlines() == plain.splitlines()


def test_lines_fit_and_have_no_trailing_space() -> None:
    lines = shown(colour=False).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert all(line == line.rstrip() for line in lines)


def test_code_has_prompts_and_results_are_indented() -> None:
    text = shown(colour=False)
    assert "7. Sums\n═══════\n" in text
    assert "      2 + 2 = 4\n" in text
    assert "  >>> for i in range(2):\n  ...     print(i)\n  0\n  1\n" in text
    # The repr of 120 characters goes on below.
    start = text.index("  >>> 'ab ' * 40")
    assert "".join(text[start:].split()[4:]).count("ab") == 40


def test_exercises_say_how_to_answer_and_hide_the_answer() -> None:
    text = shown(colour=False)
    assert (
        "Exercise 1 of 2\nWhat is two and two?\n  Answer with: bitmeter learn sums --answer 1=ANSWER\n\nExercise 2"
        in text
    )
    assert text.endswith("  Hints and solutions: bitmeter learn sums --solutions\n\n")
    assert "Count." not in text
    assert "then six" not in text


def test_solutions_are_shown_on_request() -> None:
    text = shown(colour=False, solutions=True)
    assert "What is two and two?\nHint. Count.\nSolution. Three, then four. The answer: 4.\n" in text
    assert "Solution. Five, then six. The answer: 6.0 bits.\n" in text
    assert "--answer" not in text


def test_the_list_has_every_lesson_in_order() -> None:
    lines = listing(topics()).splitlines()
    numbers = [int(line.split()[0]) for line in lines[: len(topics())]]
    assert numbers == list(range(1, len(topics()) + 1))
    assert lines[-1] == "Read one with: bitmeter learn information"
