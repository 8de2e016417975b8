"""`bitmeter train`: from a text to a model that `bitmeter score` takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bitmeter as bm

MAIN = [sys.executable, "-c", "from bitmeter.cli import main; main()"]


def run(*words: str, data: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MAIN, *words], capture_output=True, text=True, input=data, check=False)


def test_train_then_score(tmp_path: Path) -> None:
    text, model = tmp_path / "t.txt", tmp_path / "m.bmn"
    text.write_text("to be or not to be\nthat is the question\n" * 3)
    done = run("train", str(text), "-o", str(model), "--order", "3")
    assert done.returncode == 0, done.stderr
    assert "order 3" in done.stdout
    assert "note: the text is too small" in done.stdout
    scored = run("score", str(model), str(text), "--like", "kenlm")
    assert "Perplexity including OOVs" in scored.stdout
    assert run("train", str(text), "-o", str(model)).returncode == 2
    assert run("train", str(text), "-o", str(model), "--force").returncode == 0
    assert bm.load(str(model)).order == 5


def test_smoothing_pruning_and_held_out_text(tmp_path: Path) -> None:
    text, model = tmp_path / "t.txt", tmp_path / "m.bmn"
    text.write_text("to be or not to be\nthat is the question\n" * 3 + "to be\n")
    held = tmp_path / "held.txt"
    held.write_text("to be or not\n")
    words = ("train", str(text), "-o", str(model), "--order", "3", "--force")
    for smoothing in ("witten-bell", "lidstone:0.5", "katz"):
        done = run(*words, "--smoothing", smoothing, "--prune", "0,0,3")
        assert done.returncode == 0, done.stderr
        assert bm.load(str(model)).smoothing == smoothing
        assert bm.load(str(model)).counts[2] < bm.NGram(3).fit(text).counts[2]
    assert run(*words, "--smoothing", "jelinek-mercer", "--heldout", str(held)).returncode == 0
    expected = bm.NGram(3, "jelinek-mercer").fit(text, heldout=held)
    test = b"to be that\n"
    assert bm.score(str(model), test, like="kenlm").nats == bm.score(expected, test, like="kenlm").nats
    assert "0,0,1" in run(*words, "--prune", "0,x").stderr
    assert "must not decrease" in run(*words, "--prune", "0,2,1").stderr


def test_from_a_pipe_to_arpa(tmp_path: Path) -> None:
    done = run("train", "-", "-o", str(tmp_path / "m.arpa"), "--order", "2", data="a b\nb a\n")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "m.arpa").read_text().startswith("\\data\\\nngram 1=5\n")


def test_mistakes_are_said(tmp_path: Path) -> None:
    assert "end its name in .bmn" in run("train", "x.txt", "-o", "model.txt").stderr
    done = run("train", "-", "-o", str(tmp_path / "m.bmn"), data="a <unk>\n")
    assert done.returncode == 1
    assert "--unk-word" in done.stderr
    assert not (tmp_path / "m.bmn").exists()
