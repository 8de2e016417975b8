"""A sweep as text and as a picture."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import EmptyError
from bitmeter.reports.sweep import describe_sweep, size_picture, size_words
from tests.measure.gate.made_texts import TEXT, models

SVG = "{http://www.w3.org/2000/svg}"


def test_text_and_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models(tmp_path)
    monkeypatch.chdir(tmp_path)
    found = bm.sweep("m3.bmn", "m2.bmn", "c3.bmn", "kt", on=TEXT, docs="line")
    text = describe_sweep(found)
    assert text == str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "baseline" in text
    assert " *" in text
    drawn = ET.fromstring(size_picture(found))
    assert len(drawn.findall(f"{SVG}circle")) == 3  # kt has no file
    circles = {c.attrib["cx"]: float(c.attrib["cy"]) for c in drawn.findall(f"{SVG}circle")}
    assert len(circles) == 3
    # The better a model, the lower its point; y grows downwards.
    heights = [float(c.attrib["cy"]) for c in drawn.findall(f"{SVG}circle")]
    bits = [row.score.bits_per_byte for row in found.rows[:3]]
    assert sorted(range(3), key=lambda k: heights[k]) == sorted(range(3), key=lambda k: -bits[k])


def test_names_are_text(tmp_path: Path) -> None:
    names = models(tmp_path)
    found = bm.sweep(*names[:2], on=TEXT, docs="line", kl=False)
    hostile = replace(found, rows=tuple(replace(row, name="<script>\x00&") for row in found.rows))
    drawn = size_picture(hostile)
    assert "<script>" not in drawn
    ET.fromstring(drawn)


def test_nothing_to_draw() -> None:
    with pytest.raises(EmptyError, match="no model"):
        size_picture(bm.sweep("kt", "uniform", on=TEXT, kl=False))


def test_sizes_are_decimal() -> None:
    assert [size_words(size) for size in (999, 1000, 163_408, 2_500_000)] == [
        "999 B",
        "1.00 kB",
        "163.41 kB",
        "2.50 MB",
    ]


def test_the_axis_has_round_sizes(tmp_path: Path) -> None:
    drawn = size_picture(bm.sweep(*models(tmp_path)[:2], on=TEXT, docs="line", kl=False))
    labels = re.findall(r">([\d.]+) kB<", drawn)
    assert labels == [f"{float(label):.0f}.00" for label in labels]
