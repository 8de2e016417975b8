"""SentencePiece models: the pieces of the package, the spans of the Python rule, and typed errors for hostile files."""

from __future__ import annotations

import functools
import io
import pickle
import random
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bitmeter import _core
from bitmeter.errors import BitmeterError, DamagedSourceError, MissingPackageError
from bitmeter.text.corpus.sample import sample_text
from bitmeter.text.units.base import BLANK, Split
from bitmeter.text.units.sentencepiece import SentencePiece, pieces_by_package
from bitmeter.text.units.tokenizers import TokenUnits

WORLD = [
    "Der Mensch ist frei geboren, und überall liegt er in Ketten.", "Tous les êtres humains naissent libres et égaux.",
    "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.", "人人生而自由，在尊严和权利上一律平等。",
    "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "Все люди рождаются свободными.",
    "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق",
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में", "ﬁne ½ № ① ｆｕｌｌ　ｗｉｄｔｈ",
]  # fmt: skip
LINES = [*sample_text()[:60_000].splitlines(), *WORLD * 3]

KINDS: dict[str, dict[str, Any]] = {
    "unigram": {},
    "bytes": {"byte_fallback": True, "character_coverage": 0.98},
    "identity": {"byte_fallback": True, "normalization_rule_name": "identity", "remove_extra_whitespaces": False},
    "folded": {"normalization_rule_name": "nmt_nfkc_cf", "character_coverage": 0.98},
    "bare": {"normalization_rule_name": "nfkc", "add_dummy_prefix": False},
    "symbols": {"user_defined_symbols": ["the", "ing", "<sep>", "é", "9 9"], "control_symbols": ["<cls>"]},
    "suffix": {"treat_whitespace_as_suffix": True},
    "across": {"split_by_whitespace": False},
    "runs": {"allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False, "byte_fallback": True},
    "bpe": {"model_type": "bpe"},
    "bpe bytes": {"model_type": "bpe", "byte_fallback": True, "normalization_rule_name": "identity",
                  "remove_extra_whitespaces": False, "allow_whitespace_only_pieces": True, "split_digits": True},
    "bpe symbols": {"model_type": "bpe", "user_defined_symbols": ["the", "ing", "<sep>", "é"]},
    "bpe across": {"model_type": "bpe", "split_by_whitespace": False},
    "bpe suffix": {"model_type": "bpe", "treat_whitespace_as_suffix": True},
}  # fmt: skip


@functools.cache
def trained(kind: str) -> bytes:
    """A model by the package's own trainer."""
    model = io.BytesIO()
    lines = [*LINES, *("    " + line for line in LINES[:200])]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, minloglevel=2, num_threads=1,
        **{"vocab_size": 900, "hard_vocab_limit": False, "character_coverage": 0.999, **KINDS[kind]},
    )  # fmt: skip
    return model.getvalue()


class Package(TokenUnits):
    """The pieces of the package, with spans by the rule of all tokenizers, in Python."""

    kind = "package"

    def __init__(self, data: bytes, tokens: list[bytes | None]) -> None:
        self.name = self.fingerprint = self.path = "package"
        self._tokens = tokens
        self._processor = sentencepiece.SentencePieceProcessor(model_proto=data)

    def _encode(self, texts: list[str]) -> list[tuple[Sequence[int], Sequence[int]]]:
        return pieces_by_package(self._processor, texts)


@functools.cache
def both(kind: str) -> tuple[SentencePiece, Package]:
    data = trained(kind)
    units = SentencePiece.from_data(data, f"{kind}.model")
    assert units.encoder is not None
    return units, Package(data, list(units.token_bytes))


def same(first: Split, second: Split) -> bool:
    arrays = ((first.ids, second.ids), (first.cuts, second.cuts), (first.bounds, second.bounds))
    return all(np.array_equal(a, b) for a, b in arrays) and first.lossy == second.lossy


AWKWARD = st.sampled_from([
    " ", "  ", "\t", "\n", "\r\n", "\u3000", "\xa0", "\u200b", "\u2581", " \u2581", "\x00", "\x01", "\ufffd", "the",
    " the", "ing", "<sep>", "<unk>", "<s>", "<0x0A>", "9 9",
    "e\u0301", " \u0301", "\u00a8", "ﬁ", "①", "ﷺ", "한국", "中文",
    "ไทย", "😀", "İ", "ſ", "1234", "'", "Ⅻ", "\ud7ff", "zzzz", "ab cd", "libres", "Menschen", "\U0010ffff",
])  # fmt: skip
TEXTS = st.lists(st.one_of(AWKWARD, st.text(max_size=6), st.sampled_from(sample_text()[:4000].split())), max_size=14)


@pytest.mark.parametrize("kind", KINDS)
@given(parts=TEXTS, spaced=st.booleans(), cut=st.integers(0, 40), wrong=st.binary(max_size=2))
@settings(max_examples=60, deadline=None)
@example(parts=["the", "\u3000", "the"], spaced=True, cut=3, wrong=b"")
@example(parts=["\x01", "the", "\u2581"], spaced=True, cut=0, wrong=b"")
@example(parts=[" ", " ", "the ", "\t\n"], spaced=False, cut=0, wrong=b"\xf0\x9f")
@example(parts=["the", "\u00a8", " \u00a8"], spaced=True, cut=1, wrong=b"\xff")
def test_pieces_and_spans_of_the_package(kind: str, parts: list[str], spaced: bool, cut: int, wrong: bytes) -> None:
    units, package = both(kind)
    data = (" " if spaced else "").join(parts).encode() + wrong
    ends = np.array([min(cut, len(data))])
    for _ in range(2):  # the second time from what is kept
        assert same(units.split(data, ends), package.split(data, ends))


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_of_whole_texts(kind: str) -> None:
    """Lines, and one long document, whose sum is so large that rounding decides between pieces."""
    units, package = both(kind)
    data = "\n".join(LINES).encode()
    lines = _core.line_ends(data)
    assert same(units.split(data, lines), package.split(data, lines))
    assert same(units.split(data * 3), package.split(data * 3))


def test_near_ties_are_decided_as_the_package_does() -> None:
    """Two segmentations of equal cost: the package's choice depends on the rounded sum of all that came before."""
    units, package = both("bytes")
    words = " ".join(LINES[:400]).split()
    draw = random.Random(1)
    for size in (3, 30, 300, 3000):
        data = " ".join(draw.choices(words, k=size)).encode()
        assert same(units.split(data), package.split(data))


def test_sums_of_long_documents() -> None:
    """The package starts its sums again below -100,000, which the longest of these passes several times."""
    draw = random.Random(5)
    for kind in ("folded", "across"):
        units, package = both(kind)
        data = " ".join(draw.choices("\n".join(LINES).split(), k=40_000)).encode()
        assert np.array_equal(units.split(data).ids, package.split(data).ids)


def test_scores_that_tie_everywhere() -> None:
    """Every segmentation costs as much as every other of as many pieces."""
    letters = [a + b for a in ("", "a", "b", "ab", "ba") for b in ("a", "b")]
    pieces = [("<unk>", 0.0, 2), *((text, -0.1 * len(text), 1) for text in dict.fromkeys(letters)), ("\u2581", -0.1, 1)]
    data = written(pieces)
    units = SentencePiece.from_data(data, "ties.model")
    package = Package(data, list(units.token_bytes))
    draw = random.Random(2)
    for size in (5, 50, 500, 5000):
        text = "".join(draw.choices("aab b", k=size)).encode()
        assert same(units.split(text), package.split(text))


def test_tokens_and_marks() -> None:
    units = SentencePiece.from_data(trained("bytes"), "m.model")
    reference = sentencepiece.SentencePieceProcessor(model_proto=trained("bytes"))
    assert units.vocabulary_size == reference.get_piece_size()
    assert units.marks == (reference.bos_id(), reference.eos_id())
    for number in range(reference.get_piece_size()):
        token = units.token_bytes[number]
        if reference.is_unknown(number) or reference.is_control(number):
            assert token is None
        elif reference.is_byte(number):
            assert token == bytes.fromhex(reference.id_to_piece(number)[3:5])
        else:
            assert token == reference.id_to_piece(number).replace("\u2581", " ").encode()


def test_needs_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    data = trained("unigram")
    words = trained_words()
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    units = SentencePiece.from_data(data, "m.model")
    assert units.split(b"the end").bounds.tolist() == [0, len(units.split(b"the end"))]
    with pytest.raises(MissingPackageError, match="words or characters"):
        SentencePiece.from_data(words, "words.model")


@functools.cache
def trained_words(kind: str = "word") -> bytes:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES), model_writer=model, minloglevel=2, model_type=kind, vocab_size=200,
        hard_vocab_limit=False,
    )  # fmt: skip
    return model.getvalue()


@pytest.mark.parametrize("kind", ["word", "char"])
def test_other_kinds_are_the_packages(kind: str) -> None:
    data = trained_words(kind)
    units = SentencePiece.from_data(data, "other.model")
    assert units.encoder is None
    reference = sentencepiece.SentencePieceProcessor(model_proto=data)
    text = "the end of the man"
    assert units.split(text.encode()).ids.tolist() == reference.encode(text)
    assert units.marks == (reference.bos_id(), reference.eos_id())


@pytest.mark.parametrize("kind", ["unigram", "bpe", "word"])
def test_pickles_and_fingerprints(kind: str, tmp_path: Path) -> None:
    import hashlib

    data = trained_words() if kind == "word" else trained(kind)
    (tmp_path / "m.model").write_bytes(data)
    units = SentencePiece(tmp_path / "m.model")
    assert units.fingerprint == f"sentencepiece/1@{hashlib.sha256(data).hexdigest()}"  # as before the core read it
    again = pickle.loads(pickle.dumps(units))
    assert again == units
    assert again.name == units.name == "sentencepiece:m.model"
    assert again.split(b"to be or not").ids.tolist() == units.split(b"to be or not").ids.tolist()


def test_threads_share_a_model() -> None:
    from concurrent.futures import ThreadPoolExecutor

    units = SentencePiece.from_data(trained("unigram"), "m.model")
    data = "\n".join(LINES).encode()
    expected = units.split(data, _core.line_ends(data)).ids
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: units.split(data, _core.line_ends(data)).ids, range(8)):
            assert np.array_equal(found, expected)
    assert units.encoder is not None
    ends = np.append(_core.line_ends(data), len(data))
    assert np.array_equal(units.encoder.split(data, ends, 3)[0], expected)


def test_nothing_is_lost() -> None:
    units, _ = both("unigram")
    assert (units.split(b"").ids.tolist(), units.split(b"").lossy) == ([], 0)
    assert (units.split(b" \t").ids.tolist(), units.split(b" \t").lossy) == ([BLANK], 2)


# ---- files ---------------------------------------------------------------------------------------------------------


def field(number: int, value: bytes | int | float) -> bytes:
    """One field of a message."""
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3) + varint(value)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def written(pieces: Sequence[tuple[str | bytes, float, int]], training: bytes = b"", rules: bytes = b"") -> bytes:
    """A model of these pieces (text, score, type)."""
    encoded = b"".join(
        field(1, field(1, text.encode() if isinstance(text, str) else text) + field(2, score) + field(3, kind))
        for text, score, kind in pieces
    )
    return encoded + field(2, training) + field(3, field(2, rules) if rules else b"")


UNKNOWN: tuple[str, float, int] = ("<unk>", 0.0, 2)
A: tuple[str, float, int] = ("a", -1.0, 1)


#: Rules with a value outside of their strings.
LEADS_OUT = (
    struct.pack("<I", 1024) + struct.pack("<256I", 1 << 10, *[0] * 96, ord("b") | 1 << 8 | 1 << 10, *[0] * 158) + b"x\0"
)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no piece for unknown characters"),
        (b"{}", "a type that these files do not use"),
        (written([A]), "no piece for unknown characters"),
        (written([UNKNOWN]), "it has no pieces"),
        (written([UNKNOWN, A, A]), "piece 2 is there twice"),
        (written([UNKNOWN, ("<u>", 0.0, 2), A]), "two pieces for unknown"),
        (written([UNKNOWN, ("", -1.0, 1)]), "piece 1 is empty"),
        (written([UNKNOWN, (b"\xff", -1.0, 1)]), "piece 1 is not UTF-8"),
        (written([UNKNOWN, ("a", float("nan"), 1)]), "piece 1 has no finite score"),
        (written([UNKNOWN, A, ("<0x41>", 0.0, 6)]), "piece 2 is no byte"),
        (written([UNKNOWN, A, ("<0x41>", 0.0, 6)], field(35, 1)), "not a piece for each byte"),
        (written([UNKNOWN, A, ("<0xZZ>", 0.0, 6)], field(35, 1)), "piece 2 is no byte"),
        (written([UNKNOWN, A])[:-3] + b"\x12\x7f", "longer than what is left"),
        (b"\x0a" + b"\xff" * 11, "more than ten bytes"),
        (b"\x0a\xff", "ends inside of a number"),
        (b"\x00\x00", "the number 0"),
        (written([UNKNOWN, A], rules=b"abc"), "are cut off"),
        (written([UNKNOWN, A], rules=struct.pack("<II", 400, 0)), "longer than the file says"),
        (written([UNKNOWN, A], rules=struct.pack("<III", 4, 0, 0)[:11]), None),
        (written([UNKNOWN, A], rules=LEADS_OUT), None),
    ],
)  # fmt: skip
def test_a_hostile_file_is_a_typed_error(data: bytes, reason: str | None) -> None:
    if reason is None:  # sound or not: no other error, and a text can be split
        try:
            units = SentencePiece.from_data(data, "bad.model")
        except DamagedSourceError:
            return
        assert units.split(b"abc").cuts[-1] == 3
        return
    with pytest.raises(DamagedSourceError, match=rf"bad\.model is not a SentencePiece model: .*{reason}"):
        SentencePiece.from_data(data, "bad.model")


@given(
    at=st.integers(0, 10**6),
    byte=st.integers(0, 255),
    cut=st.integers(0, 10**6),
    kind=st.sampled_from(["unigram", "bpe"]),
)
@settings(max_examples=150, deadline=None)
def test_changed_and_cut_files(at: int, byte: int, cut: int, kind: str) -> None:
    data = bytearray(trained(kind))
    data[at % len(data)] = byte
    for changed in (bytes(data), bytes(data[: cut % len(data)])):
        try:
            units = SentencePiece.from_data(changed, "changed.model")
        except BitmeterError:
            continue
        text = "the ½ end\xff \u3000 ﬁn ".encode()
        assert units.split(text).cuts[-1] == len(text)


def test_later_fields_count_and_unknown_ones_do_not() -> None:
    """Of a field that is there twice, the last counts; of a message, all fields; other numbers are left out."""
    data = written([UNKNOWN, ("a", -1.0, 1), ("\u2581", -2.0, 1)])
    data += field(200, b"extension") + field(9, 7) + varint(8 << 3 | 1) + bytes(8)
    data += field(3, field(3, 1)) + field(3, field(3, 0))  # no space is added
    units = SentencePiece.from_data(data, "m.model")
    reference = sentencepiece.SentencePieceProcessor(model_proto=data)
    assert units.split(b"a a").ids.tolist() == reference.encode("a a") == [1, 2, 1]
