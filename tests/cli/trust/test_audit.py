"""`bitmeter audit`: verdicts, exit codes, tables, certificates; `verify` is another name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from tests.cli.running import run
from tests.measure.audit import pieces
from tests.models.test_registry import TOY, plugged

TEXT = b"to be or not to be\nthat is the question\n"


@pytest.fixture
def text(tmp_path: Path) -> str:
    (tmp_path / "text").write_bytes(TEXT)
    return str(tmp_path / "text")


@pytest.mark.parametrize(("verb", "option"), [("audit", "--positions"), ("verify", "--histories")])
def test_a_sound_model_is_proven_by_either_name(
    verb: str, option: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, said = run(capsys, verb, "kt", text, option, "8")
    assert (code, said) == (0, "")
    assert printed == f"{bm.audit('kt', text, positions=8)}\n"


def test_scores_that_are_no_distribution_fail(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    bm.NGram(order=2, smoothing="stupid-backoff").fit(TEXT).save(tmp_path / "sb.bmn")
    code, printed, said = run(capsys, "audit", str(tmp_path / "sb.bmn"), text)
    assert code == 1
    assert "UNSOUND" in printed
    assert said.startswith("error: ")
    assert "Traceback" not in said


def test_a_damaged_file_fails(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    bm.NGram(order=3).fit(TEXT * 20).save(tmp_path / "m.bmn")
    whole = bytearray((tmp_path / "m.bmn").read_bytes())
    whole[-200] ^= 1
    (tmp_path / "m.bmn").write_bytes(whole)
    code, _, said = run(capsys, "audit", str(tmp_path / "m.bmn"), text)
    assert code == 1
    assert "m.bmn" in said


def test_a_plug_in_that_does_not_predict_is_enumerated(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plugged(tmp_path, "bitmeter_toy", TOY, "toy = bitmeter_toy:SCHEME")
    monkeypatch.syspath_prepend(str(tmp_path))
    code, printed, said = run(capsys, "audit", "toy:2", text, "--json")
    found = json.loads(printed)
    sums = next(check for check in found["checks"] if check["name"] == "sums")
    assert "every one of 256 next units" in sums["summary"]
    assert (code == 1) == (found["verdict"] == "unsound") == ("error: " in said)


def test_a_table_and_a_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "raw.txt").write_bytes(pieces.TEXT)
    rows = zip(pieces.PIECES, pieces.LOGPROB.tolist(), strict=True)
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"tok": p, "nll": -q}) + "\n" for p, q in rows))
    line = ("audit", str(tmp_path / "t.jsonl"), str(tmp_path / "raw.txt"), "--docs", "line", "--columns", "piece=tok")
    code, printed, said = run(capsys, *line)
    assert (code, said) == (0, "")
    assert f"{pieces.TRUE:.3f}" in printed
    assert "nll holds natural logarithms, by the column's name" in " ".join(printed.split())
    wrong = f"{pieces.BITS / (len(pieces.TEXT) + pieces.SPACED.sum()):.4f}"
    code, printed, said = run(capsys, *line, "--claimed", wrong)
    assert code == 1
    assert "is counted twice" in " ".join(printed.split())
    assert "failed the audit" in said


def test_a_certificate_is_written_and_repeated(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "c.json")
    assert run(capsys, "audit", "kt", text, "--positions", "5", "--seed", "9", "-o", file)[0] == 0
    code, printed, said = run(capsys, "audit", "--check", file, "kt", text)
    assert (code, said) == (0, "")
    assert printed.endswith(f"{file} was repeated: nothing differs\n")
    code, printed, said = run(capsys, "audit", "--check", file, "uniform", text)
    assert code == 1
    assert "differs" in printed
    assert "the model's fingerprint" in said
    code, _, said = run(capsys, "audit", "kt", text, "-o", file)
    assert code == 2
    assert "--force" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["kt", "{text}", "--claimed", "1"], "--claimed is for a table"),
        (["kt", "{text}", "--units", "bytes"], "--units is for a table"),
        (["x.csv"], "bitmeter audit TABLE TEXT"),
        (["x.csv", "{text}", "--unit", "bels"], "--unit is bels"),
        (["x.csv", "{text}", "--columns", "nonsense"], "role=column"),
    ],
)
def test_mistakes_of_usage(words: list[str], said: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, "audit", *(word.format(text=text) for word in words))
    assert code == 2
    assert said in error


def test_wrong_roles_are_a_mistake_of_usage(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "x.npz", start=[0], end=[1], logprob=[-1.0])
    code, _, error = run(capsys, "audit", str(tmp_path / "x.npz"), text, "--columns", "cost=logprob")
    assert code == 2
    assert "role" in error
