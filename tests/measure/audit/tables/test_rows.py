"""Whole predictions in a table: log-probabilities, probabilities or logits; and the likeliest units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import FileFormatError

TEXT = b"abcab"
IDS = np.array([0, 1, 2, 0, 1])
ROWS = np.array([[0.5, 0.25, 0.25]] * 5)


def audited(**more: Any) -> bm.Audit:
    logs = np.log(ROWS[np.arange(5), IDS])
    spans = {"start": np.arange(5), "end": np.arange(1, 6)}
    return bm.audit({**spans, "id": IDS, "logprob": logs, **more}, TEXT)


def status(found: bm.Audit, name: str) -> str:
    check = found.check(name)
    assert check is not None
    return check.status


@pytest.mark.parametrize(
    ("name", "rows"), [("row", np.log(ROWS)), ("row", ROWS), ("probs", ROWS), ("logits", np.log(ROWS) + 3.0)]
)
def test_every_form_is_read_and_said(name: str, rows: Any) -> None:
    found = audited(**{name: rows})
    assert (status(found, "sums"), status(found, "agreement")) == ("passed", "passed")
    assert any(line.startswith(f"{name} holds") for line in found.assumptions)


def test_rows_of_some_units_are_a_part() -> None:
    rows: list[Any] = [None, *np.log(ROWS).tolist()[1:]]
    assert status(audited(row=rows), "sums") == "partial"


def test_without_ids_sums_alone() -> None:
    found = bm.audit({"start": [0], "end": [1], "logprob": [-1.0], "row": [[0.5, 0.5]]}, b"a")
    assert (status(found, "sums"), status(found, "agreement")) == ("passed", "impossible")


@pytest.mark.parametrize(
    "top",
    [
        np.log([0.5, 0.25]).tolist(),
        {"a": np.log(0.5), "b": np.log(0.25)},
        [{"token": "a", "logprob": np.log(0.5)}, {"token": "b", "logprob": np.log(0.25)}],
    ],
)
def test_likeliest_units_are_a_partial_check(top: Any) -> None:
    found = audited(top_logprobs=[top] * 5)
    assert status(found, "sums") == "partial"
    assert "sum to at most 0.75" in str(found)


def test_what_is_no_row_is_refused() -> None:
    with pytest.raises(FileFormatError, match="row 2"):
        audited(row=[[0.5, 0.5], [1.0], [1.0], [1.0], [1.0]])
    with pytest.raises(FileFormatError, match="list of numbers"):
        audited(row=[["a"]] * 5)
    with pytest.raises(FileFormatError, match="list of log-probabilities"):
        audited(top=["a"] * 5)


def test_rows_that_are_cut_prove_no_sum() -> None:
    cut = np.array([[0.5, 0.25]] * 5)
    found = bm.audit(
        {
            "start": np.arange(2), "end": np.arange(1, 3), "id": np.array([0, 1]), "logprob": np.log([0.5, 0.25]),
            "probs": cut[:2],
        },
        b"ab",
    )  # fmt: skip
    check = found.check("sums")
    assert check is not None
    assert check.status == "partial"
    assert "rows sum to 0.75 to 0.75" in check.summary


def test_a_unit_costs_what_the_likeliest_units_say() -> None:
    """By its id in a mapping or a list of objects; each prediction is .5, .25 and what is left."""
    log = np.log
    top = [{"7": float(log(0.5)), "3": float(log(0.25))}] * 5
    listed = [[{"id": 7, "logprob": float(log(0.5))}, {"id": 3, "logprob": float(log(0.25))}]] * 5
    ids = [7, 3, 7, 7, 3]
    right = log([0.5, 0.25, 0.5, 0.5, 0.25])
    for form in (top, listed):
        assert status(audited(id=ids, logprob=right, top=form), "agreement") == "passed"
        wrong = audited(id=ids, logprob=log([0.5, 0.25, 0.5, 0.9, 0.25]), top=form)
        assert wrong.verdict == "unsound"
        (finding,) = (each for each in wrong.findings if each.check == "agreement")
        assert finding.bits == pytest.approx(np.log2(0.9 / 0.5))


def test_a_unit_is_not_likelier_than_the_likeliest_units() -> None:
    """It costs less than the last of them and has no entry: the likeliest units would leave one out."""
    top = [[float(np.log(0.5)), float(np.log(0.125))]] * 5
    left = np.log([0.1, 0.125, 0.5, 0.1, 0.01])
    assert status(audited(logprob=left, top=top), "agreement") == "partial"
    found = audited(logprob=np.log([0.1, 0.125, 0.25, 0.1, 0.01]), top=top)
    assert found.verdict == "unsound"
    (finding,) = found.findings
    assert finding.check == "agreement"
    assert finding.bits == pytest.approx(1.0)  # 0.25 against 0.125 at most


def test_the_likeliest_units_and_the_unit_itself_sum_to_at_most_one() -> None:
    top = [[float(np.log(0.6)), float(np.log(0.35))]] * 5
    found = audited(logprob=np.log([0.3, 0.35, 0.6, 0.05, 0.01]), top=top)
    assert found.verdict == "unsound"
    assert "1.25" in found.findings[0].text  # .6 + .35 + .3
