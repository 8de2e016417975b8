"""`bitmeter filter` against the loop that perplexity filters are made of, on the documents of a text.

    python benchmarks/filter.py TRAIN TEST [--vocabulary 8000] [--order 5] [--keep 30] [--repeat 3] [--copies 1]
    python benchmarks/filter.py TRAIN TEST --words

Both read TEST as JSON lines compressed by zstd, one document per line that holds more than white space, and write those
whose perplexity is within the lowest share. The loop is that of CCNet and of most filters since: normalise in Python,
split by the package sentencepiece, score by the package kenlm, one document after the other. Both use the same
SentencePiece model, trained on TRAIN, and the same n-gram model of its tokens. The last rows are an n-gram model of
words, which spells unknown ones, so that it gives bits per byte. The least CPU seconds of several rounds, in turns; our
models are opened within them, those of the loop before. With several copies of TEST, opening and the first sight of
words weigh less, as in a long run.
Packages that are not installed are named, and their rows left out.
"""

from __future__ import annotations

import argparse
import importlib
import io
import json
import math
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from stopwatch import header, timed

import bitmeter as bm
from bitmeter.errors import BitmeterError

#: Gives the ids of what was kept, and what runs once and gives that.
Kept = Callable[[], list[int]]
Side = Callable[[], Kept]

NORM = "ccnet"
#: What CCNet maps to ASCII before it splits, as pairs.
PUNCTUATION = dict(
    zip("，。、„”“«»１」「《》´∶：？！（）；–～’━〈〉【】％►", ',.,""""""""""\'::?!();-~\'-<>[]%-', strict=True)
) | {
    "—": " - ",
    "．": ". ",
    "…": "...",
}
MAP = str.maketrans(PUNCTUATION)
CONTROL = re.compile(f"[{''.join(map(chr, (*range(32), *range(127, 160))))}]")
DIGIT = re.compile(r"\d")


def normalise(text: str) -> str:
    """Lower case, no accents, digits as 0, plain punctuation, no control characters."""
    text = text.strip().lower()
    if not text.isascii():
        text = "".join(char for char in unicodedata.normalize("NFD", text) if unicodedata.category(char) != "Mn")
    return CONTROL.sub("", DIGIT.sub("0", text).translate(MAP))


def peers() -> tuple[Any, Any]:
    """The packages of the loop; None for one that is not installed."""
    found: list[Any] = []
    for name in ("sentencepiece", "kenlm"):
        try:
            found.append(importlib.import_module(name))
        except ImportError:
            print(f"the package {name} is not installed: pip install {name}")
            found.append(None)
    return found[0], found[1]


def knows_norm() -> bool:
    """Whether bitmeter has the normaliser by name."""
    try:
        bm.columns("uniform", norm=NORM)
    except BitmeterError:
        return False
    return True


def written(path: Path, documents: list[str]) -> int:
    """Documents as JSON lines; returns the bytes before compression."""
    data = "".join(
        json.dumps({"text": text, "id": number}, ensure_ascii=False) + "\n" for number, text in enumerate(documents)
    )
    path.write_bytes(zstandard.ZstdCompressor(level=3).compress(data.encode()))
    return len(data.encode())


def lines(path: Path) -> Iterator[str]:
    with open(path, "rb") as file:
        yield from io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8")


def loop(source: Path, out: Path, tokenizer: Any, model: Any, limit: float, *, norm: bool) -> list[int]:
    """The filter as it is usually written; gives the ids of what it keeps."""
    kept = []
    with open(out, "wb") as file, zstandard.ZstdCompressor(level=3).stream_writer(file) as packed:
        for line in lines(source):
            row = json.loads(line)
            text = normalise(row["text"]) if norm else row["text"]
            pieces = tokenizer.encode_as_pieces(text)
            perplexity = 10.0 ** (-model.score(" ".join(pieces)) / (len(pieces) + 1))
            if perplexity <= limit:
                kept.append(row["id"])
                packed.write(line.encode())
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--vocabulary", type=int, default=8000)
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--keep", type=int, default=30)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--words", action="store_true", help="only the n-gram model of words")
    arguments = parser.parse_args()
    print(header())
    documents = [line for line in arguments.test.read_text("utf-8", "replace").split("\n") if line.strip()]
    documents *= arguments.copies
    with tempfile.TemporaryDirectory() as folder:
        if not arguments.words:
            against_the_loop(arguments, documents, Path(folder))
        of_words(arguments, documents, Path(folder))


def against_the_loop(arguments: argparse.Namespace, documents: list[str], folder: Path) -> None:
    sentencepiece, kenlm = peers()
    if sentencepiece is None:
        return
    norm = knows_norm()
    training = [normalise(line) for line in arguments.train.read_text("utf-8", "replace").split("\n") if line.strip()]
    (folder / "train.txt").write_text("\n".join(training))
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "train.txt"), model_prefix=str(folder / "en.sp"), vocab_size=arguments.vocabulary,
        model_type="unigram", minloglevel=2, hard_vocab_limit=False, num_threads=1,
    )  # fmt: skip
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(folder / "en.sp.model"))
    pieces = "\n".join(" ".join(tokenizer.encode_as_pieces(line)) for line in training)
    model = bm.NGram(order=arguments.order).fit(pieces.encode() + b"\n")
    model.save(folder / "en.bmn")
    model.save(folder / "en.arpa")
    if not norm:
        print(f"bitmeter has no normaliser {NORM!r}: both read texts that are normalised already")
        documents = [normalise(text) for text in documents]
    source = folder / "pages.jsonl.zst"
    size = written(source, documents)
    by_kenlm = None if kenlm is None else kenlm.Model(str(folder / "en.arpa"))
    sides: dict[str, Side] = {}

    def ours(**rule: Any) -> Side:
        def run() -> Kept:
            bm.filter_corpus(
                str(folder / "en.bmn"), source, folder / "ours.jsonl.zst", force=True,
                units=f"sentencepiece:{folder / 'en.sp.model'}", norm=NORM if norm else None, **rule,
            )  # fmt: skip
            forget(folder)
            return lambda: ids_in(folder / "ours.jsonl.zst")

        return run

    found = bm.filter_corpus(
        str(folder / "en.bmn"), source, dry_run=True, keep=f"{arguments.keep}%",
        units=f"sentencepiece:{folder / 'en.sp.model'}", norm=NORM if norm else None,
    )  # fmt: skip
    limit = found.rule["settled"]["limits"][""][1] * (1 + 1e-6)  # kenlm rounds to single precision
    sides["bitmeter, two passes (--keep)"] = ours(keep=f"{arguments.keep}%")
    sides["bitmeter, one pass (--max)"] = ours(max=limit)
    if by_kenlm is not None:

        def usual() -> Kept:
            found = loop(source, folder / "loop.zst", tokenizer, by_kenlm, limit, norm=norm)
            return lambda: found

        sides["the loop (--max)"] = usual
    show(arguments, sides, size, len(documents), "the loop (--max)")


def ids_in(path: Path) -> list[int]:
    """What was kept, read after the clock has stopped."""
    return [json.loads(line)["id"] for line in lines(path)]


def forget(folder: Path) -> None:
    """Remove the receipts, so that the next round works again."""
    for path in (folder / ".bitmeter-filter").glob("*.receipt"):
        path.unlink()


def of_words(arguments: argparse.Namespace, documents: list[str], folder: Path) -> None:
    bm.NGram(order=arguments.order, unk_word=True).fit(arguments.train).save(folder / "words.bmn")
    source = folder / "words.jsonl.zst"
    size = written(source, documents)

    def kept(**keywords: Any) -> Side:
        def run() -> Kept:
            out = folder / "words-out.jsonl.zst"
            bm.filter_corpus(str(folder / "words.bmn"), source, out, force=True, **keywords)
            forget(folder)
            return lambda: ids_in(out)

        return run

    sides = {
        "n-gram of words, bits per byte": kept(max=float(np.log2(100))),
        "the same, two passes": kept(keep=f"{arguments.keep}%"),
        "n-gram of words, perplexity": kept(oov="class", max=500.0),
    }
    show(arguments, sides, size, len(documents), "")


def show(arguments: argparse.Namespace, sides: dict[str, Side], size: int, documents: int, base: str) -> None:
    best: dict[str, float] = {}
    kept: dict[str, list[int]] = {}
    for _ in range(arguments.repeat):
        for name, run in sides.items():
            taken, found = timed(run)
            kept[name] = found()
            best[name] = min(taken.cpu, best.get(name, math.inf))
    print(f"\n{documents:,} documents, {size / 1e6:.1f} MB of JSON lines; reading, scoring and writing")
    print(f"{'':<34}{'CPU s':>8}{'docs/CPU s':>12}{'MB/CPU s':>10}{'ratio':>8}{'kept':>9}{'same':>9}")
    for name, seconds in best.items():
        row = f"{name:<34}{seconds:>8.3f}{documents / seconds:>12,.0f}{size / 1e6 / seconds:>10.2f}"
        if base in best:
            same = len(set(kept[name]) & set(kept[base])) / max(1, len(set(kept[name]) | set(kept[base])))
            row += f"{best[base] / seconds:>8.2f}{len(kept[name]):>9,}{100 * same:>8.2f}%"
        else:
            row += f"{'–':>8}{len(kept[name]):>9,}"
        print(row)


if __name__ == "__main__":
    main()
