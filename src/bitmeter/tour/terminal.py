"""Lessons on the terminal: the same text in a pipe, without the colours."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax
from rich.text import Text

from bitmeter._util.width import LONGEST, line_width
from bitmeter.tour import Block, Lesson, Statement, run

__all__ = ["WIDTH", "exercise_lines", "lines", "listing", "prose", "show", "solution_lines"]

#: Lines are this long at most; at a narrower terminal prose is, too. Code and formulas are not folded.
WIDTH = LONGEST


def listing(lessons: Sequence[Lesson]) -> str:
    """The topics with their titles, one per line."""
    widest = max(len(lesson.name) for lesson in lessons)
    rows = [
        part
        for lesson in lessons
        for part in textwrap.wrap(
            lesson.title, line_width(), initial_indent=f"{lesson.number:>3}  {lesson.name:<{widest}}  ",
            subsequent_indent=" " * (widest + 7),
        )
    ]  # fmt: skip
    return "\n".join([*rows, "", f"Read one with: bitmeter learn {lessons[0].name}"])


def show(lesson: Lesson, console: Console | None = None, *, solutions: bool = False) -> None:
    """Print a lesson with its exercises, running its code on the way.

    Parameters
    ----------
    lesson
        What to print.
    console
        Where to print it; standard output by default.
    solutions
        Whether hints and solutions are printed, too.
    """
    console = console or Console(width=line_width(), highlight=False)
    for line in lines(lesson, console):
        console.print(line, soft_wrap=True)
    for number in range(1, len(lesson.exercises) + 1):
        for line in exercise_lines(lesson, number, console):
            console.print(line, soft_wrap=True)
        answer = _dim(f"Answer with: bitmeter learn {lesson.name} --answer {number}=ANSWER")
        for line in solution_lines(lesson, number, console) if solutions else answer:
            console.print(line, soft_wrap=True)
        console.print()
    if lesson.exercises and not solutions:
        for line in _dim(f"Hints and solutions: bitmeter learn {lesson.name} --solutions"):
            console.print(line, soft_wrap=True)
        console.print()


def _dim(text: str) -> list[Text]:
    parts = textwrap.wrap(text, line_width(), initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
    return [Text(part, style="dim") for part in parts]


def lines(lesson: Lesson, console: Console) -> Iterator[Text]:
    """The lines of a lesson without its exercises; its code is run when its lines are wanted."""
    title = textwrap.wrap(f"{lesson.number}. {lesson.title}", line_width())
    yield Text()
    yield from (Text(line, style="bold cyan") for line in title)
    yield Text("═" * max(map(len, title)), style="cyan")
    yield Text()
    for block in run(lesson):
        yield from _block(block, console)
        yield Text()


def exercise_lines(lesson: Lesson, number: int, console: Console) -> Iterator[Text]:
    """The lines of a question; exercises are numbered from 1."""
    yield Text(f"Exercise {number} of {len(lesson.exercises)}", style="bold cyan")
    yield from prose(lesson.exercises[number - 1].question, console)


def solution_lines(lesson: Lesson, number: int, console: Console) -> Iterator[Text]:
    """The lines of a hint and of a solution."""
    exercise = lesson.exercises[number - 1]
    yield from prose(f"*Hint.* {exercise.hint}", console)
    yield from prose(f"*Solution.* {exercise.solution} The answer: **{exercise.answer.shown}**.", console)


def prose(text: str, console: Console) -> Iterator[Text]:
    """The lines of Markdown without trailing spaces."""
    markdown = Markdown(text, code_theme="ansi_dark")
    for segments in console.render_lines(markdown, console.options.update(width=line_width()), pad=False):
        line = Text.assemble(*((segment.text, segment.style or "") for segment in segments))
        line.rstrip()
        yield line


def _block(block: Block, console: Console) -> Iterator[Text]:
    if block.kind == "prose":
        yield from prose(block.text, console)
    elif block.kind == "formula":
        yield from (Text(f"      {line}".rstrip(), style="bold") for line in block.text.splitlines())
    else:
        for statement in block.statements:
            yield from _statement(statement)


def _statement(statement: Statement) -> Iterator[Text]:
    code = Syntax("", "python", theme="ansi_dark", background_color="default").highlight(statement.source.rstrip("\n"))
    for number, line in enumerate(code.split("\n")):
        prompt = Text("  >>> " if number == 0 else "  ... ", style="dim")
        line.rstrip()
        yield prompt + line
    for shown in _folded(statement.output):
        yield Text(f"  {shown}", style="green")


def _folded(output: str) -> list[str]:
    """Lines that fit; longer ones are wrapped and indented."""
    rows: list[str] = []
    for line in output.splitlines():
        fits = len(line) <= line_width() - 2
        rows += [line] if fits else textwrap.wrap(line, line_width() - 2, subsequent_indent="  ")
    return rows
