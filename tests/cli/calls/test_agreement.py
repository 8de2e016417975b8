"""One model on one text has one figure, whichever verb prints it, and another convention is said to be one."""

from __future__ import annotations

import json
import lzma
import math
import re
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter import cli
from bitmeter.text.corpus.sample import sample_parts

#: Words of the model and words that it does not know, with a blank line.
TRAIN = b"to be or not to be\nthat is the question\nwhether it is nobler to suffer\n" * 4
OTHER = b"the slings and arrows of fortune\nor to take arms against a sea\n" * 4
TEXT = b"to be nobler or to sleep\n\nthat is the slings and arrows\nperchance to dream\n" * 3


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    bm.NGram(order=3).fit(TRAIN).save(tmp_path / "a.bmn")
    bm.NGram(order=3).fit(OTHER).save(tmp_path / "b.bmn")
    (tmp_path / "text.txt").write_bytes(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Printed:
    """Runs a command line and finds figures in what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, line: str) -> str:
        code = cli._run(line.split())
        printed, said = self._capsys.readouterr()
        assert (code, said) == (0, ""), said
        return " ".join(printed.split())

    def refused(self, line: str) -> str:
        assert cli._run(line.split()) != 0
        return self._capsys.readouterr().err


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    return Printed(capsys)


def figure(pattern: str, text: str) -> str:
    """The number behind a pattern, which must be there."""
    found = re.search(rf"{pattern}\s*(\d[\d.,e]*\d)", text)
    assert found, f"no {pattern} in {text}"
    return found[1]


def same(first: str, second: str) -> bool:
    """Whether two figures agree to the decimals of the one that has fewer: an interval decides how many are shown."""
    fewer = min(len(value.partition(".")[2]) for value in (first, second))
    return abs(float(first) - float(second)) <= 0.5001 * 10.0**-fewer


def test_mix_prints_what_score_prints(folder: Path, printed: Printed) -> None:
    mixed = printed("mix a.bmn b.bmn --heldout text.txt -o m.bmx")
    default = printed("score m.bmx text.txt")
    assert figure("bits/byte", mixed) == figure("bits/byte", default)
    assert figure("perplexity", mixed) == figure("perplexity", default)
    closed = printed("score m.bmx text.txt --docs line --eos yes --oov class")
    assert figure("mixed", mixed) == figure("perplexity", closed)
    # Both conventions are named, in the same words.
    for part in ("closed vocabulary: an unknown word costs <unk> alone", "ends are predicted and counted"):
        assert part in mixed
        assert part in closed
    assert "open vocabulary: unknown words are spelled" in mixed
    assert "open vocabulary: unknown words are spelled" in default


@pytest.mark.parametrize("options", ["", " --docs line", " --docs line --like kenlm"])
def test_panel_table_comparison_and_machine_forms_agree(folder: Path, printed: Printed, options: str) -> None:
    unit = "token" if "kenlm" in options else "byte"
    panel = printed(f"score a.bmn text.txt{options}")
    shown = figure(f"bits/{unit}", panel)
    full = float(printed(f"score a.bmn text.txt{options} -q --per {unit}"))
    assert float(shown) == pytest.approx(full, abs=0.5 * 10.0 ** -len(shown.partition(".")[2]))
    for line in (f"score -m a.bmn -m b.bmn text.txt{options}", f"compare a.bmn b.bmn --on text.txt{options}"):
        table = printed(line)
        assert same(figure("ngram:a.bmn", table), shown)
        assert f"bits/{unit}" in table
    run = json.loads(printed(f"score a.bmn text.txt{options} --json"))
    assert run[f"bits_per_{unit}"] == full
    compared = json.loads(printed(f"compare a.bmn b.bmn --on text.txt{options} --json"))
    assert compared["per"] == unit
    assert compared["rows"][0][f"bits_per_{unit}"] == full
    other = float(printed(f"score b.bmn text.txt{options} -q --per {unit}"))
    assert compared["rows"][1]["difference"] == pytest.approx(other - full, rel=1e-9)


@pytest.mark.parametrize("like", ["kenlm", "srilm", "nltk"])
def test_a_closed_vocabulary_has_no_bits_per_byte(folder: Path, printed: Printed, like: str) -> None:
    panel = printed(f"score a.bmn text.txt --like {like}")
    assert "bits/byte" not in panel
    assert "/char" not in panel
    assert "closed vocabulary" in panel
    # Two to the headline is the perplexity per token, which is the figure of the tool.
    name = {"kenlm": "Perplexity including OOVs", "srilm": "ppl", "nltk": "perplexity"}[like]
    bits = float(printed(f"score a.bmn text.txt --like {like} -q --per token"))
    of_tool = float(figure(f"{like}.* {name}", panel))
    assert of_tool == pytest.approx(2.0**bits, rel=1e-9)
    assert json.loads(printed(f"score a.bmn text.txt --like {like} --json"))["bits_per_byte"] is None
    for line in (f"score a.bmn text.txt --like {like} -q", f"score a.bmn text.txt --like {like} -q --per char"):
        assert "--per token" in printed.refused(line)
    printed(f"score a.bmn text.txt --like {like} -o {like}.json")
    saved = bm.Score.load(f"{like}.json")
    assert saved == bm.score("a.bmn", "text.txt", like=like)
    assert saved.interval is None or saved.interval.estimate == pytest.approx(bits)


def test_models_that_leave_out_different_words_are_not_compared(folder: Path, printed: Printed) -> None:
    said = printed.refused("compare a.bmn b.bmn --on text.txt --like srilm")
    assert "different words" in said
    assert "--oov spelled" in said


def test_a_packed_text_has_the_figures_of_the_text(folder: Path, printed: Printed) -> None:
    packed = lzma.compress(TEXT)
    (folder / "text.txt.xz").write_bytes(packed)
    note = f"text.txt.xz was unpacked: {len(packed)} bytes in the file"
    for line in ("score a.bmn FILE", "score zlib FILE", "mix a.bmn b.bmn --heldout FILE -o m.bmx --force"):
        plain, unpacked = printed(line.replace("FILE", "text.txt")), printed(line.replace("FILE", "text.txt.xz"))
        assert figure("bits/byte", plain) == figure("bits/byte", unpacked)
        assert note in unpacked
        assert "unpacked" not in plain
    assert printed("entropy text.txt -q") == printed("entropy text.txt.xz -q")
    assert "text.txt.xz, unpacked" in printed("entropy text.txt.xz")
    assert note in printed("train text.txt.xz -o c.bmn --order 2")
    assert "not unpacked" in printed("compress kt text.txt.xz -o text.bmz")


def test_entropy_and_score_agree(folder: Path, printed: Printed) -> None:
    """Per byte of the same text; entropy prints four decimals, and the bound of the universal model has the length."""
    table = printed("entropy text.txt")
    for name in ("zlib", "bz2", "xz", "zstd"):
        exact = float(printed(f"score {name} text.txt -q"))
        assert float(figure(name, table)) == pytest.approx(exact, abs=6e-5), name
    length = float(figure("The universal row pays", table))
    # Elias' delta code of n has floor(log2(n)) + 2 floor(log2(floor(log2(n)) + 1)) + 1 bits.
    whole = math.floor(math.log2(len(TEXT)))
    assert length == whole + 2 * math.floor(math.log2(whole + 1)) + 1
    exact = float(printed("score universal text.txt -q")) + length / len(TEXT)
    assert float(figure("universal model", table)) == pytest.approx(exact, abs=6e-5)


def test_demo_and_score_agree(folder: Path, printed: Printed) -> None:
    """The rows of the demonstration are scores of its text by lines."""
    train, rest = sample_parts()
    (folder / "rest.txt").write_bytes(rest)
    (folder / "train.txt").write_bytes(train)
    table = printed("demo")
    printed("train train.txt -o two.bmn --order 2")
    two = figure("bits/byte", printed("score two.bmn rest.txt --docs line"))
    assert same(figure("bigram", table), two)
    assert figure("xz:9", table) == figure("bits/byte", printed("score xz rest.txt --docs line"))
    assert same(figure("universal", table), figure("bits/byte", printed("score rest.txt --docs line")))
