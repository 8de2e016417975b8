from __future__ import annotations

import re
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.reports.plots.themes import dark_spec, following, themed

TEXT = b"".join(b"line %d of a small text\n" % i for i in range(40))
COLOUR = re.compile(r'(?:fill|stroke)="(#[0-9a-f]{3,6}|black|white)"')


def luminance(colour: str) -> float:
    """Relative luminance by the definition of WCAG 2."""
    named = {"black": "#000000", "white": "#ffffff"}.get(colour, colour)
    digits = named[1:] if len(named) == 7 else "".join(2 * c for c in named[1:])
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("kind", ["running", "histogram", "calibration", "position", "compare"])
def test_a_dark_plot_has_a_dark_ground_and_text_that_shows(tmp_path: Path, kind: str) -> None:
    runs = [bm.score(name, TEXT, docs="line", alternatives=2) for name in ("kt", "uniform")]
    bm.plot(kind, runs, tmp_path / "p.svg", theme="dark")
    drawn = (tmp_path / "p.svg").read_text()
    assert 'fill="#14161b"' in drawn
    ground = luminance("#14161b")
    for text in re.findall(r"<text [^>]*>", drawn):
        colours = re.findall(r'fill="([^"]+)"', text)
        assert colours, text
        assert (luminance(colours[0]) + 0.05) / (ground + 0.05) >= 4.5, text


def test_an_automatic_plot_names_a_dark_colour_for_each_of_its_colours(tmp_path: Path) -> None:
    bm.plot("running", bm.score("kt", TEXT, docs="line"), tmp_path / "p.svg", theme="auto")
    drawn = (tmp_path / "p.svg").read_text()
    head, _, body = drawn.partition("</style>")
    assert "prefers-color-scheme: dark" in head
    for colour in set(COLOUR.findall(body)):
        assert f'="{colour}"]' in head, colour


def test_only_an_svg_is_automatic(tmp_path: Path) -> None:
    for path in (tmp_path / "p.png", None):
        with pytest.raises(bm.BitmeterError, match=r"\.svg"):
            bm.plot("running", bm.score("kt", TEXT), path, theme="auto")
    with pytest.raises(bm.BitmeterError, match="light"):
        bm.plot("running", bm.score("kt", TEXT), tmp_path / "p.svg", theme="blue")


def test_values_that_look_like_colours_stay() -> None:
    spec = {"data": {"values": [{"model": "black"}]}, "mark": {"color": "black"}}
    found = dark_spec(spec)
    assert found["data"] == spec["data"]
    assert found["mark"] == {"color": "#eef0f4"}


def test_light_is_left_as_it_is() -> None:
    assert themed("<svg/>", "light") == "<svg/>"
    assert following("<svg></svg>").endswith("}</style></svg>")
