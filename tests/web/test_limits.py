"""No request takes more than it may."""

from __future__ import annotations

import asyncio
import socket
import threading
import time

import pytest

from bitmeter._util.progress import Step
from bitmeter.web.limits import BusyError, Deadline, Limits, Pool, StoppedError
from tests.web.serving import client_of, serving


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
        waiting = [asyncio.create_task(pool.run(lambda _, k=k: gate.wait(60) and k, 60.0)) for k in range(3)]  # type: ignore[misc]
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError):
            await pool.run(lambda _: None, 60.0)
        gate.set()
        found: list[object] = await asyncio.gather(*waiting)
        assert await pool.run(lambda _: "again", 60.0) == "again"
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


def test_what_computes_and_what_waits_ends_with_the_server() -> None:
    begun = threading.Event()

    def work(deadline: Deadline) -> None:
        begun.set()
        while True:
            deadline.check()
            time.sleep(0.002)

    async def run() -> list[object]:
        pool = Pool(1, 5)
        waiting = [asyncio.create_task(pool.run(work, 600.0)) for _ in range(3)]
        assert await asyncio.to_thread(begun.wait, 60)
        assert pool.is_busy()
        pool.close()
        found: list[object] = await asyncio.gather(*waiting, return_exceptions=True)
        assert not pool.is_busy()
        with pytest.raises(StoppedError, match="ending"):
            await pool.run(work, 600.0)
        return found

    assert [type(one) for one in asyncio.run(run())] == [StoppedError] * 3


def test_a_request_that_comes_too_slowly_is_refused() -> None:
    """Over a real connection: a part of the body, and then nothing."""
    with serving(limits=Limits(body_seconds=0.2)) as address:
        host, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=60) as client:
            head = f"POST /api/live HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
            client.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
            with client.makefile("rb") as answer:
                found = answer.read()  # to the end: the connection is closed, as the rest is not read
    assert found.startswith(b"HTTP/1.1 408 ")
    assert b"did not arrive within 0.2 s" in found
