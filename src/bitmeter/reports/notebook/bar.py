"""A progress bar for notebooks and terminals, as a callback."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from html import escape
from typing import Any

from bitmeter._util.progress import Step

__all__ = ["ProgressBar", "bar_html", "bar_text"]

#: Seconds between two pictures of the bar.
_PAUSE = 0.2
_WIDTH = 24


class ProgressBar:
    """Shows how far long work is: `progress=bm.ProgressBar()` in every function that takes `progress`.

    In a notebook the bar stands below the cell, at a terminal in one line of stderr; elsewhere nothing is shown.

    Parameters
    ----------
    title
        What is shown before the bar.

    Examples
    --------
    >>> import bitmeter as bm
    >>> bm.score("kt", b"to be or not to be", progress=bm.ProgressBar("scoring")).tokens
    18
    """

    def __init__(self, title: str = "") -> None:
        self.title = str(title)
        self._show: Callable[[Step], None] | None = _place(self.title)
        self._next = 0.0

    def __call__(self, step: Step) -> None:
        """Show a step; too soon after the last one, nothing changes unless the work is done."""
        now = time.monotonic()
        finished = step.share == 1.0
        if self._show is None or (now < self._next and not finished):
            return
        self._next = now + _PAUSE
        self._show(step)


def _place(title: str) -> Callable[[Step], None] | None:
    display = _display()
    if display is not None:
        return _InNotebook(display, title)
    return _AtTerminal(title) if sys.stderr is not None and sys.stderr.isatty() else None


def _display() -> Callable[..., Any] | None:
    """How a notebook shows HTML; None elsewhere, also in IPython at a terminal."""
    if "ipykernel" not in sys.modules:
        return None
    from importlib import import_module

    shown: Callable[..., Any] = import_module("IPython.display").display
    return shown


class _Page:
    """What a notebook shows: HTML, or the text where it cannot."""

    def __init__(self, step: Step, title: str) -> None:
        self.html, self.text = bar_html(step, title), bar_text(step, title)

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


class _InNotebook:
    def __init__(self, display: Callable[..., Any], title: str) -> None:
        self._display, self._title = display, title
        self._handle: Any = None

    def __call__(self, step: Step) -> None:
        page = _Page(step, self._title)
        if self._handle is None:
            self._handle = self._display(page, display_id=True)
        else:
            self._handle.update(page)


class _AtTerminal:
    def __init__(self, title: str) -> None:
        self._title, self._length = title, 0

    def __call__(self, step: Step) -> None:
        text = bar_text(step, self._title)
        sys.stderr.write(f"\r{text.ljust(self._length)}" + "\n" * (step.share == 1.0))
        sys.stderr.flush()
        self._length = 0 if step.share == 1.0 else len(text)


def _words(step: Step, title: str) -> tuple[str, str]:
    """What stands before the bar, and after it."""
    before = " ".join(filter(None, (title, step.stage)))
    share = step.share
    amount = f"{step.done:,.0f} {step.unit}".rstrip() if share is None else f"{100 * share:3.0f} %"
    value = "" if step.estimate is None else f"{step.estimate:.3f} bits/byte so far"
    return before, "  ".join(filter(None, (amount, value)))


def bar_text(step: Step, title: str = "") -> str:
    """One line.

    Examples
    --------
    >>> bar_text(Step(50, 100), "scoring")
    'scoring ━━━━━━━━━━━━────────────  50 %'
    """
    before, after = _words(step, title)
    full = round(_WIDTH * (step.share or 0.0))
    return f"{before} {'━' * full}{'─' * (_WIDTH - full)} {after}".strip()


def bar_html(step: Step, title: str = "") -> str:
    """The same for a notebook.

    Examples
    --------
    >>> "width:50.0%" in bar_html(Step(50, 100))
    True
    """
    before, after = _words(step, title)
    inner = f'<div style="width:{100 * (step.share or 0.0):.1f}%;height:0.8em;background:rgb(0, 137, 123)"></div>'
    frame = f'<div style="width:16em;border:1px solid rgba(127, 127, 127, 0.5)">{inner}</div>'
    return (
        f'<div style="display:flex;gap:0.6em;align-items:center"><span>{escape(before)}</span>{frame}'
        f"<span>{escape(after)}</span></div>"
    )
