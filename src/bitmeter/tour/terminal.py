"""Lessons on the terminal: the same text in a pipe, without the colours."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax
from rich.text import Text

from bitmeter.tour import Block, Lesson, Statement, run

__all__ = ["WIDTH", "listing", "show"]

#: Lines are this long at most, whatever the terminal: the same text everywhere.
WIDTH = 80


def listing(lessons: Sequence[Lesson]) -> str:
    """The topics with their titles, one per line."""
    widest = max(len(lesson.name) for lesson in lessons)
    lines = [f"{lesson.number:>3}  {lesson.name:<{widest}}  {lesson.title}" for lesson in lessons]
    return "\n".join([*lines, "", f"Read one with: bitmeter learn {lessons[0].name}"])


def show(lesson: Lesson, console: Console | None = None) -> None:
    """Print a lesson, running its code on the way."""
    console = console or Console(width=WIDTH, highlight=False)
    title = f"{lesson.number}. {lesson.title}"
    console.print()
    console.print(Text(title, style="bold cyan"))
    console.print(Text("═" * len(title), style="cyan"))
    console.print()
    for block in run(lesson):
        _show_block(block, console)
        console.print()


def _show_block(block: Block, console: Console) -> None:
    if block.kind == "prose":
        for line in _lines(Markdown(block.text, code_theme="ansi_dark"), console):
            console.print(line, soft_wrap=True)
    elif block.kind == "formula":
        console.print(Text(textwrap.indent(block.text, "      "), style="bold"), soft_wrap=True)
    else:
        for statement in block.statements:
            _show_statement(statement, console)


def _lines(markdown: Markdown, console: Console) -> list[Text]:
    """The lines of prose without trailing spaces."""
    lines = []
    for segments in console.render_lines(markdown, console.options.update(width=WIDTH), pad=False):
        line = Text.assemble(*((segment.text, segment.style or "") for segment in segments))
        line.rstrip()
        lines.append(line)
    return lines


def _show_statement(statement: Statement, console: Console) -> None:
    code = Syntax("", "python", theme="ansi_dark", background_color="default").highlight(statement.source.rstrip("\n"))
    for number, line in enumerate(code.split("\n")):
        prompt = Text("  >>> " if number == 0 else "  ... ", style="dim")
        line.rstrip()
        console.print(prompt + line, soft_wrap=True)
    for shown in _folded(statement.output):
        console.print(Text(f"  {shown}", style="green"), soft_wrap=True)


def _folded(output: str) -> list[str]:
    """Lines that fit; longer ones are wrapped and indented."""
    lines: list[str] = []
    for line in output.splitlines():
        fits = len(line) <= WIDTH - 2
        lines += [line] if fits else textwrap.wrap(line, WIDTH - 2, subsequent_indent="  ")
    return lines
