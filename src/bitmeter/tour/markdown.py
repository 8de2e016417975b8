"""Lessons as pages of the documentation, with the results their code gives when the pages are made."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from bitmeter.tour import Lesson, Statement, run

__all__ = ["page"]

_BRAILLE = re.compile("[\u2801-\u28ff]")


def page(lesson: Lesson) -> str:
    """A lesson as Markdown."""
    parts = [f"# {lesson.title}"]
    for block in run(lesson):
        if block.kind == "prose":
            parts.append(block.text)
        elif block.kind == "formula":
            parts.append(f"```formula\n{block.text}\n```")
        else:
            parts.extend(_sessions(block.statements))
    parts.extend(_exercises(lesson))
    parts.append(f"In the terminal: `bitmeter learn {lesson.name}`")
    return "\n\n".join(parts) + "\n"


def _exercises(lesson: Lesson) -> Iterator[str]:
    """The questions, each with its hint and solution folded away."""
    if lesson.exercises:
        yield "## Exercises"
    for number, exercise in enumerate(lesson.exercises, start=1):
        yield f"**{number}.** {exercise.question}"
        yield _folded("Hint", exercise.hint)
        yield _folded("Solution", f"{exercise.solution} The answer: **{exercise.answer.shown}**.")


def _folded(title: str, text: str) -> str:
    return f'<details markdown="1"><summary>{title}</summary>\n\n{text}\n\n</details>'


def _sessions(statements: Sequence[Statement]) -> Iterator[str]:
    """Statements with their outputs as sessions; a plot separates two of them."""
    session = ""
    for statement in statements:
        drawn = _BRAILLE.search(statement.output) is not None
        session += _prompts(statement.source) + ("" if drawn else statement.output)
        if drawn:
            yield f"```pycon\n{session}```"
            yield _picture(statement.output)
            session = ""
    if session:
        yield f"```pycon\n{session}```"


def _prompts(source: str) -> str:
    first, *others = source.rstrip("\n").split("\n")
    return "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in others)]) + "\n"


def _picture(output: str) -> str:
    """A plot as HTML: each braille character in a cell, because fonts rarely draw it as wide as a letter."""
    cells = _BRAILLE.sub(r"<i>\g<0></i>", html.escape(output.rstrip("\n"), quote=False))
    return f'<pre class="plot">{cells}</pre>'
