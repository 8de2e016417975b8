"""Units as bytes, laid over the text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.errors import FileFormatError
from bitmeter.measure.audit.tables.pieces import Laid, lay, piece_ways, tokenizer_bytes

ONE = np.array([0])


def laid(units: list[Any], text: str | bytes, starts: Any = ONE, first: Any = None) -> Laid:
    data = text.encode() if isinstance(text, str) else text
    return lay([u.encode() if isinstance(u, str) else u for u in units], data, np.asarray(starts), first)


def spans(found: Laid) -> list[tuple[int, int]]:
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


@given(st.lists(st.binary(min_size=1, max_size=5), min_size=1, max_size=20))
def test_units_that_join_to_the_text_lie_side_by_side(units: list[bytes]) -> None:
    found = laid(list(units), b"".join(units))
    assert [b"".join(units)[a:b] for a, b in spans(found)] == units
    assert found.faults == 0


def test_the_space_before_a_document_is_the_tokenizers() -> None:
    found = laid([" to", " be", " or", " not"], "to beor not", starts=[0, 5])
    assert (found.led, found.extra) == ([0, 2], [])
    assert spans(found) == [(0, 2), (2, 5), (5, 7), (7, 11)]
    alone = laid([" ", "to"], "to")
    assert (alone.led, spans(alone)) == ([0], [(0, 0), (0, 2)])


def test_spaces_too_many_and_too_few() -> None:
    found = laid(["to", " be", "or"], "tobe or")
    assert (found.extra, found.missing, found.broken) == ([1], [2], None)
    assert spans(found)[-1][1] == len("tobe or")


def test_special_tokens_have_no_bytes_unless_the_text_has_them() -> None:
    found = laid(["<s>", "a", "<|endoftext|>", ""], "a")
    assert found.special == [0, 2, 3]
    assert laid(["<s>", "a"], "<s>a").special == []


def test_replacement_characters_share_what_lies_between() -> None:
    found = laid(["a", "\ufffd", "\ufffd", "b"], "aéb")
    assert found.replaced == [1, 2]
    assert spans(found) == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert spans(laid(["\ufffd"], "€")) == [(0, 3)]
    assert laid(["\ufffd"], "\ufffd").replaced == []


def test_what_is_not_there_stops_it() -> None:
    found = laid(["to", " be", " that"], "to be this")
    assert found.broken == (2, 5)
    assert laid(["\ufffd", "zzz"], "é" + "x" * 100).broken == (0, 0)


def test_documents_of_the_table_begin_where_those_of_the_text_do() -> None:
    found = laid(["a", "c"], "abc", starts=[0, 2], first=np.array([0, 1]))
    assert spans(found) == [(0, 1), (2, 3)]


def test_ways_to_write_units() -> None:
    read = {name: way() for name, way in piece_ways(["▁a", "<0x0A>", "Ġ"], "t").items()}
    assert read["text"][0] == "▁a".encode()
    assert read["SentencePiece's form (▁, <0x0A>)"][:2] == [b" a", b"\n"]
    assert read["the byte-level alphabet (Ġ)"][2] == b" "
    assert piece_ways([b"a"], "t")["bytes"]() == [b"a"]
    assert piece_ways([[0xC3, 0xA9]], "t")["lists of bytes"]() == ["é".encode()]
    with pytest.raises(FileFormatError, match="row 2"):
        piece_ways(["a", 3], "t")
    with pytest.raises(FileFormatError, match="list of bytes"):
        piece_ways([[999]], "t")["lists of bytes"]()


def test_ids_by_a_tokenizer() -> None:
    assert tokenizer_bytes(np.array([1, 0]), [b"a", None], "t") == [b"", b"a"]
    with pytest.raises(FileFormatError, match="row 2 is 7"):
        tokenizer_bytes(np.array([0, 7]), [b"a"], "t")
