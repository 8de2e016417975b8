"""The tokens of a prompt: the server's must give the text back, a tokenizer's must be the server's."""

from __future__ import annotations

import numpy as np
import pytest

from bitmeter.errors import ModelError
from bitmeter.models.causal.endpoint.answers import Answer
from bitmeter.models.causal.endpoint.tokens import ServerTokens, check_pieces, tokenizer_files
from tests.models.networks import TINY


def answer(*pieces: bytes) -> Answer:
    return Answer(pieces, (None,) * len(pieces), (None, *[-1.0] * (len(pieces) - 1)))


def test_a_servers_tokens_are_checked_before_they_are_used() -> None:
    given = {"ab": answer(b"a", b"b"), "cd": answer(b"c", b"x")}

    def ask(prompts, check):  # type: ignore[no-untyped-def]
        found = [given[prompt] for prompt in prompts]
        for place, one in enumerate(found):
            check(place, one)
        return found

    units = ServerTokens("s", ask)
    assert units.split(b"ab").ids.tolist() == [1, 2]  # 0 is the token before a text
    assert units.text_of(np.array([1, 2])) == "ab"
    with pytest.raises(ModelError, match="do not join"):
        units.split(b"cd")


def test_pieces_of_another_tokenizer() -> None:
    found = Answer((b"the", b" cat", b"x"), (0, 1, 2), (None, -1.0, -1.0))
    check_pieces(found, (b"the", b" cat", b"y"), "s")  # one of three may differ
    with pytest.raises(ModelError, match="another tokenizer"):
        check_pieces(found, (b"a", b"b", b"y"), "s")


def test_names_of_special_tokens_in_a_text() -> None:
    plain, named = (tokenizer_files(TINY, special=special)[0] for special in (False, True))
    assert len(plain.split(b"<|endoftext|>").ids) > 1 == len(named.split(b"<|endoftext|>").ids)
    assert plain.fingerprint != named.fingerprint
