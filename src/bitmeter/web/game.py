"""Shannon's guessing game: models guess the letters of passages that the reader guesses, too."""

from __future__ import annotations

import math
import re
import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter.models.protocols import Predictor
from bitmeter.text.corpus.sample import sample_parts
from bitmeter.theory.guessing import guess_bounds

__all__ = ["LETTERS", "Passage", "game", "passages"]

#: Shannon's 27 letters: those of English, and the space.
LETTERS = " abcdefghijklmnopqrstuvwxyz"
_SHOWN, _ASKED, _PASSAGES = 160, 120, 6
_BYTES = np.frombuffer(LETTERS.encode(), dtype=np.uint8).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Passage:
    """What is shown, and what is to be guessed, in Shannon's letters."""

    shown: str
    asked: str


def _plain(text: str) -> str:
    """A text in 27 letters."""
    return re.sub("[^a-z]+", " ", text.lower()).strip()


@cache
def passages() -> tuple[Passage, ...]:
    """Passages of the Python reference that no player has read, the same on every call.

    Examples
    --------
    >>> found = passages()
    >>> len(found), {one.shown[-1] for one in found}, {len(one.asked) for one in found}
    (6, {' '}, {120})
    """
    rest = sample_parts()[1].decode()
    prose = [_plain(part) for part in re.split(r"\n(?=[A-Z])", rest) if _is_prose(part)]
    size = _SHOWN + _ASKED
    long = [part for part in prose if len(part) >= size]
    chosen = [long[k * len(long) // _PASSAGES] for k in range(_PASSAGES)]
    cuts = [part.rfind(" ", 0, _SHOWN) + 1 for part in chosen]
    return tuple(Passage(part[:cut], part[cut : cut + _ASKED]) for part, cut in zip(chosen, cuts, strict=True))


def _is_prose(part: str) -> bool:
    letters = sum(letter.isalpha() or letter == " " for letter in part)
    return len(part) > 300 and letters > 0.9 * len(part) and "  " not in part.strip()


_LOCK = threading.Lock()


@cache
def _players() -> dict[str, Predictor]:
    """The models: each has read the first part of the reference, but kt, which reads the passage alone."""
    from bitmeter.models.ngram.model import NGram
    from bitmeter.models.registry import resolve
    from bitmeter.models.universal.model import Universal

    train = _plain(sample_parts()[0].decode()).encode()
    kt = resolve("kt")
    assert isinstance(kt, Predictor), "kt predicts"
    return {
        "kt": kt,
        "6-gram": NGram(6, units="bytes").fit(train),
        "universal": Universal("small").with_prime(train),
    }


def _guesses(model: Predictor, passage: Passage) -> tuple[list[int], list[float]]:
    """At which guess each asked letter was right, and what it cost in bits, among the 27 letters."""
    stepper, outcomes = model.stepper(), model.outcomes
    entries = outcomes.index(_BYTES)
    stepper.begin()
    guesses: list[int] = []
    bits: list[float] = []
    for place, letter in enumerate(passage.shown + passage.asked):
        if place >= len(passage.shown):
            row: Floats = np.asarray(stepper.predict())[entries]
            share = row - math.log(np.exp(row).sum())
            own = LETTERS.index(letter)
            # Letters that are equally likely are guessed in their order.
            guesses.append(1 + int((share > share[own]).sum()) + int((share[:own] == share[own]).sum()))
            bits.append(float(-share[own] / math.log(2.0)) + 0.0)
        stepper.take(ord(letter))
    return guesses, bits


@cache
def _played(number: int) -> dict[str, Any]:
    passage = passages()[number]
    players = []
    for name, model in _players().items():
        guesses, bits = _guesses(model, passage)
        bounds = guess_bounds(guesses)
        players.append(
            {
                "name": name, "guesses": guesses, "bits": [round(cost, 6) for cost in bits],
                "low": bounds.low, "high": bounds.high, "cross_entropy": math.fsum(bits) / len(bits),
            }
        )  # fmt: skip
    return {"shown": passage.shown, "asked": passage.asked, "letters": LETTERS, "players": players}


def game(number: int) -> dict[str, Any]:
    """A passage with the guesses of the models, each with its bounds and its cross-entropy in bits per letter."""
    with _LOCK:
        return _played(number)
