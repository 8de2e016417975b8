"""Lessons on the terminal: the same text as in a pipe, at most 80 columns wide."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from bitmeter.tour import Block, Lesson, Statement, topics
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
)


def shown(*, colour: bool) -> str:
    file = io.StringIO()
    system: Any = "standard" if colour else None
    console = Console(file=file, width=WIDTH, highlight=False, force_terminal=colour, color_system=system)
    show(LESSON, console)
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


def test_the_list_has_every_lesson_in_order() -> None:
    lines = listing(topics()).splitlines()
    numbers = [int(line.split()[0]) for line in lines[: len(topics())]]
    assert numbers == list(range(1, len(topics()) + 1))
    assert lines[-1] == "Read one with: bitmeter learn information"
