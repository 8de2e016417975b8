"""MLflow in a database of this machine, and Weights & Biases without a network."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import mlflow
import pytest

import bitmeter as bm
from tests.cli.running import run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "offline")
    Path("t.txt").write_text("to be or not to be\nthat is the question\n" * 9)
    return tmp_path


@pytest.mark.filterwarnings("ignore")  # of the versions of its database package
def test_mlflow(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, *shlex.split("score -m kt -m uniform t.txt --log mlflow:sqlite:///m.db#q --json"))
    assert code == 0
    assert "logged to mlflow, experiment q" in said
    client = mlflow.MlflowClient(tracking_uri="sqlite:///m.db")
    experiment = client.get_experiment_by_name("q")
    runs = {run.data.params["model"]: run for run in client.search_runs([experiment.experiment_id])}
    assert sorted(runs) == ["kt", "uniform:256"]
    for score in json.loads(printed):
        found = runs[score["model"]]
        assert found.info.status == "FINISHED"
        assert found.data.metrics["bits_per_byte"] == score["figures"]["bits_per_byte"]
        assert found.data.params["signature"] == score["signature"]
        kept = Path(client.download_artifacts(found.info.run_id, "run.json"))
        assert bm.Score.load(kept).bits_per_byte == score["figures"]["bits_per_byte"]


def test_a_server_that_does_not_answer_loses_no_figure(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    code, printed, said = run(capsys, *shlex.split("score kt t.txt --log mlflow:http://127.0.0.1:9"))
    assert code == 0
    assert "bits/byte" in printed
    assert "note: this run is not logged: mlflow did not take the run" in said


def test_weights_and_biases_offline(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = run(capsys, *shlex.split("compare kt uniform --on t.txt --log wandb:p"))
    assert code == 0
    assert "logged to wandb, project p" in said
    kept = list(Path("wandb").glob("offline-run-*"))
    assert len(kept) == 2
    assert all(list(one.glob("run-*.wandb")) for one in kept)
