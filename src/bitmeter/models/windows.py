"""Windows over long texts: which tokens a model sees at once, and which of them are scored.

A window is a span of a document that the model sees at once, perhaps after a token for the beginning of a text. Each
window scores its last tokens only; those before them are context.
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
    "plan_answers",
    "plan_windows",
    "settle_windowing",
]

Ints = NDArray[np.int64]

#: Kinds of windows, with their descriptions.
KINDS = {
    "full": "all of the document before is seen; by a model that learns as it reads, all documents before it, too",
    "sliding": "windows of {window:,} tokens, each {stride:,} further; every token is scored once, with at least "
    "{least:,} before it where the document has them",
    "disjoint": "windows of {window:,} tokens that share nothing",
    "rolling": "windows of {window:,} tokens that follow each other with one token of context; the last is filled up "
    "from behind",
    "half": "disjoint windows of {window:,} tokens, of which only the second half is scored; what does not fill a "
    "window at the end is dropped",
}

#: Where BOS stands. "window": before each window that begins a text, as `first` says. "tokenizer": instead of the
#: first token of each window, if the tokenizer adds BOS by itself, and only then (llama.cpp). "twice": before a BOS
#: that the tokenizer has added by itself, which is then scored too (lm-eval). "pair": before an answer whose context is
#: empty, and before a context only if the tokenizer adds BOS by itself (lm-eval).
BOS_RULES = ("window", "tokenizer", "twice", "pair")
#: Kinds of windows that imply another rule than "window", because they reproduce a tool's.
_BOS_OF_KIND = {"half": "tokenizer", "rolling": "twice"}

#: The same if the model decides the length of a window.
_UNSET = {
    "sliding": "windows as long as the model sees, each half of that further; every token is scored once",
    "disjoint": "windows as long as the model sees that share nothing",
    "rolling": "windows that follow each other with one token of context",
    "half": "disjoint windows, of which only the second half is scored",
    "file": "a model that learns as it reads begins afresh with each file",
}

_SLIDING = re.compile(r"([1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")
_NAMED = re.compile(r"(disjoint|rolling|half)(?:\.([1-9][0-9]{0,8}))?")
#: llama.cpp's own window where none is asked for.
_HALF_WINDOW = 512
#: Tokens of a window without a bound.
_NO_BOUND = 1 << 60


@dataclass(frozen=True, slots=True)
class Windowing:
    """How long documents are laid out in windows.

    Attributes
    ----------
    kind
        One of `KINDS`.
    window
        Tokens per window, including the one before the text; 0 for no bound.
    stride
        How many tokens are new in each window after the first.
    prefix
        The id of the token before a text; None for no token.
    bos
        One of `BOS_RULES`.
    lead
        All tokens before a text, the prefix first, where there are several.
    """

    kind: str = "full"
    window: int = 0
    stride: int = 0
    prefix: int | None = None
    bos: str = "window"
    lead: tuple[int, ...] = ()

    @property
    def before(self) -> tuple[int, ...]:
        """The tokens before a text."""
        return self.lead or (() if self.prefix is None else (self.prefix,))

    def __str__(self) -> str:
        if self.kind == "full":
            return "full"
        return f"{self.window}.{self.stride}" if self.kind == "sliding" else f"{self.kind}.{self.window}"


def parse_context(ctx: Any) -> tuple[str, int, int]:
    """The requested kind, window and stride; 0 if the model decides.

    Examples
    --------
    >>> parse_context("1024.512"), parse_context("half")
    (('sliding', 1024, 512), ('half', 0, 0))
    """
    if not isinstance(ctx, str):
        message = f"ctx is {shown(ctx)}; it must be a string such as '1024.512' or 'full'"
        raise InputTypeError(message, value=ctx)
    if ctx in ("full", "auto", "file"):
        return ("sliding" if ctx == "auto" else ctx), 0, 0
    if found := _SLIDING.fullmatch(ctx):
        window, stride = int(found[1]), int(found[2])
        if stride > window:
            message = f"ctx is {ctx}: a stride of {stride} in windows of {window} would leave tokens out; use {window}"
            raise ChoiceError(message, value=ctx)
        return "sliding", window, stride
    if found := _NAMED.fullmatch(ctx):
        return found[1], int(found[2] or 0), 0
    message = (
        f"ctx is {ctx!r:.40}; it can be WINDOW.STRIDE such as 1024.512 (both in tokens), full, disjoint, rolling or "
        "half, the last three also with a window, such as half.512; or file, for a model that learns as it reads"
    )
    raise ChoiceError(message, value=ctx)


def context_in_words(ctx: str) -> str:
    """What a context means; "" if it is not valid.

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


def settle_windowing(
    ctx: str,
    context: int | None,
    prefix: int | None,
    name: str,
    bos: str = "window",
    lead: tuple[int, ...] = (),
) -> Windowing:
    """The windowing that a model with this context uses for `ctx`.

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
    lead
        All tokens before a text, where there are several.
    """
    kind, window, stride = parse_context(ctx)
    if kind == "file":
        message = f"{name} sees windows of a text; ctx can be 'file' for a model that learns as it reads (--ctx)"
        raise ModelError(message, value=ctx)
    if kind == "full" or (ctx == "auto" and context is None):
        return Windowing("full", context or 0, 0, prefix, bos, lead)
    if not window:
        if context is None:
            message = f"{name} sees any length, so {ctx} needs a window: {ctx}.1024"
            raise ModelError(message, value=ctx)
        window = min(context, _HALF_WINDOW) if kind == "half" else context
    if context is not None and window > context:
        message = f"{name} sees {context:,} tokens at once, so a window of {window:,} is too long (--ctx {ctx})"
        raise ModelError(message, value=ctx)
    before = len(lead) or int(prefix is not None)
    room = window - before
    if kind == "disjoint":
        stride = room
    elif kind == "sliding":
        stride = stride or max(1, min(window // 2, room))
    if window < (4 if kind == "half" else 2) or room < 1 or (kind == "sliding" and stride > room):
        message = (
            f"a window of {window} tokens{f' with {before} before the text' if before else ''} has no room for "
            f"{ctx}; give a longer window or a shorter stride"
        )
        raise ModelError(message, value=ctx)
    return Windowing(kind, window, stride, prefix, bos, lead)


@dataclass(frozen=True, slots=True)
class Plan:
    """The windows over some documents: window i sees tokens [start, stop) and scores [first, stop).

    Attributes
    ----------
    start, first, stop
        Offsets into the ids of the documents, one entry per window.
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
        """Which tokens no window scores."""
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


def plan_answers(
    windowing: Windowing, bounds: Ints, context: Ints, name: str = "the model", *, adds_bos: bool = False
) -> Plan:
    """Lay one window over each document of a context and an answer, of which the answer is scored.

    A context that is too long is cut on its left. An answer that does not fit into one window is scored in several, as
    any document.

    Parameters
    ----------
    windowing
        Of the kind "full", "sliding" or "rolling"; the last sees one token more, as lm-eval does.
    bounds
        Where documents begin and end.
    context
        How many tokens of each document are its context.
    name
        The model's, for messages.
    adds_bos
        Whether the tokenizer puts BOS before a text.

    Examples
    --------
    >>> plan = plan_answers(Windowing("sliding", 4, 2, None), np.array([0, 7, 10]), np.array([5, 2]))
    >>> list(zip(plan.start.tolist(), plan.first.tolist(), plan.stop.tolist()))
    [(3, 5, 7), (7, 9, 10)]
    """
    if windowing.kind in ("half", "disjoint"):
        message = (
            f"windows of the kind {windowing.kind} leave contexts out, so answers would not be given them; use "
            "WINDOW.STRIDE, full or rolling (--ctx)"
        )
        raise ModelError(message)
    begin, end = bounds[:-1], bounds[1:]
    room = (windowing.window or _NO_BOUND) + (windowing.kind == "rolling")
    led = np.full(len(begin), windowing.prefix is not None)
    if windowing.bos == "pair":
        fits = end - begin + 1 <= room
        led &= (context == 0) | (adds_bos & fits)
    start = np.maximum(begin, end - room + led)
    first = begin + context
    # Without anything before it, a token cannot be predicted.
    first = np.where(~led & (context == 0), first + 1, first)
    whole = (start <= first - ~led) & (end > begin + context)
    if windowing.kind == "full":
        whole &= start == begin  # the others are too long, which is an error
    rows = [np.column_stack([start, np.minimum(first, end), end, led, np.arange(len(begin))])[whole]]
    for document in np.flatnonzero(~whole & (end > begin + context)).tolist():
        inner = _document(windowing, int(begin[document]), int(end[document]), document, name)
        inner[:, 1] = np.maximum(inner[:, 1], begin[document] + context[document])
        rows.append(inner[inner[:, 1] < inner[:, 2]])
    table = np.concatenate(rows).astype(np.int64)
    table = table[np.argsort(table[:, 4], kind="stable")]
    starts, firsts, stops, leads, documents = np.ascontiguousarray(table.T)
    return Plan(starts, firsts, stops, leads.astype(np.bool_), documents)


def _document(windowing: Windowing, begin: int, end: int, document: int, name: str) -> Ints:
    """Rows of start, first, stop, led, document."""
    size = end - begin
    led = windowing.prefix is not None
    if windowing.kind == "full":
        if windowing.window and size + len(windowing.before) > windowing.window:
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
        local = _sliding(windowing.window - len(windowing.before), windowing.stride, size)
        leads = np.full(len(local), led)
    # Without a token before it, the first token of a window cannot be predicted.
    bare = ~(leads & led)
    local[:, 1] = np.where(bare, np.maximum(local[:, 1], local[:, 0] + 1), local[:, 1])
    local[:, 1] = np.minimum(local[:, 1], local[:, 2])
    owner = np.full(len(local), document)
    return np.column_stack([local + begin, leads & led, owner]).astype(np.int64)


def _sliding(room: int, stride: int, size: int) -> Ints:
    """The first window full, then each `stride` further, the last one as long as the document is."""
    count = 1 if size <= room else 1 + -(-(size - room) // stride)
    start = np.arange(count, dtype=np.int64) * stride
    stop = np.minimum(start + room, size)
    first = np.concatenate(([0], stop[:-1]))
    return np.column_stack([start, first, stop])


def _rolling(window: int, size: int) -> Ints:
    """Each window scores all its tokens but the first, its context; the last one reaches back to be full."""
    stop = np.minimum((np.arange(-(-size // window), dtype=np.int64) + 1) * window, size)
    first = np.concatenate(([0], stop[:-1]))
    start = np.where(np.arange(len(stop)) == 0, 0, np.maximum(stop - window - 1, 0))
    return np.column_stack([start, first, stop])


def _half(window: int, size: int, *, led: bool) -> Ints:
    """Whole windows only. A token before the text replaces the window's first."""
    count = (size + led) // window
    start = np.arange(count, dtype=np.int64) * window
    first = start + window // 2 + (0 if led else 1)
    return np.column_stack([start, first, start + window - led])
