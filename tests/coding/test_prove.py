"""A score and its file: as long as each other for every kind of model, and not for one that cheats."""

from __future__ import annotations

import pytest

import bitmeter as bm
from bitmeter.errors import InputError, ModelError
from tests.coding.models import CASES, TEXT, Peeking, Plain, TooMuch


@pytest.mark.parametrize("name", CASES)
def test_the_file_is_as_long_as_the_score_says(name: str) -> None:
    model, text = CASES[name]
    proof = bm.prove(model, text)
    assert proof.holds
    assert abs(proof.difference) <= 64 + 2e-4 * proof.units
    assert 0 <= proof.file_bits - proof.quantised_bits <= 16
    if not name.startswith(("ngram", "mixture of words")):  # whose last line has no end of its own in the score
        assert proof.quantised_bits == pytest.approx(proof.score.bits, rel=1e-7)
    assert "proved" in str(proof)
    assert "NOT" not in str(proof)


def test_a_model_that_looks_ahead_is_caught() -> None:
    proof = bm.prove(Peeking(), TEXT * 20)
    assert not proof.holds
    assert proof.difference > 1000
    assert "NOT proved" in str(proof)
    assert bm.prove(Plain(), TEXT * 20).holds


def test_a_model_that_does_not_sum_to_one_is_caught() -> None:
    with pytest.raises(ModelError, match="not a distribution"):
        bm.prove(TooMuch(), TEXT)


def test_several_documents_are_refused() -> None:
    with pytest.raises(InputError, match="2 documents"):
        bm.prove("kt", bm.Corpus.from_documents(["one", "two"]))


def test_the_normalised_text_is_what_is_coded() -> None:
    assert bm.prove("kt", b"ABC abc", norm="lower").score.bits == bm.score("kt", b"abc abc").bits


@pytest.mark.parametrize("units", ["bytes", "characters"])
def test_n_grams_of_bytes_and_characters_are_proved_and_verified(units: str) -> None:
    text = "der Bär saß\nauf dem Stuhl\nder Bär aß\n".encode() * 9
    model = bm.NGram(3, units=units).fit(text)
    assert bm.prove(model, text[:200]).holds
    assert bm.verify(model, text).sound


def test_mixtures_and_networks_of_words_are_proved_and_verified() -> None:
    # By ids alone an unknown word was impossible to them, so that sound models were called unsound.
    text = b"the cat sat on the mat\n\nthe dog sat\n  on the  log\n" * 20
    other = b"the cow sat on the mat\nan unknown\tword\n"
    one = bm.NGram(2).fit(text)
    network = bm.Neural("lstm", "words", width=8, layers=1, threads=1).fit(text, epochs=1, looks=1)
    for model in (bm.MixtureModel([one, bm.NGram(1).fit(text), bm.Cache(20)]), network):
        found = bm.verify(model, other)
        assert found.sound, str(found)
        proof = bm.prove(model, other)
        assert proof.holds
        # The coder pays for what the score pays for, no more: the same words, spelling and white space.
        assert proof.quantised_bits == pytest.approx(proof.score.bits, abs=0.5)
