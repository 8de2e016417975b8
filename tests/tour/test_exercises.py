"""Exercises: what is read, what is right, and that nothing a reader types does harm."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.errors import InputError
from bitmeter.tour import topics
from bitmeter.tour.exercises import Exercise, judge, read_exercise
from bitmeter.tour.walk import _QUIT


def asked(answer: str) -> Exercise:
    return read_exercise(f"What?\nanswer: {answer}\ncheck: 0\nhint: Think.\nsolution: So.\n")


def test_an_exercise_is_read_in_parts() -> None:
    text = "Two\nlines?\nanswer: 2.694 ± 0.005 bits\ncheck: a + b\nhint: Over\ntwo lines.\nsolution: Thus.\n"
    found = read_exercise(text)
    assert (found.question, found.check, found.hint, found.solution) == (
        "Two\nlines?",
        "a + b",
        "Over\ntwo lines.",
        "Thus.",
    )
    assert (found.answer.value, found.answer.tolerance, found.answer.unit) == (2.694, 0.005, "bits")
    assert found.answer.shown == "2.694 bits"


@pytest.mark.parametrize(
    "text",
    [
        "What?\nanswer: 1\n",
        "answer: 1\ncheck: 1\nhint: a\nsolution: b\n",
        "What?\ncheck: 1\nanswer: 1\nhint: a\nsolution: b",
    ],
)
def test_an_exercise_without_its_parts_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match="an exercise has a question"):
        read_exercise(text)


@pytest.mark.parametrize(
    "typed",
    [
        "1.5", " 1.5 ", "1,5", "3/2", "6 / 4", "1.5 bits", "1.5bit", "3/2 bits per letter", "1.5 bits/byte", "1.5 Sh",
        "2^-1 + 1", "2**-1+1", "log2(8) / 2", "sqrt(2.25)", "150 %", "150%", "0.15e1", "(1+2)/2", "= 1.5", "+1.5",
        "3 · 0.5",
        "1.0397207708399179 nats", "1.5 * ln(2) nats", "0.4515449934959718 hartleys", "0.45154499349597 bans",
    ],
)  # fmt: skip
def test_a_number_is_accepted_as_people_write_it(typed: str) -> None:
    # 1.5 bits are 1.5 · ln 2 nats and 1.5 · log10 2 hartleys.
    assert judge(asked("1.5 bits"), typed).kind == "right"


@pytest.mark.parametrize("typed", ["10000", "10,000", "1e4", "10^4", "1e4 "])
def test_thousands(typed: str) -> None:
    assert judge(asked("10000"), typed).kind == "right"


def test_a_decimal_comma_is_not_one_of_thousands() -> None:
    assert judge(asked("0.469"), "0,469").kind == "right"
    assert judge(asked("1469"), "1,469").kind == "right"


@pytest.mark.parametrize("typed", ["inf", "Infinite", "∞", "infinity bits", "+inf"])
def test_infinity(typed: str) -> None:
    assert judge(asked("inf bits"), typed).kind == "right"
    assert judge(asked("3 bits"), typed).kind == "wrong"


def test_tolerance_is_inclusive_and_has_an_end() -> None:
    exercise = asked("0.469 ± 0.005 bits")
    assert [judge(exercise, typed).kind for typed in ("0.464", "0.474", "0.47", "0.4639", "0.4741")] == [
        "right", "right", "right", "wrong", "wrong",
    ]  # fmt: skip
    assert judge(asked("28 bits"), "28.01").kind == "wrong"


def test_another_unit_or_sign_is_named() -> None:
    assert "in nats" in judge(asked("1.5 ± 0.001 bits"), "1.0397").message
    assert "in bits" in judge(asked("1 ± 0.001 nats"), "1.4427").message
    assert "sign" in judge(asked("0.5"), "-0.5").message
    assert judge(asked("4"), "4 bits").kind == "unreadable"


def test_words() -> None:
    exercise = asked("unknown | cannot say")
    assert [judge(exercise, typed).kind for typed in ("Unknown", "cannot  say.", "yes", "")] == [
        "right", "right", "wrong", "wrong",
    ]  # fmt: skip
    assert exercise.answer.shown == "unknown"


@pytest.mark.parametrize(
    "typed",
    [
        "", "two", "1.5 apples", "1 2", "1/0", "9**9**9**9", "(-8)^(1/3)", "log2(0)", "log2(-1)", "nan",
        "1e999", "__import__('os')", "open('x')", "log2.__class__", "[1]", "True", "1j", "'1'", "lambda: 1", "1,2,3",
        "exp(1e9)", "log2()", "log2(1, 2)", "(" * 99, "1" * 101, "\0", "\x1b[2J", "\ud800", "a" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_number_is_not_wrong_but_unreadable(typed: str) -> None:
    found = judge(asked("7.25 bits"), typed)
    assert found.kind == "unreadable"
    assert found.message.isprintable()


@given(st.text(max_size=120))
def test_nothing_typed_is_an_error(typed: str) -> None:
    assert judge(asked("7.25 bits"), typed).kind in ("right", "wrong", "unreadable")
    assert judge(asked("yes"), typed).kind in ("right", "wrong")


@given(st.floats(min_value=-1e12, max_value=1e12))
def test_a_number_is_read_as_it_is_printed(value: float) -> None:
    assert judge(asked(f"{value!r}"), repr(value)).kind == "right"
    assert judge(asked(f"{value!r}"), repr(value + max(1.0, abs(value)))).kind == "wrong"


def test_no_answer_of_the_tour_is_a_command() -> None:
    for lesson in topics():
        for exercise in lesson.exercises:
            assert not set(exercise.answer.words) & {"h", "s", "b", "?", "", *_QUIT}
            assert exercise.hint
            assert exercise.solution
            assert exercise.answer.value is None or not math.isnan(exercise.answer.value)
