"""GGUF files run by llama.cpp: transformers' figures in float32, llama-perplexity's own, tokens, bytes, bad input."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ChoiceError, ModelError
from bitmeter.reports.figures import tool_figures
from tests.gguf.made import CORPUS, LONG, file, model, twin
from tests.models import gguf_files
from tests.models.causal.hf.test_model import TEXTS
from tests.models.networks import TINY
from tests.parity.make_figures import write_gguf


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


def test_one_token_and_no_token() -> None:
    assert bm.score(model("bpe"), b"a").tokens == 1
    assert bm.score(model("bpe"), b"").tokens == 0
    assert bm.score(model("bpe"), b"a", first="skip").tokens == 0


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
    # The file ends at a whole byte, and sooner where a shorter number happens to lie in the last interval: that goes by
    # the last digits of the probabilities. Each further byte saved is 256 times less likely.
    assert -16.0 < proof.difference < 12.0


def test_what_quantising_changed() -> None:
    same = bm.divergence(model("bpe"), model("bpe"), LONG)
    assert same.mean == pytest.approx(0.0, abs=1e-9)
    changed = bm.divergence(model("bpe"), model("bpe", "q4_1", "attention=f16"), LONG)
    assert 1e-5 < changed.mean < 0.1


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
