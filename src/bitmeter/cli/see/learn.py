"""`bitmeter learn`: the guided tour."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from bitmeter.tour import Lesson

__all__ = ["learn"]


def learn(
    topic: Annotated[
        str | None, typer.Argument(help="A topic, by name or number; the whole tour by default.", show_default=False)
    ] = None,
    list_topics: Annotated[bool, typer.Option("--list", "-l", help="List the topics.")] = False,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin at the start, not at the remembered place.")
    ] = False,
    answer: Annotated[
        list[str] | None,
        typer.Option(
            "--answer",
            "-a",
            metavar="N=ANSWER",
            help="Check an answer to exercise N of the topic: 1=2.5, 1=5/2 or '1=2.5 bits'. May be repeated.",
            show_default=False,
        ),
    ] = None,
    solutions: Annotated[bool, typer.Option("--solutions", help="Print hints and solutions of exercises.")] = False,
) -> None:
    """Learn what entropy, cross-entropy and perplexity are, with live examples and exercises.

    On a terminal the tour is shown page by page, asks its exercises and remembers where you were: Enter goes on, b goes
    back, ? shows the other keys, q quits. In a pipe, or with --solutions, it is printed whole. The place is kept in
    bitmeter/tour.json in the user's folder for such files ($XDG_STATE_HOME, by default ~/.local/state).
    """
    from bitmeter.tour import find, topics
    from bitmeter.tour.terminal import listing, show
    from bitmeter.tour.walk import Walk

    lesson = None if topic is None else find(topic)
    if list_topics:
        typer.echo(listing(topics()))
    elif answer:
        if lesson is None:
            message = "--answer needs the topic that the exercise belongs to: bitmeter learn entropy --answer 1=2.5"
            raise typer.BadParameter(message)
        if not _check(lesson, answer):
            raise typer.Exit(1)
    elif not solutions and _is_terminal():
        Walk(topics()).begin(lesson, restart=restart)
    else:
        for one in topics() if lesson is None else (lesson,):
            show(one, solutions=solutions)


def _is_terminal() -> bool:
    """Whether somebody reads and types; either stream may be closed."""
    return all(stream is not None and not stream.closed and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _check(lesson: Lesson, answers: list[str]) -> bool:
    """Print whether each answer is right; whether all are."""
    from bitmeter.tour.exercises import judge

    right = True
    for given in answers:
        number, found, typed = given.partition("=")
        if not found or not number.strip().isdecimal() or not 1 <= int(number) <= len(lesson.exercises):
            message = (
                f"{given!r} does not answer one of the {len(lesson.exercises)} exercises of {lesson.name!r}; type "
                f"the number, = and the answer: bitmeter learn {lesson.name} --answer 1=2.5"
            )
            raise typer.BadParameter(message)
        judgement = judge(lesson.exercises[int(number) - 1], typed)
        typer.echo(f"{int(number)}: {judgement.message}")
        right &= judgement.kind == "right"
    if not right:
        typer.echo(f"Hints and solutions: bitmeter learn {lesson.name} --solutions")
    return right
