"""No request takes more than it may."""

from __future__ import annotations

import asyncio
import threading

import pytest

from bitmeter._util.progress import Step
from bitmeter.web.limits import BusyError, Deadline, Limits, Pool, StoppedError
from tests.web.serving import client_of


def test_a_deadline_stops_the_work() -> None:
    steps: list[Step] = []
    deadline = Deadline(60.0, steps.append)
    deadline(Step(1, 2))
    assert steps == [Step(1, 2)]
    with pytest.raises(StoppedError, match="longer than 0 s"):
        Deadline(0.0).check()
    deadline.stop()
    with pytest.raises(StoppedError, match="cancelled"):
        deadline(Step(2, 2))


def test_more_than_may_wait_are_refused_and_none_is_lost() -> None:
    gate = threading.Event()

    async def run() -> list[object]:
        pool = Pool(1, 2)
        waiting = [asyncio.create_task(pool.run(lambda k=k: gate.wait(60) and k)) for k in range(3)]  # type: ignore[misc]
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError):
            await pool.run(lambda: None)
        gate.set()
        found: list[object] = await asyncio.gather(*waiting)
        assert await pool.run(lambda: "again") == "again"
        pool.close()
        return found

    assert asyncio.run(run()) == [0, 1, 2]


def test_a_text_that_is_too_long_is_refused() -> None:
    client = client_of(limits=Limits(live=100, text=200))
    assert client.post("/api/live", json={"models": ["kt"], "text": "a" * 100}).status_code == 200
    found = client.post("/api/live", json={"models": ["kt"], "text": "é" * 51})
    assert found.status_code == 413
    assert "make it a job" in found.json()["detail"]
    assert client.post("/api/jobs", json={"models": ["kt"], "text": "a" * 201}).status_code == 413


def test_work_that_takes_too_long_is_ended() -> None:
    found = client_of(limits=Limits(seconds=0.0)).post("/api/score", json={"model": "kt", "text": "a"})
    assert found.status_code == 503
    assert "took longer" in found.json()["detail"]
    assert client_of(limits=Limits(waiting=-2)).post("/api/score", json={"model": "kt", "text": "a"}).status_code == 429
    assert client_of(limits=Limits(held=3)).post("/api/score", json={"model": "kt", "text": "a"}).status_code == 429
