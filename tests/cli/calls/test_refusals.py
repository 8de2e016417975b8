"""What is said where a command cannot be meant so, and what to type instead."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter import cli

TEXT = b"to be or not to be\nthat is the question\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_bytes(TEXT)
    (tmp_path / "other").write_bytes(b"to see or not\n")
    (tmp_path / "empty").touch()
    bm.score("kt", TEXT).save(tmp_path / "run.json")
    model = bm.NGram(order=2).fit(TEXT)
    for name in ("model.bmn", "model.arpa"):
        model.save(tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("train text -o new.bmn --bits 9", 2, "--bits 9 is for the compact form.*add --compact"),
        ("convert model.bmn new.bmn --bits 9", 2, "--bits 9 is for the compact form.*add --compact"),
        ("train text -o new.bmn --units bpe", 2, r"'chars'.*byte pairs are learned for a network \(--kind"),
        ("train text -o new.bmn --vocab empty", 1, "vocab empty holds no word"),
        ("train text -o new.bmn --smoothing jelinek-mercer --heldout empty", 1, "empty is empty, and jelinek-mercer"),
        (
            "compare model.bmn model.arpa --on other",
            1,
            "conventions: --oov.*; bitmeter convert .* --spelling TEXT",
        ),
        ("compare run.json run.json --docs line", 2, "--docs is for scoring, and saved runs are scored already"),
        ("compare kt uniform --on text --ctx 8.4", 1, "kt sees all that came before, so there are no windows"),
        ("score mixture: text", 1, "mixture needs a file: mixture:mix.bmx"),
    ],
)
def test_refusals(command: str, code: int, said: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import re

    assert cli._run(command.split()) == code
    found = capsys.readouterr()
    assert re.search(said, found.err), found.err
    assert found.out == ""
    assert not (here / "new.bmn").exists()


@pytest.mark.parametrize(
    "command",
    [
        "train text -o model.bmn", "convert model.arpa model.bmn", "compress kt text -o model.bmn",
        "score kt text -o model.bmn", "score kt text --trace model.bmn", "trace kt text -o model.bmn",
        "decompress x.bmz -o model.bmn",
    ],
)  # fmt: skip
def test_nothing_is_overwritten_and_it_is_a_mistake_of_the_command(
    command: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bm.compress("kt", TEXT, here / "x.bmz")
    before = (here / "model.bmn").read_bytes()
    assert cli._run(command.split()) == 2
    assert "exists already; type --force to overwrite it" in capsys.readouterr().err
    assert (here / "model.bmn").read_bytes() == before
    assert (here / "text").read_bytes() == TEXT


def test_an_infinite_score_tells_the_ways_out(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli._run(["score", "model.arpa", "other"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "1 impossible, the first is 'see ' at byte 3" in said
    assert "1 unknown to the model: --oov class lets each cost <unk> alone; --oov skipped leaves them out;" in said
    for command in ("score model.arpa other --oov class", "score model.arpa other --oov skipped"):
        assert cli._run([*command.split(), "-q", "--per", "token"]) == 0
        assert float(capsys.readouterr().out) < 10
    assert cli._run(["convert", "model.arpa", "new.bmn", "--spelling", "text"]) == 0
    capsys.readouterr()
    assert cli._run(["score", "new.bmn", "other", "-q"]) == 0
    assert float(capsys.readouterr().out) < 20


def test_an_end_that_is_impossible_is_named(here: Path) -> None:
    (here / "endless.arpa").write_text("\\data\\\nngram 1=2\n\n\\1-grams:\n-0.3\ta\n-0.3\tb\n\n\\end\\\n")
    score = bm.score(here / "endless.arpa", b"a b", eos="yes")
    assert score.notes[0] == "infinite: 1 impossible, the first is the end of a document at byte 3"


def test_the_bar_shows_the_bits_of_the_score() -> None:
    # Unknown words were left out of what the bar showed: 1.5 bits per byte for a text of 2.6.
    shown: list[float | None] = []
    model = bm.NGram(order=2).fit(TEXT)
    score = bm.score(model, b"to see or not to see\n" * 3, progress=lambda step: shown.append(step.estimate))
    assert score.oov == 6
    assert shown[-1] == pytest.approx(score.bits_per_byte, rel=1e-9)


def test_a_mixture_goes_by_the_name_that_its_scores_carry(here: Path) -> None:
    bm.MixtureModel(["model.bmn", "cache:size=10"]).fit(TEXT).save("mix.bmx")
    score = bm.score("mix.bmx", TEXT)
    assert score.model == "mixture:mix.bmx"
    assert bm.score("mixture:mix.bmx", TEXT).nats == score.nats
