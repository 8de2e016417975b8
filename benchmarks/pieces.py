"""Splitting by a SentencePiece model or a tokenizer.json in the core, and scoring, against the package of each.

    python benchmarks/pieces.py TRAIN TEST [--kind unigram] [--size 8000] [--order 5] [--repeat 5] [--tokenizer FILE]

A vocabulary (unless a tokenizer.json is given) and an n-gram model are learned from TRAIN, and the lines of TEST split
and scored on one thread. The least CPU seconds of several rounds, the first of which fills what is kept of words: a
long-running filter is past it. The pieces of both sides are compared first.
"""

from __future__ import annotations

import argparse
import io
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import sentencepiece
import tokenizers
from stopwatch import header, timed

import bitmeter as bm
from bitmeter import _core
from bitmeter.models.session import Batch, Options
from bitmeter.text.units.sentencepiece import SentencePiece, pieces_by_package
from bitmeter.text.units.tokenizers import FileUnits, Tokenizer


def trained(path: str, kind: str, size: int) -> bytes:
    """A vocabulary with the package's default normaliser, as the filters of the field have."""
    model = io.BytesIO()
    lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(line for line in lines if line.strip()), model_writer=model, model_type=kind,
        vocab_size=size, minloglevel=2, hard_vocab_limit=False,
    )  # fmt: skip
    return model.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--kind", default="unigram", choices=["unigram", "bpe"])
    parser.add_argument("--size", type=int, default=8000)
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--tokenizer", help="a tokenizer.json, beside the package `tokenizers`")
    options = parser.parse_args()
    os.environ["RAYON_NUM_THREADS"] = "1"  # of the package
    print(header())
    data = Path(options.test).read_bytes()
    ends = _core.line_ends(data)
    if not len(ends) or ends[-1] < len(data):
        ends = np.append(ends, np.int64(len(data)))
    texts = [data[a:b].decode("utf-8", "replace") for a, b in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        if options.tokenizer:
            units: FileUnits = Tokenizer(options.tokenizer)
            package = tokenizers.Tokenizer.from_file(options.tokenizer)
            package.no_truncation()
            package.no_padding()
            package.encode_special_tokens = True

            def ids_of() -> list[list[int]]:
                return [one.ids for one in package.encode_batch_fast(texts, add_special_tokens=False)]

            def offsets_of() -> object:
                return [one.offsets for one in package.encode_batch(texts, add_special_tokens=False)]
        else:
            file = Path(folder, "pieces.model")
            file.write_bytes(trained(options.train, options.kind, options.size))
            units = SentencePiece(file)
            processor = sentencepiece.SentencePieceProcessor(model_file=str(file))

            def ids_of() -> list[list[int]]:
                found: list[list[int]] = processor.encode(texts)
                return found

            def offsets_of() -> object:
                return pieces_by_package(processor, texts)

        assert units.encoder is not None
        model = bm.NGram(options.order, units=units, threads=1).fit(options.train)
        expected = ids_of()
        split = units.split(data, ends)
        for i, ids in enumerate(expected):
            found = split.ids[split.bounds[i] : split.bounds[i + 1]].tolist()
            assert found == ids or (found == [-2] and not ids), f"line {i + 1} has other pieces than the package finds"

        def fused() -> None:
            session = model.open(Options("yes"))
            session.score(Batch(data, ends, units, eos="yes", end=model.end))

        numbers = model.own_ids_of(split.ids)
        nothing = np.zeros(0, dtype=np.int64)
        rows: list[tuple[str, Callable[[], object]]] = [
            ("package: ids", ids_of),
            ("package: ids and offsets", offsets_of),
            ("ours: ids and spans", lambda: units.split(data, ends)),
            ("ours: n-gram scores of given ids", lambda: model.form.logprobs(numbers, split.bounds, nothing, True, 1)),
            ("ours: ids, spans and n-gram scores", fused),
        ]
        print(f"{len(data):,} bytes, {len(texts):,} lines, {len(split):,} pieces; one thread; pieces are equal\n")
        first = 0.0
        for name, run in rows:
            run()
            seconds = min(timed(run)[0].cpu for _ in range(options.repeat))
            first = first or seconds
            speed = len(data) / seconds / 1e6
            print(
                f"{name:36} {seconds:8.3f} CPU s {speed:8.1f} MB per CPU s {first / seconds:7.1f} x the package's ids"
            )


if __name__ == "__main__":
    main()
