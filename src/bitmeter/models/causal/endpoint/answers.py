"""What servers answer about the tokens of a prompt, in either dialect, checked."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bitmeter.errors import ModelError

__all__ = ["DIALECTS", "Answer", "AnswerError", "body_of", "read_answer"]

#: vLLM's own field, and the form that OpenAI began.
DIALECTS = ("vllm", "echo")
#: What vLLM sends where JSON has no −inf.
_FLOOR = -9999.0
_BYTES = re.compile(r"bytes:((?:\\x[0-9a-fA-F]{2})+)")


class AnswerError(ModelError):
    """An answer from which no figure can be had: of another form, or with log-probabilities that are none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The tokens of a prompt, as the server has them.

    Attributes
    ----------
    pieces
        The bytes of each token; None where they were not told.
    ids
        The number of each token; None where it was not told.
    logprobs
        ln p of each token given those before; None for the first.
    """

    pieces: tuple[bytes | None, ...]
    ids: tuple[int | None, ...]
    logprobs: tuple[float | None, ...]


def body_of(dialect: str, model: str, prompt: str | list[int], most: int) -> dict[str, Any]:
    """The request, with `most` tokens to be generated behind the prompt."""
    body: dict[str, Any] = {"model": model, "prompt": prompt, "max_tokens": most, "temperature": 0}
    if dialect == "vllm":
        return body | {"prompt_logprobs": 0}
    return body | {"echo": True, "logprobs": 1}


def read_answer(dialect: str, answer: Any, prompt: str | Sequence[int], most: int, name: str) -> Answer:
    """The tokens of the prompt with their log-probabilities, or an error that names what is wrong."""
    try:
        chosen = answer["choices"][0]
        if "message" in chosen and "text" not in chosen:
            message = f"{name} answers as a chat: it says nothing of the tokens of a text that it is shown"
            raise AnswerError(message, value=name)
        found = _vllm(chosen, prompt, name) if dialect == "vllm" else _echo(chosen, prompt, most, name)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, AnswerError):
            raise
        message = f"{name} answered in another form than that of {dialect} ({type(error).__name__}: {error})"
        raise AnswerError(message, value=name) from error
    for place, value in enumerate(found.logprobs):
        _check(value, place, name)
    return found


def _check(value: Any, place: int, name: str) -> None:
    if value is None:
        if place == 0:
            return
        message = f"{name} gave null for the log-probability of token {place}; only the first token may lack one"
    elif isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        message = f"{name} gave {value!r:.40} for the log-probability of token {place}"
    elif value <= _FLOOR:
        message = (
            f"{name} gave {value} for token {place}: servers send this where a probability is 0 in their arithmetic "
            "(ln 0 = −inf), so the text has no finite perplexity by this server"
        )
    elif value > 1e-4:
        message = f"{name} gave the log-probability {value} for token {place}, which is above 0"
    else:
        return
    raise AnswerError(message, value=value, index=place)


def _vllm(chosen: dict[str, Any], prompt: str | Sequence[int], name: str) -> Answer:
    rows = chosen.get("prompt_logprobs")
    if rows is None:
        message = f"{name} sent no prompt_logprobs: it is no vLLM server, or they are switched off (try dialect=echo)"
        raise AnswerError(message, value=name)
    known = [None] * len(rows) if isinstance(prompt, str) else list(prompt)
    _same_number(len(rows), len(known), name)
    ids: list[int | None] = []
    pieces: list[bytes | None] = []
    logs: list[float | None] = []
    for place, (row, wanted) in enumerate(zip(rows, known, strict=True)):
        if row is None:
            told: tuple[int | None, bytes | None, Any] = (wanted, None, None)
        else:
            number = str(wanted) if wanted is not None else _only(row, place, name)
            if number not in row:
                message = f"{name} tells of the ids {', '.join(row)} at token {place}, where {number} was sent"
                raise AnswerError(message, value=number, index=place)
            text = row[number].get("decoded_token")
            told = (int(number), None if text is None else _bytes(text), row[number]["logprob"])
        ids.append(told[0])
        pieces.append(told[1])
        logs.append(told[2])
    if isinstance(prompt, str):
        _fill_first(pieces, prompt.encode())
    return Answer(tuple(pieces), tuple(ids), tuple(logs))


def _only(row: dict[str, Any], place: int, name: str) -> str:
    if len(row) != 1:
        message = f"{name} tells of {len(row)} ids at token {place} and not which of them stands in the text"
        raise AnswerError(message, value=len(row), index=place)
    return next(iter(row))


def _fill_first(pieces: list[bytes | None], text: bytes) -> None:
    """Of the first token vLLM tells nothing: it is what the others leave of the text."""
    if pieces and pieces[0] is None and None not in pieces[1:]:
        rest = b"".join(piece or b"" for piece in pieces[1:])
        pieces[0] = text[: len(text) - len(rest)] if text.endswith(rest) else None


def _echo(chosen: dict[str, Any], prompt: str | Sequence[int], most: int, name: str) -> Answer:
    told = chosen.get("logprobs")
    if not told:
        message = f"{name} sent no log-probabilities with the echo of the prompt; it cannot be used for scoring"
        raise AnswerError(message, value=name)
    pieces, logs = [_bytes(token) for token in told["tokens"]], list(told["token_logprobs"])
    _same_number(len(pieces), len(logs), name)
    if isinstance(prompt, str):
        text = prompt.encode()
        for extra in range(min(most, len(pieces)) + 1):  # what was generated stands behind the prompt
            if b"".join(pieces[: len(pieces) - extra]).endswith(text):
                pieces = pieces[: len(pieces) - extra]
                break
        if not isinstance(chosen.get("text"), str) or text not in chosen["text"].encode():
            message = f"{name} does not echo the prompt: its log-probabilities are of what it wrote itself"
            raise AnswerError(message, value=name)
    else:
        if len(pieces) <= most and len(prompt) > most:
            message = f"{name} does not echo the prompt: its log-probabilities are of what it wrote itself"
            raise AnswerError(message, value=name)
        if len(pieces) - len(prompt) in range(1, most + 1):
            pieces = pieces[: len(prompt)]
        _same_number(len(pieces), len(prompt), name)
    ids = (None,) * len(pieces) if isinstance(prompt, str) else tuple(prompt)
    return Answer(tuple(pieces), ids, tuple(logs[: len(pieces)]))


def _same_number(found: int, wanted: int, name: str) -> None:
    if found != wanted:
        message = f"{name} tells of {found} tokens where there are {wanted}: it adds tokens, or cuts the prompt"
        raise AnswerError(message, value=found)


def _bytes(token: str) -> bytes:
    r"""The bytes of a token as servers write it: "bytes:\xe2\x80" where they are no whole character."""
    if broken := _BYTES.fullmatch(token):
        return bytes.fromhex(broken[1].replace("\\x", ""))
    return token.encode()
