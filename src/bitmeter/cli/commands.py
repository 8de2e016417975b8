"""How the command line is built from functions and how its help is laid out.

typer draws the sections of a help page only with rich, which is slow to import and prints differently on a terminal
and in a pipe. These classes draw them as plain text.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections import Counter
from collections.abc import Callable
from copy import copy
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

__all__ = ["Command", "LazyGroup", "command", "flattened"]

#: The parameter by which a function without one of its own learns where its values come from.
_CONTEXT = "command_context"
#: What the values of options are called that name something to read or to write.
_THINGS = frozenset({"COLUMN", "CORPUS", "FIELD", "FILE", "FOLDER", "MODEL", "OUT", "PATH", "TEXT"})
#: Stands for a hyphen while lines are wrapped: a name such as --prune-entropy must not be broken.
_HYPHEN = "\N{NON-BREAKING HYPHEN}"


class Command(TyperCommand):
    """A verb, whose options stand in the sections of their bundles."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what was typed.

        Of a setting that is given twice, the last value counts, so that a script can override what it shares. What
        names one thing to read or to write is refused then: the first would be left out without a word.
        """
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(list(args))
            for parameter, times in Counter(order).items():
                if times > 1 and _names_one_thing(parameter):
                    name = max(parameter.opts, key=len)
                    ctx.fail(f"{name} takes one value, and is given {times} times; leave out all but one")
        return super().parse_args(ctx, args)

    def get_help(self, ctx: Any) -> str:
        """The help page."""
        lines = super().get_help(ctx).replace(_HYPHEN, "-").split("\n")
        return "\n".join(line.rstrip() for line in lines)  # the parser breaks the usage line behind a space

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what the verb does."""
        del ctx
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(_unbroken(self.help or ""))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words after the verb: [OPTIONS], then the arguments as they are typed."""
        return ["[OPTIONS]", *(_typed(parameter) for parameter in self.get_params(ctx) if _is_argument(parameter))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, the plain options, then the other sections."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        parameter: Any
        for parameter in self.get_params(ctx):
            if _is_argument(parameter):
                sections["Arguments"].append((_typed(parameter), _unbroken(parameter.help or "")))
            elif (record := parameter.get_help_record(ctx)) is not None:
                panel = getattr(parameter, "rich_help_panel", None)  # --help has none in some versions of typer
                sections.setdefault(panel or "Options", []).append((record[0], _unbroken(record[1])))
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=_names_width(formatter))


def _names_width(formatter: Any) -> int:
    """How wide the column of names is: at a narrow terminal a longer name has a line of its own."""
    return 30 if formatter.width >= 50 else 10


def _unbroken(text: str) -> str:
    return text.replace("-", _HYPHEN)


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _names_one_thing(parameter: Any) -> bool:
    return not (_is_argument(parameter) or parameter.multiple) and str(parameter.metavar).split()[0] in _THINGS


def _typed(argument: Any) -> str:
    """An argument as the usage line shows it: MODEL, or [TEXT] if it can be left out."""
    name = argument.metavar or str(argument.name).upper()
    return name if argument.required else f"[{name}]"


class LazyGroup(TyperGroup):
    """A group of commands that are imported when they are run; the help needs none of them.

    A subclass gives the two attributes.
    """

    #: The summary of each command, by section of the help and name.
    summaries: typing.ClassVar[dict[str, dict[str, str]]]
    #: Other names of commands, which are not listed.
    aliases: typing.ClassVar[dict[str, str]] = {}
    #: The sections of commands that are not listed.
    unlisted: typing.ClassVar[dict[str, str]] = {}

    @staticmethod
    def load(section: str, name: str) -> Callable[..., Any]:
        """Import the function of a command."""
        raise NotImplementedError

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands, section by section."""
        del ctx
        return [name for section in self.summaries.values() for name in section]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name, or None."""
        del ctx
        cmd_name = self.aliases.get(cmd_name, cmd_name)
        if cmd_name not in self.commands:
            if cmd_name in self.unlisted:
                self.commands[cmd_name] = command(cmd_name, self.load(self.unlisted[cmd_name], cmd_name))
            for section, commands in self.summaries.items():
                if cmd_name in commands:
                    self.commands[cmd_name] = command(cmd_name, self.load(section, cmd_name))
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments name; for one that does not exist, the error suggests a similar one."""
        if self.get_command(ctx, args[0]) is None:
            for name in self.list_commands(ctx):  # typer suggests only what is loaded
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one line per command, in sections; all lines are aligned."""
        del ctx
        width = max(len(name) for section in self.summaries.values() for name in section)
        for section, commands in self.summaries.items():
            with formatter.section(section.capitalize()):
                formatter.write_dl(
                    [(name.ljust(width), summary) for name, summary in commands.items()],
                    col_max=_names_width(formatter),
                )


def command(name: str, function: Callable[..., Any]) -> Any:
    """A command that runs a function, whose bundles of options become options."""
    app = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command(name, cls=Command)(flattened(function))
    return typer.main.get_command(app)


def flattened(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for typer: each parameter whose type is a dataclass is replaced by the fields of the dataclass.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from bitmeter.cli.options import OptionBundle
    >>> @dataclass(frozen=True)
    ... class Pair(OptionBundle):
    ...     section = "Options"
    ...     a: int = 1
    ...     b: int = 2
    >>> def show(pair: Pair, c: int = 3) -> None:
    ...     print(pair, c)
    >>> show.__annotations__ = {"pair": Pair, "c": int}
    >>> flattened(show)(a=5, b=6, c=7)
    Pair(a=5, b=6) 7
    """
    hints = typing.get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    bundles: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        kind = hints[parameter.name]
        if dataclasses.is_dataclass(kind):
            bundles[parameter.name] = kind
            parameters += _fields(kind)
        else:
            parameters.append(parameter.replace(annotation=kind, kind=inspect.Parameter.KEYWORD_ONLY))

    context = next((name for name, kind in hints.items() if kind is typer.Context), None)
    if context is None and bundles:
        parameters.append(inspect.Parameter(_CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context))

    def run(**given: Any) -> Any:
        command = given.pop(_CONTEXT, None) if context is None else given.get(context)
        for name, kind in bundles.items():
            names = [field.name for field in dataclasses.fields(kind)]
            given[name] = kind(**{field: given.pop(field) for field in names})
            given[name].note_defaults({field for field in names if _is_from_file(command, field)})
        return function(**given)

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _is_from_file(command: typer.Context | None, name: str) -> bool:
    """Whether the value of an option is a default that a file sets."""
    source = None if command is None else command.get_parameter_source(name)
    return source is not None and source.name == "DEFAULT_MAP"


def _fields(bundle: Any) -> list[inspect.Parameter]:
    hints = typing.get_type_hints(bundle, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=_in_section(hints[field.name], bundle.section),
        )
        for field in dataclasses.fields(bundle)
    ]


def _in_section(annotation: Any, section: str) -> Any:
    """The annotation of an option, whose help stands in a section."""
    if typing.get_origin(annotation) is not typing.Annotated:
        return annotation
    kind, option = typing.get_args(annotation)
    option = copy(option)
    option.rich_help_panel = section
    return typing.Annotated[kind, option]
