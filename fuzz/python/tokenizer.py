"""A tokenizer.json: loaded, and a text split by it."""

from __future__ import annotations

import json

from engine import ROOT, main, mutated_json

from bitmeter.text.units.tokenizers import Tokenizer

TEXT = "a rose is é\xff a rose\n".encode("latin-1") + "ö<unk>".encode()


def seeds() -> list[bytes]:
    import tokenizers

    levels = json.loads((ROOT / "tests" / "parity" / "tiny" / "tokenizer.json").read_bytes())
    vocabulary = dict(sorted(levels["model"]["vocab"].items(), key=lambda item: item[1])[:260])
    merges = [
        pair for pair in levels["model"]["merges"] if "".join(pair) in vocabulary and all(p in vocabulary for p in pair)
    ]
    small = {**levels, "model": {**levels["model"], "vocab": vocabulary, "merges": merges}, "added_tokens": []}
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 0, "a": 1, "rose": 2}, unk_token="<unk>"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.normalizer = tokenizers.normalizers.Lowercase()
    pieces = tokenizers.Tokenizer(tokenizers.models.Unigram([("<unk>", 0.0), ("a", -1.0), ("\u2581rose", -2.0)], 0))
    pieces.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    pieces.decoder = tokenizers.decoders.Metaspace()
    parts = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({"[UNK]": 0, "a": 1, "ro": 2, "##se": 3}, unk_token="[UNK]")
    )
    prefixed = {"##b": 0, "a": 1, "ab": 2, "<unk>": 3}
    merged = tokenizers.Tokenizer(
        tokenizers.models.BPE(prefixed, [("a", "##b")], unk_token="<unk>", continuing_subword_prefix="##")
    )
    cut = tokenizers.pre_tokenizers
    merged.pre_tokenizer = cut.Sequence([cut.FixedLength(length=3), cut.Digits(), cut.Split("x", "isolated")])
    merged.normalizer = tokenizers.normalizers.Sequence([tokenizers.normalizers.Replace("y", "x")])
    return [json.dumps(small).encode(), *(made.to_str().encode() for made in (words, pieces, parts, merged))]


def run(data: bytes) -> None:
    units = Tokenizer.from_data(data, "tokenizer.json")
    split = units.split(TEXT)
    assert split.cuts[0] == 0, "the first byte"
    assert split.cuts[-1] == len(TEXT), "the last byte"
    units.join([i for i in split.ids.tolist() if i >= 0])


if __name__ == "__main__":
    main("tokenizer", run, seeds, mutated_json)
