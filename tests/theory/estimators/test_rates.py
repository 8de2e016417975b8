"""Entropy rates: against naive twins, other tools, and processes whose rate is known."""

from __future__ import annotations

import math
import pydoc_data.topics
import zlib
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any

import antropy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.compressors import COMPRESSORS
from bitmeter.errors import (
    BitmeterError,
    ChoiceError,
    EmptyError,
    InputError,
    InputTypeError,
    MissingPackageError,
    RangeError,
)
from bitmeter.theory.estimators.rates import RATE_METHODS, RateEstimate, estimate_rate
from tests.theory.strategies import quick, texts

# ---- naive twins -----------------------------------------------------------------------------------------------------


class SequentialCtw:
    """Context tree weighting as it is defined: one bit after the other, every node on the path updated."""

    def __init__(self, kinds: int, bits: int, depth: int) -> None:
        self.kinds, self.bits, self.depth = kinds, bits, depth
        self.counts: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
        self.log_kt: dict[Any, float] = defaultdict(float)
        self.log_weighted: dict[Any, float] = defaultdict(float)

    def add_bit(self, place: int, context: tuple[int, ...], bit: int) -> None:
        for length in range(self.depth, -1, -1):
            node = (place, context[:length])
            counts = self.counts[node]
            self.log_kt[node] += math.log((counts[bit] + 0.5) / (sum(counts) + 1))
            counts[bit] += 1
            if length == self.depth:
                self.log_weighted[node] = self.log_kt[node]
                continue
            children = math.fsum(self.log_weighted[place, (*context[:length], symbol)] for symbol in range(self.kinds))
            self.log_weighted[node] = float(np.logaddexp(self.log_kt[node], children)) - math.log(2)

    def log_probability(self, symbols: list[int]) -> float:
        past = [0] * self.depth + symbols
        for t, symbol in enumerate(symbols):
            context = tuple(reversed(past[t : t + self.depth]))
            place = 1
            for shift in range(self.bits - 1, -1, -1):
                bit = symbol >> shift & 1
                self.add_bit(place, context, bit)
                place = 2 * place + bit
        return math.fsum(self.log_weighted[place, ()] for place in range(1, 2**self.bits))


def longest_previous(text: list[int]) -> list[int]:
    def match(i: int, j: int) -> int:
        length = 0
        while i + length < len(text) and text[i + length] == text[j + length]:
            length += 1
        return length

    return [max((match(i, j) for j in range(i)), default=0) for i in range(len(text))]


def symbols_alone(found: RateEstimate) -> float:
    """The nats per symbol without what tells a decoder the alphabet and the length."""
    given = found.parameters["alphabet_bits"] + found.parameters["length_bits"]
    return found.value - given * math.log(2) / found.symbols


@quick
@given(texts, st.integers(0, 6))
def test_ctw_is_the_sequential_one(text: list[int], depth: int) -> None:
    kinds = sorted(set(text))
    ranks = [kinds.index(symbol) for symbol in text]
    bits = max(1, (len(kinds) - 1).bit_length())
    found = estimate_rate(text, depth=depth, unit="nats")
    expected = -SequentialCtw(2**bits, bits, depth).log_probability(ranks) / len(text) if len(kinds) > 1 else 0.0
    assert symbols_alone(found) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_ctw_of_real_text_is_the_sequential_one() -> None:
    text = english()[:1500]
    kinds = sorted(set(text))
    bits = (len(kinds) - 1).bit_length()
    expected = -SequentialCtw(len(kinds), bits, 3).log_probability([kinds.index(b) for b in text]) / len(text)
    assert symbols_alone(estimate_rate(text, depth=3, unit="nats")) == pytest.approx(expected, rel=1e-9)


def test_ctw_does_not_depend_on_threads() -> None:
    ids = np.frombuffer(english()[:200_000], dtype=np.uint8)
    assert len({_core.ctw_log_probability(ids, 8, 6, threads) for threads in (1, 2, 3, 7)}) == 1


@quick
@given(texts)
def test_matches_and_parsings_are_their_definitions(text: list[int]) -> None:
    n, longest = len(text), longest_previous(text)
    phrases = place = 0
    while place < n:
        place += longest[place] + 1
        phrases += 1
    assert estimate_rate(text, "lz76").parameters["phrases"] == phrases
    assert estimate_rate(text, "lz76").value == pytest.approx(phrases * math.log2(n) / n)
    ratios = [(1 + longest[i]) / math.log2(i + 1) for i in range(1, n)]
    assert estimate_rate(text, "match-a").value == pytest.approx(1 / np.mean(ratios) if ratios else 0)
    assert estimate_rate(text, "match-b").value == pytest.approx(np.mean([1 / r for r in ratios]) if ratios else 0)

    dictionary: set[tuple[int, ...]] = set()
    phrase: tuple[int, ...] = ()
    for symbol in text:
        phrase = (*phrase, symbol)
        if phrase not in dictionary:
            dictionary.add(phrase)
            phrase = ()
    count = len(dictionary) + bool(phrase)
    assert estimate_rate(text, "lz78").parameters["phrases"] == count
    assert estimate_rate(text, "lz78").value == pytest.approx(count * math.log2(count) / n)


@pytest.mark.parametrize("kinds", [2, 3, 20])
def test_lz76_counts_like_antropy(kinds: int) -> None:
    text = np.random.default_rng(kinds).integers(0, kinds, size=3000)
    theirs = antropy.lziv_complexity(text.tolist(), normalize=False)
    assert estimate_rate(text, "lz76").parameters["phrases"] == theirs


# ---- processes whose rate is known -----------------------------------------------------------------------------------

LENGTH = 10**6


def iid() -> NDArray[np.uint8]:
    return (np.random.default_rng(1).random(LENGTH) < 0.3).astype(np.uint8)


def chain(leave_zero: float, leave_one: float, seed: int) -> NDArray[np.uint8]:
    """A two-state chain from its sojourns, which are geometric."""
    rng = np.random.default_rng(seed)
    runs = LENGTH
    lengths = np.stack([rng.geometric(leave_zero, runs), rng.geometric(leave_one, runs)], axis=1).ravel()
    return np.repeat(np.tile(np.array([0, 1], dtype=np.uint8), runs), lengths)[:LENGTH]


def even() -> NDArray[np.uint8]:
    """Runs of ones of even length between zeros: each step is a 0, or a pair of ones, with equal chance."""
    pairs = np.random.default_rng(4).random(LENGTH) < 0.5
    return np.repeat(pairs.astype(np.uint8), np.where(pairs, 2, 1))[:LENGTH]


def hidden() -> NDArray[np.uint8]:
    rng = np.random.default_rng(5)
    state = np.cumsum(rng.random(LENGTH) < 0.1) % 2
    return (state ^ (rng.random(LENGTH) < 0.1)).astype(np.uint8)


SOURCES: dict[str, Callable[[], NDArray[np.uint8]]] = {
    "iid": iid,
    "markov": lambda: chain(0.1, 0.3, 2),
    "golden": lambda: chain(0.5, 1.0, 3),
    "even": even,
    "hidden": hidden,
}


@cache
def source(name: str) -> NDArray[np.uint8]:
    return SOURCES[name]()


# Truths: h(.3); −Σ πᵢ Pᵢⱼ log Pᵢⱼ; 2/3 for the golden mean and the even process; the bracket of the hidden chain.
# The others: one realisation each, measured with independent code at the same length.
@pytest.mark.parametrize(
    ("name", "truth", "lz76", "match_a", "match_b", "lz78"),
    [
        ("iid", 0.88129, 0.8865, 0.817, 0.839, 0.996),
        ("markov", 0.57207, 0.5769, 0.517, 0.579, 0.680),
        ("golden", 2 / 3, 0.6860, 0.633, 0.642, 0.800),
        ("even", 2 / 3, 0.7146, 0.656, 0.666, 0.844),
        ("hidden", 0.7665963, 0.7725, 0.712, 0.752, 0.889),
    ],
)
def test_known_processes(name: str, truth: float, lz76: float, match_a: float, match_b: float, lz78: float) -> None:
    data = source(name)
    # The log-likelihood of a sample of 10⁶ has a standard deviation of about .001 bits per symbol.
    assert estimate_rate(data).value == pytest.approx(truth, abs=0.003)
    assert estimate_rate(data, "lz76").value == pytest.approx(lz76, abs=0.005)
    assert estimate_rate(data, "match-a").value == pytest.approx(match_a, abs=0.005)
    assert estimate_rate(data, "match-b").value == pytest.approx(match_b, abs=0.005)
    assert estimate_rate(data, "lz78").value == pytest.approx(lz78, abs=0.006)
    assert estimate_rate(data, "block").value == pytest.approx(truth, abs=0.006)


# PPMd of order 16 on the same processes, measured independently.
@pytest.mark.parametrize(("name", "expected"), [("markov", 0.623), ("golden", 0.688)])
def test_ppmd(name: str, expected: float) -> None:
    result = estimate_rate(source(name), "ppmd")
    assert result.parameters["order"] == 16
    assert result.value == pytest.approx(expected, abs=0.005)


def test_typewriter() -> None:
    """Equal keys at random: log2 m a symbol, whatever m."""
    for keys in (2, 5, 26, 300):
        data = np.random.default_rng(keys).integers(0, keys, size=200_000)
        assert estimate_rate(data, depth=2).value == pytest.approx(math.log2(keys), rel=0.03)


def test_deeper_contexts_find_more() -> None:
    rates = [estimate_rate(source("even"), depth=depth).value for depth in (0, 2, 8, 16)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.9
    assert rates[-1] < 0.669


def test_min_coverage_chooses_the_length() -> None:
    strict = estimate_rate(source("iid"), "block", min_coverage=0.9999)
    loose = estimate_rate(source("iid"), "block", min_coverage=0.9)
    assert strict.parameters["length"] < loose.parameters["length"]
    assert strict.blocks == loose.blocks
    assert abs(strict.value - 0.88129) < abs(loose.value - 0.88129)


# ---- real text -------------------------------------------------------------------------------------------------------


@cache
def english() -> bytes:
    """The language reference, each paragraph once: whole topics come twice in it."""
    topics: dict[str, str] = pydoc_data.topics.topics
    paragraphs = (paragraph for name in sorted(topics) for paragraph in topics[name].split("\n\n"))
    return "\n\n".join(dict.fromkeys(paragraphs)).encode("ascii", "ignore")


def test_english_text() -> None:
    """Every method agrees that English is far from random letters, and the good ones that it is near 2 bits."""
    text = english()
    rates = {method: estimate_rate(text, method).value for method in RATE_METHODS}
    assert all(1 < rate < 4 for rate in rates.values()), rates
    assert all(1.5 < rates[m] < 2.1 for m in ("ctw", "lz76", "match-b", "ppmd", "xz", "bz2", "brotli")), rates
    assert rates["ctw"] < min(rates[m] for m in ("zlib", "bz2", "xz", "zstd", "brotli", "lz78"))
    assert rates["ppmd"] < rates["bz2"] < rates["zlib"]


def test_alphabets_are_only_names() -> None:
    text = english()[:20_000].decode()
    numbers = np.array([ord(c) for c in text])
    for method in ("ctw", "lz76", "lz78", "match-a", "match-b", "block"):
        expected = estimate_rate(text, method).value
        for other in (text.encode(), list(text), numbers, numbers.astype(np.int32), numbers - 5, numbers * 10**12):
            if method == "ctw" and isinstance(other, list):
                continue  # labels are numbered as they come, which changes the bits that code them
            if method == "ctw":
                of_text, of_other = (symbols_alone(estimate_rate(d, unit="nats")) for d in (text, other))
                assert of_other == pytest.approx(of_text, rel=1e-12), type(other)
            else:
                assert estimate_rate(other, method).value == expected, (method, type(other))


def test_words() -> None:
    words = english().decode().split()
    rates = {m: estimate_rate(words, m) for m in ("ctw", "lz76", "match-b", "block", "xz")}
    assert len(set(words)) > 256
    assert {r.alphabet_size for r in rates.values()} == {len(set(words))}
    assert all(3 < r.value < 12 for m, r in rates.items() if m not in ("ctw", "xz"))
    # Those two are bounds: they spell the words, so that they must cost at least what the best code of the bytes does.
    assert all(estimate_rate("\n".join(words), "ppmd").value * len("\n".join(words)) / len(words) < rates[m].value
               for m in ("ctw", "xz"))  # fmt: skip
    assert rates["ctw"].parameters["depth"] == 64 // (len(set(words)) - 1).bit_length()
    # A word is numbered in two bytes.
    ids = {word: i for i, word in enumerate(dict.fromkeys(words))}
    packed = np.array([ids[word] for word in words], dtype="<u2").tobytes()
    assert rates["xz"].parameters["bytes"] == COMPRESSORS["xz"].size(packed)


def test_lempel_ziv_errs_on_either_side_and_says_so() -> None:
    rng = np.random.default_rng(1)
    for method in ("lz76", "lz78"):
        assert estimate_rate(rng.integers(0, 2, 500), method).value > 1
        assert estimate_rate(rng.integers(0, 16, 500), method).value < 4 - 0.3
        found = estimate_rate(rng.integers(0, 256, 100_000), method)
        assert found.value < 8 - 1
        assert not found.upper_bound
        assert "from below" in found.note


def test_own_compressor() -> None:
    text = english()[:50_000]
    own = estimate_rate(text, compressor=lambda data: zlib.compress(data, 9))
    assert own.method == "compressor"
    assert own.value == estimate_rate(text, "zlib").value == pytest.approx(8 * len(zlib.compress(text, 9)) / len(text))
    assert own.upper_bound
    assert "loses nothing" in own.note
    # A string is compressed as UTF-8 and rated per character.
    greek = "αβγδ" * 500
    assert estimate_rate(greek, "zlib").value == pytest.approx(8 * len(zlib.compress(greek.encode(), 9)) / 2000)


def test_levels() -> None:
    text = english()[:50_000]
    for method, coder in COMPRESSORS.items():
        low, high = (estimate_rate(text, method, level=level).value for level in (coder.lowest, min(coder.highest, 12)))
        assert high <= low
        assert estimate_rate(text, method).parameters["bytes_of_nothing"] < 40


# ---- results and errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", RATE_METHODS)
@pytest.mark.parametrize("data", ["a", "aaaaaaaa", "ab", "aabb", b"\x00", b"\xff\x00", [7], [-(2**62), 2**62]])
def test_degenerate_samples(method: str, data: Any) -> None:
    result = estimate_rate(data, method)
    assert math.isfinite(result.value)
    assert result.value >= 0
    assert result.symbols == len(data)
    assert result.alphabet_size == len(set(data))
    if method in ("lz76", "lz78", "match-a", "match-b", "block") and len(data) == 1:
        assert result.value == 0
    if method == "block" and data == "aaaaaaaa":
        assert result.value == 0
    if method == "ctw" and len(set(data)) == 1:  # no symbol is in doubt: what remains is which it is, and how often
        assert symbols_alone(estimate_rate(data, unit="nats")) == pytest.approx(0, abs=1e-12)


def test_periodic_text_has_no_entropy_by_blocks() -> None:
    rows = estimate_rate("abc" * 400, "block").blocks
    assert rows[0].rate == pytest.approx(math.log2(3), abs=0.01)
    assert all(row.plug_in_rate == pytest.approx(0, abs=1e-12) for row in rows[1:])


def test_result_tells_what_it_is() -> None:
    result = estimate_rate("abracadabra" * 20)
    assert isinstance(result, RateEstimate)
    assert result.upper_bound
    # a, b, c, d, r: five (5 bits), from 97 (2·97 + 1 = 195 of 8 digits: 14), a flag, gaps of 1, 1, 1 and 14 (3 + 8).
    # 220 has 8 digits: 14.
    assert result.parameters == {"depth": 21, "alphabet_bits": 31, "length_bits": 14}
    assert "an upper bound: the length of a code" in str(result)
    assert "depth 21" in str(result)
    assert "not a bound" in str(estimate_rate("abracadabra", "match-a"))
    assert {m for m in RATE_METHODS if estimate_rate("abracadabra", m).upper_bound} == {"ctw", *COMPRESSORS}
    assert isinstance(hash(result), int)
    with pytest.raises(AttributeError):
        result.value = 0.0  # type: ignore[misc]
    nats = estimate_rate("abracadabra" * 20, unit="nats")
    assert nats.value == pytest.approx(result.value * math.log(2), rel=1e-12)
    assert type(nats.value) is float


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "brotli", None)
    with pytest.raises(MissingPackageError, match="pip install"):
        estimate_rate("ab", "brotli")


def fails(_: bytes) -> bytes:
    raise OSError("no")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"data": b""}, EmptyError),
        ({"data": 3}, InputTypeError),
        ({"data": "ab", "method": "magic"}, ChoiceError),
        ({"data": "ab", "unit": "bans"}, ChoiceError),
        ({"data": "ab", "depth": 65}, RangeError),
        ({"data": "ab", "depth": -1}, InputError),
        ({"data": "ab", "depth": 2.0}, InputTypeError),
        ({"data": "ab", "method": "lz76", "depth": 2}, InputError),
        ({"data": "ab", "level": 3}, InputError),
        ({"data": "ab", "method": "xz", "level": 10}, RangeError),
        ({"data": "ab", "method": "block", "min_coverage": 1.5}, RangeError),
        ({"data": "ab", "min_coverage": 0.5}, InputError),
        ({"data": "ab", "compressor": 3}, InputTypeError),
        ({"data": "ab", "compressor": len}, InputTypeError),
        ({"data": "ab", "compressor": fails}, InputError),
        ({"data": "ab", "method": "xz", "compressor": zlib.compress}, InputError),
        ({"data": np.arange(2**20 + 1)}, RangeError),
        ({"data": "ab", "alphabet": 1}, RangeError),
        ({"data": "ab", "alphabet": 3, "method": "lz76"}, InputError),
        ({"data": "ab", "alphabet": ["x", "y"]}, InputError),
        ({"data": [0, 2], "alphabet": ["x", "y"]}, InputError),
    ],
)
def test_bad_input(arguments: dict[str, Any], error: type[BitmeterError]) -> None:
    with pytest.raises(error):
        estimate_rate(**arguments)
