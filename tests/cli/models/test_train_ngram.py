"""`bitmeter train` of n-gram models: from a text to a model that `bitmeter score` takes."""

from __future__ import annotations

import inspect
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.cli.models.train_ngram import SMOOTHING_NAMES, NGramOptions
from tests.cli.running import MAIN
from tests.models.made_up import made_up_text


@pytest.fixture(scope="module")
def long_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text that takes a second or two."""
    path = tmp_path_factory.mktemp("text") / "long.txt"
    path.write_text(made_up_text(250_000, 60_000))
    return path


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


def test_an_allowance_of_memory_changes_nothing_but_the_memory(tmp_path: Path) -> None:
    text = tmp_path / "t.txt"
    text.write_text("to be or not to be\nthat is the question\n" * 3)
    for name, words in (("a.bmn", ()), ("b.bmn", ("--memory", "100M", "--temp", str(tmp_path), "--threads", "2"))):
        done = run("train", str(text), "-o", str(tmp_path / name), *words)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.bmn").read_bytes() == (tmp_path / "b.bmn").read_bytes()
    done = run("train", str(text), "-o", str(tmp_path / "c.bmn"), "--memory", "lots")
    assert done.returncode == 2
    assert "4G, 500M" in done.stderr
    assert run("train", str(text), "-o", str(tmp_path / "c.bmn"), "--temp", "absent").returncode == 2


#: A process that is sent a SIGINT when its training says that it is in a stage, as Ctrl-C does: a little later, or
#: at once in the last one, which may be over by then.
INTERRUPTED = """
import sys, os, signal, threading, time
from bitmeter.models.ngram import model as ngram
from bitmeter.cli import main
wanted, seen = sys.argv.pop(1), []
fit, save = ngram.NGram.fit, ngram.NGram.save
def watch(step):
    if step.stage.startswith(wanted) and not seen:
        seen.append(time.monotonic())
        if wanted == "writing":
            os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()
ngram.NGram.fit = lambda self, *a, **k: fit(self, *a, **{**k, "progress": watch})
ngram.NGram.save = lambda self, *a, **k: save(self, *a, **{**k, "progress": watch})
try:
    main()
finally:
    print("seen" if seen else "not seen", round(time.monotonic() - seen[0], 2) if seen else "")
"""


@pytest.mark.parametrize(
    ("stage", "memory"),
    [("reading", "64M"), ("sorting", "64M"), ("sorting", "1G"), ("counting", "64M"), ("adjusting", "64M"),
     ("adjusting", "1G"), ("estimating", "64M"), ("writing", "64M")],
)  # fmt: skip
def test_ctrl_c_is_answered_in_every_stage_and_leaves_nothing(
    tmp_path: Path, long_text: Path, stage: str, memory: str
) -> None:
    words = ["train", str(long_text), "-o", str(tmp_path / "m.bmn"), "--memory", memory, "--temp", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, stage, *words], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("seen"), done.stderr
    assert done.returncode == 130, done.stderr
    assert list(tmp_path.iterdir()) == []
    assert float(done.stdout.split()[1]) < 20.0  # deaf or not; about a second at most where nothing else runs


def test_a_real_ctrl_c_from_outside(tmp_path: Path, long_text: Path) -> None:
    assert run("train", str(long_text), "-o", str(tmp_path / "m.bmn")).returncode == 0
    whole = (tmp_path / "m.bmn").read_bytes()
    (tmp_path / "m.bmn").unlink()
    for wait in (0.3, 0.8, 1.5):
        words = ["train", str(long_text), "-o", str(tmp_path / "m.bmn"), "--memory", "64M", "--temp", str(tmp_path)]
        process = subprocess.Popen([*MAIN, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
        assert process.stderr is not None
        process.stderr.close()
        # It may be done sooner, or be stopped when its file is already there: then that file is whole.
        left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert left == {"m.bmn": whole} or (process.returncode and not left)
        (tmp_path / "m.bmn").unlink(missing_ok=True)


def test_killed_outright_it_leaves_no_temporary_file(tmp_path: Path, long_text: Path) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    words = ["train", str(long_text), "-o", str(tmp_path / "m.bmn"), "--memory", "64M", "--temp", str(temp)]
    process = subprocess.Popen([*MAIN, *words])
    time.sleep(1.2)
    process.kill()
    process.wait(timeout=30)
    assert list(temp.iterdir()) == []


def test_the_help_names_every_smoothing() -> None:
    assert {re.sub(r"[\[:].*", "", name) for name in SMOOTHING_NAMES.split(", ")} == set(bm.SMOOTHINGS)


def test_the_defaults_are_those_of_the_library() -> None:
    made = inspect.signature(bm.NGram.__init__).parameters
    options = NGramOptions().as_keywords()
    shared = [name for name in options if name in made]
    assert {"order", "smoothing", "unk_word", "min_count", "vocab"} <= set(shared)
    for name in shared:
        assert options[name] == made[name].default or name == "prune", name
