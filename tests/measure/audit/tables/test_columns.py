"""Columns by name or as said; each assumption is stated."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ChoiceError, FileFormatError
from bitmeter.measure.audit.tables.columns import TableColumns, read_columns
from bitmeter.measure.audit.tables.reading import read_table

SPANS = {"start": [0, 2], "end": [2, 3]}


def read(columns: dict[str, Any], mapped: Any = None, unit: str | None = None) -> TableColumns:
    return read_columns(read_table(columns), mapped, unit)


@pytest.mark.parametrize(
    ("name", "values", "unit"),
    [
        ("logprob", [-1.0, -2.0], None),
        ("LogProb", [-1.0, -2.0], None),
        ("nll", [1.0, 2.0], None),
        ("loss", [1.0, 2.0], None),
        ("bits", [1.0 / math.log(2), 2.0 / math.log(2)], None),
        ("log10", [-1.0 / math.log(10), -2.0 / math.log(10)], None),
        ("prob", [math.exp(-1.0), math.exp(-2.0)], None),
        ("logprob", [1.0 / math.log(2), 2.0 / math.log(2)], "bits"),
        ("logprob", [1.0, 2.0], None),
        ("nll", [-1.0, -2.0], None),
    ],
)
def test_units_and_signs(name: str, values: list[float], unit: str | None) -> None:
    found = read({**SPANS, name: values}, unit=unit)
    assert found.logprobs.tolist() == pytest.approx([-1.0, -2.0], rel=1e-12)
    assert any(name in line for line in found.assumptions)


def test_a_sign_that_the_name_does_not_say_is_stated() -> None:
    assert any("taken for costs" in line for line in read({**SPANS, "logprob": [1.0, 2.0]}).assumptions)
    assert any("taken for log p" in line for line in read({**SPANS, "nll": [-1.0, -2.0]}).assumptions)
    mixed = read({**SPANS, "logprob": [1.0, -2.0]})
    assert mixed.logprobs.tolist() == [1.0, -2.0]


def test_columns_as_said_go_first() -> None:
    found = read({**SPANS, "logprob": [-1.0, -2.0], "theirs": [-3.0, -4.0]}, "logprob=theirs")
    assert found.logprobs.tolist() == [-3.0, -4.0]
    assert "logprob is the column theirs" in found.assumptions


def test_a_column_of_bytes_holds_sizes_or_units() -> None:
    sizes = read({**SPANS, "logprob": [-1.0, -1.0], "bytes": [2, 1]})
    assert sizes.counted is not None
    assert sizes.pieces is None
    units = read({"logprob": [-1.0, -1.0], "bytes": [[97, 98], [99]]})
    assert units.counted is None
    assert units.pieces == [[97, 98], [99]]


def test_numbers_called_tokens_are_ids() -> None:
    found = read({"tokens": [5, 6], "logprob": [-1.0, -1.0]})
    assert found.pieces is None
    assert found.ids is not None
    assert found.ids.tolist() == [5, 6]


def test_documents_may_have_names_and_rows_may_be_left_out() -> None:
    found = read({**SPANS, "logprob": [-1.0, -1.0], "doc": ["b", "a"], "mask": [1, 0]})
    assert found.doc is not None
    assert found.doc.tolist() == [0, 1]
    assert found.scored.tolist() == [True, False]


@pytest.mark.parametrize(
    ("columns", "mapped", "unit", "error", "said"),
    [
        (SPANS, None, None, FileFormatError, "none of log-probabilities"),
        ({"logprob": [-1.0]}, None, None, FileFormatError, "which bytes its units are"),
        ({**SPANS, "logprob": [-1.0, -1.0]}, "logprob=absent", None, ChoiceError, "no column 'absent'"),
        ({**SPANS, "logprob": [-1.0, -1.0]}, "nonsense=logprob", None, ChoiceError, "role"),
        ({**SPANS, "logprob": [-1.0, -1.0]}, 7, None, ChoiceError, "columns is 7"),
        ({**SPANS, "logprob": [-1.0, -1.0]}, None, "bels", ChoiceError, "unit"),
        ({**SPANS, "logprob": ["a", "b"]}, None, None, FileFormatError, "not a number"),
        ({"start": [0, 0.5], "end": [1, 2], "logprob": [-1.0, -1.0]}, None, None, FileFormatError, "whole number"),
        ({**SPANS, "logprob": np.zeros((2, 2))}, None, None, FileFormatError, "shape"),
        ({**SPANS, "logprob": [-1.0, -1.0], "doc": [[1], [2]]}, None, None, FileFormatError, "lists"),
    ],
)
def test_what_cannot_be_read_is_refused(columns: Any, mapped: Any, unit: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        read(columns, mapped, unit)


def test_the_row_that_is_no_number_is_named(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("piece,logprob\na,-1\nb,-2\nc,-3\nd,abc\ne,-5\n")
    with pytest.raises(FileFormatError, match=r"logprob of row 4 is 'abc', not a number"):
        read_columns(read_table(file), None, None)
    lines = tmp_path / "t.jsonl"
    lines.write_text('{"piece": "a", "logprob": null}\n{"piece": "b", "logprob": "abc"}\n')
    with pytest.raises(FileFormatError, match=r"logprob of row 2 is 'abc', not a number"):
        read_columns(read_table(lines), None, None)


def test_an_empty_cell_is_no_log_probability(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("piece,logprob\na,-1\nb,\nc,-3\n")
    np.testing.assert_array_equal(read_columns(read_table(file), None, None).logprobs, [-1.0, np.nan, -3.0])
    found = bm.audit(file, b"abc")
    assert [one.check for one in found.findings] == ["values"]
    assert found.findings[0].text.startswith("1 unit has no log-probability; the first, unit 1,")


def test_a_mark_before_the_names_is_none_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfstart,end,nll\n0,2,1.5\n")
    assert read_columns(read_table(tmp_path / "t.csv"), None, None).names["start"] == "start"


@pytest.mark.parametrize("values", [[True], np.array([True]), [True, None]])
def test_truth_values_are_no_log_probabilities(values: Any) -> None:
    spans = {"start": list(range(len(values))), "end": [1 + i for i in range(len(values))]}
    with pytest.raises(FileFormatError, match="truth values"):
        read({**spans, "logprob": values})


def test_a_role_is_named_once() -> None:
    with pytest.raises(ChoiceError, match="'start' twice"):
        read({"start": [0], "end": [1], "nll": [1.0]}, "start=start,start=end")


def test_other_costs_are_said_and_whether_they_differ() -> None:
    found = read({"start": [0], "end": [1], "nll": [math.log(2.0)], "bits": [1.0]})
    assert "bits holds costs, too, by its name, and is not read" in found.assumptions
    apart = read({"start": [0], "end": [1], "nll": [1.0], "bits": [1.0]})  # one nat, and ln 2 of them
    assert f"differs by up to {1.0 - math.log(2.0):.4g} nats" in apart.assumptions[-1]
