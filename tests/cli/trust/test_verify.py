"""`bitmeter verify`: a sound model passes, another is named and the exit code is 1."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import run
from tests.models.test_registry import TOY, plugged

TEXT = b"to be or not to be\nthat is the question\n"


def test_a_sound_model_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_bytes(TEXT)
    code, printed, said = run(capsys, "verify", "kt", str(tmp_path / "text"), "--histories", "8")
    assert (code, said) == (0, "")
    assert printed == f"{bm.verify('kt', tmp_path / 'text', histories=8)}\n"


def test_scores_that_are_no_distribution_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_bytes(TEXT)
    bm.NGram(order=2, smoothing="stupid-backoff").fit(TEXT).save(tmp_path / "sb.bmn")
    code, _, said = run(capsys, "verify", str(tmp_path / "sb.bmn"), str(tmp_path / "text"))
    assert code == 1
    assert said.startswith("error: ")


def test_a_damaged_file_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_bytes(TEXT)
    bm.NGram(order=3).fit(TEXT * 20).save(tmp_path / "m.bmn")
    whole = bytearray((tmp_path / "m.bmn").read_bytes())
    whole[-200] ^= 1
    (tmp_path / "m.bmn").write_bytes(whole)
    code, _, said = run(capsys, "verify", str(tmp_path / "m.bmn"), str(tmp_path / "text"))
    assert code == 1
    assert "m.bmn" in said


def test_a_model_that_does_not_predict_is_unproven_and_does_not_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plugged(tmp_path, "bitmeter_toy", TOY, "toy = bitmeter_toy:SCHEME")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "text").write_bytes(TEXT)
    code, printed, said = run(capsys, "verify", "toy:2", str(tmp_path / "text"), "--histories", "8")
    assert (code, said) == (0, "")
    assert printed.splitlines()[-1].startswith("unproven: nothing refutes it")
