"""Whether a server's log-probabilities are those of the tokens beside which they stand.

Some servers shift them by one token, or pair a token with the prediction that follows it. Two things show that,
whatever the model: where only the last token of a prompt changes, its log-probability changes and no other does; and a
token that the server writes itself has the same log-probability when it is sent back as the end of the prompt.
"""

from __future__ import annotations

from collections.abc import Sequence

from bitmeter.errors import ModelError
from bitmeter.models.causal.endpoint.answers import Answer, Written

__all__ = ["BEGINNINGS", "ENDINGS", "check_endings", "check_written"]

#: What the probes begin with, and the words with which each ends.
BEGINNINGS = "The cat sat on the mat and the dog lay on the"
ENDINGS = (" floor", " old", " 7", ";")
#: Nats by which a server may differ from itself: arithmetic of few bits depends on what else it computes.
_NOISE = 0.1
#: Nats within which the log-probabilities of all endings would be called the same.
_SAME = 0.05


def check_endings(answers: Sequence[Answer], name: str) -> None:
    """Refuse values that change before the first other token, or do not change with it.

    Parameters
    ----------
    answers
        To prompts that differ in their ends only.
    name
        The server's, for messages.
    """
    first, *others = answers
    moved = []
    for other in others:
        same = _common(first, other)
        pairs = zip(first.logprobs[1:same], other.logprobs[1:same], strict=True)
        for index, (a, b) in enumerate(pairs, 1):
            if abs((a or 0.0) - (b or 0.0)) > _NOISE * (1.0 + abs(a or 0.0)):
                message = (
                    f"{name} gave token {index} of a prompt another log-probability ({a:.4g} and {b:.4g}) when only a "
                    "later token was changed: its log-probabilities are shifted by a token, or it looks ahead; they "
                    "cannot be used"
                )
                raise ModelError(message, value=name, index=index)
        if same < min(len(first.logprobs), len(other.logprobs)):
            moved.append(abs((first.logprobs[same] or 0.0) - (other.logprobs[same] or 0.0)))
    if moved and max(moved) < _SAME:
        message = (
            f"{name} gave the same log-probability whatever the last token of a prompt was: its log-probabilities are "
            "shifted by a token and cannot be used"
        )
        raise ModelError(message, value=name)


def _common(first: Answer, second: Answer) -> int:
    """How many tokens two prompts share."""
    keys = [list(zip(answer.ids, answer.pieces, strict=True)) for answer in (first, second)]
    count = 0
    for a, b in zip(*keys, strict=False):
        if a != b:
            break
        count += 1
    return max(1, count)


def check_written(pairs: Sequence[tuple[Written, float]], name: str) -> bool:
    """Refuse a server that gives its own tokens other log-probabilities in a prompt; False where nothing was compared.

    Parameters
    ----------
    pairs
        Tokens that it wrote, and what they cost as the last token of a prompt.
    name
        The server's, for messages.
    """
    wrong = [(written, value) for written, value in pairs if abs(value - written.logprob) > _bound(written.logprob)]
    if len(wrong) * 2 > len(pairs):
        written, value = wrong[0]
        message = (
            f"{name} wrote the token {written.piece!r:.40} with the log-probability {written.logprob:.4g}, but gives "
            f"it {value:.4g} as the last token of the same prompt: its log-probabilities are not those of the tokens "
            "beside which they stand, and cannot be used"
        )
        raise ModelError(message, value=name)
    return bool(pairs)


def _bound(logprob: float) -> float:
    return _NOISE * (1.0 + abs(logprob))
