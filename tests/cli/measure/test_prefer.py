"""`bitmeter prefer`, and the options of answers and groups."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run

PAIRS = [{"good": "the cats", "bad": "cats the the", "group": "xy"[i % 2]} for i in range(6)]
ITEMS = [{"q": "a b", "choices": [" a", " zz"], "label": 0, "answer": " a", "d": "xy"[i % 2]} for i in range(6)]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    pairs, items = tmp_path / "pairs.jsonl", tmp_path / "items.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in PAIRS))
    items.write_text("".join(json.dumps(row) + "\n" for row in ITEMS))
    return pairs, items


def test_prefer(files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs, _ = files
    assert run(capsys, "prefer", "kt", str(pairs), "-q")[1] == "1.0\n"
    found = json.loads(run(capsys, "prefer", "kt", str(pairs), "--json", "-o", str(tmp_path / "rows.csv"))[1])
    assert (found["pairs"], found["accuracy"]["estimate"], len(found["groups"])) == (6, 1.0, 2)
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 7
    for wrong in (["--per", "bit"], ["--json", "-q"], ["-o", str(tmp_path / "rows.csv")]):
        assert run(capsys, "prefer", "kt", str(pairs), *wrong)[0] == 2


def test_given_choices_and_groups(files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, items = files
    plain = ["score", "kt", str(items), "--given", "q"]
    assert float(run(capsys, *plain, "--field", "answer", "-q")[1]) > 0.0
    chosen = [*plain, "--choices", "choices", "--label", "label"]
    assert run(capsys, *chosen, "-q")[1] == "1.0\n"
    assert json.loads(run(capsys, *chosen, "--json", "--calibrate", "x")[1])["calibrate"] == "x"
    assert run(capsys, *plain, "--choices", "choices")[0] == 2
    assert run(capsys, *chosen, "--field", "answer")[0] == 2
    matrix = tmp_path / "m.csv"
    several = ["-m", "kt", "-m", "uniform", str(items), "--field", "answer", "--group", "d"]
    grouped = run(capsys, "score", *several, "--matrix", str(matrix))
    assert grouped[0] == 0
    assert matrix.read_text().splitlines()[0] == "model,x,y"
    assert run(capsys, "score", "kt", str(items), "--field", "answer", "--matrix", str(tmp_path / "n.csv"))[0] == 2
    compared = run(capsys, "compare", "kt", "uniform", "--on", str(items), "--field", "answer", "--group", "d")
    assert "Intervals hold for one group each" in compared[1]
    assert run(capsys, "score", "kt", str(items), "--border", "left")[0] == 2
