"""Neural models on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter import cli
from tests.models.networks import TINY


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = cli._run(list(words))
    printed, said = capsys.readouterr()
    return code, printed, said


def test_score_and_diverge(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(
        capsys, "score", f"hf:{TINY}", str(TINY / "joined.txt"), "--ctx", "64.16", "--like", "hf-docs"
    )
    assert (code, said) == (0, "")
    assert printed.startswith("hf:tiny on joined.txt\n")
    assert "hf-docs      perplexity" in printed
    code, printed, said = run(
        capsys, "diverge", f"hf:{TINY}", f"hf:{TINY},dtype=bfloat16", str(TINY / "texts.jsonl"), "--json"
    )
    assert (code, said) == (0, "")
    found = json.loads(printed)
    assert found["tokens"] == 431
    assert 0 < found["mean"] < 0.01
    assert found["same_top_rate"] > 0.95


def test_mistakes_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    text = str(TINY / "joined.txt")
    for words, part in (
        (("score", f"hf:{TINY}", text, "--ctx", "full"), "sees 64 at once"),
        (("score", f"hf:{TINY}", text, "--ctx", "128.64"), "too long"),
        (("score", f"hf:{TINY},dtype=float31", text), "dtype"),
        (("score", "hf:absent/model", text), "cannot be loaded"),
        (("diverge", "kt", f"hf:{TINY}", text), "gives no whole predictions"),
    ):
        code, printed, said = run(capsys, *words)
        assert (code, printed) == (1, "")
        assert said.startswith("error: ")
        assert part in said


def test_an_option_that_does_nothing_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for words, part in (
        (("--kind", "lstm", "--order", "3", "--compact"), "--order, --compact does nothing for --kind lstm"),
        (("--width", "8"), "--width does nothing for --kind ngram; it is for networks: add --kind lstm"),
        (("--kind", "rnn"), "--kind is 'rnn'; it must be ngram, lstm or transformer"),
    ):
        code, _, said = run(capsys, "train", str(TINY / "joined.txt"), "-o", "never.bmn", *words)
        assert code == 2
        assert part in " ".join(said.replace("│", " ").split())


def test_train_and_look_at_the_curve(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("one two three four\n" * 30)
    small = ("--kind", "lstm", "--units", "bytes", "--width", "8", "--epochs", "2", "--threads", "1", "--log")
    code, printed, said = run(capsys, "train", "text.txt", "-o", "net", *small)
    assert code == 0
    assert printed.startswith("net: lstm of bytes, 257 ids, ")
    assert "bits/byte" in said  # a line for each look
    code, printed, said = run(capsys, "curve", "net", "--level", "chance=8")
    assert (code, said) == (0, "")
    assert "held out" in printed
    assert "chance" in printed
    code, printed, said = run(capsys, "curve", "net", "-o", "net.svg")
    assert (code, printed, said) == (0, "", "")
    assert Path("net.svg").read_text().startswith("<svg")
    for words, part in (
        (("curve", "net", "-o", "net.svg"), "exists already"),
        (("curve", "net", "--level", "chance"), "a name and bits a byte"),
        (("curve", "text.txt"), "cannot be read"),
        (("train", "text.txt", "-o", "net", *small), "exists already"),
        (("train", "text.txt", "-o", "net", "--resume", *small, "--width", "9"), "nothing to resume"),
        (("train", "text.txt", "-o", "other.bmn", *small), "a network is a folder"),
    ):
        code, printed, said = run(capsys, *words)
        assert code in (1, 2)
        assert part in " ".join(said.replace("│", " ").split())
    assert not Path("other.bmn").exists()
    assert run(capsys, "compress", "net", "text.txt")[0] == 0
    code, printed, said = run(capsys, "decompress", "text.txt.bmz", "-o", "back.txt")  # the folder is found by itself
    assert (code, said) == (0, "")
    assert Path("back.txt").read_bytes() == Path("text.txt").read_bytes()
    code, printed, _ = run(capsys, "score", "net", "text.txt", "-q")
    assert code == 0
    assert float(printed) < 8


def test_windows_are_for_the_models_that_have_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text.txt"
    text.write_bytes(b"a few words of text, and a few more words of text " * 4)
    assert cli._run(["compare", "kt", f"hf:{TINY}", "--on", str(text), "--ctx", "16.8", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["rows"]
    expected = [bm.score("kt", text), bm.score(f"hf:{TINY}", text, ctx="16.8")]
    assert [row["bits_per_byte"] for row in found] == [score.bits_per_byte for score in expected]
    assert cli._run(["trace", f"hf:{TINY}", str(text), "--ctx", "16.8", "--all", "--json"]) == 0
    nats = [json.loads(line)["nats"] for line in capsys.readouterr().out.splitlines()]
    assert sum(nats) == pytest.approx(expected[1].nats, rel=1e-9)
