"""How a long text meets a bounded context: which tokens a model sees at once, and which of them it is asked about.

A window is a stretch of a document that the model sees whole, perhaps with a token for the beginning of a text before
it. Each window answers for its last tokens only; what stands before them is context.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import shown
from bitmeter.errors import ChoiceError, InputTypeError, ModelError

__all__ = [
    "BOS_RULES",
    "KINDS",
    "Plan",
    "Windowing",
    "bos_rule",
    "context_in_words",
    "parse_context",
    "plan_windows",
    "settle_windowing",
]

Ints = NDArray[np.int64]

#: What can stand before the numbers of a context, and what it means.
KINDS = {
    "full": "all of the document before is seen",
    "sliding": "windows of {window:,} tokens, each {stride:,} further; every token is scored once, with at least "
    "{least:,} before it where the document has them",
    "disjoint": "windows of {window:,} tokens that share nothing",
    "rolling": "windows of {window:,} tokens that follow each other with one token of context; the last is filled up "
    "from behind",
    "half": "disjoint windows of {window:,} tokens, of which only the second half is scored; what does not fill a "
    "window at the end is dropped",
}

#: Where BOS stands. "window": before each window that begins a text, as `first` says. "tokenizer": in place of the
#: first token of each window, if the tokenizer adds BOS by itself, and only then (llama.cpp). "twice": before a BOS
#: that the tokenizer has added by itself, which is then scored too (lm-eval).
BOS_RULES = ("window", "tokenizer", "twice")
#: Kinds of windows that imply another rule than "window", because they reproduce a tool's.
_BOS_OF_KIND = {"half": "tokenizer", "rolling": "twice"}

#: The same where the model decides how long a window is.
_UNSET = {
    "sliding": "windows as long as the model sees, each half of that further; every token is scored once",
    "disjoint": "windows as long as the model sees that share nothing",
    "rolling": "windows that follow each other with one token of context",
    "half": "disjoint windows, of which only the second half is scored",
}

_NUMBERS = re.compile(r"([1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")
_NAMED = re.compile(r"(disjoint|rolling|half)(?:\.([1-9][0-9]{0,8}))?")
#: llama.cpp's own window where none is asked for.
_HALF_WINDOW = 512


@dataclass(frozen=True, slots=True)
class Windowing:
    """A settled way to read long documents.

    Attributes
    ----------
    kind
        One of `KINDS`.
    window
        How many tokens stand in a window, the one before the text included; 0 for no bound.
    stride
        How many of them are new in each window after the first.
    prefix
        The id of the token that stands before a text, or None for nothing.
    bos
        One of `BOS_RULES`.
    """

    kind: str = "full"
    window: int = 0
    stride: int = 0
    prefix: int | None = None
    bos: str = "window"

    def __str__(self) -> str:
        if self.kind == "full":
            return "full"
        return f"{self.window}.{self.stride}" if self.kind == "sliding" else f"{self.kind}.{self.window}"


def parse_context(ctx: Any) -> tuple[str, int, int]:
    """The kind, window and stride that were asked for; 0 where the model decides.

    Examples
    --------
    >>> parse_context("1024.512"), parse_context("half")
    (('sliding', 1024, 512), ('half', 0, 0))
    """
    if not isinstance(ctx, str):
        message = f"ctx is {shown(ctx)}; it must be a string such as '1024.512' or 'full'"
        raise InputTypeError(message, value=ctx)
    if ctx in ("full", "auto"):
        return ("full" if ctx == "full" else "sliding"), 0, 0
    if found := _NUMBERS.fullmatch(ctx):
        window, stride = int(found[1]), int(found[2])
        if stride > window:
            message = f"ctx is {ctx}: a stride of {stride} in windows of {window} would leave tokens out; use {window}"
            raise ChoiceError(message, value=ctx)
        return "sliding", window, stride
    if found := _NAMED.fullmatch(ctx):
        return found[1], int(found[2] or 0), 0
    message = (
        f"ctx is {ctx!r:.40}; it can be WINDOW.STRIDE such as 1024.512 (both in tokens), full, disjoint, rolling or "
        "half, the last three also with a window, such as half.512"
    )
    raise ChoiceError(message, value=ctx)


def context_in_words(ctx: str) -> str:
    """What a context means; "" where it is none.

    Examples
    --------
    >>> context_in_words("half.512")[:33]
    'disjoint windows of 512 tokens, o'
    """
    try:
        kind, window, stride = parse_context(ctx)
    except ChoiceError:
        return ""
    if not window and kind != "full":
        return _UNSET[kind]
    return KINDS[kind].format(window=window, stride=stride, least=max(1, window - stride - 1))


def bos_rule(ctx: str) -> str:
    """The rule for BOS that a kind of windows implies."""
    return _BOS_OF_KIND.get(parse_context(ctx)[0], "window")


def settle_windowing(ctx: str, context: int | None, prefix: int | None, name: str, bos: str = "window") -> Windowing:
    """What a model with this context makes of what was asked for.

    Parameters
    ----------
    ctx
        As `parse_context` takes it.
    context
        How many tokens the model can see at once; None for no bound.
    prefix
        The token before a text, if there is one.
    name
        The model's, for messages.
    bos
        One of `BOS_RULES`.
    """
    kind, window, stride = parse_context(ctx)
    if kind == "full" or (ctx == "auto" and context is None):
        return Windowing("full", context or 0, 0, prefix, bos)
    if not window:
        if context is None:
            message = f"{name} sees any length, so {ctx} needs a window: {ctx}.1024"
            raise ModelError(message, value=ctx)
        window = min(context, _HALF_WINDOW) if kind == "half" else context
    if context is not None and window > context:
        message = f"{name} sees {context:,} tokens at once, so a window of {window:,} is too long (--ctx {ctx})"
        raise ModelError(message, value=ctx)
    room = window - (prefix is not None)
    if kind == "disjoint":
        stride = room
    elif kind == "sliding":
        stride = stride or max(1, window // 2)
    if window < (4 if kind == "half" else 2) or (kind == "sliding" and stride > room):
        message = (
            f"a window of {window} tokens{' with one before the text' if prefix is not None else ''} has no room for "
            f"{ctx}; give a longer window or a shorter stride"
        )
        raise ModelError(message, value=ctx)
    return Windowing(kind, window, stride, prefix, bos)


@dataclass(frozen=True, slots=True)
class Plan:
    """The windows over some documents: window i sees tokens [start, stop) and answers for [first, stop).

    Attributes
    ----------
    start, first, stop
        Offsets into the ids of the documents, one entry a window.
    led
        Whether the token for the beginning of a text stands before the window.
    document
        To which document each window belongs.
    """

    start: Ints
    first: Ints
    stop: Ints
    led: NDArray[np.bool_]
    document: Ints

    def __len__(self) -> int:
        return len(self.start)

    def skipped(self, size: int) -> NDArray[np.bool_]:
        """Which of the tokens no window answers for."""
        steps = np.zeros(size + 1, dtype=np.int64)
        np.add.at(steps, self.first, 1)
        np.add.at(steps, self.stop, -1)
        return np.asarray(np.cumsum(steps[:-1]) == 0)


def plan_windows(windowing: Windowing, bounds: Ints, name: str = "the model") -> Plan:
    """Lay windows over documents.

    Examples
    --------
    >>> plan = plan_windows(Windowing("sliding", 4, 2, None), np.array([0, 7]))
    >>> list(zip(plan.start.tolist(), plan.first.tolist(), plan.stop.tolist()))
    [(0, 1, 4), (2, 4, 6), (4, 6, 7)]
    """
    rows = []
    for document, (begin, end) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        if end > begin:
            rows.append(_document(windowing, begin, end, document, name))
    if not rows:
        empty = np.zeros(0, dtype=np.int64)
        return Plan(empty, empty, empty, np.zeros(0, dtype=np.bool_), empty)
    table = np.concatenate(rows)
    start, first, stop, led, document = np.ascontiguousarray(table.T)
    return Plan(start, first, stop, led.astype(np.bool_), document)


def _document(windowing: Windowing, begin: int, end: int, document: int, name: str) -> Ints:
    """Rows of start, first, stop, led, document."""
    size = end - begin
    led = windowing.prefix is not None
    if windowing.kind == "full":
        if windowing.window and size + led > windowing.window:
            message = (
                f"document {document} of this block has {size:,} tokens, but {name} sees {windowing.window:,} at once; "
                "leave ctx out (--ctx), or give a window and a stride"
            )
            raise ModelError(message, index=document)
        local = np.array([[0, 0, size]])
        leads = np.array([led])
    elif windowing.kind == "rolling":
        local, leads = _rolling(windowing.window, size), np.zeros(0)
        leads = np.arange(len(local)) == 0
    elif windowing.kind == "half":
        local = _half(windowing.window, size, led=led)
        leads = np.full(len(local), led)
    else:
        local = _sliding(windowing.window - led, windowing.stride, size)
        leads = np.full(len(local), led)
    # Without a token before it, the first token of a window cannot be predicted.
    bare = ~(leads & led)
    local[:, 1] = np.where(bare, np.maximum(local[:, 1], local[:, 0] + 1), local[:, 1])
    local[:, 1] = np.minimum(local[:, 1], local[:, 2])
    number = np.full(len(local), document)
    return np.column_stack([local + begin, leads & led, number]).astype(np.int64)


def _sliding(room: int, stride: int, size: int) -> Ints:
    """The first window full, then each `stride` further, the last one as long as the document is."""
    number = 1 if size <= room else 1 + -(-(size - room) // stride)
    start = np.arange(number, dtype=np.int64) * stride
    stop = np.minimum(start + room, size)
    first = np.concatenate(([0], stop[:-1]))
    return np.column_stack([start, first, stop])


def _rolling(window: int, size: int) -> Ints:
    """Each window answers for all it holds but the one token of context before; the last reaches back to be full."""
    stop = np.minimum((np.arange(-(-size // window), dtype=np.int64) + 1) * window, size)
    first = np.concatenate(([0], stop[:-1]))
    start = np.where(np.arange(len(stop)) == 0, 0, np.maximum(stop - window - 1, 0))
    return np.column_stack([start, first, stop])


def _half(window: int, size: int, *, led: bool) -> Ints:
    """Whole windows only. A token before the text takes the place of the window's first."""
    number = (size + led) // window
    start = np.arange(number, dtype=np.int64) * window
    first = start + window // 2 + (0 if led else 1)
    return np.column_stack([start, first, start + window - led])
