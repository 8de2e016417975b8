"""Estimation against a slow twin in plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import errors
from bitmeter.errors import RecordError
from tests.models.helpers.arpas import arpa
from tests.models.helpers.twin import estimate
from tests.models.made_up import made_up_text
from tests.peak import PROMISED, peak_of

TEXT = made_up_text(400, 30)
MODEL = bm.NGram(order=3).fit(TEXT.encode())
sentences = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6).map(" ".join), min_size=1, max_size=12)


@settings(max_examples=60)
@given(sentences, st.integers(1, 6))
def test_the_twin_agrees(lines: list[str], order: int) -> None:
    text = "\n".join(lines) + "\n"
    found, expected = arpa(bm.NGram(order=order).fit(text.encode())), estimate(text, order)
    assert found.keys() == expected.keys()
    for gram, (p, backoff) in expected.items():
        assert found[gram] == pytest.approx((p, backoff if gram[-1] != "</s>" else 0.0), abs=2e-7, rel=2e-7)


@pytest.mark.parametrize("order", [2, 4, 8])
def test_the_twin_agrees_on_a_longer_text(order: int) -> None:
    found, expected = arpa(bm.NGram(order=order).fit(TEXT.encode())), estimate(TEXT, order)
    assert found.keys() == expected.keys()
    worst = max(abs(found[gram][0] - expected[gram][0]) for gram in expected)
    assert worst < 3e-7


def test_threads_and_blocks_do_not_change_the_model() -> None:
    one, many = (bm.NGram(order=4, threads=n).fit(TEXT.encode()) for n in (1, 4))
    assert one.fingerprint == many.fingerprint


def test_small_texts_get_other_discounts_and_a_note() -> None:
    model = bm.NGram(order=3).fit(b"a b\n")
    assert "0.5, 1 and 1.5" in model.notes[0]
    assert not MODEL.notes or "order 1;" in MODEL.notes[0]


def test_reserved_words_are_refused_with_the_place() -> None:
    with pytest.raises(errors.InputError, match=r"sentence 2: the word <unk> .* unk_word=True"):
        bm.NGram(order=2).fit(b"a b\nc <unk>\n")
    with pytest.raises(errors.InputError, match="<s>"):
        bm.NGram(order=2, unk_word=True).fit(b"a <s> b\n")
    with pytest.raises(errors.EmptyError):
        bm.NGram(order=2).fit(b"")


def test_unk_as_a_word_is_as_if_it_were_renamed() -> None:
    text = TEXT.replace("w3", "<unk>").encode()
    as_word = bm.NGram(order=3, unk_word=True).fit(text)
    renamed = bm.NGram(order=3).fit(text.replace(b"<unk>", b"_unk_"))
    test = b"w1 <unk> w2\n<unk> zzz\n"
    a, b = bm.score(as_word, test, like="kenlm"), bm.score(renamed, test.replace(b"<unk>", b"_unk_"), like="kenlm")
    assert (a.nats, a.oov) == (b.nats, 1)
    assert a.oov == b.oov


@pytest.mark.parametrize("tail", [b"", b" or not\n", b"\nor not\n"])
def test_a_word_that_is_too_long_is_named(tail: bytes) -> None:
    """What is learned from the bytes of one word took thirty times as much: 2.9 GB for a word of 100 MB."""
    for long in (b"x" * ((2 << 20) + 1), b"x" * (9 << 20)):
        with pytest.raises(RecordError, match="sentence 2: a word has more than 2,097,152 bytes") as caught:
            bm.NGram(2).fit(b"to be\nor " + long + tail)
        assert caught.value.line == 2
    with pytest.raises(RecordError, match="sentence 1"):
        bm.NGram(2, "jelinek-mercer").fit(b"to be\nor not\n", heldout=b"x" * (3 << 20))


def test_a_long_word_is_learned_in_bounded_memory(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"to be " + b"xyz" * ((2 << 20) // 3) + b" or not\n")
    peak, _ = peak_of("import bitmeter as bm\nbm.NGram(3).fit(sys.argv[1])\n", tmp_path / "x.txt")
    assert peak < PROMISED + (4 << 20)
