"""GGUF files of small networks, and the models that run them."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import bitmeter as bm
from tests.models import gguf_files
from tests.models.causal.hf.test_model import TEXTS
from tests.models.networks import TINY

CORPUS = bm.Corpus.from_documents(TEXTS)
LONG = (TINY / "joined.txt").read_bytes()[:3000]
FOLDER = tempfile.TemporaryDirectory(prefix="bitmeter-gguf-")


@functools.cache
def file(name: str, kind: str) -> Path:
    tokenizer = gguf_files.bpe_tokenizer() if name == "bpe" else gguf_files.pieces_tokenizer()
    path = Path(FOLDER.name) / f"{name}-{kind}.gguf"
    gguf_files.write(path, gguf_files.llama(len(tokenizer)), tokenizer, kind)
    return path


@functools.cache
def model(name: str, kind: str = "f32", options: str = "attention=f32") -> Any:
    return bm.load(f"gguf:{file(name, kind)},{options}" + ",threads=1" * ("threads" not in options))


@functools.cache
def twin(name: str, kind: str = "f32") -> Any:
    return bm.load(f"gguf:{file(name, kind)},engine=transformers")
