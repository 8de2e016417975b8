"""The catalogue: every set is pinned, or says why it is not fetched."""

from __future__ import annotations

import re

import pytest

import bitmeter as bm
from bitmeter.data.catalogue import SETS, KnownSet, known_part, name_of, split_name

FETCHED = [known for known in SETS.values() if not known.gated]


@pytest.mark.parametrize("known", FETCHED, ids=lambda known: known.name)
def test_what_is_fetched_is_pinned_by_its_archive(known: KnownSet) -> None:
    assert re.fullmatch("[0-9a-f]{64}", known.sha256)
    assert known.addresses
    assert all(address.startswith("https://") and address.endswith(known.archive) for address in known.addresses)
    assert known.licence
    assert known.source
    assert known.normalised
    for part in known.parts.values():
        assert re.fullmatch("([0-9a-f]{64})?", part.sha256)
        assert part.size or not part.sha256


def test_names() -> None:
    assert all(split_name(name) is not None for known in SETS.values() for name in known.names)
    for name in ("", "kt", "wikitext2.test", "WIKITEXT2:test", "wikitext2:a b", "../wikitext2", "wikitext2:"):
        assert split_name(name) is None
    found = split_name("wikitext2:other")
    assert found is not None
    assert found[1] == "other"


def test_a_text_is_known_by_its_hash() -> None:
    part = SETS["wikitext2-tokens"].parts["test"]
    assert name_of(part.sha256[:24], part.size) == "wikitext2-tokens:test"
    assert name_of(part.sha256[:24], part.size + 1) is None
    assert name_of(part.sha256[:23], part.size) is None
    assert known_part(part.sha256) == ("wikitext2-tokens:test", part)
    assert known_part("0" * 64) is None
    signature = bm.Signature(text=f"sha256-{part.sha256[:24]}.{part.size}")
    assert signature.test_set == "wikitext2-tokens:test"
    for text in ("", "sha256-.5", f"sha256-{part.sha256[:24]}", "x+y", f"sha256-{part.sha256[:24]}.{'9' * 40}"):
        assert bm.Signature(text=text).test_set is None


def test_a_gated_set_says_what_to_do() -> None:
    assert "terms" in SETS["paloma"].gated
    assert SETS["paloma"].parts == {}
