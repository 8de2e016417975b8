"""The tour on a terminal: page by page, with exercises whose answers are checked, and the place remembered."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence

from rich.console import Console
from rich.text import Text

from bitmeter._util.width import line_width
from bitmeter.errors import BitmeterError
from bitmeter.tour import Lesson, find
from bitmeter.tour.exercises import judge
from bitmeter.tour.pages import Pages
from bitmeter.tour.place import Place, recall, remember
from bitmeter.tour.terminal import exercise_lines, lines, listing, prose

__all__ = ["Walk"]

#: Rows of the terminal that the prompt takes: itself, and the line that the cursor goes to after it.
_PROMPT_ROWS = 2
#: Stands for the last page of a lesson.
_LAST = sys.maxsize
#: After so many wrong answers the hint is shown.
_TRIES = 2

_HELP = """\
  Enter      the next page; after the last one the exercises, the next lesson
  b          back, to the page before
  n, p       the next lesson, the previous one
  l          the list of all lessons
  4, joint   the lesson of this number or name
  q          quit; `bitmeter learn` goes on here, with --restart at the start
  ?          this help"""
_EXERCISE_HELP = """\
  a number   such as 1.5, 3/2, 2^-3, log2(6), 25 % or inf; with its unit if you
             like (1.5 bits, 1.04 nats), or the word that is asked for
  h          a hint
  s          the solution
  Enter      go on without an answer
  b          back to the lesson
  q          quit; `bitmeter learn` goes on here
  ?          this help"""
_QUIT = ("q", "quit", "exit")


class Walk:
    """A walk through the tour.

    Parameters
    ----------
    tour
        The lessons.
    console
        Where to print.
    ask
        Prints a prompt and returns the line that is typed; raises EOFError at the end of the input.
    note
        Takes what does not belong to the tour, such as that the place could not be remembered.
    """

    def __init__(
        self,
        tour: Sequence[Lesson],
        console: Console | None = None,
        *,
        ask: Callable[[str], str] = input,
        note: Callable[[str], None] = lambda text: print(f"note: {text}", file=sys.stderr),
    ) -> None:
        self._tour = tour
        self._console = console or Console(width=line_width(), highlight=False)
        self._ask_line, self._note = ask, note
        self._remembers = True

    def begin(self, topic: Lesson | None = None, *, restart: bool = False) -> None:
        """Walk until the reader quits or the tour ends.

        Parameters
        ----------
        topic
            Where to begin. The remembered place stays until the reader goes to another lesson.
        restart
            Begin at the first lesson, not at the remembered place.
        """
        place = Place(self._tour[0].name) if topic is None else Place(topic.name)
        if topic is None and not restart:
            place = self._recalled() or place
        first = at = self._index(place.lesson)
        line = place.line
        while at < len(self._tour):
            move = self._lesson(at, line, remembered=topic is None or at != first)
            if move is None:
                return
            at, line = move
        self._remember(Place(self._tour[0].name))

    # ---- pages -------------------------------------------------------------------------------------------------------

    def _lesson(self, at: int, line: int, *, remembered: bool) -> tuple[int, int] | None:
        """Show a lesson from a line on: the lesson and line to go to, or None to quit."""
        lesson = self._tour[at]
        pages = Pages(lines(lesson, self._console))
        rows, columns = _room()
        starts = pages.starts(line, rows=rows, columns=columns)
        while True:
            rows, columns = _room()
            page = pages.page(starts[-1], rows=rows, columns=columns)
            self._print(page)
            if remembered:
                self._remember(Place(lesson.name, starts[-1]))
            after = starts[-1] + len(page)
            more = pages.has(after)
            typed = self._command(f"page {len(starts)}", at, "next page" if more else _next(at, self._tour))
            if typed == "" and not more and lesson.exercises:
                typed = self._exercises(at)
                if typed == "b":
                    continue
            if typed == "" and more:
                starts.append(after)
            elif typed != "b":
                return self._target(typed, at)
            elif len(starts) > 1:
                starts.pop()
            elif at > 0:
                return at - 1, _LAST

    def _command(self, where: str, at: int, following: str) -> str:
        """Ask until something is typed that leads on."""
        while True:
            prompt = f"── {at + 1} of {len(self._tour)} · {where} ── Enter: {following} · b: back · ?: help · q: quit "
            typed = self._ask(prompt)
            if typed == "?":
                self._console.print(Text(_HELP), soft_wrap=True)
            elif typed == "l":
                self._console.print(Text(listing(self._tour)), soft_wrap=True)
            elif typed in ("", "b", "n", "p", *_QUIT):
                return typed
            else:
                try:
                    return find(typed).name
                except BitmeterError:
                    self._console.print(Text(f"There is no lesson {typed[:30]!r}. ?: help · l: list"))

    def _target(self, typed: str, at: int) -> tuple[int, int] | None:
        if typed in _QUIT:
            return None
        if typed in ("", "n"):
            return at + 1, 0
        if typed == "p":
            return max(at - 1, 0), 0
        return self._index(typed), 0

    def _index(self, name: str) -> int:
        return [lesson.name for lesson in self._tour].index(name)

    # ---- exercises ---------------------------------------------------------------------------------------------------

    def _exercises(self, at: int) -> str:
        """Ask the exercises of a lesson; the command that leads on from them."""
        lesson = self._tour[at]
        for number in range(1, len(lesson.exercises) + 1):
            self._console.print()
            self._print(exercise_lines(lesson, number, self._console))
            left = self._exercise(lesson, number)
            if left:
                return left
        self._console.print()
        return self._command("end", at, "next lesson" if at + 1 < len(self._tour) else "end of the tour")

    def _exercise(self, lesson: Lesson, number: int) -> str:
        """Ask one exercise until it is solved or left: "" to go on, "b" to go back, "q" to quit."""
        exercise = lesson.exercises[number - 1]
        wrong = 0
        while True:
            typed = self._ask("── your answer · h: hint · s: solution · Enter: go on · ?: help ── ")
            if typed == "?":
                self._console.print(Text(_EXERCISE_HELP), soft_wrap=True)
            elif typed in ("", "b", *_QUIT):
                return typed
            elif typed == "h":
                self._print(prose(f"*Hint.* {exercise.hint}", self._console))
            elif typed == "s":
                self._print(prose(f"*Solution.* {exercise.solution}", self._console))
                return ""
            else:
                judgement = judge(exercise, typed)
                style = {"right": "bold green", "wrong": "bold red"}.get(judgement.kind, "")
                self._print(Text(row, style=style) for row in textwrap.wrap(judgement.message, line_width()))
                if judgement.kind == "right":
                    self._print(prose(exercise.solution, self._console))
                    return ""
                wrong += judgement.kind == "wrong"
                if judgement.kind == "wrong" and wrong == _TRIES:
                    self._print(prose(f"*Hint.* {exercise.hint}", self._console))

    # ---- the terminal, and the place ---------------------------------------------------------------------------------

    def _ask(self, prompt: str) -> str:
        try:
            return self._ask_line(prompt).strip().lower()
        except UnicodeDecodeError:
            return "\ufffd"
        except EOFError:
            self._console.print()
            return "q"

    def _print(self, shown: Iterable[Text]) -> None:
        for line in shown:
            self._console.print(line, soft_wrap=True)

    def _recalled(self) -> Place | None:
        try:
            place = recall(tuple(lesson.name for lesson in self._tour))
        except BitmeterError as error:
            self._note(str(error))
            return None
        if place is not None and place != Place(self._tour[0].name):
            lesson = self._tour[self._index(place.lesson)]
            text = f"You were in lesson {lesson.number}. From the start: bitmeter learn --restart"
            self._console.print(Text(text, style="dim"))
        return place

    def _remember(self, place: Place) -> None:
        if not self._remembers:
            return
        try:
            remember(place)
        except BitmeterError as error:
            self._remembers = False  # one note is enough
            self._note(str(error))


def _next(at: int, tour: Sequence[Lesson]) -> str:
    if tour[at].exercises:
        return "exercises"
    return "next lesson" if at + 1 < len(tour) else "end of the tour"


def _room() -> tuple[int, int]:
    size = shutil.get_terminal_size()
    return size.lines - _PROMPT_ROWS, size.columns
