"""`bitmeter code`: codes whose figures are known in closed form."""

from __future__ import annotations

from pathlib import Path

import pytest

from bitmeter.cli.coding.code import KINDS
from tests.cli.running import run


def test_a_dyadic_distribution_costs_its_entropy(capsys: pytest.CaptureFixture[str]) -> None:
    # 1/2, 1/4, 1/8, 1/8: 1.75 bits, and Huffman's words have just these lengths.
    code, printed, said = run(capsys, "code", "--p", "a=4", "--p", "b=2", "--p", "c=1", "--p", "d=1", "--tree")
    assert (code, said) == (0, "")
    assert printed.count("1.7500") >= 2  # the length and the entropy
    assert "prefix-free" in printed


def test_every_kind_codes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("abracadabra")
    for kind in KINDS:
        code, printed, _ = run(capsys, "code", str(tmp_path / "text"), "--kind", kind)
        assert code == 0
        assert "prefix-free" in printed


def test_the_longest_word_is_bounded(capsys: pytest.CaptureFixture[str]) -> None:
    weights = [word for k in range(5) for word in ("--p", f"{'abcde'[k]}={2**k}")]
    code, printed, _ = run(capsys, "code", *weights, "--longest", "3", "--canonical")
    assert code == 0
    assert "0000" not in printed  # without the bound the rarest has four bits


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        (("a=0", "b=10", "c=11"), "prefix-free: each word is known by its last bit"),
        (("a=0", "b=01"), "uniquely decodable all the same, by reading on"),
        (("a=0", "b=01", "c=10"), "not decodable: 010 can be read in two ways"),
    ],
)
def test_a_code_of_ones_own_is_judged(words: tuple[str, ...], verdict: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = [part for word in words for part in ("--word", word)]
    assert run(capsys, "code", *given)[1].splitlines()[-1] == verdict


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ([], "nothing to code"),
        (["--p", "a=1", "--kind", "morse"], "--kind is morse"),
        (["--p", "a=1", "--kind", "fixed", "--longest", "3"], "--longest is for --kind huffman"),
        (["--p", "a=much"], "much is not a number"),
        (["--p", "a"], "such as --p a=0.5"),
        (["--p", "a=1", "--p", "a=2"], "a has the value 1 already"),
        (["text", "--p", "a=1"], "not both"),
    ],
)
def test_mistakes(words: list[str], part: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "code", *words)
    assert (code, printed) == (2, "")
    assert part in said
