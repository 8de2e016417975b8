"""Reads and checks what servers answer about the tokens of a prompt, in either dialect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bitmeter.errors import ModelError

__all__ = ["DIALECTS", "Answer", "AnswerError", "Written", "body_of", "read_answer", "read_written", "writing_body"]

#: vLLM's own field, and the form that OpenAI began.
DIALECTS = ("vllm", "echo")
#: What vLLM sends where JSON has no −inf.
_FLOOR = -9999.0
_BYTES = re.compile(r"bytes:((?:\\x[0-9a-fA-F]{2})+)")


class AnswerError(ModelError):
    """An answer that cannot be used: malformed, or with invalid log-probabilities."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The tokens of a prompt, as the server has them.

    Attributes
    ----------
    pieces
        The bytes of each token; None if the server did not send them.
    ids
        The id of each token; None if the server did not send it.
    logprobs
        ln p of each token given those before; None for the first.
    """

    pieces: tuple[bytes | None, ...]
    ids: tuple[int | None, ...]
    logprobs: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A token that a server wrote, and its log-probability."""

    piece: bytes
    logprob: float


def body_of(dialect: str, model: str, prompt: str | list[int], most: int) -> dict[str, Any]:
    """The request, with `most` tokens to be generated behind the prompt."""
    body: dict[str, Any] = {"model": model, "prompt": prompt, "max_tokens": most, "temperature": 0}
    if dialect == "vllm":
        return body | {"prompt_logprobs": 0}
    return body | {"echo": True, "logprobs": 1}


def writing_body(dialect: str, model: str, prompt: str | list[int]) -> dict[str, Any]:
    """The same, with one token written and its log-probability shown, drawn as the model predicts it."""
    return {**body_of(dialect, model, prompt, 1), "logprobs": 1, "temperature": 1, "seed": 1}


def read_answer(dialect: str, answer: Any, prompt: str | Sequence[int], most: int, name: str) -> Answer:
    """The tokens of the prompt with their log-probabilities, or an error that names what is wrong."""
    try:
        chosen = answer["choices"][0]
        if "message" in chosen and "text" not in chosen:
            message = f"{name} answers as a chat: it gives no log-probabilities of a prompt's tokens"
            raise AnswerError(message, value=name)
        found = _vllm(chosen, prompt, name) if dialect == "vllm" else _echo(chosen, prompt, most, name)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, AnswerError):
            raise
        message = f"{name} answered in another form than that of {dialect} ({type(error).__name__}: {error})"
        raise AnswerError(message, value=name) from error
    for index, value in enumerate(found.logprobs):
        _check(value, index, name)
    if found.logprobs and found.logprobs[0] is not None:
        message = (
            f"{name} gave the log-probability {found.logprobs[0]:.4g} for the first token of a prompt, before which "
            "nothing stands: its log-probabilities are shifted, or it puts a token before the prompt without saying "
            "so; the first must be null"
        )
        raise AnswerError(message, value=found.logprobs[0], index=0)
    return found


def read_written(answer: Any) -> Written | None:
    """The token that a server wrote behind a prompt; None if it does not show one in a known form."""
    try:
        sent = answer["choices"][0]["logprobs"]
        piece, logprob = sent["tokens"][-1], sent["token_logprobs"][-1]
    except (KeyError, IndexError, TypeError):
        return None
    sound = isinstance(piece, str) and isinstance(logprob, float) and _FLOOR < logprob <= 0.0
    return Written(_bytes(piece), logprob) if sound else None


def _check(value: Any, index: int, name: str) -> None:
    if value is None:
        if index == 0:
            return
        message = f"{name} gave null for the log-probability of token {index}; only the first token may lack one"
    elif isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # NaN
        message = f"{name} gave {value!r:.40} for the log-probability of token {index}"
    elif value <= _FLOOR:
        message = (
            f"{name} gave {value} for token {index}: servers send this where a probability is 0 in their arithmetic "
            "(ln 0 = −inf), so the text has no finite perplexity by this server"
        )
    elif value > 1e-4:
        message = f"{name} gave the log-probability {value} for token {index}, which is above 0"
    else:
        return
    raise AnswerError(message, value=value, index=index)


def _vllm(chosen: dict[str, Any], prompt: str | Sequence[int], name: str) -> Answer:
    rows = chosen.get("prompt_logprobs")
    if rows is None:
        message = (
            f"{name} sent no prompt_logprobs: it is not a vLLM server, or they are switched off (try dialect=echo)"
        )
        raise AnswerError(message, value=name)
    known = [None] * len(rows) if isinstance(prompt, str) else list(prompt)
    _same_number(len(rows), len(known), name)
    ids: list[int | None] = []
    pieces: list[bytes | None] = []
    logs: list[float | None] = []
    for index, (row, wanted) in enumerate(zip(rows, known, strict=True)):
        if row is None:
            entry: tuple[int | None, bytes | None, Any] = (wanted, None, None)
        else:
            token = str(wanted) if wanted is not None else _only(row, index, name)
            if token not in row:
                message = f"{name} sent the ids {', '.join(row)} at token {index}, where {token} was asked for"
                raise AnswerError(message, value=token, index=index)
            text = row[token].get("decoded_token")
            entry = (_id(token, index, name), None if text is None else _bytes(text), row[token]["logprob"])
        ids.append(entry[0])
        pieces.append(entry[1])
        logs.append(entry[2])
    if isinstance(prompt, str):
        _fill_first(pieces, prompt.encode())
    return Answer(tuple(pieces), tuple(ids), tuple(logs))


def _id(token: str, index: int, name: str) -> int:
    if not (token.isascii() and token.isdigit() and len(token) < 11):
        message = f"{name} sent {token!r:.40} for the id of token {index}; it must be a whole number"
        raise AnswerError(message, value=token, index=index)
    return int(token)


def _only(row: dict[str, Any], index: int, name: str) -> str:
    if len(row) != 1:
        message = f"{name} sent {len(row)} ids at token {index} and not which of them is in the text"
        raise AnswerError(message, value=len(row), index=index)
    return next(iter(row))


def _fill_first(pieces: list[bytes | None], text: bytes) -> None:
    """vLLM sends nothing for the first token: it is what the others leave of the text."""
    if pieces and pieces[0] is None and None not in pieces[1:]:
        rest = b"".join(piece or b"" for piece in pieces[1:])
        pieces[0] = text[: len(text) - len(rest)] if text.endswith(rest) else None


def _echo(chosen: dict[str, Any], prompt: str | Sequence[int], most: int, name: str) -> Answer:
    sent = chosen.get("logprobs")
    if not sent:
        message = f"{name} sent no log-probabilities with the echo of the prompt; it cannot be used for scoring"
        raise AnswerError(message, value=name)
    pieces, logs = [_bytes(token) for token in sent["tokens"]], list(sent["token_logprobs"])
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
        message = f"{name} sent {found} tokens where there are {wanted}: it adds tokens, or cuts the prompt"
        raise AnswerError(message, value=found)


def _bytes(token: str) -> bytes:
    r"""The bytes of a token as servers write it: "bytes:\xe2\x80" where they are not a whole character."""
    if broken := _BYTES.fullmatch(token):
        return bytes.fromhex(broken[1].replace("\\x", ""))
    return token.encode()
