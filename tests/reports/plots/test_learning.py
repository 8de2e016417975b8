"""Learning curves as text and as pictures."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest

import bitmeter as bm
from bitmeter.errors import EmptyError
from bitmeter.reports.plots.learning import chart, picture

SVG = "{http://www.w3.org/2000/svg}"


def made(last: float = 2.0, points: int = 5) -> bm.LearningCurve:
    """Falls by a straight line from 4 to `last` bits per byte on held-out text, in 10 seconds per point."""
    held = [4 + (last - 4) * i / (points - 1) for i in range(points)]
    rows = tuple(
        bm.CurvePoint(10 * i, float(i), bits - 0.5, 2 ** (bits - 0.5), bits, 2**bits, 0.001, 10.0 * i)
        for i, bits in enumerate(held)
    )
    return bm.LearningCurve(rows, 40, "steps", 1000, 100)


def test_a_picture_shows_points_where_they_are() -> None:
    tree = ElementTree.fromstring(picture({"net": made()}, levels={"5-gram & co": 3.0}))
    lines = [line.get("points") or "" for line in tree.iter(f"{SVG}polyline")]
    learnt, held = ([tuple(map(float, pair.split(","))) for pair in line.split()] for line in lines)
    assert [x for x, _ in held] == [x for x, _ in learnt] == sorted({x for x, _ in held})
    # a straight line falls by the same from each point to the next, and half a bit lies between the two
    steps = [b[1] - a[1] for a, b in itertools.pairwise(held)]
    assert steps == pytest.approx([learnt[0][1] - held[0][1]] * 4, abs=0.3)
    words = {text.text: float(text.get("y") or 0) for text in tree.iter(f"{SVG}text")}
    assert words["net"] == pytest.approx(held[-1][1] + 4, abs=0.1)
    assert words["5-gram & co"] == pytest.approx(held[2][1] + 4, abs=0.1)


def test_labels_do_not_lie_on_each_other() -> None:
    tree = ElementTree.fromstring(picture({"net": made(2.0), "other": made(2.01)}, levels={"5-gram": 2.02, "far": 3.9}))
    words = {text.text: float(text.get("y") or 0) for text in tree.iter(f"{SVG}text")}
    places = [words[name] for name in ("far", "5-gram", "other", "net")]
    assert all(b - a >= 15 - 0.2 for a, b in itertools.pairwise(places))


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(EmptyError, match="no point to draw"):
        picture({"net": bm.LearningCurve((), 40, "steps", 1000, 100)})
    with pytest.raises(EmptyError):
        picture({})


def test_a_chart_names_both_curves() -> None:
    found = chart(made(), levels={"5-gram": 3.0})
    assert re.search(r"held out$", found, re.MULTILINE)
    assert re.search(r"training$", found, re.MULTILINE)
    assert "5-gram" in found
