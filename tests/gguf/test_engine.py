"""llama.cpp at work: batches, threads, windows, memory, and what it cannot load."""

from __future__ import annotations

import gc
import math
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch

import bitmeter as bm
from bitmeter.errors import DamagedSourceError, ModelError
from tests.gguf.made import LONG, file, model
from tests.models import gguf_files
from tests.models.causal.hf.test_model import TEXTS


def test_batches_and_threads_change_nothing() -> None:
    usual = bm.score(model("bpe"), LONG).trace.logprob
    for options in ("attention=f32,batch=7", "attention=f32,batch=64,threads=2", "attention=f32,threads=1,device=cpu"):
        np.testing.assert_allclose(bm.score(model("bpe", "f32", options), LONG).trace.logprob, usual, atol=2e-5, rtol=0)


def test_windows_do_not_see_each_other() -> None:
    """Whatever was computed before, a document's figure is the same to the last bit."""
    made = model("bpe", "q8_0", "attention=f16")
    alone = bm.score(made, TEXTS[3].encode()).trace.logprob
    bm.score(made, LONG)
    among = bm.score(made, bm.Corpus.from_documents([TEXTS[0], TEXTS[3], TEXTS[1]]))
    np.testing.assert_array_equal(among.trace.document(1).logprob, alone)


def test_a_network_lets_go_of_its_sessions_first() -> None:
    made = bm.load(f"gguf:{file('bpe', 'f32')},threads=1")
    bm.score(made, b"to see")
    steps = made.stepper()
    steps.predict()
    kept = made._engine.open
    assert len(kept) == 2
    made.cycle = [made, steps]
    del made, steps
    gc.collect()
    assert kept == {}


def test_what_llama_cpp_cannot_load_is_said_in_its_words(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.gguf"
    writer = gguf.GGUFWriter(str(path), "abacus")
    writer.add_tensor("token_embd.weight", np.zeros((4, 32), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(ModelError, match="unknown model architecture: 'abacus'"):
        bm.load(f"gguf:{path}")
    path.write_bytes(file("bpe", "f32").read_bytes()[:-1000])
    with pytest.raises(DamagedSourceError, match="cut short"):
        bm.load(f"gguf:{path}")
    assert capfd.readouterr().err == ""


def test_logits_that_are_no_numbers_are_named(tmp_path: Path) -> None:
    tokenizer = gguf_files.bpe_tokenizer()
    network = gguf_files.llama(len(tokenizer))
    with torch.no_grad():
        network.model.norm.weight[3] = math.nan
    path = tmp_path / "broken.gguf"
    gguf_files.write(path, network, tokenizer)
    with pytest.raises(ModelError, match="NaN"):
        bm.score(f"gguf:{path}", b"some text")
