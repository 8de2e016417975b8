"""Outputs of every verb: refused before the work, written through devices and behind links."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import MAIN, run

VERBS = [
    ["score", "kt", "text", "-o", "OUT.json"],
    ["score", "kt", "text", "--trace", "OUT.parquet"],
    ["trace", "kt", "text", "-o", "OUT.parquet"],
    ["compress", "kt", "text", "-o", "OUT.bmz"],
    ["decompress", "text.bmz", "-o", "OUT"],
    ["train", "text", "-o", "OUT.bmn"],
    ["train", "text", "-o", "OUT.arpa.gz"],
    ["convert", "model.bmn", "OUT.bmn"],
    ["mix", "model.bmn", "model.bmn", "--heldout", "text", "-o", "OUT.bmx"],
    ["curve", "net", "-o", "OUT.svg"],
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "text").write_text("to be or not to be\n" * 5)
    bm.NGram(order=2).fit(tmp_path / "text").save(tmp_path / "model.bmn")
    bm.compress("kt", tmp_path / "text", tmp_path / "text.bmz")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work begins with reading a text, a model or an archive: none of these may happen."""

    def read(*words: object, **options: object) -> None:
        raise AssertionError("the work began")

    for name in (
        "bitmeter.models.registry.load",
        "bitmeter.models.ngram.model.NGram.fit",
        "bitmeter.models.ngram.model.NGram.load",
        "bitmeter.models.mixture.model.MixtureModel.fit",
        "bitmeter.coding.archive.compress._predictor",
        "bitmeter.coding.archive.compress._input",
        "bitmeter.measure.scoring.score",
        "bitmeter.models.causal.trained.curve.LearningCurve.load",
    ):
        monkeypatch.setattr(name, read)


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_missing_folder_is_refused_before_the_work(
    words: list[str], here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forbid_reading(monkeypatch)
    code, printed, said = run(capsys, *(f"nowhere/{word}" if "OUT" in word else word for word in words))
    assert (code, printed) == (2, "")
    assert "cannot be written: there is no folder nowhere; make it first" in said
    for word in words:  # what exists is refused at once too
        if "OUT" in word:
            (here / word).write_bytes(b"old")
    code, _, said = run(capsys, *words)
    assert (code, "exists already; type --force to overwrite it" in said) == (2, True)


def test_two_outputs_need_two_names(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = run(capsys, "score", "kt", "text", "-o", "x", "--trace", "./x")
    assert (code, "give two names" in said) == (2, True)
    assert not (here / "x").exists()


def test_a_hyphen_is_no_file_by_accident(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = run(capsys, "score", "kt", "text", "-o", "-")
    assert (code, "type /dev/stdout" in said) == (2, True)
    assert run(capsys, "score", "kt", "text", "-o", str(here / "-"))[0] == 0
    assert (here / "-").is_file()


def test_a_network_needs_a_folder_it_can_write_to(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: "net" not in str(path))
    forbid_reading(monkeypatch)
    monkeypatch.setattr("bitmeter.models.causal.trained.model.Neural.fit", None)
    code, _, said = run(capsys, "train", "text", "-o", "net", "--kind", "lstm", "--units", "bytes")
    assert (code, "no file can be made in the folder net" in said) == (1, True)


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
@pytest.mark.parametrize("words", [VERBS[0], VERBS[1], VERBS[3], VERBS[4]], ids=lambda words: words[0])
def test_fifos_are_written_through(
    words: list[str], force: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not the devices of the machine: a failing test, run by root, would replace them."""
    fifo = here / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        code, _, said = run(capsys, *("fifo" if "OUT" in word else word for word in words), *force)
        assert (code, said) == (0, "")
        assert stat.S_ISFIFO(fifo.lstat().st_mode)
        through = os.read(reader, 1 << 16)
    finally:
        os.close(reader)
    assert run(capsys, *words)[0] == 0
    (made,) = here.glob("OUT*")
    if made.suffix == ".json":  # which says how long it took
        assert json.loads(through)["nats"] == json.loads(made.read_bytes())["nats"]
    else:
        assert through == made.read_bytes()


def test_standard_output_is_a_file_like_any(here: Path) -> None:
    done = subprocess.run(
        [*MAIN, "score", "kt", "text", "-q", "-o", "/dev/stdout"], cwd=here, capture_output=True, text=True, check=True
    )
    saved, figure = done.stdout.splitlines()
    assert json.loads(saved)["bits_per_byte"] == float(figure)


def test_a_model_is_written_behind_a_link(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "far").mkdir()
    (here / "far" / "real.bmn").write_bytes(b"old")
    (here / "link.bmn").symlink_to(Path("far", "real.bmn"))
    assert run(capsys, "train", "text", "-o", "link.bmn", "--order", "2", "--force")[0] == 0
    assert (here / "link.bmn").is_symlink()
    assert bm.NGram.load(here / "far" / "real.bmn").order == 2
    assert sorted(os.listdir(here / "far")) == ["real.bmn"]


def test_a_conversion_is_read_again_so_it_needs_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(here / "fifo.bmn")
    code, _, said = run(capsys, "convert", "model.bmn", "fifo.bmn")
    assert (code, "is no regular file" in said) == (1, True)


@pytest.mark.parametrize(
    "words",
    [
        ["score", "kt", "text", "-o", "text"],
        ["score", "kt", "text", "--trace", "link"],
        ["score", "ngram:model.bmn", "text", "-o", "model.bmn"],
        ["trace", "kt", "text", "-o", "./text"],
        ["compress", "kt", "text", "-o", "text"],
        ["compress", "model.bmn", "text", "-o", "model.bmn"],
        ["decompress", "text.bmz", "-o", "text.bmz"],
        ["train", "text.arpa", "-o", "text.arpa"],
        ["mix", "model.bmn", "kt", "--heldout", "text.bmx", "-o", "text.bmx"],
    ],
)
def test_an_input_is_not_overwritten(words: list[str], here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # With --force each of these replaced what it had read.
    os.symlink("text", "link")
    for name in ("text.arpa", "text.bmx"):
        (here / name).write_bytes((here / "text").read_bytes())
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    code, _, said = run(capsys, *words, "--force")
    assert code == 2
    assert "is also an input of this command, and would be lost" in " ".join(said.split())
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before


def test_a_model_may_be_converted_in_its_place(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "convert", "model.bmn", "model.bmn", "--compact", "--force")[0] == 0
    assert bm.score(here / "model.bmn", here / "text").bits > 0.0
