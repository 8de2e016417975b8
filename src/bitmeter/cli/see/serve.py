"""`bitmeter serve`: the page, on this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["serve"]


def serve(
    models: Annotated[
        list[str] | None,
        typer.Argument(metavar="MODEL…", help="Models to offer beside those that come with the page."),
    ] = None,
    *,
    folder: Annotated[
        Path | None,
        typer.Option("--models", metavar="FOLDER", help="Offer the models of a folder: .bmn, .arpa, .bmu, .bmx."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="The port; 0 for one that is free.")] = 8719,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Where to listen; other machines need the token that is printed."),
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another name by which browsers may call the server. Can be repeated."),
    ] = None,
    idle: Annotated[
        float | None, typer.Option(min=0, metavar="MINUTES", help="End after so many minutes without a request.")
    ] = None,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Open the page: a text in colour as you type it, models side by side, the tour, Shannon's guessing game.

    It runs on this machine and answers no other, unless --host says so; then each request needs the token that is
    printed (or that of the variable BITMETER_TOKEN). Texts stay on this machine, and are not kept. Only the models
    that come with the page, those named here and those of --models can be chosen. Ctrl-C ends it.
    """
    from bitmeter.web.start import serve as start

    def ready(address: str) -> None:
        typer.echo(f"The page is at {address}")
        typer.echo("Ctrl-C ends it.", err=True)
        if browser:
            import webbrowser

            webbrowser.open(address)

    token = os.environ.get("BITMETER_TOKEN") or None
    seconds = None if idle is None else 60.0 * idle
    start(
        models or (), folder=folder, host=host, port=port, names=name or (), token=token, idle=seconds, ready=ready,
        leave=_leave,
    )  # fmt: skip


def _leave() -> None:
    """End at once: Python would wait for the thread that still computes."""
    sys.stdout.flush()
    sys.stderr.flush()
    came = sys.exc_info()[1]
    code = came.code if isinstance(came, SystemExit) else 130 if isinstance(came, KeyboardInterrupt) else 0
    os._exit(code if isinstance(code, int) else 1)
