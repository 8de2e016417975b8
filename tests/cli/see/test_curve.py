"""`bitmeter curve`: a chart in the terminal, a picture in a file."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.cli.see.curve import _level
from tests.cli.running import run


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    bm.Neural("lstm", "bytes", width=8, threads=1).fit(b"one two three four\n" * 30, epochs=2).save("net")
    return tmp_path / "net"


def test_the_chart_has_the_level_and_the_held_out_text(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "curve", "net", "--level", "chance=8")
    assert (code, said) == (0, "")
    assert "held out" in printed
    assert "chance" in printed


def test_several_curves_are_named_and_none_is_lost(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other").mkdir()
    shutil.copytree("net", "other/net")
    shutil.copytree("net", "third")
    assert re.findall(r"^(\S*net|third)$", run(capsys, "curve", "net", "third")[1], re.MULTILINE) == ["net", "third"]
    # Two folders of one name are distinguished by their paths.
    shown = run(capsys, "curve", "net", "other/net")[1]
    assert re.findall(r"^(\S*net)$", shown, re.MULTILINE) == ["net", "other/net"]


def test_the_picture_is_svg_and_nothing_is_overwritten(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "curve", "net", "-o", "net.svg") == (0, "", "")
    assert Path("net.svg").read_text().startswith("<svg")
    code, _, said = run(capsys, "curve", "net", "-o", "net.svg")
    assert (code, "exists already" in said) == (2, True)


def test_mistakes(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (net.parent / "text.txt").write_text("a text")
    assert "cannot be read" in run(capsys, "curve", "text.txt")[2]
    for level in ("chance", "=8", "chance=eight", "chance=-1", "chance=inf"):
        code, _, said = run(capsys, "curve", "net", "--level", level)
        assert code == 2
        assert f"--level is '{level}'; it must be a name and its bits per byte" in said


def test_a_level_can_have_an_equals_sign_in_its_name() -> None:
    assert _level("order=5=2.25") == ("order=5", 2.25)
