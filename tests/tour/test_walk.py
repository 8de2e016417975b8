"""The walk through the tour: what each key does, on a terminal of any height, and that the place is remembered."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from bitmeter.tour import Block, Lesson, Statement, topics
from bitmeter.tour.exercises import read_exercise
from bitmeter.tour.place import Place, recall, remember
from bitmeter.tour.terminal import WIDTH
from bitmeter.tour.walk import Walk

ASKED = read_exercise("A coin?\nanswer: 1 bit\ncheck: 1\nhint: Two sides.\nsolution: By log₂ 2.")
#: Lessons of the tour's own names, for the walk finds them by name.
NAMES = [lesson.name for lesson in topics()[:3]]
TOUR = (
    Lesson(1, NAMES[0], "First", (), tuple(Block("prose", f"Paragraph {k}.") for k in range(20)), (ASKED, ASKED)),
    Lesson(2, NAMES[1], "Second", (), (Block("code", "", (Statement("6 * 7\n", ""),)),)),
    Lesson(3, NAMES[2], "Third", (), (Block("prose", "The end."),)),
)


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    return tmp_path / "bitmeter" / "tour.json"


class Reader:
    """Types lines one after the other, and keeps what is shown, prompts included."""

    def __init__(self, *typed: str) -> None:
        self._typed: Iterator[str] = iter(typed)
        self._file = io.StringIO()
        self.notes: list[str] = []

    def walk(self, topic: Lesson | None = None, *, restart: bool = False, tour: tuple[Lesson, ...] = TOUR) -> str:
        console = Console(file=self._file, width=WIDTH, highlight=False)
        Walk(tour, console, ask=self._ask, note=self.notes.append).begin(topic, restart=restart)
        assert next(self._typed, None) is None, "the walk ended before all was typed"
        return self._file.getvalue()

    def _ask(self, prompt: str) -> str:
        assert len(prompt) <= WIDTH
        self._file.write(f"{prompt}\n")
        typed = next(self._typed, None)
        if typed is None:
            raise EOFError
        if typed == "\xff":
            raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
        return typed


def test_enter_goes_through_pages_exercises_and_lessons_to_the_end() -> None:
    text = Reader(*[""] * 7).walk()
    order = ["1. First", "Paragraph 8.", "page 1 ", "Paragraph 9.", "Paragraph 19.", "page 2 "]
    order += ["Exercise 1 of 2", "Exercise 2 of 2", "1 of 3 · end", "2. Second", "42", "3. Third", "The end."]
    at = [text.index(words) for words in order]
    assert at == sorted(at)
    assert text.count("Paragraph 9.") == 1
    # The next walk begins at the start.
    assert recall(tuple(NAMES)) == Place(NAMES[0])


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 10, 24, 50, 1000])
def test_pages_fit_a_terminal_of_any_height(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", str(rows))
    text = Reader(*[""] * 20).walk() if rows < 5 else Reader().walk()
    for page in text.split("q: quit \n"):
        shown = page.rpartition("──")[0].rpartition("──")[0].splitlines()[:-1]
        # Three rows at least: a terminal so low that they do not fit would show nothing else.
        assert len(shown) <= max(rows - 2, 3) or "Exercise" in page


def test_a_page_is_shown_again_on_the_way_back() -> None:
    text = Reader("", "b", "q").walk()
    assert text.count("Paragraph 1.") == 2
    assert text.count("Paragraph 10.") == 1
    # From the first page of a lesson to the last page of the one before.
    text = Reader("n", "b", "q").walk(restart=True)
    assert text.count("Paragraph 19.") == 1
    # Before the first page there is nothing.
    assert Reader("b", "b", "q").walk(restart=True).count("1. First") == 3


def test_lessons_are_found_by_number_and_name_and_listed() -> None:
    text = Reader("3", NAMES[1], "p", "n", "l", "nonsense \x1b[2J", "\xff", "q").walk()
    assert [text.count(title) for title in ("1. First", "2. Second", "3. Third")] == [2, 2, 1]
    assert f"  2  {NAMES[1]}" in text
    assert "There is no lesson 'nonsense \\x1b[2j'. ?: help" in text
    assert "\x1b" not in text


def test_a_question_mark_helps_at_every_prompt() -> None:
    text = Reader("?", "n", "?", "q").walk()
    assert text.count("this help") == 2
    text = Reader("", "", "?", "", "?", "", "?", "q").walk(restart=True)
    assert text.count("a hint\n") == 2
    assert text.count("the next page; after") == 1
    assert max(map(len, text.splitlines())) <= WIDTH


def test_answers_are_checked_as_often_as_needed() -> None:
    text = Reader("", "", "3", "three", "0", "1 bit", "s", "q").walk()
    lines = text.splitlines()
    assert lines.count("No.") == 2
    assert "That cannot be read as a number." in text
    assert "Right: 1 bit." in text
    # After the second wrong answer, and not before, the hint.
    assert text.index("That cannot be read") < text.index("Hint. Two sides.")
    assert text.count("Hint. Two sides.") == 1
    assert text.count("By log₂ 2.") == 2
    assert "Solution. By log₂ 2." in text
    assert max(map(len, lines)) <= WIDTH


def test_a_hint_on_request_and_back_to_the_lesson() -> None:
    text = Reader("", "", "h", "b", "q").walk()
    assert "Hint. Two sides." in text
    assert text.count("Paragraph 19.") == 2
    for leave in ("q", "quit", "exit"):
        assert "Exercise 2 of 2" not in Reader("", "", leave).walk(restart=True)


def test_the_end_of_the_input_quits() -> None:
    assert Reader().walk().endswith("q: quit \n\n")
    assert "Exercise 2" not in Reader("", "").walk(restart=True)


def test_the_walk_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    Reader("", "q").walk()
    text = Reader("q").walk()
    assert text.startswith("You were in lesson 1. From the start: bitmeter learn --restart\n")
    assert "Paragraph 1." not in text
    assert "Paragraph 9." in text
    # At another height the page that holds the line, or the last one.
    monkeypatch.setenv("LINES", "100")
    assert "Paragraph 1." in Reader("q").walk()
    assert "Paragraph 1." in Reader("q").walk(restart=True)
    assert "You were" not in Reader("q").walk()
    remember(Place(NAMES[1], 99_999))
    assert "42" in Reader("q").walk()


def test_a_topic_leaves_the_place_until_another_lesson_is_opened() -> None:
    remember(Place(NAMES[0], 2))
    Reader("q").walk(TOUR[2])
    assert recall(tuple(NAMES)) == Place(NAMES[0], 2)
    Reader("", "q").walk(TOUR[1])
    assert recall(tuple(NAMES)) == Place(NAMES[2], 0)


def test_a_damaged_place_is_ignored_with_a_note(state: Path) -> None:
    state.parent.mkdir()
    state.write_text('{"schema": "bitmeter.tour/1", "lesson": "\\u001b[2J", "line": 0}')
    reader = Reader("q")
    assert "1. First" in reader.walk()
    assert len(reader.notes) == 1
    assert "names no lesson of this tour; the tour begins at the start" in reader.notes[0]
    assert reader.notes[0].isprintable()


def test_a_place_that_cannot_be_written_is_noted_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    reader = Reader("", "", "q")
    assert "Paragraph 19." in reader.walk()
    assert len(reader.notes) == 1
    assert "not remembered" in reader.notes[0]
