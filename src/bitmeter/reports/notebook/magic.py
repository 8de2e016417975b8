"""The cell magic %%bitmeter: the text of a cell, scored. `%load_ext bitmeter` registers it."""

from __future__ import annotations

import argparse
import shlex
from importlib import import_module
from typing import Any, NoReturn

from bitmeter.errors import BitmeterError, InputError
from bitmeter.measure.score import Score
from bitmeter.measure.scoring import score
from bitmeter.measure.trace.trace import Trace
from bitmeter.text.corpus.corpus import Corpus

__all__ = ["measure_cell", "register"]

#: The options that are those of `score`.
_CONVENTIONS = ("like", "first", "eos", "oov", "norm", "ctx")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong by an exception: a notebook must not be ended."""

    def error(self, message: str) -> NoReturn:
        wrong = f"{message}; type: %%bitmeter MODEL [--docs line] [--by word] [--like TOOL] [-o NAME]"
        raise InputError(wrong)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="%%bitmeter", add_help=False, allow_abbrev=False)
    parser.add_argument("model", nargs="?", default="universal")
    parser.add_argument("--docs", default="file", choices=("file", "line", "blank"))
    parser.add_argument("--by", default=None)
    parser.add_argument("-o", "--output", default=None)
    for name in _CONVENTIONS:
        parser.add_argument(f"--{name}", default=None)
    return parser


def measure_cell(line: str, cell: str, names: dict[str, Any] | None = None) -> Score | Trace:
    r"""Score the text of a cell.

    Parameters
    ----------
    line
        What stands after %%bitmeter: a model (universal if none is named), `--docs line|blank|file`, `--by UNIT` for a
        trace of words, sentences or others instead of the score, the conventions `--like`, `--first`, `--eos`,
        `--oov`, `--norm`, `--ctx`, and `-o NAME` to keep the result in a variable.
    cell
        The text.
    names
        The variables of the notebook: a model may be one of them, and -o sets one.

    Examples
    --------
    >>> measure_cell("uniform", "to be\n").bits_per_byte
    8.0
    >>> measure_cell("uniform --by word", "to be\n").units
    [b'to', b' be\n']
    """
    asked = _parser().parse_args(shlex.split(line))
    known = {} if names is None else names
    chosen = {name: value for name in _CONVENTIONS if (value := getattr(asked, name)) is not None}
    model = known.get(asked.model, asked.model)
    found: Score | Trace = score(model, Corpus.from_text(cell, docs=asked.docs, name="cell"), **chosen)
    if asked.by is not None:
        assert isinstance(found, Score)
        by = asked.by.removesuffix("s")
        found = found.trace.group(int(by) if by.isdecimal() else by)
    if asked.output is not None:
        if not asked.output.isidentifier():
            message = f"-o is {asked.output!r}; it must be the name of a variable"
            raise InputError(message, value=asked.output)
        known[asked.output] = found
    return found


def register(shell: Any) -> None:
    """Register the magic with a shell of IPython."""
    usage_error = import_module("IPython.core.error").UsageError

    def bitmeter(line: str, cell: str) -> Any:
        """Score the text of this cell: %%bitmeter MODEL [--docs line] [--by word] [--like TOOL] [-o NAME]."""
        try:
            return measure_cell(line, cell, shell.user_ns)
        except (BitmeterError, ValueError) as error:  # ValueError: a quote that is not closed
            raise usage_error(str(error)) from error

    shell.register_magic_function(bitmeter, magic_kind="cell", magic_name="bitmeter")
