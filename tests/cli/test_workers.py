"""Options for several processes: what they ask for, what is wrong with them, and progress as JSON lines."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import typer

import bitmeter as bm
from bitmeter._util.jobs import PartsStep
from bitmeter._util.progress import Step
from bitmeter.cli.workers import Workers, json_lines
from tests.cli.running import run


def test_what_is_asked_for() -> None:
    assert not Workers().are_several
    assert not Workers(workers=1).are_several
    assert Workers(workers=2).are_several
    assert Workers(engine="ray").are_several
    assert Workers(workers=3).as_keywords() == {"workers": 3, "engine": "local", "address": None}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (Workers(engine="slurm"), "engine"),
        (Workers(address="auto"), "--engine ray"),
        (Workers(progress="xml"), "bar or json"),
    ],
    ids=str,
)
def test_wrong_options(options: Workers, words: str) -> None:
    with pytest.raises(typer.BadParameter, match=words):
        options.as_keywords()


def test_json_lines_say_how_far_the_work_is() -> None:
    file = io.StringIO()
    report = json_lines(file)
    report(Step(10, 100, stage="scoring"))
    report(Step(20, 100, stage="scoring"))  # at once: no line of its own
    report(PartsStep(100, 100, stage="scoring", estimate=1.5, parts=4, of=4, workers=2, lost=1))
    first, last = map(json.loads, file.getvalue().splitlines())
    assert (first["done"], first["share"], first["seconds_left"]) == (10, 0.1, None)
    assert (last["parts"], last["of"], last["workers"], last["lost"], last["bits_per_byte"]) == (4, 4, 2, 1, 1.5)
    assert last["share"] == 1.0
    assert last["seconds_left"] == 0.0


def test_the_speed_of_each_stage_is_its_own() -> None:
    """An audit counts bytes, then positions; and the address of a dashboard is in each line."""
    file = io.StringIO()
    report = json_lines(file)
    report(PartsStep(1 << 20, 1 << 20, stage="scoring", parts=1, of=1, dashboard="http://127.0.0.1:8265"))
    report(Step(64, 64, "steps", stage="predictions"))
    first, last = map(json.loads, file.getvalue().splitlines())
    assert first["dashboard"] == "http://127.0.0.1:8265"
    assert (last["per_second"], "dashboard" in last) == (0.0, False)


def test_score_and_filter_by_two_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.bmn"
    bm.NGram(order=2).fit(b"to be or not to be\n").save(model)
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_text('{"text": "to be"}\n{"text": "xx yy"}\n')
    words = ("score", str(model), str(tmp_path / "*.jsonl"), "--json", "--no-history")
    _, alone, _ = run(capsys, *words)
    _, both, said = run(capsys, *words, "--workers", "2", "--progress", "json")
    assert bm.Score.from_json(alone) == bm.Score.from_json(both)
    assert json.loads(said.splitlines()[-1])["share"] == 1.0
    asked = ("filter", str(model), str(tmp_path / "*.jsonl"), "-o", str(tmp_path / "out"), "--keep", "50%")
    _, kept, _ = run(capsys, *asked, "--workers", "2")
    assert "6 documents in 3 files" in kept
    assert (tmp_path / "out" / "0.jsonl").read_text() == '{"text": "to be"}\n'


def test_what_one_process_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("to be")
    words = ("score", "kt", str(tmp_path / "a.txt"), "--workers", "2", "--trace", str(tmp_path / "t.parquet"))
    code, _, said = run(capsys, *words)
    assert code == 2
    assert "--trace is done by one process" in said
