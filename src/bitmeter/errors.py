"""Every exception that bitmeter raises on purpose.

    BitmeterError
    ├── InputError (also ValueError)        a value that cannot be measured
    │   ├── EmptyError                      nothing to measure
    │   ├── NegativeError                   a probability, count or length below zero
    │   ├── NotFiniteError                  NaN or infinity where a number is needed
    │   ├── NotNormalisedError              probabilities that do not sum to one
    │   ├── ShapeError                      arrays whose shapes do not fit each other
    │   ├── RangeError                      a number outside of what the parameter allows
    │   ├── ChoiceError                     a word that is not among the options
    │   └── UnknownLabelError               a label or context that the distribution does not have
    ├── InputTypeError (also TypeError)     a value of a kind that cannot be read
    ├── ModelError (also ValueError)        a model that cannot be found, loaded or used so
    ├── SignatureError (also ValueError)    a line that is not a signature
    ├── IncomparableError (also ValueError) two figures that must not be compared
    ├── FileFormatError (also ValueError)   a saved run or trace that cannot be read
    ├── SourceError                         a text that cannot be read; knows its path and line
    │   ├── MissingSourceError (also FileNotFoundError)  nothing is there
    │   ├── DamagedSourceError              a compressed or columnar file that is cut short or broken
    │   └── RecordError (also ValueError)   a row without the text that was asked for
    ├── UndefinedError                      the quantity asked for does not exist for this input
    ├── ConvergenceError                    a numerical method did not reach its tolerance
    ├── WorkerError                         a process that did a part of the work was lost, again and again
    └── MissingPackageError (also ImportError)  an optional package is not installed

Whoever catches `BitmeterError` catches them all. Each message says what was found and where, why it matters, and what
to do instead; `index` and `value` hold the place and the offender where there is one.
"""

from __future__ import annotations

TYPE_CHECKING = False  # avoids importing typing, which is slow; type checkers know the name
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "BitmeterError",
    "ChoiceError",
    "ConvergenceError",
    "DamagedSourceError",
    "EmptyError",
    "FileFormatError",
    "IncomparableError",
    "InputError",
    "InputTypeError",
    "MissingPackageError",
    "MissingSourceError",
    "ModelError",
    "NegativeError",
    "NotFiniteError",
    "NotNormalisedError",
    "RangeError",
    "RecordError",
    "ShapeError",
    "SignatureError",
    "SourceError",
    "UndefinedError",
    "UnknownLabelError",
    "WorkerError",
]


class BitmeterError(Exception):
    """The root of all errors that bitmeter raises on purpose.

    Parameters
    ----------
    message
        What was found and where, why it matters, what to do instead.
    index
        The place of the offending entry, where there is one.
    value
        The offending entry itself.
    """

    def __init__(self, message: str, *, index: Any = None, value: Any = None) -> None:
        super().__init__(message)
        self.index = index
        self.value = value


class InputError(BitmeterError, ValueError):
    """A value that cannot be measured."""


class EmptyError(InputError):
    """There is nothing to measure."""


class NegativeError(InputError):
    """A probability, count or length below zero."""


class NotFiniteError(InputError):
    """NaN or infinity where a number is needed."""


class NotNormalisedError(InputError):
    """Probabilities that do not sum to one."""


class ShapeError(InputError):
    """Arrays whose shapes do not fit each other."""


class RangeError(InputError):
    """A number outside of what the parameter allows."""


class ChoiceError(InputError):
    """A word that is not among the options."""


class UnknownLabelError(InputError):
    """A label or context that the distribution does not have."""


class InputTypeError(BitmeterError, TypeError):
    """A value of a kind that cannot be read."""


class ModelError(BitmeterError, ValueError):
    """A model that cannot be found, loaded or used so."""


class SignatureError(BitmeterError, ValueError):
    """A line that is not a signature."""


class IncomparableError(BitmeterError, ValueError):
    """Two figures that must not be compared; `differences` says in what their conventions disagree."""

    def __init__(self, message: str, *, differences: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.differences = differences


class FileFormatError(BitmeterError, ValueError):
    """A saved run or trace that cannot be read."""


class SourceError(BitmeterError):
    """A text that cannot be read.

    Parameters
    ----------
    message
        What was found and where, why it matters, what to do instead.
    path
        The file or address.
    line
        The line or row, counted from one, where there is one.
    """

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        super().__init__(message, index=line, value=path)
        self.path = path
        self.line = line


class MissingSourceError(SourceError, FileNotFoundError):
    """There is no such file, folder or address, or no file in it."""


class DamagedSourceError(SourceError):
    """A compressed or columnar file that is cut short or broken."""


class RecordError(SourceError, ValueError):
    """A row that cannot be read, or that has no text where it was asked for."""


class UndefinedError(BitmeterError):
    """The quantity asked for does not exist for this input."""


class ConvergenceError(BitmeterError):
    """A numerical method did not reach its tolerance."""


class WorkerError(BitmeterError):
    """A process that did a part of the work was lost, again and again, or none could be started."""


class MissingPackageError(BitmeterError, ImportError):
    """An optional package is not installed; the message holds the line to type."""
