"""Sound inputs for the fuzz targets of the core, made by the package itself: python fuzz/seeds.py FOLDER."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import bitmeter as bm
from bitmeter import _core

TEXT = (
    b"the cat sat on the mat\nto be or not to be\nthat is the question\nthe cat is on the mat\n"
    b"a b c d e f g\nnot the end\nthe end\n"
)
#: With what SRILM leaves out, and -99 for the logarithm of zero.
SRILM = (
    b"\n\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-0.3\t</s>\n-99\t<s>\t-0.2\n-0.3\ta\t-0.1\n\n"
    b"\\2-grams:\n-0.05\t<s> a\n\n\\end\\\n"
)
#: With escapes, a name that has one, values of all kinds, and a line of white space.
RECORDS = (
    rb'{"text": "a\u00e9\ud83d\ude00\n", "lang": "en", "id": [1, {"b": -1.5e3}, true], "x": NaN}' + b"\r\n \n"
    rb'{"te\u0078t": "b", "lang": "de", "text": "last"}' + b'\n{"score": null, "text": "c", "lang": "\xc3\xa9"}\n'
)
#: Binaries that KenLM made.
KENLM = Path(__file__).parents[1] / "tests" / "parity" / "kenlm"
#: The first byte of these inputs chooses what is done with the model; its highest bit, that checksums are repaired.
MODES = tuple(bytes([128 + kind]) for kind in range(6))


def _models() -> Iterator[tuple[str, bm.NGram]]:
    for order in (1, 2, 3, 5):
        yield f"words{order}", bm.NGram(order=order).fit(TEXT)
    yield "bytes", bm.NGram(order=3, units="bytes").fit(TEXT[:60])
    yield "characters", bm.NGram(order=2, units="characters").fit("été où\nété\n".encode())
    yield "lidstone", bm.NGram(order=2, smoothing="lidstone:0.1").fit(TEXT)
    yield "unsmoothed", bm.NGram(order=2, smoothing="maximum-likelihood").fit(TEXT)
    yield "long", bm.NGram(order=2).fit(b"a-word-of-many-bytes and-another-one-of-many\n\xff\xfe and\n")


def _pieces() -> Iterator[tuple[str, bytes]]:
    """Small SentencePiece models by the package's trainer, with the rules of the normalisers."""
    import sentencepiece

    settings: dict[str, dict[str, object]] = {
        "plain": {"normalization_rule_name": "identity"},
        "bytes": {"normalization_rule_name": "identity", "byte_fallback": True, "vocab_size": 300},
        "symbols": {"normalization_rule_name": "identity", "user_defined_symbols": ["<sep>", "ing"]},
        "suffix": {"normalization_rule_name": "identity", "treat_whitespace_as_suffix": True},
        "merges": {"normalization_rule_name": "identity", "model_type": "bpe"},
    }
    for name, chosen in settings.items():
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(TEXT.decode().splitlines()), model_writer=model, minloglevel=2,
            **{"vocab_size": 40, "hard_vocab_limit": False, **chosen},
        )  # fmt: skip
        yield name, model.getvalue()
        # Rules: a trie of b"a" and b"ab", each with its string.
        units = [0] * 256
        units[0] = 1 << 10
        units[1 ^ ord("a")] = ord("a") | 1 << 8 | (2 ^ 1 ^ ord("a") ^ 0x80) << 10
        rules = (
            (4 * len(units)).to_bytes(4, "little") + b"".join(unit.to_bytes(4, "little") for unit in units) + b"A\0 b\0"
        )
        inner = bytes([2 << 3 | 2, len(rules) & 127 | 128, len(rules) >> 7]) + rules
        yield f"{name}-rules", model.getvalue() + bytes([3 << 3 | 2, len(inner) & 127 | 128, len(inner) >> 7]) + inner


def write(folder: Path) -> None:
    """A folder of inputs for each target that has any."""

    def put(target: str, name: str, data: bytes) -> None:
        (folder / target).mkdir(parents=True, exist_ok=True)
        (folder / target / name).write_bytes(data)

    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "model.bmn"
        for name, model in _models():
            for target, form in (("bmn_fast", model), ("bmn_compact", model.compact(6))):
                form.save(file, force=True)
                data = file.read_bytes()
                for mode in MODES:
                    put(target, f"{name}-{mode[0]}", mode + data)
            section = _section(model, file)
            if section:
                put("spelling", name, section)
            if model.of_words:
                arpa = Path(place) / "model.arpa"
                model.save(arpa, force=True)
                put("arpa", name, arpa.read_bytes())
        put("arpa", "srilm", SRILM)
        for name, data in _pieces():
            put("pieces", name, b"\x0c" + data + b"the mat  end")
        for binary in KENLM.glob("*.bin"):
            put("kenlm", binary.stem, b"\0" + binary.read_bytes())
        index = Path(place) / "index.bmi"
        for name, texts in (("lines", TEXT.splitlines()), ("long", [TEXT * 5]), ("runs", [b"a" * 300, b"", b"a" * 90])):
            bm.OverlapIndex.build(bm.Corpus.from_documents(texts), index, force=True)
            put("overlap", name, index.read_bytes() + b"\1")
        bmu = Path(place) / "model.bmu"
        learned = _core.Universal(0)
        learned.learn(TEXT)
        learned.save(str(bmu))
        sealed = bmu.read_bytes()[:60_000]
        put("universal", "file", b"\0" + sealed)
        # As before its header had a checksum of its own, so that changes of it get further.
        put("universal", "unsealed", b"\0" + sealed[:8] + bytes([2, 0, 0, 0]) + sealed[12:20] + bytes(4) + sealed[24:])
        put("universal", "change", b"\1" + bytes(range(12)) + bytes(range(100, 124)))
        put("universal", "frozen", b"\3" + bytes(range(0, 240, 10)))
    put("code_universal", "coded", bytes([40]) + _core.UniversalCoder(_core.Universal(0)).encode(TEXT[:40]))
    for kind in range(4):
        put("code_tables", f"coded{kind}", bytes([kind, 40]) + _core.AdaptiveCoder().encode(TEXT[:40]))
    put("code_ngrams", "coded", bytes([10]) + bytes(range(7, 250, 9)))
    put("codebook", "values", bytes([4]) + b"".join(bytes([0, 0, 64 + i, 190]) for i in range(60)))
    put("records", "lines", b"\3" + RECORDS)
    put("text", "lines", b"\0" + TEXT)
    put("text", "bytes", b"\1" + "été où\r\n\n \t \nzwei\x00".encode() + b"\xff\xc3\n")


def _section(model: bm.NGram, file: Path) -> bytes:
    """What follows the model in its file: how words are spelled."""
    model.save(file, force=True)
    data = file.read_bytes()
    at = data.find(b"bitmeter.spell\n")
    return data[at:] if at >= 0 else b""


if __name__ == "__main__":
    write(Path(sys.argv[1]))
