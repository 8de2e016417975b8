"""Models × groups as a matrix, for tools that choose a mixture of data."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Sequence
from typing import Any

from bitmeter._util.check import items, shown
from bitmeter._util.files import as_path, replacing
from bitmeter.errors import IncomparableError, InputError, InputTypeError
from bitmeter.measure.groups.rows import groups_of, macro, sums_of
from bitmeter.measure.score import Score

__all__ = ["group_matrix", "write_matrix"]


def group_matrix(scores: Sequence[Score]) -> dict[str, Any]:
    """Models × groups of bits per byte, with the averages and the sizes of the groups.

    Examples
    --------
    >>> import bitmeter as bm
    >>> rows = bm.Corpus.from_records([{"text": "one", "domain": "a"}, {"text": "two!", "domain": "b"}])
    >>> found = group_matrix([bm.score("uniform", rows, group="domain")])
    >>> found["groups"], found["rows"][0]["figures"], found["rows"][0]["macro"]
    (['a', 'b'], [8.0, 8.0], 8.0)
    """
    scores = _checked(scores)
    first = sums_of(scores[0])
    for score in scores[1:]:
        if sums_of(score).names != first.names or score.figure_per != scores[0].figure_per:
            message = (
                f"{scores[0].model} and {score.model} have different groups or figures, so they make no matrix; score "
                "all on the same text with the same conventions"
            )
            raise IncomparableError(message)
    rows = []
    for score in scores:
        mean = macro(score)
        rows.append(
            {
                "model": score.model,
                "figures": [group.figure for group in groups_of(score)],
                "micro": score.per(score.figure_per) if score.count(score.figure_per) else None,
                "macro": None if mean is None else mean.estimate,
                "signature": str(score.signature),
            }
        )
    return {
        "schema": "bitmeter.matrix/1",
        "figure": f"bits_per_{scores[0].figure_per}",
        "kind": first.kind,
        "groups": list(first.names),
        **({"sources": list(first.sources)} if first.sources else {}),
        "bytes": first.bytes.tolist(),
        "documents": first.documents.tolist(),
        "rows": rows,
    }


def write_matrix(scores: Sequence[Score], path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write models × groups as CSV (one row per model, one column per group) or JSON, by the suffix of the path.

    Examples
    --------
    >>> import bitmeter as bm, pathlib, tempfile
    >>> rows = bm.Corpus.from_records([{"text": "one", "domain": "a"}, {"text": "two!", "domain": "b"}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "matrix.csv"
    ...     write_matrix([bm.score("uniform", rows, group="domain")], path)
    ...     path.read_text().splitlines()
    ['model,a,b', 'uniform:256,8.0,8.0']
    """
    found = group_matrix(scores)
    suffix = as_path(path).suffix.lower()
    if suffix not in (".csv", ".json"):
        message = f"{path} has no suffix that says how to write a matrix; name it .csv or .json"
        raise InputError(message, value=str(path))
    if suffix == ".json":
        rows = [{k: _finite(v) for k, v in row.items()} for row in found["rows"]]
        text = json.dumps(found | {"rows": rows}, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["model", *found["groups"]])
        for row in found["rows"]:
            writer.writerow([row["model"], *("" if value is None else repr(value) for value in row["figures"])])
        text = out.getvalue()
    with replacing(path, force=force) as beside:
        beside.write_text(text, encoding="utf-8")


def _checked(scores: object) -> list[Score]:
    found = list(items(scores, "scores", "several scores"))
    if not found or not all(isinstance(score, Score) for score in found):
        message = f"scores is {shown(scores)}; it must be several scores, each taken with group=…"
        raise InputTypeError(message, value=scores)
    return found


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and math.isinf(value) else value
