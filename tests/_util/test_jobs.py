"""Tasks in this process: the reference for all executors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bitmeter._util.jobs import Ended, Here, Report, Task


def halved(number: int, report: Report) -> float:
    report(number)
    return number / (number - 2)


def test_results_errors_and_reports() -> None:
    reported: list[tuple[int, float]] = []
    tasks = [Task(place, halved, (number,)) for place, number in enumerate((4, 2, 6))]
    with Here() as executor:
        ended = list(executor.run(tasks, lambda number, more: reported.append((number, more))))
    assert [one.number for one in ended] == [0, 1, 2]
    assert (ended[0].value, ended[2].value) == (2.0, 1.5)
    assert isinstance(ended[1].error, ZeroDivisionError)
    assert reported == [(0, 4), (1, 2), (2, 6)]


def test_tasks_are_taken_one_by_one() -> None:
    taken: list[int] = []

    def tasks() -> Iterator[Task]:
        for number in range(3):
            taken.append(number)
            yield Task(number, halved, (4,))

    for ended in Here().run(tasks(), lambda number, more: None):
        assert taken == list(range(ended.number + 1))


def test_a_result_is_a_value_or_raises() -> None:
    assert Ended(1, "x").result() == "x"
    with pytest.raises(KeyError):
        Ended(1, error=KeyError("x")).result()
