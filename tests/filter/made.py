"""Corpora for the tests of the filter."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import bitmeter as bm

TEXT = b"to be or not to be\nthat is the question\nwhether tis nobler in the mind\n"
TEXTS = [
    "to be or not to be",
    "that is the question",
    "to be that is the question",
    "qwz xkv jjj pq zzz",
    "whether tis nobler in the mind to be",
    "xx yy zz ww vv uu",
    "the mind is the question",
    "nobler nobler nobler",
    "or not",
    "kqj zxw vbn mlp wrt",
]


def rows(texts: list[str] = TEXTS, **more: Any) -> list[dict[str, Any]]:
    return [{"id": number, "text": text, **more} for number, text in enumerate(texts)]


def write_jsonl(path: Path, records: list[Any]) -> Path:
    lines = [record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records]
    data = "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    return [json.loads(line) for line in (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()]


def model(folder: Path, order: int = 2) -> str:
    path = folder / "model.bmn"
    if not path.exists():
        bm.NGram(order=order).fit(TEXT * 3).save(path)
    return str(path)


def values(name: str, texts: list[str], by: str = "bits_per_byte") -> list[float]:
    """The figure of each text by `score`, one after the other: another way to the same figures."""
    scores = [bm.score(name, text.encode()) for text in texts]
    return [score.bits_per_byte if by == "bits_per_byte" else score.perplexity("token") for score in scores]
