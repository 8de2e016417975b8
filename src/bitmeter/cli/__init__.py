"""The command line: one short file per verb.

Results go to stdout and progress to stderr. Exit codes: 0, 1 (a fault), 2 (usage), 130 (Ctrl-C), 143 (SIGTERM), 129
(SIGHUP), 141 (the reader of a pipe has gone). Nothing heavy is imported before a verb runs, so `bitmeter --help` is
fast.
"""

from __future__ import annotations

import errno
import io
import os
import sys

from bitmeter.errors import BitmeterError, ChoiceError, RecordError, SignatureError

TYPE_CHECKING = False  # not imported from typing, which is slow; type checkers know the name
if TYPE_CHECKING:
    from typing import Any

    from bitmeter.cli.verbs import app

__all__ = ["app", "main"]

#: Errors of writing stdout to a file on a full disk.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def __getattr__(name: str) -> Any:
    if name == "app":
        from bitmeter.cli.verbs import app

        return app
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


#: 128 + SIGPIPE.
_READER_GONE = 141


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code.

    Parameters
    ----------
    arguments
        The arguments after `bitmeter`; those of the process if None.
    """
    sys.exit(_run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    code: Any = 0
    _escape_names()
    _forget()
    try:
        from bitmeter.cli.quick import quickly
        from bitmeter.cli.signals import ended_by_signals

        with ended_by_signals():
            if not quickly(arguments):
                from bitmeter._util.width import terminal_width

                with terminal_width():
                    code = sys.modules[__name__].app(
                        arguments, prog_name="bitmeter", standalone_mode=False, default_map=_defaults(arguments),
                        terminal_width=_help_width(),
                    )  # fmt: skip
        sys.stdout.flush()
        for line in _said():
            print(line, file=sys.stderr)
    except BrokenPipeError:
        # The reader has closed the pipe: `bitmeter learn | head`. As SIGPIPE ends other programs; 1 would be a verdict
        # of `check`.
        _silence()
        return _READER_GONE
    except SystemExit:
        # The parser has met the closed pipe itself, and ends with 1.
        if type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):
            return _READER_GONE
        raise
    except (ChoiceError, SignatureError) as error:  # a word that was typed
        from bitmeter.cli.usage import with_options

        _complain(with_options(str(error), arguments))
        _say(f"Type: bitmeter {arguments[0]} --help" if arguments else "Type: bitmeter --help")
        return 2
    except RecordError as error:
        from bitmeter.cli.usage import with_remedy

        _complain(with_remedy(error, arguments))
        return 1
    except BitmeterError as error:
        _complain(error)
        return 1
    except KeyboardInterrupt:
        return 130
    except ImportError as error:
        if "BITMETER_CPU" not in str(error):
            raise
        _complain(error)
        return 2
    except OSError as error:
        if error.errno in NO_ROOM and error.filename is None:
            print(f"error: the output cannot be written: {error.strerror}", file=sys.stderr)
            _silence()
        else:
            _complain(error)
        return 1
    except MemoryError:
        print("error: there is not enough memory for this; nothing was written", file=sys.stderr)
        return 1
    except Exception as error:
        return _usage(error, arguments)
    return code if isinstance(code, int) else 0


def _help_width() -> int | None:
    """Where lines of the help end at a terminal that is narrower than the parser believes; None elsewhere."""
    from bitmeter._util.width import line_width

    return line_width() - 2 if line_width() < 52 else None


def _said() -> list[str]:
    """What is still to be done and said of the history; nothing, without an import, if no run was remembered."""
    remembering = sys.modules.get("bitmeter.cli.remembering")
    return [] if remembering is None else remembering.said()


def _forget() -> None:
    remembering = sys.modules.get("bitmeter.cli.remembering")
    if remembering is not None:
        remembering.forget()


def _defaults(arguments: list[str]) -> dict[str, dict[str, Any]]:
    """The defaults that files set, by verb. Help and `doctor` are there also if such a file is wrong."""
    from bitmeter.cli.settings import read_settings
    from bitmeter.cli.verbs import VERBS
    from bitmeter.errors import InputError

    if arguments[:1] in ([], ["doctor"]) or {"-h", "--help"} & set(arguments):
        return {}
    try:
        found = read_settings()
    except InputError as error:
        import typer

        raise typer.BadParameter(str(error)) from error
    if found.values and sys.stderr is not None and sys.stderr.isatty():
        print(f"note: defaults from files: {found}", file=sys.stderr)
    return {verb: found.options(verb) for group in VERBS.values() for verb in group} if found.values else {}


def _complain(error: BaseException | str) -> None:
    """Print an error. It may quote a file, whose control characters a terminal would obey."""
    text = "".join(
        char.encode("unicode_escape").decode() if (char < " " and char != "\n") or "\x7f" <= char <= "\x9f" else char
        for char in _for_shell(str(error))
    )
    _say(f"error: {text}")


def _for_shell(message: str) -> str:
    """A message of the library without what to write in Python."""
    if "=" not in message and "(in Python: " not in message:
        return message
    import re

    message = re.sub(r" \(in Python: (?:[^()]|\([^()]*\))*\)", "", message)
    message = re.sub(r"(--[\w-]+) \(\w+=\)", r"\1", message)  # --field (field=)
    return re.sub(r"\b\w+=… \((--[\w-]+)\)", r"\1", message)  # group=… (--group)


def _say(text: str) -> None:
    """Print a line on stderr; at a terminal it is folded between words."""
    if sys.stderr is not None and sys.stderr.isatty():
        import shutil
        import textwrap

        width = max(40, shutil.get_terminal_size().columns)
        text = textwrap.fill(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    print(text, file=sys.stderr)


def _escape_names() -> None:
    """Print characters that the terminal's encoding does not have, such as the names of some files, as escapes."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def _silence() -> None:
    """Send stdout nowhere, so that flushing it at exit does not raise again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage(error: Any, arguments: list[str]) -> int:
    """Print a usage error. Anything else is a bug of ours and keeps its traceback."""
    if "typer" not in sys.modules:
        raise error
    import typer

    if isinstance(error, typer.Abort):
        return 130
    usage_error: Any = typer.BadParameter.__bases__[0]  # typer exports only this subclass
    if not isinstance(error, usage_error):
        raise error
    from bitmeter.cli.usage import command_of, usage_message, with_options

    context = error.ctx
    _complain(with_options(usage_message(error, arguments), arguments))
    _say(f"Type: {context.command_path if context else command_of(arguments)} --help")
    return int(error.exit_code)
