"""`bitmeter train` chooses between two families of options, which do not meet."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
import typer

from bitmeter.cli.models.family import TrainingOptions
from bitmeter.cli.models.train import check_family
from bitmeter.cli.models.train_networks import NetworkOptions
from bitmeter.cli.models.train_ngram import NGramOptions
from tests.cli.running import run


def names(options: type) -> set[str]:
    return {field.name for field in fields(options)}


def test_the_families_do_not_meet() -> None:
    families = [names(options) for options in (NGramOptions, NetworkOptions, TrainingOptions)]
    assert len(set().union(*families)) == sum(map(len, families))


@pytest.mark.parametrize("kind", ["ngram", "lstm", "transformer"])
def test_an_option_of_the_other_family_is_refused(kind: str) -> None:
    own, other = (NGramOptions, NetworkOptions) if kind == "ngram" else (NetworkOptions, NGramOptions)
    check_family(kind, names(own) | names(TrainingOptions))
    for name in names(other):
        with pytest.raises(typer.BadParameter, match=f"--{name.replace('_', '-')}: only for {other.title}"):
            check_family(kind, {name, *names(own)})


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (
            ["--kind", "lstm", "--order", "3", "--compact"],
            "--order, --compact: only for n-gram models, and this is --kind lstm; leave them out, or leave --kind out",
        ),
        (
            ["--width", "8"],
            "--width: only for networks, and this is --kind ngram; leave it out, or add --kind lstm or --kind "
            "transformer",
        ),
        # The default value, but typed: still without effect.
        (["--kind", "lstm", "--order", "5"], "--order: only for n-gram models"),
        (["--kind", "rnn"], "--kind is 'rnn'; it must be ngram, lstm or transformer"),
    ],
)
def test_the_message_says_to_which_kind_it_belongs(
    words: list[str], part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").write_text("to be or not to be\n")
    code, printed, said = run(capsys, "train", str(tmp_path / "text"), "-o", str(tmp_path / "never.bmn"), *words)
    assert (code, printed) == (2, "")
    assert said.startswith(f"error: {part}")
    assert not (tmp_path / "never.bmn").exists()


def test_the_kind_can_be_said_where_it_is_the_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("to be or not to be\n")
    words = ("train", str(tmp_path / "text"), "--kind", "ngram", "--order", "2", "-o", str(tmp_path / "m.bmn"))
    code, printed, said = run(capsys, *words)
    assert (code, said) == (0, "")
    assert "order 2" in printed
