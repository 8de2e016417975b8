"""Shannon's guessing game: what the models guess."""

from __future__ import annotations

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.theory.guessing import guess_bounds
from bitmeter.web.game import LETTERS, game, passages
from tests.web.serving import client_of


def test_passages_are_of_27_letters_and_unread() -> None:
    from bitmeter.text.corpus.sample import sample_parts

    train = sample_parts()[0].decode().lower()
    assert len({one.asked for one in passages()}) == len(passages())
    for one in passages():
        assert set(one.shown + one.asked) <= set(LETTERS)
        assert one.asked not in train


def test_kt_guesses_by_what_it_counted() -> None:
    """kt's guesses by its definition: counts of all letters before, plus a half; ties in the order of the letters."""
    found = game(0)
    text, guesses, bits = found["shown"], [], []
    for letter in found["asked"]:
        counts = np.array([text.count(one) + 0.5 for one in LETTERS])
        own = LETTERS.index(letter)
        guesses.append(1 + int((counts > counts[own]).sum()) + int((counts[:own] == counts[own]).sum()))
        bits.append(-np.log2(counts[own] / counts.sum()))
        text += letter
    kt = found["players"][0]
    assert kt["name"] == "kt"
    assert kt["guesses"] == guesses
    assert kt["bits"] == pytest.approx(bits, abs=2e-6)


def test_players_have_their_bounds_and_cross_entropy() -> None:
    for player in game(1)["players"]:
        bounds = guess_bounds(player["guesses"])
        assert (player["low"], player["high"]) == (bounds.low, bounds.high)
        assert player["cross_entropy"] == pytest.approx(np.mean(player["bits"]), abs=1e-6)
    costs = {player["name"]: player["cross_entropy"] for player in game(1)["players"]}
    assert max(costs["6-gram"], costs["universal"]) < costs["kt"] < bm.entropy([1 / 27] * 27)


def test_over_http() -> None:
    assert client_of().get("/api/game/1").json() == game(0)
    assert client_of().get(f"/api/game/{len(passages()) + 1}").status_code == 404
