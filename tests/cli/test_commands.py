"""How functions become commands, and how their help is laid out."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pytest
import typer
from typer.testing import CliRunner

from bitmeter.cli.commands import LazyGroup, command, flattened
from bitmeter.cli.options import OptionBundle

_WORDS = "alpha-beta gamma-delta epsilon-zeta eta-theta iota-kappa lambda-mu nu-xi omicron-pi rho-sigma tau-upsilon"


@dataclass(frozen=True)
class Bundle(OptionBundle):
    section: ClassVar[str] = "Bundle"

    size: Annotated[int, typer.Option(metavar="N", help="How large.")] = 3
    name: Annotated[str | None, typer.Option(metavar="NAME", help=f"Names: {_WORDS}.")] = None


def verb(
    text: Annotated[str, typer.Argument(help="What to read.")],
    other: Annotated[str | None, typer.Argument(help="What else.")] = None,
    *,
    bundle: Bundle,
    loud: Annotated[bool, typer.Option("--loud", help="Shout.")] = False,
) -> None:
    """Read a text with well-known names: alpha-beta, gamma-delta, epsilon-zeta, eta-theta, iota-kappa, lambda-mu."""
    typer.echo(f"{text} {other} {bundle} {loud}")


def invoked(*words: str) -> str:
    result = CliRunner().invoke(_app(), list(words), env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    return str(result.output)


def _app() -> Any:
    class Group(LazyGroup):
        summaries: ClassVar[dict[str, dict[str, str]]] = {"first": {"verb": "Reads."}, "second": {"failing": "Fails."}}

        @staticmethod
        def load(section: str, name: str) -> Any:
            assert (section, name) == ("first", "verb"), "only what is run is loaded"
            return verb

    app = typer.Typer(cls=Group, rich_markup_mode=None, add_completion=False)
    app.callback()(lambda: None)
    return app


def test_a_bundle_reaches_the_function_as_one_object() -> None:
    assert invoked("verb", "a.txt") == "a.txt None Bundle(size=3, name=None) False\n"
    assert invoked("verb", "a", "b", "--size", "5", "--loud", "--name", "x") == "a b Bundle(size=5, name='x') True\n"


def test_flattened_has_one_parameter_per_option() -> None:
    parameters = inspect.signature(flattened(verb)).parameters
    assert list(parameters) == ["text", "other", "size", "name", "loud", "command_context"]
    assert (parameters["size"].default, parameters["loud"].default) == (3, False)


def test_the_help_has_a_section_per_bundle_and_breaks_no_name() -> None:
    text = invoked("verb", "--help")
    assert text.startswith("Usage: root verb [OPTIONS] TEXT [OTHER]\n")
    assert text.index("Arguments:") < text.index("Options:") < text.index("--loud") < text.index("Bundle:")
    assert text.index("Bundle:") < text.index("--size N") < text.index("--name NAME")
    assert "  [OTHER]  What else.\n" in text
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line.endswith("-")]
    assert text.count("alpha-beta") == 2
    assert text.isascii()  # the hyphens are hyphens again


def test_the_group_shows_its_sections_without_loading() -> None:
    text = invoked("--help")
    assert "First:\n  verb     Reads.\n\nSecond:\n  failing  Fails.\n" in text


def test_an_unknown_command_is_answered_with_a_similar_one(capsys: pytest.CaptureFixture[str]) -> None:
    from bitmeter import cli

    assert cli._run(["scroe"]) == 2
    assert "No such command 'scroe'. Did you mean 'score'" in capsys.readouterr().err


def test_a_command_has_the_name_and_the_text_of_its_function() -> None:
    made = command("other-name", verb)
    assert (made.name, made.help) == ("other-name", inspect.getdoc(verb))
