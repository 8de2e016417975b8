"""The command line: one short file a verb.

Results go to stdout and progress to stderr. Exit codes: 0, 1 (a fault), 2 (usage), 130 (interrupted). Nothing heavy is
imported before a verb runs, so that `bitmeter --help` answers at once.
"""

from __future__ import annotations

import errno
import os
import sys

from bitmeter.errors import BitmeterError

TYPE_CHECKING = False  # as typing has it, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from bitmeter.cli.verbs import app

__all__ = ["app", "main"]

#: What the system says where stdout is a file on a full disk.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def __getattr__(name: str) -> Any:
    if name == "app":
        from bitmeter.cli.verbs import app

        return app
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code.

    Parameters
    ----------
    arguments
        The words after `bitmeter`; those of the process if None.
    """
    sys.exit(_run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    code: Any = 0
    try:
        from bitmeter.cli.quick import quickly

        if not quickly(arguments):
            code = sys.modules[__name__].app(arguments, prog_name="bitmeter", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone: `bitmeter learn | head`.
        _silence()
        return 1
    except BitmeterError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        print(f"error: the output cannot be written: {error.strerror}", file=sys.stderr)
        _silence()
        return 1
    except Exception as error:
        return _usage(error)
    return code if isinstance(code, int) else 0


def _silence() -> None:
    """What is left unsaid on stdout must not raise again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage(error: Any) -> int:
    """Show a mistake in the command's words; anything else is a fault of ours and keeps its traceback."""
    if "typer" in sys.modules and isinstance(error, sys.modules["typer"].Abort):
        return 130
    if not (hasattr(error, "show") and hasattr(error, "format_message")):
        raise error
    context = getattr(error, "ctx", None)
    print(f"error: {error.format_message().removeprefix('Invalid value: ')}", file=sys.stderr)
    print(f"Type: {context.command_path if context else 'bitmeter'} --help", file=sys.stderr)
    return int(error.exit_code)
