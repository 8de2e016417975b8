"""GGUF files run by llama.cpp: transformers' figures in float32, llama-perplexity's own, tokens, bytes, bad input."""

from __future__ import annotations

import functools
import gc
import json
import math
import tempfile
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch

import bitmeter as bm
from bitmeter.errors import ChoiceError, DamagedSourceError, ModelError
from bitmeter.reports.figures import tool_figures
from tests.models import gguf_files
from tests.models.causal.hf.test_model import TEXTS
from tests.models.networks import TINY
from tests.parity.make_figures import write_gguf

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


# ---- figures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "ctx"), [
    ("bpe", "auto"), ("bpe", "20.5"), ("bpe", "disjoint.16"), ("bpe", "half.12"),
    # As lm-eval reads, a tokenizer that adds BOS gets a second one; transformers' for a GGUF file adds none.
    ("bpe", "rolling.9"), ("pieces", "auto"), ("pieces", "20.5"), ("pieces", "half.12"),
])  # fmt: skip
def test_in_float32_every_token_is_as_by_transformers(name: str, ctx: str) -> None:
    ours, theirs = (bm.score(made, CORPUS, ctx=ctx) for made in (model(name), twin(name)))
    np.testing.assert_allclose(ours.trace.logprob, theirs.trace.logprob, atol=1e-5, rtol=0)
    np.testing.assert_array_equal(ours.trace.start, theirs.trace.start)
    assert (ours.tokens, ours.skipped) == (theirs.tokens, theirs.skipped)


@pytest.mark.parametrize(("kind", "options", "share"), [
    ("f32", "attention=f16", 1e-4), ("f16", "attention=f32", 1e-4), ("q8_0", "attention=f16", 1e-3),
    ("q4_1", "attention=f16", 1e-3),
])  # fmt: skip
def test_its_own_kernels_differ_a_little_and_say_so(kind: str, options: str, share: float) -> None:
    ours, theirs = bm.score(model("bpe", kind, options), CORPUS), bm.score(twin("bpe", kind), CORPUS)
    assert ours.nats == pytest.approx(theirs.nats, rel=share)
    assert ours.nats != theirs.nats
    assert ours.signature.precision.startswith(f"{kind} by llama.cpp, {options.replace('=', ' ')} (")
    assert "/llama.cpp-" in ours.signature.model
    assert "/hf-" in theirs.signature.model


def test_what_llama_perplexity_prints(tmp_path: Path) -> None:
    """Its own figure for this model and text; tests/parity/tiny/figures.json has how it was called."""
    write_gguf(tmp_path / "tiny.gguf")
    made = bm.load(f"gguf:{tmp_path / 'tiny.gguf'},attention=f32,threads=1,batch=64")
    expected = json.loads((TINY / "figures.json").read_text())["llama.cpp"]
    ours, _ = tool_figures(bm.score(made, TINY / "joined.txt", like="llama.cpp"))
    assert (f"{ours['PPL']:.4f}", f"{ours['+/-']:.5f}") == (expected["PPL"], expected["+/-"])


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


def test_one_token_and_no_token() -> None:
    assert bm.score(model("bpe"), b"a").tokens == 1
    assert bm.score(model("bpe"), b"").tokens == 0
    assert bm.score(model("bpe"), b"a", first="skip").tokens == 0


# ---- tokens ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bpe", "pieces"])
def test_units_are_the_bytes_in_every_script(name: str) -> None:
    for text in TEXTS:
        split = model(name).units.split(text.encode())
        assert split.lossy == 0
        assert b"".join(split.pieces(text.encode())) == text.encode()
        assert split.ids.tolist() == twin(name).units.split(text.encode()).ids.tolist()


@pytest.mark.parametrize(("name", "adds"), [("bpe", False), ("pieces", True)])
def test_bos_is_put_where_the_signature_says_and_nowhere_else(name: str, adds: bool) -> None:
    made = model(name)
    assert made.adds_bos is adds
    assert made.bos_id not in made.units.split(b"to see").ids
    assert made.with_context("auto", "bos").windowing.prefix == made.bos_id
    assert made.with_context("auto", "skip").windowing.prefix is None


def test_the_name_of_a_special_token_is_plain_text() -> None:
    for name, text in (("bpe", b"<|endoftext|>"), ("pieces", b"<s>")):
        split = model(name).units.split(text)
        assert len(split) > 1
        assert b"".join(split.pieces(text)) == text


def test_what_does_not_round_trip_is_said() -> None:
    score = bm.score(model("bpe"), b"bytes \xff\xfe that are no text")
    assert any("do not give back" in note for note in score.notes)
    assert b"".join(model("bpe").units.split(b"a \xff b").pieces(b"a \xff b")) == b"a \xff b"


def test_no_special_token_is_made_up(tmp_path: Path) -> None:
    """Where a file names none, llama.cpp takes id 11 for the BOS of a byte-level vocabulary."""
    tokenizer = gguf_files.bpe_tokenizer()
    path = tmp_path / "plain.gguf"
    gguf_files.write(path, gguf_files.llama(len(tokenizer)), tokenizer, special=False)
    made = bm.load(f"gguf:{path},engine=llama.cpp")
    assert (made.bos_id, made.eos_id, made.adds_bos) == (None, None, False)
    assert bm.score(made, b"text").signature.first == "uniform"


# ---- more than a number ----------------------------------------------------------------------------------------------


def test_predictions_sum_to_one_and_are_what_is_scored() -> None:
    made = model("pieces", "q8_0", "attention=f16")
    text = TEXTS[0].encode()
    score = bm.score(made, text, alternatives=3)
    ids = made.units.split(text).ids
    for place in (0, 1, len(ids) - 1):
        logs = made.predict(ids[:place])
        assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-12)
        unit = score.trace.unit(place)
        assert unit.logprob == pytest.approx(logs[ids[place]], abs=1e-3)
        assert unit.rank == 1 + (logs > logs[ids[place]]).sum()
    assert bm.score(made, text).nats == pytest.approx(score.nats, abs=1e-4)


@pytest.mark.parametrize("ctx", ["auto", "20.5"])
def test_a_stepper_is_the_same_model(ctx: str) -> None:
    made = model("bpe").with_context(ctx, "bos")
    ids = made.units.split(LONG[:200]).ids
    expected = made.logprobs(ids, np.array([0, len(ids)]))
    stepper = made.stepper()
    found = []
    for token in ids.tolist():
        found.append(stepper.predict()[token])
        stepper.take(token)
    np.testing.assert_allclose(found, expected, atol=2e-5, rtol=0)


def test_the_score_is_proved_by_decoding() -> None:
    proof = bm.prove(model("bpe", "q8_0", "attention=f16"), LONG[:300])
    assert 0.0 < proof.difference < 12.0


def test_what_quantising_changed() -> None:
    same = bm.divergence(model("bpe"), model("bpe"), LONG)
    assert same.mean == pytest.approx(0.0, abs=1e-9)
    changed = bm.divergence(model("bpe"), model("bpe", "q4_1", "attention=f16"), LONG)
    assert 1e-5 < changed.mean < 0.1


# ---- bad input -------------------------------------------------------------------------------------------------------


def test_llama_cpp_is_the_usual_engine() -> None:
    assert type(bm.load(f"gguf:{file('bpe', 'f32')}")).__name__ == "LlamaCpp"


def test_options_of_the_other_engine_are_refused() -> None:
    path = file("bpe", "f32")
    for option in ("dtype=bfloat16", "device_map=auto", "trust=yes"):
        with pytest.raises(ModelError, match="engine=transformers"):
            bm.load(f"gguf:{path},{option}")
    with pytest.raises(ModelError, match=r"engine=llama\.cpp"):
        bm.load(f"gguf:{path},engine=transformers,attention=f32")
    for option in ("attention=f8", "device=cuda:7"):
        with pytest.raises(ChoiceError):
            bm.load(f"gguf:{path},{option}")
    with pytest.raises(ModelError, match="sees 48 tokens"):
        bm.score(model("bpe"), LONG, ctx="64.32")


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
