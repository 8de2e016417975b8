"""Tokenizer files: every byte in one token, exact spans where tokens give the text back, else a count of the bytes."""

from __future__ import annotations

import base64
import functools
import io
import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

from bitmeter import _core
from bitmeter.errors import BitmeterError, DamagedSourceError, InputTypeError, MissingPackageError, MissingSourceError
from bitmeter.text.blocks import split_corpus
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.sample import sample_text
from bitmeter.text.units.base import BLANK, Units
from bitmeter.text.units.named import units_of
from bitmeter.text.units.sentencepiece import SentencePiece
from bitmeter.text.units.tokenizers import Tokenizer
from tests.text.strategies import texts

LINES = sample_text()[:40_000].splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tokenizers")


@pytest.fixture(scope="module")
def byte_level(folder: Path) -> Tokenizer:
    """As GPT-2's: every byte has a token."""
    made = tokenizers.Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500, initial_alphabet=alphabet, special_tokens=["<|end|>"], show_progress=False
    )
    made.train_from_iterator(LINES, trainer)
    made.enable_truncation(3)  # must not lose bytes
    made.enable_padding(length=50)
    made.save(str(folder / "bytes.json"))
    return Tokenizer(folder / "bytes.json")


@pytest.fixture(scope="module")
def metaspace(folder: Path) -> Tokenizer:
    """As Llama's: a space before the text, unknown characters byte by byte."""
    made = tokenizers.Tokenizer(models.BPE(byte_fallback=True))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    tokens = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=800, special_tokens=tokens, show_progress=False)
    made.train_from_iterator(LINES, trainer)
    made.save(str(folder / "meta.json"))
    return Tokenizer(folder / "meta.json")


@pytest.fixture(scope="module")
def word_pieces(folder: Path) -> Tokenizer:
    """As BERT's: small letters, no white space, unknown words."""
    made = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.train_from_iterator(
        LINES, trainers.WordPieceTrainer(vocab_size=400, special_tokens=["[UNK]"], show_progress=False)
    )
    made.save(str(folder / "bert.json"))
    return Tokenizer(folder / "bert.json")


@pytest.fixture(scope="module")
def sentence_piece(folder: Path) -> SentencePiece:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES), model_writer=model, vocab_size=500, byte_fallback=True, minloglevel=2,
        normalization_rule_name="identity", remove_extra_whitespaces=False,
    )  # fmt: skip
    (folder / "sp.model").write_bytes(model.getvalue())
    return SentencePiece(folder / "sp.model")


KINDS = ["byte_level", "metaspace", "word_pieces", "sentence_piece"]


@pytest.mark.parametrize("kind", KINDS)
@given(documents=st.lists(texts(30), max_size=3))
@settings(max_examples=40)
def test_every_byte_is_in_one_token(kind: str, documents: list[bytes], request: pytest.FixtureRequest) -> None:
    units: Units = request.getfixturevalue(kind)
    corpus = Corpus.from_documents(documents)
    found: list[bytes] = []
    for part in split_corpus(corpus, units, size=8):
        split = part.split
        assert split.cuts[0] == 0
        assert split.cuts[-1] == len(part.data)
        assert len(split.ids) == len(split.cuts) - 1 == split.bounds[-1]
        assert (split.cuts[1:] >= split.cuts[:-1]).all()
        assert b"".join(split.pieces(part.data)) == part.data
        assert not part.continues  # documents are split whole
        places = [0, *part.ends.tolist()]
        for j in range(len(part.ends)):
            inside = split.pieces(part.data)[split.bounds[j] : split.bounds[j + 1]]
            assert b"".join(inside) == part.data[places[j] : places[j + 1]]
            found.append(b"".join(inside))
    assert found == documents


@given(st.text(max_size=40).filter(lambda text: text.isprintable()))
def test_byte_level_tokens_are_their_bytes(byte_level: Tokenizer, text: str) -> None:
    data = text.encode()
    split = byte_level.split(data)
    assert split.lossy == 0
    assert byte_level.join(split.ids) == data
    for number, piece in zip(split.ids.tolist(), split.pieces(data), strict=True):
        assert byte_level.join([number]) == piece


def test_spans_inside_of_a_character(
    byte_level: Tokenizer, metaspace: Tokenizer, sentence_piece: SentencePiece
) -> None:
    data = "the 😀 the".encode()
    for units in (byte_level, metaspace, sentence_piece):
        split = units.split(data)
        assert split.lossy == 0, units
        pieces = split.pieces(data)
        at = pieces.index(b"\xf0")
        assert pieces[at : at + 4] == [b"\xf0", b"\x9f", b"\x98", b"\x80"]


def test_what_does_not_come_back_is_counted(byte_level: Tokenizer, word_pieces: Tokenizer) -> None:
    data = b"The  Statement\xff"
    assert byte_level.split(data, [3]).lossy == len(data) - 3  # the second document holds a byte that is not UTF-8
    split = word_pieces.split(b"The  statement")
    assert split.lossy == 14
    assert split.pieces(b"The  statement")[0] == b"The  "  # from the offsets; white space goes with the token before
    nothing = word_pieces.split(b" \n")
    assert (nothing.ids.tolist(), nothing.lossy) == ([BLANK], 2)


def test_the_library_agrees_on_ids(byte_level: Tokenizer, folder: Path) -> None:
    reference = tokenizers.Tokenizer.from_file(str(folder / "bytes.json"))
    reference.no_truncation()
    reference.no_padding()
    text = "\n".join(LINES[:50])
    assert byte_level.split(text.encode()).ids.tolist() == reference.encode(text).ids
    assert byte_level.vocabulary_size == reference.get_vocab_size()


def test_names(byte_level: Tokenizer, sentence_piece: SentencePiece, folder: Path) -> None:
    assert byte_level.name == "tokenizer:bytes.json"
    assert units_of(f"tokenizer:{folder}/bytes.json") == byte_level
    assert units_of(f"sentencepiece:{folder}/sp.model") == sentence_piece
    assert byte_level.fingerprint != sentence_piece.fingerprint


def test_errors(folder: Path, byte_level: Tokenizer) -> None:
    (folder / "bad.json").write_text("{}")
    bad: list[tuple[Any, type[BitmeterError], str]] = [
        (lambda: Tokenizer(folder / "bad.json"), DamagedSourceError, "is not a tokenizer file"),
        (lambda: SentencePiece(folder / "bad.json"), DamagedSourceError, "is not a SentencePiece model"),
        (lambda: Tokenizer("no/such.json"), MissingSourceError, "there is no tokenizer file"),
        (lambda: Tokenizer(None), InputTypeError, "path is None"),
        (lambda: byte_level.join([10**6]), InputTypeError, "ids holds 1000000"),
        (lambda: byte_level.join(["a"]), InputTypeError, "ids holds 'a'"),
    ]
    for call, kind, message in bad:
        with pytest.raises(kind, match=message):
            call()


BPE: dict[str, Any] = {
    "type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]], "unk_token": None, "dropout": None,
    "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
}  # fmt: skip


def made(**changes: Any) -> bytes:
    """A tokenizer's file with other fields."""
    parts = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    whole: dict[str, Any] = {"version": "1.0", "added_tokens": [], **dict.fromkeys(parts), "model": BPE}
    return json.dumps(whole | changes).encode()


@pytest.mark.parametrize(
    "changes",
    [
        # Rust panics, which Python sees as a BaseException: when the file is read…
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}},
        {"model": BPE | {"continuing_subword_prefix": "##"}},
        # …and only when a text is split.
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "BAAAAAEAAAA="}},
        {"pre_tokenizer": {"type": "FixedLength", "length": 0}},
        # Errors when a text is split.
        {"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "[UNK]"}},
        # A list with an entry for each id would take gigabytes.
        {"model": {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 4_000_000_000}, "unk_token": "<unk>"}},
    ],
)
def test_a_hostile_file_is_a_typed_error(changes: dict[str, Any]) -> None:
    assert Tokenizer.from_data(made(), "t.json").split(b"ab").ids.tolist() == [2]
    with pytest.raises(DamagedSourceError, match=r"t\.json is not a tokenizer file: "):
        Tokenizer.from_data(made(**changes), "t.json").split(b"ab")


def test_a_split_is_never_drawn_at_random() -> None:
    units = Tokenizer.from_data(made(model=BPE | {"dropout": 0.5}), "t.json")
    assert units.split(b"ab" * 200).ids.tolist() == [2] * 200


def test_an_absent_package_is_named(
    folder: Path, byte_level: Tokenizer, word_pieces: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingPackageError, match=r"pip install '\.\[hf\]'"):
        Tokenizer(folder / "bert.json")
    assert Tokenizer(folder / "bytes.json").split(b"the state").lossy == 0  # by the core, without the package


# ---- names of special tokens -----------------------------------------------------------------------------------------


def test_text_is_text_unless_said_otherwise() -> None:
    """`<|endoftext|>` in a document became the token for the end of a text."""
    import pickle
    from pathlib import Path

    file = Path(__file__).parents[2] / "parity" / "tiny" / "tokenizer.json"
    data = b"one<|endoftext|>two"
    plain, named = Tokenizer(file), Tokenizer(file, special=True)
    end = plain.token_bytes.index(b"<|endoftext|>")
    assert end not in plain.split(data).ids
    assert end in named.split(data).ids
    assert plain.join(plain.split(data).ids) == named.join(named.split(data).ids) == data
    assert plain.fingerprint != named.fingerprint
    for units in (plain, named):  # the package's own copies forget it
        again = pickle.loads(pickle.dumps(units))
        assert again.split(data).ids.tolist() == units.split(data).ids.tolist()
        assert Tokenizer.from_data(file.read_bytes(), "t", special=units.special).fingerprint == units.fingerprint


# ---- what the core splits, beside the package ------------------------------------------------------------------------

CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|"
    r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+@|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*@|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
REGEXES = {
    "cl100k": CL100K,
    "qwen2": CL100K.replace("{1,3}", ""),
    "o200k": CASED.replace("@", "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"),
    "tekken": CASED.replace("@", "").replace("{1,3}", ""),
}
#: What has gone wrong somewhere, or nearly: clusters, contractions, digits of other scripts.
AWKWARD = [
    "It's I'LL 'S 'ſ we'RE  don''t\r\n \r\n x\n\n y \t\tz /a//\n b", "HTTPServer iPhone ǅungla ʰʱ ªº McDONALD's",
    "1234567 ²³½ Ⅷ ٣٤५ 〇 ①② 3.14", "e\u0301a\u0308 \u0301x \u200b\u0301 \u0600e\u0301 각 \u1100\u1161 हिन्दी ไทย עִברית",
    "ﬁ\u0301 ㍿ Å Ｆｕｌｌ ½ … ´ ¨ ﷺ \u00ad\u200b\ufeff\u00a0\u3000a", "😀👨‍👩‍👧🏽🇩🇪 #️⃣",
    " ", "", "  lead  two  ", "\n", "▁a ▁▁ b▁ c",
    "one<|end|>two <tool>  three   four<unk> <s>", "\x00\x01\x7f\x85\u2028", "a" * 300 + " " + "\u4e2d" * 100,
]  # fmt: skip


def _bpe(pre: Any, **model: Any) -> tokenizers.Tokenizer:
    made = tokenizers.Tokenizer(models.BPE(**model))
    made.pre_tokenizer = pre
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    marks = ["<|end|>"]
    made.train_from_iterator(
        LINES,
        trainers.BpeTrainer(vocab_size=700, initial_alphabet=alphabet, special_tokens=marks, show_progress=False),
    )
    return made


def _regex(pattern: str) -> Any:
    split = pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def _unigram(**changes: Any) -> str:
    """A model learned by sentencepiece, as converters write it: with the map of its normaliser."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([*LINES, "ﬁ Ａ ½ é à"]), model_writer=model, vocab_size=400, minloglevel=2,
        byte_fallback=changes.pop("fallback", False), character_coverage=1.0,
    )  # fmt: skip
    units = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    vocabulary = [[units.id_to_piece(i), units.get_score(i)] for i in range(units.get_piece_size())]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    spec = {
        "version": "1.0", "truncation": None, "padding": None, "post_processor": None, "normalizer": None,
        "added_tokens": [{"id": i, "content": vocabulary[i][0], **flags} for i in range(3)],
        "decoder": METASPACE, "pre_tokenizer": METASPACE,
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocabulary, "byte_fallback": units.is_byte(3)},
    }  # fmt: skip
    compiled = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(_rules(model.getvalue())).decode()}
    return json.dumps(spec | changes).replace('"RULES"', json.dumps(compiled))


def _rules(model: bytes) -> bytes:
    """The map of the normaliser: the longest field of bytes 2 within field 3 of the message."""
    start = model.index(b"nmt_nfkc") + len(b"nmt_nfkc")
    assert model[start] == 0x12
    size = shift = 0
    for place in range(start + 1, start + 6):
        size |= (model[place] & 127) << shift
        shift += 7
        if model[place] < 128:
            return model[place + 1 : place + 1 + size]
    raise AssertionError


METASPACE = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "prepend_scheme": "always"}
WORDS = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, METASPACE]}
SINGLE = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
LLAMA = {
    "type": "Sequence",
    "normalizers": [
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    ],
}


@functools.cache
def _kind(kind: str) -> str:
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=kind in ("prefix", "trimmed"))
    if kind in REGEXES:
        return str(_bpe(_regex(REGEXES[kind]), ignore_merges=kind == "cl100k").to_str())
    if kind == "digits":
        return str(_bpe(pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level])).to_str())
    if kind in ("gpt2", "prefix", "trimmed", "added"):
        made = _bpe(byte_level)
        if kind == "trimmed":
            made.post_processor = processors.ByteLevel(trim_offsets=True)
        if kind == "added":
            made.normalizer = normalizers.NFC()
            made.add_tokens(["  ", "<tool>", "ing"])
        return str(made.to_str())
    if kind == "llama2":
        made = tokenizers.Tokenizer(models.BPE(byte_fallback=True))
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        tokens = [f"<0x{byte:02X}>" for byte in range(256)]
        trainer = trainers.BpeTrainer(vocab_size=800, special_tokens=tokens, show_progress=False)
        made.train_from_iterator(LINES, trainer)
        spec = json.loads(made.to_str()) | {"normalizer": LLAMA, "pre_tokenizer": None, "decoder": METASPACE}
        return json.dumps(spec)
    changes: dict[str, dict[str, Any]] = {
        "t5": {"normalizer": "RULES", "pre_tokenizer": WORDS},
        "xlm-r": {"normalizer": {"type": "Sequence", "normalizers": ["RULES", SINGLE]}, "pre_tokenizer": WORDS},
        "mbart": {"normalizer": {"type": "Sequence", "normalizers": ["RULES", SINGLE]}, "fallback": True},
        "plain": {},
    }
    return _unigram(**changes[kind])


@pytest.mark.parametrize(
    "kind",
    [*REGEXES, "gpt2", "prefix", "trimmed", "added", "digits", "llama2", "t5", "xlm-r", "mbart", "plain"],
)
@pytest.mark.parametrize("special", [False, True])
def test_the_core_splits_as_the_package(kind: str, special: bool) -> None:
    file = _kind(kind).encode()
    units = Tokenizer.from_data(file, "ours", special=special)
    package = ByPackage.from_data(file, "theirs", special=special)
    if special and kind in ("prefix", "trimmed", "added"):
        assert units.encoder is None  # a space after each added token, or added tokens of two kinds
        return
    assert units.encoder is not None
    assert units.token_bytes == package.token_bytes
    assert units.fingerprint == package.fingerprint
    rng = random.Random(kind)
    documents = [text.encode() for text in (*AWKWARD, *LINES[:40], sample_text()[:3000])]
    letters = "".join(AWKWARD)
    for _ in range(150):
        text = bytearray("".join(rng.choices(letters, k=rng.randrange(20))), "utf-8")
        for _ in range(rng.choice([0, 0, 0, 1, 3])):
            text.insert(rng.randrange(len(text) + 1), rng.randrange(256))
        documents.append(bytes(text))
    for document in documents:
        ours, theirs = units.split(document), package.split(document)
        assert (ours.ids.tolist(), ours.cuts.tolist(), ours.lossy) == (
            theirs.ids.tolist(), theirs.cuts.tolist(), theirs.lossy,
        ), document  # fmt: skip


class ByPackage(Tokenizer):
    """The package alone."""

    def _load(self, data: bytes, path: str) -> None:
        self._data, self._package = data, None
        self._package = self._by_package()


def test_a_text_that_is_not_normalised_is_split_by_the_package() -> None:
    units = Tokenizer.from_data(_kind("added").encode(), "nfc")
    assert units.encoder is not None
    text = "cafe\u0301 the".encode()
    with pytest.raises(_core.PieceUnsupportedError):
        units.encoder.split(text, np.array([len(text)]))
    assert units.join(units.split(text).ids) == "café the".encode()


def test_no_text_of_all_characters_differs() -> None:
    """Classes are those of the package: every character, before and behind a letter, a digit and a space."""
    file = _kind("o200k").encode()
    ours, theirs = Tokenizer.from_data(file, "ours"), ByPackage.from_data(file, "theirs")
    parts = [chr(c) for c in [*range(0x20, 0x3200), *range(0xA000, 0xAC00), *range(0xF900, 0x12000)]]
    for first in range(0, len(parts), 4096):
        text = "".join(f"a{c}b{c}{c}1{c} {c}B" for c in parts[first : first + 4096]).encode()
        assert np.array_equal(ours.split(text).cuts, theirs.split(text).cuts), hex(ord(parts[first]))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "byte 0"), (b"{", "byte 1"), (b'{"model": [1, 2}', "comma"), (b'"\\ud800"', "surrogates"),
        (b"\xff", "UTF-8"),
        (b"[" * 5000, "nested"), (b"{} x", "follows"), (b"01", "follows"), (b'{"a": "\n"}', "control"),
    ],
)  # fmt: skip
def test_what_is_no_json_is_said_with_its_place(data: bytes, said: str) -> None:
    with pytest.raises(DamagedSourceError, match=said):
        Tokenizer.from_data(data, "bad.json")


def test_files_cut_off_or_changed_never_crash() -> None:
    data = _kind("t5").encode()
    rng = random.Random(1)
    for _ in range(60):
        bad = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            bad[rng.randrange(len(bad))] = rng.randrange(32, 127)
        try:
            units = Tokenizer.from_data(bytes(bad[: rng.choice([len(bad), rng.randrange(len(bad))])]), "bad.json")
        except BitmeterError:
            continue
        assert units.split(b"the state  of").cuts[-1] == 13
