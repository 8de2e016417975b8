"""What requests and answers hold, for the checks and for the OpenAPI description."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

__all__ = [
    "AnswerBody", "AnswerJudged", "CompareBody", "ExampleAnswer", "GameAnswer", "JobAnswer", "JobBody", "LessonAnswer",
    "LiveBody", "PageAnswer", "PredictBody", "PredictionAnswer", "Problem", "RunsAnswer", "ScoreBody",
]  # fmt: skip


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"character {error.start} is half of a surrogate pair, which is no text"
        raise ValueError(message) from None
    return text


Text = Annotated[str, AfterValidator(_encodable)]
ModelId = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_encodable)]
Docs = Literal["file", "line", "blank"]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Measured(_Body):
    text: Text = Field(description="The text itself; nothing is read from a path or an address.")
    name: Annotated[str, Field(max_length=200), AfterValidator(_encodable)] = "text"
    docs: Docs = Field(default="file", description="Where documents end: all is one, by line, or by blank line.")
    confidence: float = Field(default=0.95, ge=0.5, le=0.9999, allow_inf_nan=False)


class ScoreBody(_Measured):
    """One model on one text."""

    model: ModelId
    remember: bool = Field(default=False, description="Whether the run goes into the history.")


class CompareBody(_Measured):
    """Two or more models on one text, the baseline first."""

    models: list[ModelId] = Field(min_length=2, max_length=6)
    remember: bool = False


class LiveBody(_Measured):
    """Models on a text that is being typed."""

    models: list[ModelId] = Field(min_length=1, max_length=6)


class JobBody(LiveBody):
    """A report: with alternatives, entropies and ranks of each unit."""

    alternatives: int = Field(default=5, ge=0, le=10)
    remember: bool = True


class PredictBody(_Body):
    """What comes next."""

    model: ModelId
    text: Text = Field(description="What stands before the cursor.")
    most: int = Field(default=8, ge=1, le=50)


class AnswerBody(_Body):
    """An answer to an exercise of a lesson."""

    answer: Annotated[str, Field(max_length=200), AfterValidator(_encodable)]


class Problem(BaseModel):
    """Why a request was refused: what was found, and what to do instead."""

    detail: str


class JobAnswer(BaseModel):
    """How a job stands."""

    id: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    share: float
    stage: str
    estimate: float | None
    error: str


class PageModel(BaseModel):
    """A model that the page can choose."""

    id: str
    summary: str
    origin: str
    unit: str
    fault: str


class PageAnswer(BaseModel):
    """What the page needs to begin."""

    version: str
    models: list[PageModel]
    examples: list[dict[str, str]]
    lessons: list[dict[str, Any]]
    limits: dict[str, float]
    history: bool
    passages: int


class ExampleAnswer(BaseModel):
    """A text that comes with the page."""

    name: str
    title: str
    text: str


class PredictedUnit(BaseModel):
    """One possible next unit."""

    shown: str
    insert: str | None
    p: float


class PredictionAnswer(BaseModel):
    """The likeliest next units."""

    within: str
    entropy: float | None
    units: list[PredictedUnit]
    reach: int


class RunLine(BaseModel):
    """A remembered run."""

    id: int
    time: float
    times: int
    verb: str
    short: str
    signature: str
    model: str
    text: str
    per: str
    bits: float | Literal["inf"] | None
    bytes: int
    whole: bool
    date: str


class RunsAnswer(BaseModel):
    """Remembered runs, the newest first."""

    on: bool
    runs: list[RunLine]


class LessonAnswer(BaseModel):
    """A lesson of the tour."""

    number: int
    name: str
    title: str
    blocks: list[dict[str, Any]]
    exercises: list[dict[str, str]]


class AnswerJudged(BaseModel):
    """Whether an answer is right."""

    kind: Literal["right", "wrong", "unreadable"]
    message: str
    answer: str
    solution: str


class GameAnswer(BaseModel):
    """A passage of the guessing game, with the guesses of the models."""

    shown: str
    asked: str
    letters: str
    players: list[dict[str, Any]]
