"""How much worse a model may be: bits, or a share of the baseline's."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bitmeter._util.check import real
from bitmeter.errors import InputError

__all__ = ["Allowance", "read_allowance", "read_share"]


@dataclass(frozen=True, slots=True)
class Allowance:
    """By how much a figure may be worse: `amount` bits, or that share of the baseline's figure."""

    amount: float
    relative: bool

    def of(self, figure: float) -> float:
        """The allowance in the unit of a baseline's figure.

        Examples
        --------
        >>> Allowance(0.005, relative=True).of(2.0), Allowance(0.02, relative=False).of(2.0)
        (0.01, 0.02)
        """
        return self.amount * figure if self.relative else self.amount

    def __str__(self) -> str:
        return f"{100.0 * self.amount:g} %" if self.relative else f"{self.amount:g} bits"


def read_allowance(value: object, name: str = "allow") -> Allowance:
    """An allowance from a number, or from text such as "0.5%" or "0.01".

    Examples
    --------
    >>> print(read_allowance("0.5%"), read_allowance(0.01), sep="; ")
    0.5 %; 0.01 bits
    """
    if isinstance(value, str):
        text = value.strip()
        relative = text.endswith("%")
        number = _number(text.removesuffix("%"), value, name, "0.5% or 0.01")
        return Allowance(real(number / 100.0 if relative else number, name, low=0.0), relative)
    return Allowance(real(value, name, low=0.0), relative=False)


def read_share(value: object, name: str) -> float:
    """A share between 0 and 1 from a number, or from text such as "99%" or "0.99".

    Examples
    --------
    >>> read_share("99%", "same_top"), read_share(0.5, "same_top")
    (0.99, 0.5)
    """
    if isinstance(value, str):
        text = value.strip()
        number = _number(text.removesuffix("%"), value, name, "99% or 0.99")
        return real(number / 100.0 if text.endswith("%") else number, name, low=0.0, high=1.0)
    return real(value, name, low=0.0, high=1.0)


def _number(text: str, whole: str, name: str, examples: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        message = f"{name} is {whole!r:.40}; it must be a number or a percentage, such as {examples}"
        raise InputError(message, value=whole)
    return number
