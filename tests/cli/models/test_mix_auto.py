"""`bitmeter mix --auto`: one command from texts to a mixture."""

from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import run


def test_models_that_are_not_chosen_are_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.txt").write_bytes(b"to be or not to be\nthat is the question\n" * 4)
    Path("valid.txt").write_bytes(b"to be the question\nnot to be\n" * 4)
    command = ("mix", "--auto", "--train", "train.txt", "--heldout", "valid.txt", "--order", "3", "-o", "m.bmx")
    assert run(capsys, *command)[0] == 0
    mixture = bm.load("m.bmx")
    kept = sorted(path.name for path in Path().glob("m-*.bmn"))
    assert kept == sorted(part.name.removeprefix("ngram:") for part in mixture.components if "ngram" in part.name)
    assert "m-3.bmn" in kept
    first = Path("m.bmx").read_bytes()
    assert run(capsys, *command)[0] == 2  # nothing is overwritten
    assert run(capsys, *command, "--force")[0] == 0
    assert Path("m.bmx").read_bytes() == first


def test_a_failure_removes_no_model_of_an_earlier_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("valid.txt").write_bytes(b"to be\n")
    Path("m-3.bmn").write_bytes(b"of an earlier run")
    words = ("--heldout", "valid.txt", "--order", "3", "-o", "m.bmx", "--force")
    assert run(capsys, "mix", "--auto", "--train", "none.txt", *words)[0] == 1
    assert Path("m-3.bmn").read_bytes() == b"of an earlier run"
