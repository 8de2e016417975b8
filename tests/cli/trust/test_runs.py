"""`bitmeter runs import`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import run
from tests.hosts.logs.made_logs import GENUINE

LOG = str(GENUINE / "inspect.json")


def test_a_log_becomes_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["runs", "import", LOG, "-o", str(tmp_path / "run.json"), "--trace", str(tmp_path / "t.parquet")]
    code, printed, error = run(capsys, *words)
    assert (code, error) == (0, "")
    assert "from a log of inspect_ai" in " ".join(printed.split())
    assert bm.Score.load(tmp_path / "run.json").nats == 8.125
    assert "harbour" in run(capsys, "trace", str(tmp_path / "t.parquet"))[1]
    assert run(capsys, "compare", str(tmp_path / "run.json"), str(tmp_path / "run.json"))[0] == 0
    assert run(capsys, *words)[0] == 2  # the files are there
    assert float(run(capsys, "runs", "import", LOG, "-q")[1]) == pytest.approx(8.125 / 22 / 0.6931471805599453)
    assert json.loads(run(capsys, "runs", "import", LOG, "--json")[1])["model"] == "mockllm/model"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["export", LOG], 2, "runs import LOG"),
        (["import", LOG, "--tool", "other"], 2, "tool"),
        (["import", LOG, "--tool", "vllm"], 1, "not of vllm"),
        (["import", "none.json"], 1, "cannot be read"),
        (["import", LOG, "-o", "x", "--trace", "x"], 2, "two names"),
    ],
)
def test_mistakes(words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "runs", *words)
    assert found[0] == code
    assert said in found[2]
