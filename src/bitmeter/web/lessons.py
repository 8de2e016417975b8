"""The lessons of the tour as data: prose, formulas, code with its results, and exercises that ask before they show."""

from __future__ import annotations

from typing import Any

from bitmeter.tour import Lesson, Statement, topics
from bitmeter.tour.exercises import Exercise, judge

__all__ = ["judged", "lesson_data", "lesson_list", "named_lesson"]


def lesson_list() -> list[dict[str, Any]]:
    """The number, name and title of each lesson.

    Examples
    --------
    >>> lesson_list()[0]["name"]
    'information'
    """
    return [{"number": one.number, "name": one.name, "title": one.title} for one in topics()]


def named_lesson(name: str) -> Lesson | None:
    """The lesson of a name; None if there is none."""
    return next((one for one in topics() if one.name == name), None)


def lesson_data(lesson: Lesson) -> dict[str, Any]:
    """A lesson without the answers of its exercises; the results of its code are those that the tests compare."""
    blocks: list[dict[str, Any]] = []
    for block in lesson.blocks:
        if block.kind == "code":
            statements = [
                {"source": one.source, "output": one.output or _drawn(one, lesson)} for one in block.statements
            ]
            blocks.append({"kind": "code", "statements": statements})
        else:
            blocks.append({"kind": block.kind, "text": block.text})
    questions = [{"question": one.question, "hint": one.hint} for one in lesson.exercises]
    return {
        "number": lesson.number,
        "name": lesson.name,
        "title": lesson.title,
        "blocks": blocks,
        "exercises": questions,
    }


def _drawn(statement: Statement, lesson: Lesson) -> str:
    """What stands for a plot, which is drawn for the width of a terminal."""
    return f"(a plot, which the terminal draws: bitmeter learn {lesson.name})" if "print(" in statement.source else ""


def judged(exercise: Exercise, typed: str) -> dict[str, str]:
    """Whether an answer is right, with the solution where it was one that can be read."""
    found = judge(exercise, typed)
    shown = found.kind != "unreadable"
    return {
        "kind": found.kind,
        "message": found.message,
        "answer": exercise.answer.shown if shown else "",
        "solution": exercise.solution if shown else "",
    }
