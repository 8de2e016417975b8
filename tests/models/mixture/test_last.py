"""Histories by their last unit: the same in blocks, unit by unit, and by a loop."""

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.models.mixture.last import LAST_KINDS, LastUnits
from tests.models.mixture.made import HELDOUT, ONE, TWO, sentences

MIXTURE = bm.MixtureModel([ONE, TWO]).with_oov("class")
END = MIXTURE.traits.end


def made() -> LastUnits:
    assert END is not None
    return LastUnits(MIXTURE.vocabulary, MIXTURE.vocabulary.unigram, END.id)


def test_a_document_begins_with_none_and_frequent_units_have_their_own() -> None:
    ids, bounds = sentences(MIXTURE, HELDOUT)
    kinds = made().follow(ids, bounds, continues=False)
    entries, starts = MIXTURE.vocabulary.entries(ids), set(bounds.tolist())
    assert all((kinds[i] == 0) == (i in starts) for i in range(len(ids)))
    by_entry = {int(entries[i - 1]): int(kinds[i]) for i in range(1, len(ids)) if i not in starts}
    assert len(set(by_entry.values())) == len(by_entry), "of so few words each has a kind of its own"
    assert max(by_entry.values()) < LAST_KINDS


@pytest.mark.parametrize("cut", [0, 1, 5, 7, 8, 12])
def test_blocks_and_single_units_give_the_same(cut: int) -> None:
    ids, bounds = sentences(MIXTURE, HELDOUT)
    whole = made().follow(ids, bounds, continues=False)
    cuts = [
        np.array([0, *(b for b in bounds if 0 < b < cut), cut]),
        np.array([0, *(b - cut for b in bounds if b > cut)]),
    ]
    last = made()
    first = last.follow(ids[:cut], cuts[0], continues=False)
    rest = last.copy().follow(ids[cut:], cuts[1], continues=cut not in bounds.tolist())
    assert [*first, *rest] == whole.tolist()
    last.begin()
    single = []
    for unit in ids:
        single.append(last.kind())
        last.take(int(unit))  # an end begins the next sentence by itself
    assert single == whole.tolist()


def test_rare_units_share_classes_by_how_rare_they_are() -> None:
    unigram = np.full(1000, -9.0)
    unigram[500:] = -9.0 - np.log(2.0)
    words = b" ".join(b"w%d" % i for i in range(997)) + b"\n"
    model = bm.NGram(order=1).fit(words)
    last = LastUnits(bm.MixtureModel([model]).vocabulary, unigram, None)
    last.take(400)
    kind = last.kind()
    last.take(900)
    assert last.kind() == kind + 1
