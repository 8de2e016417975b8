"""Long work: progress, cancelling, and what is left of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from bitmeter._util.progress import Step
from bitmeter.errors import ModelError
from bitmeter.web.jobs import Job, Jobs
from bitmeter.web.limits import BusyError, Deadline, Limits
from tests.web.serving import client_of

Stage = Callable[[str, float], None]


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.005)


def test_progress_by_stages() -> None:
    jobs: Jobs[str] = Jobs(Limits())
    steps, go = threading.Semaphore(0), threading.Semaphore(0)

    def work(deadline: Deadline, stage: Stage) -> str:
        for name in ("a", "b"):
            stage(name, 0.5)
            deadline(Step(1, 2, estimate=3.0))
            steps.release()
            assert go.acquire(timeout=60)
        return "found"

    job = jobs.submit(work)
    for name, share in (("a", 0.25), ("b", 0.75)):
        assert steps.acquire(timeout=60)
        assert (job.state, job.stage, job.share, job.estimate) == ("running", name, share, 3.0)
        go.release()
    until(lambda: job.state == "done")
    assert (job.result, job.share) == ("found", 1.0)
    jobs.close()


def test_cancelling_a_running_and_a_waiting_job() -> None:
    jobs: Jobs[None] = Jobs(Limits())
    begun = threading.Event()

    def work(deadline: Deadline, stage: Stage) -> None:
        begun.set()
        while True:
            deadline(Step(0, 1))
            time.sleep(0.002)

    first, second = jobs.submit(work), jobs.submit(work)
    assert begun.wait(60)
    assert jobs.cancel(second.id) is second
    assert second.state == "cancelled"
    jobs.cancel(first.id)
    until(lambda: first.state == "cancelled")
    assert jobs.cancel(first.id) is first  # now it is forgotten
    assert jobs.get(first.id) is None
    assert jobs.cancel(first.id) is None
    jobs.close()


@pytest.mark.parametrize(
    "error", [ModelError("no model"), OSError("no disk"), MemoryError(), KeyError("a fault of ours")]
)
def test_a_job_that_fails_says_why(error: Exception) -> None:
    jobs: Jobs[None] = Jobs(Limits())

    def work(deadline: Deadline, stage: Stage) -> None:
        raise error

    job = jobs.submit(work)
    until(lambda: job.state == "failed")
    assert job.error
    jobs.close()


def test_too_many_jobs_are_refused_and_old_ones_forgotten() -> None:
    jobs: Jobs[int] = Jobs(Limits(jobs=2, kept=3))
    gate = threading.Event()
    waiting = [jobs.submit(lambda deadline, stage: int(gate.wait(60))) for _ in range(2)]
    with pytest.raises(BusyError):
        jobs.submit(lambda deadline, stage: 0)
    gate.set()
    until(lambda: all(job.state == "done" for job in waiting))
    later: list[Job[int]] = []
    for _ in range(4):
        later.append(jobs.submit(lambda deadline, stage: 1))
        until(lambda: later[-1].state == "done")
    assert jobs.get(waiting[0].id) is None
    assert jobs.get(later[-1].id) is later[-1]
    jobs.close()


def finished(client: TestClient, body: dict[str, object]) -> str:
    begun = client.post("/api/jobs", json=body)
    assert begun.status_code == 202
    name = str(begun.json()["id"])
    until(lambda: client.get(f"/api/jobs/{name}").json()["state"] not in ("waiting", "running"))
    return name


def test_a_report_over_http() -> None:
    client = client_of()
    name = finished(client, {"models": ["kt", "sample-bytes"], "text": "to be or not to be\n" * 20, "name": "Hamlet"})
    assert client.get(f"/api/jobs/{name}").json()["state"] == "done"
    data = client.get(f"/api/jobs/{name}/result").json()
    assert (data["schema"], data["title"], len(data["runs"])) == ("bitmeter.page/1", "Hamlet", 2)
    assert data["models"][0]["h"], "entropies are there"
    page = client.get(f"/api/jobs/{name}/report.html")
    assert page.text.startswith("<!doctype html>")
    assert page.headers["content-disposition"].startswith("attachment")
    assert client.delete(f"/api/jobs/{name}").status_code == 200
    assert client.get(f"/api/jobs/{name}").status_code == 404
    assert client.get(f"/api/jobs/{name}/result").status_code == 404
    assert client.delete(f"/api/jobs/{name}").status_code == 404
    assert len(client.get("/api/runs").json()["runs"]) == 2


def test_the_result_of_a_job_that_failed() -> None:
    client = client_of(limits=Limits(job_seconds=0.0))
    name = finished(client, {"models": ["kt"], "text": "a"})
    assert client.get(f"/api/jobs/{name}").json()["state"] == "failed"
    assert client.get(f"/api/jobs/{name}/result").status_code == 422
