"""Mistakes in a command, in the words of the help: the parser's own messages name types and parameters of Python."""

from __future__ import annotations

import re
import shlex
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from bitmeter.errors import RecordError

__all__ = ["command_of", "usage_message", "with_options", "with_remedy"]

#: What the parser says of a value, and how we say it.
_VALUES = (
    (r"Input should be greater than or equal to (\S+)", r"must be at least \1"),
    (r"Input should be less than or equal to (\S+)", r"must be at most \1"),
    (r"Input should be greater than (\S+)", r"must be more than \1"),
    (r"Input should be less than (\S+)", r"must be less than \1"),
    (r"Input should be a valid integer.*", "must be a whole number"),
    (r"Input should be a valid number.*", "must be a number"),
    (r"Input should be a finite number.*", "must be a finite number"),
    (r"'(.*)' is not a valid integer\.?", r"must be a whole number, and is '\1'"),
    (r"'(.*)' is not a valid float\.?", r"must be a number, and is '\1'"),
    (r"(?:Value error, )?('.*') is not one of (.*?)\.?", r"is \1; it must be one of \2"),
    (r"(\S+) is not in the range (.*?)\.?", r"is \1, which is not in the range \2"),
)


def command_of(arguments: list[str]) -> str:
    """The command whose help is meant, by what was typed: the parser does not always say.

    Examples
    --------
    >>> command_of(["score", "kt", "--docs"]), command_of(["--nonsense"])
    ('bitmeter score', 'bitmeter')
    """
    from bitmeter.cli.verbs import ALIASES, UNLISTED, VERBS

    known = {*ALIASES, *UNLISTED, *(verb for group in VERBS.values() for verb in group)}
    return f"bitmeter {arguments[0]}" if arguments and arguments[0] in known else "bitmeter"


def usage_message(error: Any, arguments: list[str]) -> str:
    """The message of a usage error of the parser; `arguments` are those that were typed."""
    message = _message(error)
    found = re.match(r"(--?[\w-]+) must be (?!.*, and is )", message)
    typed = None if found is None else _typed_value(error, found[1], arguments)
    return message if typed is None else f"{message}, and is {typed!r:.60}"


def _typed_value(error: Any, option: str, arguments: list[str]) -> str | None:
    """What was typed behind an option, by whichever of its names; None if that cannot be found."""
    names = next((parameter.opts for parameter in _parameters(error) if option in parameter.opts), [option])
    for place, word in reversed(list(enumerate(arguments))):
        name, equals, value = word.partition("=")
        if name in names and equals and word.startswith("--"):
            return value
        if word in names and place + 1 < len(arguments):
            return arguments[place + 1]
    return None


def _message(error: Any) -> str:
    text: str = error.format_message().removeprefix("Invalid value: ")
    found = re.fullmatch(r"Invalid value for '(?P<name>[^']*)'(?: / '[^']*')*: (?P<what>.*)", text, re.DOTALL)
    if found:
        return _value(found["name"].split(" / ")[0].strip("'"), found["what"])
    if found := re.fullmatch(r"Missing argument '(.*)'\.?", text):
        wanted = _metavar(error, found[1]).split()[-1]
        return f"{wanted} is missing; type: {_usage_line(error)}"
    if found := re.fullmatch(r"Missing option '(.*)'\.?", text):
        names = found[1].replace("'", "").split(" / ")
        short = min(names, key=len)
        return f"{names[0]} is missing; add: {short} {_metavar(error, names[0])}"
    if found := re.fullmatch(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", text):
        return f"there is nothing to do with {found[1]}; type: {_usage_line(error)}"
    if found := re.fullmatch(r"No such option: (\S+?)\.?(?: Did you mean (.*)\?| \(Possible options: (.*)\))?", text):
        listed = re.findall(r"--?[\w-]+", found[2] or found[3] or "")
        similar = ", ".join(get_close_matches(found[1], listed, 3, 0.7))
        verb = error.ctx.command_path if error.ctx else "bitmeter"
        return f"{verb} has no option {found[1]}" + (f"; similar are {similar}" if similar else "")
    if found := re.fullmatch(r"Option '(.*)' does not take a value\.?", text):
        return f"{found[1]} takes no value; leave out = and what is behind it"
    if found := re.fullmatch(r"Option '(.*)' requires an argument\.?", text):
        return f"{found[1]} needs a value behind it"
    return text


def with_options(message: str, arguments: list[str]) -> str:
    """A message of the library, in which parameters are named as the options that were typed.

    Examples
    --------
    >>> with_options("smoothing is 'x'; it must be katz", ["train", "--smoothing", "x"])
    "--smoothing is 'x'; it must be katz"
    >>> with_options("leave out min_count", ["train", "--min-count=2"])
    'leave out --min-count'
    """
    for word in arguments:
        if not word.startswith("--") or len(word) < 4:
            continue
        option = word.split("=")[0]
        name = option[2:].replace("-", "_")
        if "_" in name:
            message = re.sub(rf"(?<![-\w]){re.escape(name)}\b", option, message)
        elif message.startswith(f"{name} "):
            message = f"--{message}"
    return message


def with_remedy(error: RecordError, arguments: list[str]) -> str:
    """What is wrong with a row, with what to type: the option of this verb, or the verb that reads logs of other tools.

    Examples
    --------
    >>> error = RecordError("'text' is null; it must be text. Remove such rows, or choose")
    >>> with_remedy(error, ["score", "kt", "a.jsonl"])
    "'text' is null; it must be text. Leave such rows out with --on-bad skip, or choose"
    """
    from bitmeter.hosts.logs.reading import tool_of
    from bitmeter.text.corpus.readers import REMOVE

    message = str(error)
    if arguments[:1] == ["score"]:
        message = message.replace(REMOVE, "Leave such rows out with --on-bad skip")
    path = Path(error.path) if error.path else None
    tool = tool_of(path) if path is not None and path.is_file() else ""
    if tool:
        typed = f"bitmeter runs import {shlex.quote(str(path))}"
        message += f". This is a log of {tool}, which has its figures already: {typed}"
    return message


def _value(name: str, what: str) -> str:
    """What is wrong with the value of an option, which begins with the option."""
    for pattern, words in _VALUES:
        if re.fullmatch(pattern, what, re.DOTALL):
            return f"{name} {re.sub(pattern, words, what, flags=re.DOTALL)}"
    key = name.lstrip("-").replace("-", "_")
    if what.startswith(f"{key} is "):
        return f"{name} {what.removeprefix(key).lstrip()}"
    return what if name in what else f"{name}: {what}"


def _parameters(error: Any) -> list[Any]:
    return [] if error.ctx is None else list(error.ctx.command.params)


def _metavar(error: Any, name: str) -> str:
    """What stands for the value of an argument or option in the help."""
    for parameter in _parameters(error):
        if name in (parameter.name, *parameter.opts):
            return str(parameter.metavar or parameter.name.upper())
    return name.lstrip("-").upper()


def _usage_line(error: Any) -> str:
    """The command with the words and the options that it needs; the other options are in the help."""
    if error.ctx is None:
        return "bitmeter COMMAND"
    words = [word for word in error.ctx.command.collect_usage_pieces(error.ctx) if word != "[OPTIONS]"]
    for parameter in _parameters(error):
        if parameter.required and parameter.param_type_name == "option":
            words += [min(parameter.opts, key=len), str(parameter.metavar or parameter.name.upper())]
    return " ".join([error.ctx.command_path, *words])
