"""Exercises of the lessons: what is asked, and whether what a reader types answers it.

An exercise is a block fenced as `exercise`: the question, then lines that begin with `answer:`, `check:`, `hint:` and
`solution:`. The answer is a number, with a unit and a tolerance where it has them (`2.694 ± 0.005 bits`), or words of
which any one is right (`yes | it does`). The check is an expression that gives the answer after the lesson's code has
been run; the tests compare the two, so that no answer can be wrong.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bitmeter.errors import InputError

__all__ = ["Answer", "Exercise", "Judgement", "judge", "read_exercise"]

_PARTS = ("answer", "check", "hint", "solution")
_PART = re.compile(rf"^({'|'.join(_PARTS)}): *", re.MULTILINE)
#: How many nats each unit of information has.
_NATS = {"bits": math.log(2), "nats": 1.0, "hartleys": math.log(10)}
_UNITS = {
    "bit": "bits", "bits": "bits", "shannon": "bits", "shannons": "bits", "sh": "bits",
    "nat": "nats", "nats": "nats",
    "hartley": "hartleys", "hartleys": "hartleys", "ban": "hartleys", "bans": "hartleys", "dit": "hartleys",
    "dits": "hartleys",
}  # fmt: skip
#: A unit at the end of what is typed; of what it is the unit ("per letter", "/byte") may follow.
_UNIT = re.compile(rf"(?<![a-z])({'|'.join(sorted(_UNITS, key=len, reverse=True))})(\s*(/|per\b|a\b)\s*[a-z]+)?$")
_INFINITE = re.compile(r"\+?(inf|infinite|infinity|∞)")
#: The longest answer that is read; nothing longer is a number.
_LONGEST = 100
#: How close a number must be where the exercise gives no tolerance.
_EXACT = 1e-9

_READABLE = "Type a number, such as 1.5, 3/2, 2^-3, log2(6) or 25 %, with its unit if you like: 1.5 bits."


@dataclass(frozen=True, slots=True)
class Answer:
    """What is right.

    Attributes
    ----------
    text
        As it is written in the lesson.
    value
        The number; None where words answer the question.
    tolerance
        How far a number may be from it.
    unit
        "bits", "nats" or "hartleys"; None for a number without a unit.
    words
        Any of these is right, where words answer the question.
    """

    text: str
    value: float | None = None
    tolerance: float = 0.0
    unit: str | None = None
    words: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The answer without its tolerance and other wordings."""
        number, _, tolerance = self.text.partition("|")[0].partition("±")
        unit = " ".join(tolerance.split()[1:])
        return f"{number.strip()} {unit}".strip()


@dataclass(frozen=True, slots=True)
class Exercise:
    """A question with its answer.

    Attributes
    ----------
    question, hint, solution
        Prose, as Markdown.
    answer
        What is right.
    check
        An expression that gives the answer in the names of the lesson.
    """

    question: str
    answer: Answer
    check: str
    hint: str
    solution: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an answer is right, and what to say to the reader. What cannot be read is not wrong."""

    kind: Literal["right", "wrong", "unreadable"]
    message: str


def read_exercise(text: str) -> Exercise:
    r"""An exercise as it is written in a lesson.

    Examples
    --------
    >>> block = "How many bits is a coin?\nanswer: 1 bit\ncheck: 1\nhint: Two sides.\nsolution: log₂ 2 = 1."
    >>> read_exercise(block).answer
    Answer(text='1 bit', value=1.0, tolerance=1e-09, unit='bits', words=())
    """
    question, *rest = _PART.split(text)
    names = rest[::2]
    if tuple(names) != _PARTS or not question.strip():
        message = f"an exercise has a question, then {', '.join(_PARTS)}, in this order; found: {', '.join(names)}"
        raise InputError(message, value=text)
    answer, check, hint, solution = (part.strip() for part in rest[1::2])
    return Exercise(question.strip(), _read_answer(answer), check, hint, solution)


def _read_answer(text: str) -> Answer:
    if not re.match(r"[\d.−-]|inf", text):
        return Answer(text, words=tuple(_plain(word) for word in text.split("|")))
    number, found, tolerance = text.partition("±")
    if not found:
        value, unit = _read_number(number)
        return Answer(text, value, _EXACT * max(1.0, abs(value)) if math.isfinite(value) else 0.0, unit)
    width, unit = _read_number(tolerance)
    return Answer(text, _read_number(number)[0], width, unit)


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("-", " ").split()).rstrip(".!")


def judge(exercise: Exercise, typed: str) -> Judgement:
    r"""Whether what was typed answers the exercise.

    Examples
    --------
    >>> coins = read_exercise("Three coins?\nanswer: 3 bits\ncheck: 3\nhint: Add.\nsolution: 1 + 1 + 1.")
    >>> [judge(coins, typed).kind for typed in ("3", "6/2 bits", "2.0794415417 nats", "2", "three")]
    ['right', 'right', 'right', 'wrong', 'unreadable']
    """
    answer = exercise.answer
    if answer.value is None:
        if _plain(typed) in answer.words:
            return Judgement("right", "Right.")
        return Judgement("wrong", "No.")
    try:
        value, unit = _read_number(typed)
    except InputError as error:
        return Judgement("unreadable", str(error))
    if unit is not None and answer.unit is None:
        message = f"The answer is a plain number, not {unit}. Type it without a unit."
        return Judgement("unreadable", message)
    return _judge_number(answer, value, unit)


def _judge_number(answer: Answer, value: float, unit: str | None) -> Judgement:
    own = answer.unit
    if unit is not None and own is not None:
        value *= _NATS[unit] / _NATS[own]
    if _near(answer, value):
        return Judgement("right", f"Right: {answer.shown}.")
    if own is not None and unit is None:
        for other, nats in _NATS.items():
            if other != own and _near(answer, value * nats / _NATS[own]):
                message = f"That is the answer in {other}. Here it is asked in {own}; or type the unit, too."
                return Judgement("wrong", message)
    if _near(answer, -value):
        return Judgement("wrong", "Nearly: only the sign is wrong.")
    return Judgement("wrong", "No.")


def _near(answer: Answer, value: float) -> bool:
    if answer.value is None or math.isinf(answer.value) or math.isinf(value):
        return answer.value == value
    # What is exactly as far away as allowed is near, whatever the last digit of the subtraction.
    return abs(value - answer.value) <= answer.tolerance * (1 + 1e-9)


# ---- numbers as people type them -------------------------------------------------------------------------------------

_OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "log2": math.log2, "ln": math.log, "log10": math.log10, "exp": math.exp, "sqrt": math.sqrt,
}  # fmt: skip


def _read_number(typed: str) -> tuple[float, str | None]:
    """A number and its unit. Small sums are computed: 3/2, 2^-3, log2(6)."""
    text = typed.strip().lower().rstrip("=").removeprefix("=").strip()
    if len(text) > _LONGEST:
        message = f"{len(text)} characters are too long for a number. {_READABLE}"
        raise InputError(message, value=typed)
    unit = None
    if found := _UNIT.search(text):
        unit, text = _UNITS[found[1]], text[: found.start()].strip()
    if _INFINITE.fullmatch(text):
        return math.inf, unit
    percent = 100.0 if text.endswith("%") else 1.0
    for sign, plain in (("−", "-"), ("·", "*"), ("×", "*"), ("÷", "/"), ("^", "**"), ("log₂", "log2"), ("%", " ")):
        text = text.replace(sign, plain)
    try:
        value = _compute(ast.parse(_decimal(text).strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, TypeError, RecursionError, MemoryError) as error:
        message = f"That cannot be read as a number. {_READABLE}"
        raise InputError(message, value=typed) from error
    return value / percent, unit


def _decimal(text: str) -> str:
    """Commas of thousands taken out (10,000), and one that separates decimals as a point (1,5)."""
    text = re.sub(r"(?<![\d,.])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])", lambda found: found[0].replace(",", ""), text)
    return re.sub(r"(?<![\d,.])(\d+),(\d+)(?![\d,.])", r"\1.\2", text)


def _compute(node: ast.expr) -> float:
    """The value of a sum; only numbers, the operators and a few functions, in floating point so that none is large."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        value = float(node.value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _compute(node.operand) * (-1 if isinstance(node.op, ast.USub) else 1)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        value = _OPERATORS[type(node.op)](_compute(node.left), _compute(node.right))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
        if node.func.id not in _FUNCTIONS:
            raise ValueError(node.func.id)
        value = _FUNCTIONS[node.func.id](_compute(node.args[0]))
    else:
        raise ValueError(type(node).__name__)
    if not math.isfinite(value):  # a complex root of a negative number is a TypeError
        raise ValueError(value)
    return value
