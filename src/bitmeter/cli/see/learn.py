"""`bitmeter learn`: the guided tour."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def learn(
    topic: Annotated[
        str | None, typer.Argument(help="A topic, by its name or number; without one, the whole tour.")
    ] = None,
    list_topics: Annotated[bool, typer.Option("--list", "-l", help="List the topics.")] = False,
) -> None:
    """Learn what entropy, cross-entropy and perplexity are, with live examples.

    At a terminal the tour stops after each topic: Enter goes on, b goes back, q quits. In a pipe all is printed.
    """
    from bitmeter.tour import find, topics
    from bitmeter.tour.terminal import listing, show

    if list_topics:
        typer.echo(listing(topics()))
    elif topic is not None:
        show(find(topic))
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _walk()
    else:
        for name in topics():
            show(name)


def _walk() -> None:
    """One topic after the other, with a prompt between them."""
    from bitmeter.tour import topics
    from bitmeter.tour.terminal import show

    tour = topics()
    at = 0
    while at < len(tour):
        show(tour[at])
        last = at == len(tour) - 1
        words = "That was the tour. Enter: quit · b: back " if last else "Enter: next · b: back · q: quit "
        try:
            answer = input(f"── {at + 1} of {len(tour)} ── {words}").strip().lower()
        except EOFError:
            answer = "q"
        if answer.startswith("q"):
            return
        at = max(at - 1, 0) if answer.startswith("b") else at + 1
