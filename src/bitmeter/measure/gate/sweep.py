"""sweep(): many models or quantisations against one, with size, bits, divergence and speed."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bitmeter._util.check import flag, real
from bitmeter._util.fields import read_fields
from bitmeter._util.files import as_path, replacing
from bitmeter._util.frames import Column, Tabular
from bitmeter._util.progress import Progress
from bitmeter._util.rendering import InNotebooks, rendered
from bitmeter.errors import EmptyError, IncomparableError, ModelError
from bitmeter.measure.compare import Comparison, Row, compare_scores
from bitmeter.measure.divergence import divergence
from bitmeter.measure.groups.rows import ends
from bitmeter.measure.score import Score
from bitmeter.measure.scoring import score
from bitmeter.models.protocols import Compressor, Model
from bitmeter.models.registry import resolve
from bitmeter.text.corpus.corpus import Corpus

__all__ = ["Sweep", "SweepRow", "size_on_disk", "sweep"]

#: Where a run keeps the processor time that it took.
_CPU = "cpu_seconds"
#: The keywords of `score` that `divergence` has, too.
_SHARED = ("docs", "field", "ctx", "progress")
_REMEDY = "Delete it, and it is measured again"


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One model of a sweep.

    Attributes
    ----------
    name
        What was typed for it.
    row
        Its score, and the difference to the first model with its interval.
    size
        Bytes of its files; None for a model without files.
    kl, same_top
        The mean KL divergence of its predictions from those of the first, in bits per token, and the rate at which both
        predict the same most likely token; None where the two have no common outcomes or do not expose them.
    speed
        Bytes scored per second of processor time, of all threads; as measured, not a figure to compare across machines.
    best
        Whether no other model is both as small and as good: it is on the Pareto front.
    """

    name: str
    row: Row
    size: int | None
    kl: float | None
    same_top: float | None
    speed: float | None
    best: bool

    @property
    def score(self) -> Score:
        """Its score."""
        return self.row.score


@dataclass(frozen=True, slots=True)
class Sweep(Tabular, InNotebooks):
    """Models on one text, the first of which the others are compared with.

    Attributes
    ----------
    rows
        One per model.
    comparison
        The scores and their differences.
    notes
        Why figures are missing.

    Examples
    --------
    >>> import bitmeter as bm
    >>> found = bm.sweep("kt", "uniform", on=b"abracadabra " * 200)
    >>> [(row.name, row.size, row.kl is not None) for row in found.rows]
    [('kt', None, True), ('uniform', None, True)]
    """

    rows: tuple[SweepRow, ...]
    comparison: Comparison
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All figures at full precision."""
        compared = self.comparison.to_dict()
        return {
            "schema": "bitmeter.sweep/1",
            **{key: value for key, value in compared.items() if key not in ("schema", "rows")},
            "rows": [
                {
                    "name": row.name,
                    **found,
                    "interval": ends(row.score.interval),
                    "size": row.size,
                    "kl": _number(row.kl),
                    "same_top": row.same_top,
                    "bytes_per_cpu_second": row.speed,
                    "pareto": row.best,
                }
                for row, found in zip(self.rows, compared["rows"], strict=True)
            ],
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_columns(self) -> dict[str, Column]:
        """One row per model, for `to_pandas`, `to_polars` and `to_arrow`: those of the comparison, and size to speed.

        Examples
        --------
        >>> import bitmeter as bm
        >>> columns = bm.sweep("kt", "uniform", on=b"abracadabra " * 200).to_columns()
        >>> columns["name"], columns["same_top_rate"].tolist()[0], "bits_per_byte" in columns
        (['kt', 'uniform'], 1.0, True)
        """
        columns: dict[str, Column] = {"name": [row.name for row in self.rows], **self.comparison.to_columns()}
        numbers: dict[str, list[float | int | None]] = {
            "size_bytes": [row.size for row in self.rows], "kl_bits_per_token": [row.kl for row in self.rows],
            "same_top_rate": [row.same_top for row in self.rows],
            "bytes_per_cpu_second": [row.speed for row in self.rows],
        }  # fmt: skip
        for name, values in numbers.items():
            columns[name] = np.array([math.nan if value is None else value for value in values])
        return columns | {"pareto": np.array([row.best for row in self.rows])}

    def _metadata(self) -> Mapping[str, str]:
        return self.comparison._metadata()

    def __str__(self) -> str:
        return rendered(self)

    def __repr__(self) -> str:
        base = self.rows[0]
        return f"Sweep({len(self.rows)} models on {base.score.text}; first: {base.name}, {base.score.signature.short})"


def sweep(
    base: Any,
    *models: Any,
    on: Any,
    runs: str | os.PathLike[str] | None = None,
    kl: bool = True,
    confidence: float = 0.95,
    progress: Progress | None = None,
    **keywords: Any,
) -> Sweep:
    """Measure many models or quantisations on one text against the first of them.

    Parameters
    ----------
    base
        The model that the others are compared with, such as the original.
    *models
        The others.
    on
        The text.
    runs
        A folder in which runs are saved: what is there already for the same model, text and keywords is not measured
        again, so that a sweep that was interrupted goes on.
    kl
        Whether to measure divergence, which goes through the text once more for each model.
    confidence
        Of the intervals.
    progress
        Called as the text goes by.
    **keywords
        Handed to `score`.

    Returns
    -------
    Sweep
        Size, bits per byte, difference, divergence and speed of each, and which are on the Pareto front.

    Examples
    --------
    >>> import bitmeter as bm
    >>> found = bm.sweep("kt", "uniform", on=b"abracadabra " * 200, kl=False)
    >>> found.rows[1].row.difference > 0
    True
    """
    level, diverge = real(confidence, "confidence", low=0.5, high=0.9999), flag(kl, "kl")
    if not models:
        message = "a sweep needs at least two models: the one to compare with, and others"
        raise EmptyError(message)
    store = _Store(None if runs is None else as_path(runs), on, keywords)
    first = resolve(base)
    names = [str(one) if isinstance(one, str | os.PathLike) else "" for one in (base, *models)]
    scores: list[Score] = []
    found: list[tuple[float | None, float | None]] = []
    notes: list[str] = []
    for place, given in enumerate((base, *models)):
        model = first if place == 0 else resolve(given)
        names[place] = names[place] or model.name
        scores.append(store.score(model, on, {**keywords, "confidence": level, "progress": progress}))
        found.append((0.0, 1.0) if place == 0 and diverge else (None, None))
        if diverge and place:
            try:
                found[-1] = store.divergence(first, model, on, {**keywords, "progress": progress})
            except (IncomparableError, ModelError) as error:
                notes.append(f"{names[place]}: no divergence: {error}")
    compared = compare_scores(_renamed(scores, names), level)
    sizes = [size_on_disk(name) for name in names]
    best = _front([(size, row.score.per(compared.per)) for size, row in zip(sizes, compared.rows, strict=True)])
    rows = tuple(
        SweepRow(name, row, size, apart[0], apart[1], _speed(row.score), front)
        for name, row, size, apart, front in zip(names, compared.rows, sizes, found, best, strict=True)
    )
    return Sweep(rows, compared, tuple(notes))


def _renamed(scores: list[Score], names: list[str]) -> list[Score]:
    """Models of one name, such as a network in two precisions, get the names that were typed for them."""
    models = [score.model for score in scores]
    return [
        replace(score, model=name) if models.count(score.model) > 1 else score
        for score, name in zip(scores, names, strict=True)
    ]


def _speed(score: Score) -> float | None:
    try:
        seconds = float(score.environment.get(_CPU, ""))
    except ValueError:
        return None
    return score.bytes / seconds if seconds > 0.0 and math.isfinite(seconds) else None


def _front(points: Iterable[tuple[int | None, float]]) -> list[bool]:
    """Which points have no other that is as small and as good, and smaller or better."""
    listed = list(points)
    return [
        size is not None
        and math.isfinite(bits)
        and not any(
            other is not None and other <= size and found <= bits and (other < size or found < bits)
            for other, found in listed
        )
        for size, bits in listed
    ]


def size_on_disk(spec: str) -> int | None:
    """The bytes of the file or folder that a name such as "hf:./gpt2,dtype=float16" stands for; None if there is none.

    Examples
    --------
    >>> size_on_disk("kt") is None, size_on_disk("hf:no/such/folder") is None
    (True, True)
    """
    plain = spec.partition(",")[0]
    for text in dict.fromkeys((spec, plain, spec.partition(":")[2], plain.partition(":")[2])):
        path = Path(text)
        try:
            if text and path.is_file():
                return path.stat().st_size
            if text and path.is_dir():
                return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        except (OSError, ValueError):
            continue
    return None


class _Store:
    """Runs in a folder, by the hash of all that decides their figures; without a folder nothing is kept."""

    def __init__(self, folder: Path | None, on: Any, keywords: dict[str, Any]) -> None:
        self._folder, self._text = folder, ""
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            corpus = Corpus.of(on, **{key: keywords[key] for key in ("docs", "field") if key in keywords})
            self._text = f"{corpus.fingerprint()}/{corpus.boundaries()}"

    def score(self, model: Model | Compressor, on: Any, keywords: dict[str, Any]) -> Score:
        path = self._path("run", [model], keywords)
        if path is not None and path.is_file():
            return Score.load(path)
        begun = time.process_time()
        found = score(model, on, **keywords)
        seconds = time.process_time() - begun
        found = replace(found, environment={**found.environment, _CPU: repr(seconds)})
        if path is not None:
            found.save(path, force=True)
        return found

    def divergence(
        self, first: Model | Compressor, second: Model | Compressor, on: Any, keywords: dict[str, Any]
    ) -> tuple[float, float]:
        """The mean divergence in bits per token, and the rate of the same most likely token."""
        chosen: dict[str, Any] = {key: keywords[key] for key in _SHARED if key in keywords}
        path = self._path("kl", [first, second], chosen)
        if path is not None and path.is_file():
            fields = read_fields(path.read_bytes(), str(path), f"{path} is not a divergence of a sweep", _REMEDY)
            return fields.real("mean", 0.0, infinite=True), fields.real("same_top", 0.0, 1.0)
        found = divergence(first, second, on, **chosen)
        if path is not None:
            content = {"mean": _number(found.mean), "same_top": found.same_top_rate, "tokens": len(found)}
            with replacing(path, force=True) as beside:
                beside.write_text(json.dumps(content) + "\n", encoding="utf-8")
        return found.mean, found.same_top_rate

    def _path(self, kind: str, models: list[Model | Compressor], keywords: dict[str, Any]) -> Path | None:
        if self._folder is None:
            return None
        about = {key: repr(value) for key, value in sorted(keywords.items()) if key != "progress"}
        known = [f"{model.name}/{model.fingerprint}" for model in models]
        precision = [model.traits.precision for model in models if isinstance(model, Model)]
        line = json.dumps([kind, self._text, known, precision, about])
        return self._folder / f"{kind}-{hashlib.sha256(line.encode()).hexdigest()[:16]}.json"


def _number(value: float | None) -> float | str | None:
    return value if value is None or math.isfinite(value) else str(value)
