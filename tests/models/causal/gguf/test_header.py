"""The header of a GGUF file: every cut and flipped byte is an error of ours or harmless."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import DamagedSourceError, ModelError
from bitmeter.models.causal.gguf.header import read_header
from tests.models import gguf_files


@functools.cache
def tokenizer(name: str) -> Any:
    return gguf_files.bpe_tokenizer() if name == "bpe" else gguf_files.pieces_tokenizer()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    gguf_files.write(path, gguf_files.llama(400), tokenizer("bpe"), "q8_0")
    return path


def test_the_head_of_a_file(file: Path) -> None:
    head = read_header(file)
    assert head.kind == "q8_0"
    assert head.values["general.architecture"] == "llama"
    assert head.values["tokenizer.ggml.tokens"] == 400
    assert head.values["llama.context_length"] == 48


def test_a_file_that_is_cut_is_named_wherever_it_was_cut(file: Path) -> None:
    data = file.read_bytes()
    for size in (*range(4, 400, 7), *range(400, len(data), 4999), len(data) - 40):
        file.write_bytes(data[:size])
        with pytest.raises(DamagedSourceError, match="cut short or damaged"):
            bm.load(f"gguf:{file}")


def test_flipped_bytes_in_the_head_are_errors_of_ours_or_harmless(file: Path) -> None:
    data = file.read_bytes()
    generator = np.random.default_rng(5)
    named = 0
    for place in generator.integers(4, 12_000, 300).tolist():
        file.write_bytes(data[:place] + bytes([data[place] ^ 0x81]) + data[place + 1 :])
        try:
            read_header(file)
        except (DamagedSourceError, ModelError):
            named += 1
    assert named > 30, "lengths are among what was flipped"
