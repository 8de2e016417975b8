"""What a decoder must be given, and that figures called bounds pay for it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter._util.compressors import COMPRESSORS
from bitmeter.theory.estimators.alphabets import known_bits, number_bits, set_bits, spelled_bits
from bitmeter.theory.estimators.rates import estimate_rate


def delta(n: int) -> str:
    """Elias's delta code, written out: the digits' number in gamma code, then the digits after the first."""
    digits = f"{n:b}"
    length = f"{len(digits):b}"
    return "0" * (len(length) - 1) + length + digits[1:]


@given(st.integers(1, 2**64))
def test_numbers_cost_their_delta_code(n: int) -> None:
    assert number_bits(n) == len(delta(n))


@given(st.sets(st.integers(-(2**62), 2**62), min_size=1, max_size=20) | st.sets(st.integers(-9, 9), min_size=1))
def test_sets_cost_the_codes_of_their_parts(kinds: set[int]) -> None:
    order = sorted(kinds)
    first = 2 * order[0] + 1 if order[0] >= 0 else -2 * order[0]
    gaps = [b - a for a, b in itertools.pairwise(order)]
    expected = len(delta(len(order))) + len(delta(first)) + 1
    expected += sum(len(delta(gap)) for gap in gaps) if any(gap > 1 for gap in gaps) else 0
    found = set_bits(np.array(order))
    # A gap beyond 2**53 may be rounded up to the next power of two, which has one digit more.
    assert expected <= found <= expected + sum(gap > 2**53 for gap in gaps) * 3


def test_a_subset_of_a_known_alphabet_costs_its_number() -> None:
    for size, kinds in ((256, 3), (256, 256), (2**40, 5), (10, 9)):
        assert known_bits(size, kinds) == pytest.approx(math.log2(size) + math.log2(math.comb(size, kinds)), rel=1e-12)


def test_spelling_pays_for_every_byte_and_every_end() -> None:
    rng = np.random.default_rng(1)
    words = [bytes(rng.integers(0, 256, 6, dtype=np.uint8)) for _ in range(500)]
    cost = spelled_bits(words)
    assert cost is not None
    assert cost > 500 * 6 * 8
    assert spelled_bits(["a", b"a"]) is None


@pytest.mark.parametrize("method", ["ctw", *COMPRESSORS])
def test_no_bound_is_below_the_entropy_of_words_that_the_sample_does_not_show(method: str) -> None:
    # 1,000 draws of 65,536 equally likely words: 16 bits each. CTW with its alphabet given said 10.5.
    drawn = np.random.default_rng(0).integers(0, 65_536, 1000)
    words = [f"w{number:05d}" for number in drawn]
    for data in (drawn, words, [word.encode() for word in words], " ".join(words)):
        found = estimate_rate(data, method)
        per_word = found.value * found.symbols / 1000
        assert found.upper_bound
        assert per_word > 16, (method, type(data))


@pytest.mark.parametrize("method", ["ctw", *COMPRESSORS])
def test_labels_that_cannot_be_spelled_make_no_bound(method: str) -> None:
    drawn = np.random.default_rng(0).integers(0, 65_536, 1000)
    found = estimate_rate([(int(number),) for number in drawn], method)
    assert not found.upper_bound
    assert "cannot be spelled" in found.note


def test_a_known_alphabet_costs_only_which_of_it_occur() -> None:
    drawn = np.random.default_rng(0).integers(0, 65_536, 1000)
    known = estimate_rate([(int(number),) for number in drawn], alphabet=65_536)
    assert known.upper_bound
    assert known.parameters["alphabet_bits"] == pytest.approx(known_bits(65_536, len(set(drawn.tolist()))))
    assert 16 < known.value < 22
    coins = np.random.default_rng(0).integers(0, 2, 10_000)
    assert estimate_rate(coins, alphabet=2).value == pytest.approx(1, abs=0.01)


def test_ids_stand_for_labels() -> None:
    words = ["to", "be", "or", "not", "to", "be"] * 20
    labels = list(dict.fromkeys(words))
    ids = [labels.index(word) for word in words]
    assert estimate_rate(ids, alphabet=labels).value == estimate_rate(words).value
    assert estimate_rate(ids).value < estimate_rate(words).value
    more = estimate_rate(ids, alphabet=[*labels, "unused"])
    assert more.value > estimate_rate(words).value


@settings(deadline=None, max_examples=20)
@given(st.integers(2, 300), st.integers(1, 400), st.integers(0, 100))
def test_the_expected_bound_is_not_below_the_rate(size: int, n: int, seed: int) -> None:
    # A uniform source of `size` integers has rate log2 size; a single sample's code may not be shorter than its
    # information by more than a few bits, or E 2^-(L - n log2 size) would exceed one (Kraft).
    drawn = np.random.default_rng(seed).integers(0, size, n)
    found = estimate_rate(drawn)
    assert found.value * n > n * math.log2(size) - 30
