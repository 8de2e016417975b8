"""Long work: progress, cancelling, and what is left of it."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator

import pytest
from fastapi.testclient import TestClient

import bitmeter as bm
from bitmeter._util.progress import Step
from bitmeter.errors import ModelError
from bitmeter.reports.html.inputs import Measured
from bitmeter.web.jobs import Job, Jobs
from bitmeter.web.limits import BusyError, Deadline, Limits, StoppedError
from bitmeter.web.measuring import TextToMeasure, report, report_of
from bitmeter.web.served import Models
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
    assert first.state == "cancelled", "it is over at once for who asks"
    until(lambda: not jobs.is_busy())
    assert (first.state, first.result) == ("cancelled", None)
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


class Text:
    """What a job is given; a plain string cannot be watched as it goes."""


def test_a_cancelled_job_keeps_no_text() -> None:
    jobs: Jobs[Text] = Jobs(Limits())
    gate, begun = threading.Event(), threading.Event()

    def given(text: Text) -> Callable[[Deadline, Stage], Text]:
        def work(deadline: Deadline, stage: Stage) -> Text:
            begun.set()
            gate.wait(60)
            return text

        return work

    texts = [Text(), Text()]
    kept = [weakref.ref(text) for text in texts]
    running, waiting = (jobs.submit(given(text)) for text in texts)
    assert begun.wait(60)
    del texts
    jobs.cancel(waiting.id)
    gc.collect()
    assert kept[1]() is None, "it waits for nothing"
    jobs.cancel(running.id)
    gate.set()
    until(lambda: not jobs.is_busy())
    until(lambda: gc.collect() >= 0 and kept[0]() is None)
    jobs.close()


@pytest.mark.parametrize("name", ["universal", "sample-words", "sample-bytes", "kt"])
def test_a_report_is_cancelled_between_the_steps_of_one_block(name: str) -> None:
    """A text of one block, of which the first step is enough to cancel: nothing goes on to its end."""
    steps: list[Step] = []

    def listen(step: Step) -> None:
        steps.append(step)
        deadline.stop()

    deadline = Deadline(600.0, listen)
    text = TextToMeasure(b"to be or not to be, that is the question.\n" * 300)
    with pytest.raises(StoppedError, match="cancelled"):
        report([Models().get(name)], text, 3, deadline, lambda stage, share: None)
    assert len(steps) == 1
    assert steps[0].share is not None
    assert steps[0].share < 1.0


def test_writing_a_report_can_be_cancelled() -> None:
    """Scoring is done, and only what is made of it is left."""
    models = Models()
    measured = [
        Measured(score, score.trace, score.model)
        for score in (
            bm.score(models.get(name).model(), b"to be or not to be\n" * 9) for name in ("kt", "sample-words")
        )
    ]
    counts: list[int] = []
    report_of(measured, "a title", lambda: counts.append(0))
    for last in range(len(counts)):
        left = iter(range(last))

        def check(left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise StoppedError

        with pytest.raises(StoppedError):
            report_of(measured, "a title", check)
    assert len(counts) > 10
