"""The shared options: what was given, and what is refused."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
import typer

import bitmeter as bm
from bitmeter.cli.options import (
    Conventions,
    OptionBundle,
    ScoringConventions,
    TextOptions,
    check_free,
    check_one_output,
    compact_bits,
)
from tests.cli.running import run


def test_the_conventions_are_keywords_of_score_with_its_defaults() -> None:
    keywords = inspect.signature(bm.score).parameters
    for name, value in ScoringConventions().as_keywords().items():
        assert keywords[name].default == value, name
    # Every other keyword of score is an option of the verb by itself.
    others = set(keywords) - set(ScoringConventions().as_keywords())
    assert others == {
        "model", "text", "confidence", "trace", "alternatives", "force", "progress", "documents",
        "workers", "engine", "address",
    }  # fmt: skip


@pytest.mark.parametrize("bundle", [TextOptions, Conventions, ScoringConventions])
def test_a_bundle_holds_what_the_smaller_one_holds(bundle: type[OptionBundle]) -> None:
    assert bundle().as_keywords().items() >= TextOptions().as_keywords().items()


def test_given_is_what_differs_from_the_defaults() -> None:
    assert Conventions().stated() == {}
    assert ScoringConventions(docs="line", like="bitmeter", den="original").stated() == {
        "docs": "line", "den": "original",
    }  # fmt: skip


@pytest.mark.parametrize("verb", ["score", "compare", "trace"])
@pytest.mark.parametrize(
    ("option", "value"), [("--docs", "chapter"), ("--like", "vim"), ("--ctx", "512"), ("--oov", "free")]
)
def test_a_wrong_convention_is_a_usage_error(
    verb: str, option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, said = run(capsys, verb, "kt", "text", option, value)
    assert (code, printed) == (2, "")
    assert said.startswith(f"error: {option}")
    assert value in said


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    path = tmp_path / "file"
    check_free(path, force=False)
    check_free(None, force=False)
    path.touch()
    check_free(path, force=True)
    check_free("-", force=False, stdout=True)
    with pytest.raises(typer.BadParameter, match="type /dev/stdout"):
        check_free("-", force=False)
    with pytest.raises(typer.BadParameter, match="exists already; type --force to overwrite it"):
        check_free(path, force=False)


def test_bits_are_for_the_compact_form() -> None:
    assert (compact_bits(None, compact=True), compact_bits(None, compact=False)) == (8, 8)
    assert compact_bits(5, compact=True) == 5
    with pytest.raises(typer.BadParameter, match=r"--bits 5 is for the compact form.*add --compact"):
        compact_bits(5, compact=False)


def test_one_output_is_printed() -> None:
    check_one_output(json=True, quiet=False)
    check_one_output(json=False, quiet=True)
    with pytest.raises(typer.BadParameter, match="--json and -q"):
        check_one_output(json=True, quiet=True)
