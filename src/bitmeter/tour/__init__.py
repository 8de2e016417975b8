"""The guided tour: lessons written once, as Markdown with live code, for the terminal and for the documentation.

A lesson is a file `lessons/NN-name.md`. Its first line is the title; its second, in a comment, names the topics of the
subject that it covers. Blocks fenced as `python` are run, statement by statement, and shown with the result they
give now; the tests compare it with the result in the file. Blocks fenced as `formula` are set apart. Blocks fenced as
`exercise` come at the end; the module of that name says what they contain.
"""

from __future__ import annotations

import contextlib
import difflib
import doctest
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from bitmeter.errors import ChoiceError
from bitmeter.tour.exercises import Exercise, read_exercise

__all__ = ["Block", "Lesson", "Statement", "find", "run", "topics"]

_FENCE = re.compile(r"^```(python|formula|exercise)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a lesson's code.

    Attributes
    ----------
    source
        The statement, over one or more lines.
    output
        What it prints: as in the file, or as it was when run, after `run`.
    """

    source: str
    output: str


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a lesson: prose, a formula, or code."""

    kind: Literal["prose", "formula", "code"]
    text: str
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """One topic of the tour.

    Attributes
    ----------
    number
        Its position in the tour, from 1.
    name
        The word to type after `bitmeter learn`.
    title
        Its title.
    rows
        The topics of the subject that it covers.
    blocks
        Its contents, in order.
    exercises
        What the reader is asked at the end.
    """

    number: int
    name: str
    title: str
    rows: tuple[str, ...]
    blocks: tuple[Block, ...]
    exercises: tuple[Exercise, ...] = ()


@cache
def topics() -> tuple[Lesson, ...]:
    """All lessons in order.

    Examples
    --------
    >>> topics()[0].name
    'information'
    """
    files = sorted(
        (entry for entry in resources.files(__name__).joinpath("lessons").iterdir() if entry.name.endswith(".md")),
        key=lambda entry: entry.name,
    )
    return tuple(_read(entry.name, entry.read_text(encoding="utf-8")) for entry in files)


def find(topic: str) -> Lesson:
    """The lesson with a name or a number.

    Examples
    --------
    >>> find("1").name
    'information'
    """
    for lesson in topics():
        if topic.lower() in (lesson.name, str(lesson.number)):
            return lesson
    names = [lesson.name for lesson in topics()]
    near = difflib.get_close_matches(topic.lower(), names, n=1)
    hint = f"bitmeter learn {near[0]}" if near else "bitmeter learn --list"
    message = f"there is no topic {topic!r} in the tour of {len(names)}. Type: {hint}"
    raise ChoiceError(message, value=topic)


def run(lesson: Lesson, names: dict[str, Any] | None = None) -> Iterator[Block]:
    """The lesson's blocks with the results that its code gives now.

    Parameters
    ----------
    lesson
        What to run.
    names
        The names that the code uses and defines; new ones by default.
    """
    names = {} if names is None else names
    names["__name__"] = f"bitmeter.tour.{lesson.name}"
    for block in lesson.blocks:
        if block.kind == "code":
            done = tuple(Statement(part.source, _execute(part.source, names)) for part in block.statements)
            yield Block(block.kind, block.text, done)
        else:
            yield block


def _read(file_name: str, text: str) -> Lesson:
    number, _, name = file_name.removesuffix(".md").partition("-")
    first, second, rest = text.split("\n", 2)
    blocks: list[Block] = []
    exercises: list[Exercise] = []
    end = 0
    for match in _FENCE.finditer(rest):
        blocks.append(Block("prose", rest[end : match.start()].strip()))
        kind, body = match.groups()
        if kind == "exercise":
            exercises.append(read_exercise(body))
        elif kind == "formula":
            blocks.append(Block("formula", body.rstrip()))
        else:
            parts = doctest.DocTestParser().get_examples(body, file_name)
            blocks.append(Block("code", body, tuple(Statement(part.source, part.want) for part in parts)))
        end = match.end()
    blocks.append(Block("prose", rest[end:].strip()))
    return Lesson(
        int(number),
        name,
        first.removeprefix("# "),
        tuple(re.findall(r"M\d+", second)),
        tuple(block for block in blocks if block.text),
        tuple(exercises),
    )


def _execute(source: str, names: dict[str, Any]) -> str:
    """Run one statement as interactive Python does; an error is shown by its name and message."""
    printed = io.StringIO()
    hook = sys.displayhook
    sys.displayhook = _display
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(source, "<lesson>", "single"), names)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=printed)
    finally:
        sys.displayhook = hook
    return printed.getvalue()


def _display(value: object) -> None:
    if value is not None:
        print(repr(value))
