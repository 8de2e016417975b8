"""A survey as a table and as JSON."""

from __future__ import annotations

import json
import math

import pytest

from bitmeter.measure.survey import Survey, survey
from bitmeter.reports.entropy import as_json, figure, footer, header, table


@pytest.fixture(scope="module")
def found() -> Survey:
    return survey("to be or né ".encode() * 40 + b"\xff", source="a text")


def test_units_are_only_another_scale() -> None:
    assert (figure(1.0, "nats"), figure(math.log(2), "bits"), figure(math.log(10), "hartleys")) == (1.0, 1.0, 1.0)


def test_the_header_counts(found: Survey) -> None:
    assert header(found) == f"a text · {13 * 40 + 1:,} bytes · {found.kinds} distinct"
    chars = survey("né".encode() * 20 + b"\xff", units="chars")
    assert header(chars) == "text · 41 chars · 3 distinct · 61 bytes · 1 bytes are not UTF-8, each counted as a char"


def test_every_row_is_in_the_table(found: Survey) -> None:
    text = table(found, "bits").plain
    for row in found.rows:
        assert f"{figure(row.nats, 'bits'):.4f}" in text
    assert text.count("upper bound") == sum(row.upper_bound for row in found.rows)
    assert "no context" in text
    assert "bits/byte" in text


def test_the_conclusion_names_the_best_bound(found: Survey) -> None:
    best = figure(found.best_bound.nats, "bits")
    assert footer(found, "bits").startswith(f"Best bound: {best:.4f} bits per byte by ")
    assert "against 8 uncompressed;" in footer(found, "bits")
    assert f"as uncertain as {2**best:,.1f} equally likely bytes." in footer(found, "bits")


def test_json_has_every_figure_to_full_precision(found: Survey) -> None:
    data = json.loads(as_json(found, "nats"))
    assert data["schema"] == "bitmeter.entropy/1"
    assert [row["value"] for row in data["rows"]] == [row.nats for row in found.rows]
    assert data["headline"] == {"name": found.headline.name, "value": found.headline.nats}
    orders = [row["order"] for row in data["rows"] if row["group"] == "order"]
    assert orders == list(range(len(orders)))
