"""Lessons as pages: the text as written, the code as a session with its results."""

from __future__ import annotations

import re

import pytest

from bitmeter.tour import Block, Lesson, Statement, find
from bitmeter.tour.exercises import read_exercise
from bitmeter.tour.markdown import page

LESSON = Lesson(
    7,
    "sums",
    "Sums & parts",
    ("M7",),
    (
        Block("prose", "Two and **two**:"),
        Block("formula", "2 + 2 = 4"),
        Block("code", "", (Statement("total = 2 + 2\n", ""), Statement("total\n", "5\n"))),
        Block("code", "", (Statement("for i in range(2):\n    print(i)\n", ""),)),
    ),
)


def test_a_page_has_the_text_and_the_results_of_today() -> None:
    # The file said 5; what is printed is what the code gives.
    assert page(LESSON) == (
        "# Sums & parts\n\nTwo and **two**:\n\n```formula\n2 + 2 = 4\n```\n\n"
        "```pycon\n>>> total = 2 + 2\n>>> total\n4\n```\n\n"
        "```pycon\n>>> for i in range(2):\n...     print(i)\n0\n1\n```\n\n"
        "In the terminal: `bitmeter learn sums`\n"
    )


def test_exercises_have_their_hints_and_solutions_folded() -> None:
    exercise = read_exercise("Why?\nanswer: 1.5 ± 0.1 bits\ncheck: 1.5\nhint: Think.\nsolution: *Because.*")
    text = page(Lesson(1, "why", "Why", (), (), (exercise,)))
    assert "## Exercises\n\n**1.** Why?\n\n" in text
    for title, folded in (("Hint", "Think."), ("Solution", "*Because.* The answer: **1.5 bits**.")):
        assert f'<details markdown="1"><summary>{title}</summary>\n\n{folded}\n\n</details>' in text


def test_a_plot_is_html_between_two_sessions() -> None:
    code = (Statement("print('\u28ff <b>')\n", ""), Statement("1\n", ""))
    text = page(Lesson(1, "plot", "Plot", (), (Block("code", "", code),)))
    assert '<pre class="plot"><i>\u28ff</i> &lt;b&gt;</pre>' in text
    assert re.findall("```pycon\n(.*?)```", text, re.DOTALL) == [">>> print('\u28ff <b>')\n", ">>> 1\n1\n"]


@pytest.mark.parametrize("name", ["information", "units"])
def test_a_lesson_of_the_tour_keeps_its_figures(name: str) -> None:
    lesson = find(name)
    text = page(lesson)
    for block in lesson.blocks:
        for statement in block.statements:
            assert statement.output in text
