"""`bitmeter convert`: pruning with its cost, spelling for a model from ARPA, and Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter import errors
from tests.models.made_up import made_up_text

TEXT = made_up_text(400, 60).encode()
HELD = made_up_text(60, 60).encode()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.bmn"
    bm.NGram(3).fit(TEXT).save(path)
    return path


def test_pruning_is_the_same_as_in_training_and_its_cost_is_said(tmp_path: Path, model: Path) -> None:
    made = bm.convert(model, tmp_path / "pruned.bmn", prune_entropy=1e-4, heldout=HELD)
    pruned = bm.NGram(3).fit(TEXT).prune(1e-4)
    assert bm.load(tmp_path / "pruned.bmn").fingerprint == pruned.fingerprint
    assert made.counts == pruned.counts
    assert sum(made.counts) < sum(bm.load(model).counts)
    whole, less = (each.score(HELD).perplexity for each in (bm.load(model), pruned))
    assert (made.perplexity_before, made.perplexity_after) == (whole, less)
    assert made.rise == pytest.approx(less / whole - 1)
    assert f"({100 * (less / whole - 1):+.3g} %)" in str(made)
    assert any("pruning by entropy" in note for note in made.notes)
    # The spelling stays.
    assert bm.load(tmp_path / "pruned.bmn").traits.oov == ("class", "spelled")
    small = bm.convert(model, tmp_path / "small.bmn", prune_entropy=1e-4, compact=True)
    assert (small.form, small.counts) == ("compact", pruned.counts)
    assert bm.load(tmp_path / "small.bmn").traits.oov == ("class", "spelled")


def test_a_model_from_arpa_learns_to_spell(tmp_path: Path, model: Path) -> None:
    lost = bm.convert(model, tmp_path / "model.arpa")
    assert "ARPA cannot hold how words are spelled" in lost.notes[-1]
    assert bm.load(tmp_path / "model.arpa").traits.oov == ("class",)
    for compact in (False, True):
        made = bm.convert(tmp_path / "model.arpa", tmp_path / "again.bmn", spelling=TEXT, compact=compact, force=True)
        again = bm.load(made.target)
        assert again.spelling.fingerprint() == bm.load(model).spelling.fingerprint()
        unknown = b"something quite unheard of\n"
        assert bm.prove(again, unknown).holds
    fast = bm.convert(tmp_path / "model.arpa", tmp_path / "fast.bmn", spelling=TEXT)
    # ARPA's figures have seven digits.
    assert bm.score(fast.target, HELD).bits == pytest.approx(bm.score(bm.load(model), HELD).bits, rel=1e-5)


def test_mistakes(tmp_path: Path, model: Path) -> None:
    for target, keywords, said in (
        ("x.arpa", {"spelling": TEXT}, "cannot hold how words are spelled"),
        ("x.bmn", {"prune_entropy": 2.0}, "threshold is 2"),
        ("x.bmn", {"spelling": tmp_path / "absent"}, "no file"),
        ("x.bmn", {"progress": 3}, "progress"),
    ):
        with pytest.raises(errors.BitmeterError, match=said):
            bm.convert(model, tmp_path / target, **keywords)
    bm.NGram(3, units="bytes").fit(TEXT).save(tmp_path / "bytes.bmn")
    with pytest.raises(errors.ModelError, match="spelling is for models of words"):
        bm.convert(tmp_path / "bytes.bmn", tmp_path / "x.bmn", spelling=TEXT)
    assert [path.name for path in tmp_path.iterdir()] == ["bytes.bmn"]


#: A process that is sent a SIGINT when its conversion says that it is in a stage, as Ctrl-C does: a little later, or
#: at once in the last one, which may be over by then.
INTERRUPTED = """
import sys, os, signal, threading
from bitmeter.models.ngram import convert as converting
from bitmeter.cli import main
wanted, seen, convert = sys.argv.pop(1), [], converting.convert
def watch(step):
    if step.stage.startswith(wanted) and not seen:
        seen.append(step.stage)
        if wanted == "writing":
            os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
converting.convert = lambda *a, **k: convert(*a, **{**k, "progress": watch})
try:
    main()
finally:
    print("seen" if seen else "not seen")
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that takes a while in every stage, and its text beside it."""
    path = tmp_path_factory.mktemp("large") / "large.bmn"
    path.with_suffix(".txt").write_text(made_up_text(60_000, 20_000))
    bm.NGram(4).fit(path.with_suffix(".txt")).save(path)
    return path


@pytest.mark.parametrize("stage", ["reading", "learning", "pruning", "writing"])
@pytest.mark.parametrize("target", ["m.bmn", "m.arpa.gz"])
def test_ctrl_c_leaves_nothing(tmp_path: Path, large: Path, stage: str, target: str) -> None:
    words = ["convert", str(large), str(tmp_path / target), "--prune-entropy", "1e-7"]
    if stage == "learning":
        words += ["--spelling", str(large.with_suffix(".txt"))]
    if stage == "learning" and target != "m.bmn":
        words[2] = str(tmp_path / "m2.bmn")
        words += ["--compact"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, stage, *words], capture_output=True, text=True, check=False
    )
    assert done.stdout.endswith("seen\n"), done.stderr
    assert "not seen" not in done.stdout
    assert done.returncode == 130, done.stderr
    assert list(tmp_path.iterdir()) == []
