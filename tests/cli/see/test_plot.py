from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import run
from tests.cli.texts import write_texts


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    words = [
        "score",
        "kt",
        "harbour.txt",
        "--docs",
        "line",
        "-o",
        "a.json",
        "--trace",
        "a.parquet",
        "--alternatives",
        "2",
    ]
    assert run(capsys, *words)[0] == 0
    return tmp_path


@pytest.mark.parametrize("kind", ["running", "histogram", "calibration", "position", "compare"])
def test_every_kind_is_drawn(folder: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    assert run(capsys, "plot", kind, "a.json", "-o", "p.json") == (0, "", "")
    assert json.loads((folder / "p.json").read_text())["data"]["values"]


def test_a_learning_curve_is_that_of_curve(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bm.Neural("lstm", "bytes", width=8, threads=1).fit(b"one two three four\n" * 30, epochs=2).save("net")
    shown = run(capsys, "plot", "learning", "net", "--level", "chance=8")
    assert shown == run(capsys, "curve", "net", "--level", "chance=8")
    assert "held out" in shown[1]
    assert "no meaning" in run(capsys, "plot", "learning", "net", "--trace", "a.parquet")[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing", "a.json", "-o", "p.svg"], "is no kind of plot"),
        (["running", "a.json"], "name the picture"),
        (["running", "a.json", "-o", "p.gif"], "name it .svg"),
        (["running", "a.json", "-o", "p.svg", "--level", "a=1"], "--level is for learning curves"),
        (["sweep", "a.json", "a.json", "-o", "p.svg"], "one sweep"),
        (["sweep", "a.json", "-o", "p.svg"], "is not a sweep"),
        (["running", "missing.json", "-o", "p.svg"], "missing.json"),
    ],
)
def test_mistakes_are_named(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    code, printed, found = run(capsys, "plot", *words)
    assert code != 0
    assert printed == ""
    assert said in " ".join(found.split())
    assert not list(folder.glob("p.*"))
