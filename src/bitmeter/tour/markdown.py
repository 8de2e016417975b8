"""Lessons as pages of the documentation, with the results their code gives when the pages are made."""

from __future__ import annotations

from bitmeter.tour import Lesson, Statement, run

__all__ = ["page"]


def page(lesson: Lesson) -> str:
    """A lesson as Markdown."""
    parts = [f"# {lesson.title}"]
    for block in run(lesson):
        if block.kind == "prose":
            parts.append(block.text)
        elif block.kind == "formula":
            parts.append(f"```formula\n{block.text}\n```")
        else:
            parts.append("```pycon\n" + "".join(map(_session, block.statements)) + "```")
    parts.append(f"In the terminal: `bitmeter learn {lesson.name}`")
    return "\n\n".join(parts) + "\n"


def _session(statement: Statement) -> str:
    first, *others = statement.source.rstrip("\n").split("\n")
    return "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in others)]) + "\n" + statement.output
