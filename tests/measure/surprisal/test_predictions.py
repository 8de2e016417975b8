"""Predictions before each unit."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ChoiceError
from bitmeter.measure.surprisal.predictions import predicted, starts_of, word_ends
from bitmeter.text.blocks import split_corpus
from tests.models.networks import tiny


def test_what_ends_a_word() -> None:
    kt = bm.load("kt")
    assert np.flatnonzero(word_ends(kt, "all")).tolist() == [9, 10, 11, 12, 13, 32]
    assert np.flatnonzero(word_ends(kt, "space")).tolist() == [32]
    model = tiny()
    more = np.flatnonzero(word_ends(model, "all") & ~word_ends(model, "space"))
    assert set(model.boundary_ids) <= set(more.tolist())
    assert not word_ends(bm.NGram(order=2).fit(b"to be\n"), "all").any()
    with pytest.raises(ChoiceError):
        starts_of("none")


def test_one_place_more_behind_each_document() -> None:
    model = bm.load("kt")
    (block,) = split_corpus(bm.Corpus.from_documents([b"ab", b"", b"c"]), model.units)
    found = predicted(model, block, word_ends(model, "all"))
    assert found.logs.tolist() == pytest.approx([-math.log(256), -math.log(258), 0.0, 0.0, -math.log(260), 0.0])
    assert found.ends[0] == pytest.approx(math.log(6 / 256))
    assert found.ends[1] == pytest.approx(math.log(3 / 129))
    assert found.entropy[0] == pytest.approx(math.log(256))
