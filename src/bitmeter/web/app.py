"""The application: the interface under /api, and the files of the page."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

from fastapi import FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from bitmeter._util.files import label
from bitmeter._version import __version__
from bitmeter.errors import BitmeterError
from bitmeter.history.database import is_on
from bitmeter.history.runs import History
from bitmeter.measure.score import Score
from bitmeter.reports.formats.cells import json_value
from bitmeter.reports.html.writer import render
from bitmeter.reports.records.machine import score_document
from bitmeter.web import bodies
from bitmeter.web.assets import page_file
from bitmeter.web.examples import examples, find_example
from bitmeter.web.game import game, passages
from bitmeter.web.jobs import Job, Jobs
from bitmeter.web.lessons import judged, lesson_data, lesson_list, named_lesson
from bitmeter.web.limits import BusyError, Deadline, Limits, Pool, StoppedError
from bitmeter.web.logs import imported
from bitmeter.web.measuring import Report, TextToMeasure, comparison, live, remembered, report, scored, two_runs
from bitmeter.web.predicting import predicted
from bitmeter.web.served import Models, ServedModel

__all__ = ["StoppableApp", "create_app"]

T = TypeVar("T")
#: What every request may be answered with.
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": bodies.Problem, "description": text}
    for status, text in (
        (400, "The request is not JSON, or cannot be read."),
        (401, "The token is missing or wrong."),
        (403, "The request comes from another site."),
        (404, "There is nothing of this name."),
        (405, "The path is not asked by this method."),
        (408, "The request came too slowly."),
        (413, "The text or the request is too large."),
        (415, "The body is of another type."),
        (421, "The server is not called so."),
        (422, "The request asks for what cannot be measured."),
        (429, "Too many requests wait already."),
        (503, "The work took longer than it may, or the machine has no room for it."),
    )
}
RunNumber = Annotated[int, Path(ge=1, le=2**53)]
Word = Annotated[str, Path(max_length=100)]


class _Server:
    """What all requests share."""

    def __init__(self, models: Models, limits: Limits) -> None:
        self.models, self.limits = models, limits
        self.open()

    def open(self) -> None:
        self.pool = Pool(self.limits.workers, self.limits.waiting)
        self.jobs: Jobs[Report] = Jobs(self.limits)

    def close(self) -> None:
        self.pool.close()
        self.jobs.close()

    def is_busy(self) -> bool:
        return self.pool.is_busy() or self.jobs.is_busy()

    async def compute(self, work: Callable[[Deadline], T]) -> T:
        return await self.pool.run(work, self.limits.seconds)

    def named(self, names: Sequence[str]) -> list[ServedModel]:
        return [self.models.get(name) for name in dict.fromkeys(names)]

    def text(self, body: bodies.LiveBody | bodies.ScoreBody | bodies.CompareBody, most: int) -> TextToMeasure:
        data = body.text.encode()
        if len(data) > most:
            more = "make it a job (POST /api/jobs)" if most < self.limits.text else "measure it with bitmeter score"
            raise HTTPException(413, f"the text has {len(data):,} bytes, and at most {most:,} are taken here; {more}")
        return TextToMeasure(data, body.name, body.docs, body.confidence)


class StoppableApp(FastAPI):
    """An application whose work can be ended."""

    def __init__(self, server: _Server, **options: Any) -> None:
        super().__init__(**options)
        self._server = server

    def stop(self) -> None:
        """End what is being computed, at its next step: requests are answered with 503, jobs are cancelled."""
        self._server.close()

    def is_busy(self) -> bool:
        """Whether anything is still being computed."""
        return self._server.is_busy()


def create_app(models: Models, limits: Limits = Limits()) -> StoppableApp:  # noqa: B008 (frozen)
    """The application without what guards it.

    Parameters
    ----------
    models
        What clients may measure with.
    limits
        Of sizes, times and numbers.
    """
    server = _Server(models, limits)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        server.open()
        yield
        server.close()

    app = StoppableApp(
        server,
        title="bitmeter",
        version=__version__,
        summary="Perplexity you can compare: the figures of `bitmeter score` and `compare`, over HTTP.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=_PROBLEMS,
        lifespan=lifespan,
    )
    _add_errors(app)
    _add_measuring(app, server)
    _add_jobs(app, server)
    _add_history(app)
    _add_learning(app, server)
    _add_page(app, server)
    return app


def _problem(status: int, detail: object) -> JSONResponse:
    headers = {"Retry-After": "1"} if status == 429 else None
    return JSONResponse({"detail": "\n".join(map(label, str(detail).split("\n")))}, status, headers)


def _is_json(request: Request) -> bool:
    kind = _content_type(request)
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _content_type(request: Request) -> str:
    """The type of a request's body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _add_errors(app: FastAPI) -> None:
    """Whatever is wrong is said in one sentence, as JSON."""

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return _problem(400, f"the body is not JSON: {first['ctx']['error']} at character {first['loc'][-1]}")
        if tuple(first["loc"]) == ("body",) and not _is_json(request):
            return _problem(415, "send the body as Content-Type: application/json")
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        return _problem(422, f"{where or 'the body'}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> Response:
        return _problem(error.status_code, error.detail)

    @app.exception_handler(BitmeterError)
    async def unmeasurable(_: Request, error: BitmeterError) -> Response:
        return _problem(422, error)

    @app.exception_handler(BusyError)
    async def busy(_: Request, error: BusyError) -> Response:
        return _problem(429, error)

    @app.exception_handler(StoppedError)
    async def stopped(_: Request, error: StoppedError) -> Response:
        return _problem(503, error)

    @app.exception_handler(MemoryError)
    async def full(_: Request, error: MemoryError) -> Response:
        return _problem(503, "the server has not enough memory for this; give a shorter text or a smaller model")

    @app.exception_handler(OSError)
    async def no_room(_: Request, error: OSError) -> Response:
        return _problem(503, f"the server's machine cannot do this now: {error.strerror or type(error).__name__}")


def _remember(scores: Sequence[Score], *, wanted: bool) -> None:
    if wanted:
        remembered(scores)


def _add_measuring(app: FastAPI, server: _Server) -> None:
    @app.post("/api/score", tags=["measure"])
    async def score(body: bodies.ScoreBody) -> dict[str, Any]:
        """The score of a model on a text, as `bitmeter score --json` prints it (schema bitmeter.score/1)."""
        text, model = server.text(body, server.limits.live), server.models.get(body.model)

        def work(deadline: Deadline) -> dict[str, Any]:
            found, document = scored(model, text, deadline)
            _remember([found], wanted=body.remember)
            return document

        return await server.compute(work)

    @app.post("/api/compare", tags=["measure"])
    async def compare(body: bodies.CompareBody) -> dict[str, Any]:
        """Models compared on a text, as `bitmeter compare --json` prints it (schema bitmeter.comparison/1)."""
        text, models = server.text(body, server.limits.live), server.named(body.models)

        def work(deadline: Deadline) -> dict[str, Any]:
            found, document = comparison(models, text, deadline)
            _remember(found, wanted=body.remember)
            return document

        return await server.compute(work)

    @app.post("/api/live", tags=["page"])
    async def live_figures(body: bodies.LiveBody) -> dict[str, Any]:
        """What the page shows while one types: figures with intervals, and the packed bits of each unit."""
        text, models = server.text(body, server.limits.live), server.named(body.models)
        return await server.compute(lambda deadline: live(models, text, deadline))

    @app.post("/api/predict", tags=["page"], response_model=bodies.PredictionAnswer)
    async def predict(body: bodies.PredictBody) -> dict[str, Any]:
        """The likeliest next units after a text."""
        model, before = server.models.get(body.model), body.text.encode()
        return await server.compute(lambda _: predicted(model, before, body.most))

    @app.post(
        "/api/log",
        tags=["measure"],
        openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": {"format": "binary"}}}}},
    )
    async def log(
        request: Request,
        name: Annotated[str, Query(max_length=200)] = "log",
        remember: Annotated[bool, Query()] = False,
    ) -> dict[str, Any]:
        """Log-probabilities of another tool: the content of its log as the body; the answer is that of a report."""
        if _content_type(request) != "application/octet-stream":
            raise HTTPException(415, "send the log as Content-Type: application/octet-stream")
        content = await request.body()

        def work(deadline: Deadline) -> dict[str, Any]:
            found = imported(content, name, deadline.check)
            _remember([one.score for one in found.measured], wanted=remember)
            return found.data

        return await server.compute(work)


def _job(job: Job[Report]) -> dict[str, Any]:
    return {
        "id": job.id, "state": job.state, "share": job.share, "stage": job.stage, "error": job.error,
        "estimate": job.estimate if job.estimate is not None and abs(job.estimate) < 1e300 else None,
    }  # fmt: skip


def _add_jobs(app: FastAPI, server: _Server) -> None:
    def found(name: str) -> Job[Report]:
        job = server.jobs.get(name)
        if job is None:
            raise HTTPException(404, "there is no such job; it may have been fetched and forgotten")
        return job

    def finished(name: str) -> Report:
        job = found(name)
        if job.result is None:
            raise HTTPException(422, job.error or f"the job is {job.state}; ask again when it is done")
        return job.result

    @app.post("/api/jobs", tags=["jobs"], status_code=202, response_model=bodies.JobAnswer)
    async def begin(body: bodies.JobBody) -> dict[str, Any]:
        """Begin a report on a text: alternatives, entropies and ranks of each unit, curves and tables."""
        text, models = server.text(body, server.limits.text), server.named(body.models)

        def work(deadline: Deadline, stage: Callable[[str, float], None]) -> Report:
            result = report(models, text, body.alternatives, deadline, stage)
            _remember([one.score for one in result.measured], wanted=body.remember)
            return result

        return _job(server.jobs.submit(work))

    @app.get("/api/jobs/{name}", tags=["jobs"], response_model=bodies.JobAnswer)
    async def state(name: Word) -> dict[str, Any]:
        """How a job stands."""
        return _job(found(name))

    @app.get("/api/jobs/{name}/result", tags=["jobs"])
    def result(name: Word) -> dict[str, Any]:
        """What a job found: the data of a report."""
        return finished(name).data

    @app.get("/api/jobs/{name}/report.html", tags=["jobs"], response_class=Response)
    def file(name: Word) -> Response:
        """The report of a job as one HTML file that opens from disk."""
        one = finished(name)
        headers = {"Content-Disposition": 'attachment; filename="report.html"'}
        return Response(render(one.data, one.measured), media_type="text/html; charset=utf-8", headers=headers)

    @app.delete("/api/jobs/{name}", tags=["jobs"], response_model=bodies.JobAnswer)
    async def cancel(name: Word) -> dict[str, Any]:
        """Cancel a job, or forget one that is over."""
        job = server.jobs.cancel(name)
        if job is None:
            raise HTTPException(404, "there is no such job")
        return _job(job)


def _add_history(app: FastAPI) -> None:
    def whole(number: int) -> Score:
        history = History()
        lines = history.find(str(number))
        if not lines:
            raise HTTPException(404, f"there is no run {number} in the history")
        return history.load(lines[0])

    @app.get("/api/runs", tags=["history"], response_model=bodies.RunsAnswer)
    def runs(
        limit: Annotated[int, Query(ge=1, le=1000)] = 50,
        model: Annotated[str | None, Query(max_length=200)] = None,
        text: Annotated[str | None, Query(max_length=200)] = None,
    ) -> dict[str, Any]:
        """The remembered runs of this user, the newest first, as `bitmeter runs list --json` prints them."""
        lines = History().runs(model=model, text=text, limit=limit) if is_on() else []
        return {"on": is_on(), "runs": [json_value(asdict(line) | {"date": line.date}) for line in lines]}

    @app.get("/api/runs/compared", tags=["history"])
    def compared(a: Annotated[int, Query(ge=1, le=2**53)], b: Annotated[int, Query(ge=1, le=2**53)]) -> dict[str, Any]:
        """Two remembered runs: both figures and their difference, or why they must not be compared."""
        return two_runs(whole(a), whole(b))

    @app.get("/api/runs/{number}", tags=["history"])
    def run(number: RunNumber) -> dict[str, Any]:
        """A remembered run (schema bitmeter.score/1)."""
        return score_document(whole(number))

    @app.delete("/api/runs/{number}", tags=["history"])
    def forget(number: RunNumber) -> dict[str, int]:
        """Forget a run."""
        if not History().delete([number]):
            raise HTTPException(404, f"there is no run {number} in the history")
        return {"deleted": 1}


def _add_learning(app: FastAPI, server: _Server) -> None:
    @app.get("/api/lessons/{name}", tags=["learn"], response_model=bodies.LessonAnswer)
    def lesson(name: Word) -> dict[str, Any]:
        """A lesson of the tour, without the answers of its exercises."""
        one = named_lesson(name)
        if one is None:
            raise HTTPException(404, "there is no such lesson")
        return lesson_data(one)

    @app.post("/api/lessons/{name}/exercises/{number}", tags=["learn"], response_model=bodies.AnswerJudged)
    def answer(name: Word, number: Annotated[int, Path(ge=1, le=100)], body: bodies.AnswerBody) -> dict[str, str]:
        """Whether an answer to an exercise is right, and the solution."""
        one = named_lesson(name)
        if one is None or number > len(one.exercises):
            raise HTTPException(404, "there is no such exercise")
        return judged(one.exercises[number - 1], body.answer)

    @app.get("/api/game/{number}", tags=["learn"], response_model=bodies.GameAnswer)
    async def play(number: Annotated[int, Path(ge=1, le=100)]) -> dict[str, Any]:
        """A passage of Shannon's guessing game, and at which guess each model was right."""
        if number > len(passages()):
            raise HTTPException(404, f"there are {len(passages())} passages")
        return await server.compute(lambda _: game(number - 1))

    @app.get("/api/examples/{name}", tags=["page"], response_model=bodies.ExampleAnswer)
    def example(name: Word) -> dict[str, str]:
        """A text that comes with the page."""
        one = find_example(name)
        if one is None:
            raise HTTPException(404, "there is no such example")
        return asdict(one)


def _add_page(app: FastAPI, server: _Server) -> None:
    @app.get("/api/page", tags=["page"], response_model=bodies.PageAnswer)
    def page() -> dict[str, Any]:
        """What the page needs to begin: models, examples, lessons, limits."""
        server.models.refresh()
        return {
            "version": __version__,
            "models": [
                {"id": one.id, "summary": one.summary, "origin": one.origin, "unit": one.unit, "fault": one.fault}
                for one in server.models.all()
            ],
            "examples": [{"name": one.name, "title": one.title} for one in examples()],
            "lessons": lesson_list(),
            "limits": {name: float(value) for name, value in asdict(server.limits).items()},
            "history": is_on(),
            "passages": len(passages()),
        }

    @app.get("/api/models", tags=["measure"])
    def models() -> dict[str, Any]:
        """The models that this server has, as `bitmeter models --json` prints them (schema bitmeter.models/1)."""
        server.models.refresh()
        rows = [
            {"usage": one.id, "summary": one.summary, "state": f"unreadable: {one.fault}" if one.fault else "ready"}
            for one in server.models.all()
        ]
        return {"schema": "bitmeter.models/1", "version": __version__, "rows": rows}

    @app.get("/{name:path}", include_in_schema=False)
    def asset(name: str) -> Response:
        """The files of the page."""
        found = page_file(name or "index.html")
        if found is None:
            raise HTTPException(404, "there is nothing here; the page is at /")
        return Response(found[0], media_type=found[1])
