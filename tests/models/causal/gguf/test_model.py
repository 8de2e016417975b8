"""GGUF files through transformers: the same weights, tokens and figures as from safetensors; damage is named."""

from __future__ import annotations

import functools
import struct
import tempfile
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch

import bitmeter as bm
from bitmeter.errors import ChoiceError, DamagedSourceError, MissingSourceError, ModelError
from bitmeter.models.causal.gguf.header import read_header
from tests.models import gguf_files
from tests.models.causal.hf.test_model import TEXTS

CORPUS = bm.Corpus.from_documents(TEXTS)


@functools.cache
def tokenizer(name: str) -> Any:
    return gguf_files.bpe_tokenizer() if name == "bpe" else gguf_files.pieces_tokenizer()


@functools.cache
def both(name: str, kind: str) -> tuple[Any, bm.HuggingFace]:
    """A model from its GGUF file, and from a folder with the weights that the file holds."""
    network = gguf_files.llama(len(tokenizer(name)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}-{kind}.gguf"
        held = gguf_files.write(file, network, tokenizer(name), kind)
        found = bm.load(f"gguf:{file},engine=transformers")
        same = gguf_files.llama(len(tokenizer(name)))
        same.load_state_dict(held)
        same.save_pretrained(Path(folder) / "plain")
        tokenizer(name).save_pretrained(Path(folder) / "plain")
        return found, bm.load(f"hf:{folder}/plain")


@pytest.mark.parametrize("name", ["bpe", "pieces"])
@pytest.mark.parametrize("kind", ["f32", "f16", "q8_0", "q4_1"])
def test_the_figures_are_those_of_the_weights_in_the_file(name: str, kind: str) -> None:
    """Dequantised by the package gguf for one side and by transformers for the other: equal to the last bit."""
    found, plain = both(name, kind)
    ours, theirs = found._network.state_dict(), plain._network.state_dict()
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[key], theirs[key]) for key in ours)
    read, expected = bm.score(found, CORPUS), bm.score(plain, CORPUS)
    np.testing.assert_array_equal(read.trace.logprob, expected.trace.logprob)
    np.testing.assert_array_equal(read.trace.start, expected.trace.start)
    assert (read.nats, read.bytes, read.words, read.tokens) == (
        expected.nats, expected.bytes, expected.words, expected.tokens,
    )  # fmt: skip


@pytest.mark.parametrize(("kind", "share"), [("f16", 1e-4), ("q8_0", 2e-3), ("q4_1", 2e-2)])
def test_quantising_changes_little_but_something(kind: str, share: float) -> None:
    exact, coarse = (bm.score(both("bpe", which)[0], CORPUS) for which in ("f32", kind))
    assert exact.nats != coarse.nats
    assert coarse.nats == pytest.approx(exact.nats, rel=share)


@pytest.mark.parametrize("name", ["bpe", "pieces"])
def test_spans_are_the_bytes_in_every_script(name: str) -> None:
    found = both(name, "f32")[0]
    for text in TEXTS:
        split = found.units.split(text.encode())
        assert split.lossy == 0
        assert b"".join(split.pieces(text.encode())) == text.encode()


def test_what_a_score_says_of_it() -> None:
    found, _ = both("pieces", "q8_0")
    score = bm.score(found, b"to see")
    assert found.name == "gguf:pieces-q8_0.gguf"
    assert score.signature.model.startswith("gguf:pieces-q8_0.gguf/hf-")
    assert score.signature.precision == "q8_0 dequantised to float32"
    assert score.signature.units.startswith("tokenizer:pieces-q8_0.gguf/")
    assert any("dequantised" in note for note in score.notes)
    exact = both("bpe", "f32")[0]
    assert bm.score(exact, b"to see").signature.precision == "float32"
    assert not any("dequantised" in note for note in bm.score(exact, b"to see").notes)


@pytest.mark.parametrize(("name", "led"), [("bpe", False), ("pieces", True)])
def test_the_file_says_whether_llama_cpp_puts_bos_into_a_window(name: str, led: bool) -> None:
    found = both(name, "f32")[0]
    assert found.llama_adds_bos is led
    assert found.with_context("half.16", "bos").windowing.prefix == (found.bos_id if led else None)


def test_a_way_to_cut_texts_that_transformers_does_not_know_is_said(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    gguf_files.write(file, gguf_files.llama(400), tokenizer("bpe"), pre="command-r")
    notes = bm.score(f"gguf:{file},engine=transformers", b"to see").notes
    assert any("cut as by 'command-r'" in note for note in notes)
    assert not any("cut as by" in note for note in bm.score(both("bpe", "f32")[0], b"to see").notes)


def test_nothing_is_drawn_while_it_loads(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.gguf"
    gguf_files.write(file, gguf_files.llama(400, tied=True), tokenizer("bpe"))
    made = bm.load(f"gguf:{file},engine=transformers,dtype=float64,batch=64")
    assert made.precision == "float64"
    assert capfd.readouterr().err == ""


# ---- damage ----------------------------------------------------------------------------------------------------------


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


def test_other_files_and_options(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.gguf"
    with pytest.raises(MissingSourceError, match="no file"):
        bm.load(f"gguf:{other}")
    for content in (b"", b"GG", b"PK\3\4 something else"):
        other.write_bytes(content)
        with pytest.raises(ModelError, match="does not begin with"):
            bm.load(f"gguf:{other}")
    other.write_bytes(b"GGUF" + struct.pack("<IQQ", 1, 0, 0))
    with pytest.raises(ModelError, match="version 1"):
        bm.load(f"gguf:{other}")
    with pytest.raises(ChoiceError, match="engine"):
        bm.load(f"gguf:{file},engine=onnx")
    for wrong in ("gguf:", f"gguf:{file},colour=red", f"gguf:{file},gguf_file=x"):
        with pytest.raises(ModelError):
            bm.load(wrong)


def test_a_vocabulary_alone_and_an_unknown_architecture(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    for architecture, weights, message in (("llama", False, "no weights"), ("abacus", True, "transformers says")):
        writer = gguf.GGUFWriter(str(path), architecture)
        if weights:
            writer.add_tensor("token_embd.weight", np.zeros((4, 32), dtype=np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        with pytest.raises(ModelError, match=message):
            bm.load(f"gguf:{path},engine=transformers")
