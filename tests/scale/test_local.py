"""A pool that outlives its processes: killed ones are replaced, their tasks are done again, others are unhurt."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bitmeter._util.jobs import Task
from bitmeter.errors import InputTypeError, WorkerError
from bitmeter.scale import pace
from bitmeter.scale.local import MOST_TRIES, LocalPool


def ignore(number: int, more: float) -> None:
    pass


def results(pool: LocalPool, tasks: list[Task]) -> dict[int, Any]:
    return {ended.number: ended.error or ended.value for ended in pool.run(tasks, ignore)}


def test_results_reports_and_errors(work: ModuleType) -> None:
    reported: dict[int, float] = {}
    with LocalPool(2) as pool:
        tasks = [Task(number, work.double, (number,)) for number in range(7)]
        found = {ended.number: ended.value for ended in pool.run(tasks, reported.__setitem__)}
        assert found == {number: 2 * number for number in range(7)}
        assert reported == {number: number for number in range(7)}
        failed = results(pool, [Task(0, work.fail, ("no luck",)), Task(1, work.double, (1,))])
        assert failed[1] == 2
        assert isinstance(failed[0], ValueError)
        assert "no luck" in str(failed[0])
        assert "in a worker" in failed[0].__notes__[0]
    assert pool.lost == 0


def test_killed_processes_are_replaced(work: ModuleType, tmp_path: Path) -> None:
    with LocalPool(2) as pool:
        tasks = [Task(number, work.die_once, (str(tmp_path / str(number)),)) for number in range(4)]
        assert results(pool, tasks) == dict.fromkeys(range(4), "done")
        assert pool.lost == 4


def test_a_task_that_always_kills_hurts_no_other(work: ModuleType) -> None:
    with LocalPool(2) as pool:
        tasks = [Task(n, work.die if n == 1 else work.double, (n,), f"file {n}") for n in range(6)]
        found = results(pool, tasks)
        assert isinstance(found[1], WorkerError)
        assert "file 1" in str(found[1])
        assert {number: found[number] for number in (0, 2, 3, 4, 5)} == {0: 0, 2: 4, 3: 6, 4: 8, 5: 10}
        assert pool.lost == MOST_TRIES


def test_a_late_task_is_given_to_another(work: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy ends first, and the process of the first is ended; so does what waits behind it."""
    monkeypatch.setattr(pace, "LEAST", 0.5)
    with LocalPool(2) as pool:
        tasks = [Task(0, work.sleep_once, (str(tmp_path / "late"),))]
        tasks += [Task(number, work.double, (number,)) for number in range(1, 6)]
        found = results(pool, tasks)
        assert found == {0: "done", **{number: 2 * number for number in range(1, 6)}}
        assert pool.lost == 0
        assert results(pool, [Task(0, work.double, (4,))]) == {0: 8}


def test_a_task_that_never_ends_is_ended_with_the_pool(work: ModuleType, tmp_path: Path) -> None:
    with LocalPool(2) as pool:
        running = pool.run([Task(0, work.sleep, ()), Task(1, work.double, (1,))], ignore)
        assert next(running).number == 1
        processes = [process.started for process in pool._processes]
    assert all(process.poll() is not None for process in processes)


def test_what_a_task_prints_is_no_answer(work: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    with LocalPool(1) as pool:
        assert results(pool, [Task(0, work.speak, ("hello",))]) == {0: 5}
    out, err = capfd.readouterr()
    assert (out, err.strip()) == ("", "hello")


def test_what_cannot_be_sent_is_refused_before() -> None:
    with LocalPool(1) as pool, pytest.raises(InputTypeError, match="cannot be sent"):
        results(pool, [Task(0, lambda report: None, ())])


def test_results_that_cannot_be_sent_are_errors(work: ModuleType) -> None:
    with LocalPool(1) as pool:
        found = results(pool, [Task(0, work.give_function, ()), Task(1, work.double, (1,))])
    assert isinstance(found[0], Exception)
    assert found[1] == 2
