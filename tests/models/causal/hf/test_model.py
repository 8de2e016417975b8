"""Models of Hugging Face: the same figures whatever the batch, byte spans, bad input."""

from __future__ import annotations

import itertools
import json
import math
import shutil
import unicodedata
from pathlib import Path

import numpy as np
import pytest
import torch

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.models.causal.hf.model import options_of, revision_of
from tests.models.networks import TINY, byte_fallback_tokenizer, model, network, plain_loop, tiny

SCRIPTS = (
    "Latin café ﬁ", "Ελληνικά", "русский", "עברית", "العربية", "हिन्दी", "বাংলা", "ไทย", "日本語", "汉字", "한국어",
    "ქართული", "አማርኛ", "👩‍👩‍👧 🙂", "a\u0301 \u200d\u202e", "\ufeff mark", "tab\tand\r\nnewline", "\0 zero", "𝔘𝔫𝔦", "ﷺ",
)  # fmt: skip
TEXTS = [f"{script} {'and a few more words of text ' * (place % 3)}" for place, script in enumerate(SCRIPTS)]


def check_against_loop(made: bm.HuggingFace, corpus: bm.Corpus, tolerance: float, ctx: str | None = None) -> None:
    """Every token's figure is that of its window alone in a plain loop."""
    score = bm.score(made, corpus, ctx=ctx)
    reader = made.with_context(ctx or "auto", "bos")
    data = b"".join(document.data for document in corpus)
    ends = np.cumsum([len(document.data) for document in corpus])
    split = made.units.split(data, ends)
    plan = reader.plan(split.bounds)
    for sequence, lead, first, stop in zip(
        *reader.sequences(split.ids, plan), plan.first.tolist(), plan.stop.tolist(), strict=True
    ):
        ours = score.trace.logprob[first:stop]
        np.testing.assert_allclose(ours, plain_loop(made, sequence, lead), atol=tolerance, rtol=0)


CORPUS = bm.Corpus.from_documents(TEXTS)


@pytest.mark.parametrize("batch", [0, 7, 64, 4096])
def test_figures_do_not_depend_on_the_batch(batch: int) -> None:
    check_against_loop(tiny(batch=batch), CORPUS, 1e-5)


@pytest.mark.parametrize("ctx", ["full", "20.5", "disjoint.16", "rolling.9", "half.12"])
def test_windows_of_every_kind(ctx: str) -> None:
    texts = CORPUS if ctx != "full" else bm.Corpus.from_documents([t for t in TEXTS if len(t.encode()) < 50])
    check_against_loop(tiny(), texts, 1e-5, ctx)


def test_float32_is_close_to_float64() -> None:
    exact, usual = (bm.score(tiny(dtype), CORPUS).trace.logprob for dtype in ("float64", "float32"))
    np.testing.assert_allclose(usual, exact, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    ("make", "packs", "bare_head"),
    [
        ("llama", True, True),
        ("mistral", True, True),  # what is longer than its sliding window has a row of its own
        ("gemma2", True, True),  # its logits are capped behind the head
        ("bloom", False, True),  # positions come from a mask of its own
        ("mamba", False, True),  # a state runs along the row
    ],
)
def test_networks_of_other_makes(make: str, packs: bool, bare_head: bool) -> None:
    made = model(make)
    assert (made.packs, made._scorer._shape_logits is not None) == (packs, bare_head)
    # Rounding, which grows along the state of a mamba: 2e-5 of the spread of its logits, 22. A leak makes 0.5 and more.
    check_against_loop(made, bm.Corpus.from_documents(TEXTS[:6]), 5e-4 if make == "mamba" else 2e-5, ctx="24.12")


def test_without_a_bare_head_the_network_answers_itself() -> None:
    made = bm.HuggingFace(TINY)
    made._scorer._shape_logits = None
    check_against_loop(made, bm.Corpus.from_documents(TEXTS[:5]), 1e-5)


def test_padding_changes_nothing() -> None:
    """Where rows cannot be packed they are padded on the right, which a causal network never sees."""
    made = bm.HuggingFace(TINY, batch=4096)
    made._scorer.packs = False
    check_against_loop(made, CORPUS, 1e-5)


# ---- spans, first tokens, ends ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", ["tiny", "llama"])
def test_units_are_the_bytes_in_every_script(make: str) -> None:
    made = tiny() if make == "tiny" else model("llama")
    for text in TEXTS:
        split = made.units.split(text.encode())
        assert split.lossy == 0
        assert b"".join(split.pieces(text.encode())) == text.encode()
        joined = made.units.join(split.ids)
        assert joined.lstrip(b" ") == text.encode().lstrip(b" ")


@pytest.mark.parametrize("make", ["tiny", "llama"])
def test_letters_of_all_of_unicode_have_their_bytes(make: str) -> None:
    """From every block of 64 code points in which any is assigned: no script is without some."""
    made = tiny() if make == "tiny" else model("llama")
    assigned = (chr(code) for code in range(0x20000) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co"))
    rows = [list(row) for _, row in itertools.groupby(assigned, key=lambda letter: ord(letter) // 64)]
    assert len(rows) > 1000
    # To SentencePiece ▁ is a space, so that a text that holds it does not come back.
    text = " ".join("".join(row[:2] + row[-1:]) for row in rows).replace("▁", "").encode()
    assert made.units.split("▁".encode()).lossy == (3 if make == "llama" else 0)
    split = made.units.split(text)
    assert split.lossy == 0
    assert b"".join(split.pieces(text)) == text
    part = text[: text.index(b" ", 400)]
    score = bm.score(made, part)
    assert np.isfinite(score.trace.logprob).all()
    assert (score.bytes, score.chars) == (len(part), len(part.decode()))


def test_counts_are_those_of_the_text() -> None:
    text = TEXTS[0].encode()
    score = bm.score(tiny(), text)
    assert (score.bytes, score.chars, score.words) == (len(text), len(text.decode()), len(text.split()))
    assert score.nats == pytest.approx(-math.fsum(score.trace.logprob), rel=1e-12)
    assert score.trace.group("word").logprob.sum() == pytest.approx(-score.nats, rel=1e-12)


def test_one_token_and_no_token() -> None:
    one = bm.score(tiny(), b"a")
    assert one.tokens == 1
    ids = tiny().units.split(b"a").ids
    assert one.nats == pytest.approx(-plain_loop(tiny(), np.array([0, *ids]), 1)[0], abs=1e-5)
    assert bm.score(tiny(), b"").tokens == 0
    assert bm.score(tiny(), b"a", first="skip").tokens == 0
    assert bm.score(tiny(), bm.Corpus.from_documents(["", "a", ""])).nats == pytest.approx(one.nats, abs=1e-6)


def test_the_first_token() -> None:
    text = b"the value"
    ids = model("llama").units.split(text).ids
    whole = {way: bm.score(model("llama"), text, first=way) for way in ("bos", "eos", "skip", "uniform")}
    rest = -whole["skip"].nats
    for way, special in (("bos", 1), ("eos", 2)):
        expected = plain_loop(model("llama"), np.array([special, *ids]), 1).sum()
        assert -whole[way].nats == pytest.approx(expected, abs=1e-5)
    assert -whole["uniform"].nats == pytest.approx(rest - math.log(300), abs=1e-9)
    assert whole["skip"].tokens == len(ids) - 1
    assert len({str(score.signature) for score in whole.values()}) == 4


def test_lm_eval_scores_a_second_bos() -> None:
    """Its windows over BOS and the tokens, BOS once more before them: seen by running lm-eval 0.4.13 on this model."""
    texts = [TEXTS[0], "", "a"]
    score = bm.score(model("llama"), bm.Corpus.from_documents(texts), like="lm-eval")
    expected = 0.0
    for text in (TEXTS[0], "a"):
        ids = np.array([1, 1, *model("llama").units.split(text.encode()).ids])
        assert len(ids) <= 49, "one window"
        expected -= plain_loop(model("llama"), ids, 1).sum()
    assert score.nats == pytest.approx(expected, rel=1e-6)
    assert score.tokens == sum(len(model("llama").units.split(text.encode())) for text in texts)


def test_the_end_of_a_document_is_predicted_where_asked() -> None:
    plain, ended = (bm.score(tiny(), b"the value", eos=eos) for eos in ("no", "yes"))
    ids = tiny().units.split(b"the value").ids
    end = plain_loop(tiny(), np.array([0, *ids, 0]), len(ids) + 1)[0]
    assert ended.tokens == (plain.tokens or 0) + 1
    assert ended.nats - plain.nats == pytest.approx(-end, abs=1e-5)


def test_a_text_that_fills_no_window_is_not_called_empty() -> None:
    found = bm.score(tiny(), b"to be or not to be", ctx="half.32")
    assert found.tokens == 0
    assert found.skipped > 0
    assert any("does not fill a window of 32" in note for note in found.notes)
    with pytest.raises(bm.errors.UndefinedError, match=r"no bytes of text were scored.*--ctx half\.64"):
        _ = found.bits_per_byte
    one = bm.score(tiny(), b"t", first="skip")
    assert any("see first, oov and ctx" in note for note in one.notes)


def test_long_text_sees_half_a_window_at_least() -> None:
    text = (TINY / "joined.txt").read_bytes()
    score = bm.score(tiny(), text)
    assert score.signature.ctx == "64.32"
    assert score.skipped == 0
    assert score.bits_per_byte < bm.score(tiny(), text, ctx="disjoint").bits_per_byte


def test_what_does_not_round_trip_is_said() -> None:
    assert any("do not give back" in note for note in bm.score(tiny(), b"bytes \xff\xfe that are no text").notes)
    assert not any("do not give back" in note for note in bm.score(tiny(), b"plain").notes)


# ---- more than a number ----------------------------------------------------------------------------------------------


def test_details_agree_with_whole_predictions() -> None:
    text = TEXTS[0].encode()
    score = bm.score(tiny(), text, alternatives=3)
    ids = tiny().units.split(text).ids
    for place in (0, 1, len(ids) - 1):
        logs = tiny().predict(ids[:place])
        assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-12)
        unit = score.trace.unit(place)
        assert unit.logprob == pytest.approx(logs[ids[place]], abs=1e-5)
        assert unit.entropy == pytest.approx(-(np.exp(logs) * logs).sum(), abs=1e-4)
        assert unit.rank == 1 + (logs > logs[ids[place]]).sum()
        assert [name for name, _ in unit.alternatives] == [
            tiny().outcomes.names[i] for i in np.argsort(-logs, kind="stable")[:3]
        ]
    assert bm.score(tiny(), text).nats == pytest.approx(score.nats, abs=1e-4)


@pytest.mark.parametrize("ctx", ["auto", "20.5"])
def test_a_stepper_is_the_same_model(ctx: str) -> None:
    """Token by token, across the borders of windows."""
    made = tiny().with_context(ctx, "bos")
    text = (TINY / "joined.txt").read_bytes()[:200]
    ids = made.units.split(text).ids
    expected = made.logprobs(ids, np.array([0, len(ids)]))
    stepper = made.stepper()
    found = []
    for token in ids.tolist():
        logs = stepper.predict()
        found.append(logs[token])
        stepper.take(token)
    np.testing.assert_allclose(found, expected, atol=2e-5, rtol=0)
    assert math.fsum(np.exp(stepper.predict())) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(made.predict(ids), stepper.predict(), atol=2e-5, rtol=0)
    with pytest.raises(ModelError, match="token by token"):
        tiny().with_context("half", "bos").stepper()


def test_progress_is_reported_within_a_long_document() -> None:
    reported: list[float] = []
    text = (TINY / "joined.txt").read_bytes()
    bm.score(tiny(), text, progress=lambda step: reported.append(step.done))
    assert len(reported) > 10
    assert reported == sorted(reported)
    assert reported[-1] == len(text)


# ---- loading ---------------------------------------------------------------------------------------------------------


def test_by_name_with_options() -> None:
    made = bm.load(f"hf:{TINY},dtype=float64,batch=128")
    assert (made.name, made.precision, made.context, made.size) == ("hf:tiny", "float64", 64, 400)
    assert bm.score(made, b"abc").signature.precision == "float64"
    assert options_of("x,trust=yes") == ("x", {"trust": True})
    for wrong in ("hf:", f"hf:{TINY},colour=red", f"hf:{TINY},batch=many"):
        with pytest.raises(ModelError):
            bm.load(wrong)


def test_autocast_and_half_precision_are_named_and_close() -> None:
    exact = bm.score(tiny(), TEXTS[0].encode())
    for dtype, name in (
        ("bfloat16", "bfloat16, logits float32"),
        ("autocast", "float32 cast to bfloat16, logits float32"),
    ):
        found = bm.score(tiny(dtype), TEXTS[0].encode())
        assert found.signature.precision == name
        assert found.nats == pytest.approx(exact.nats, rel=0.02)


def test_the_fingerprint_changes_with_a_weight() -> None:
    before = tiny().weights_fingerprint
    made = bm.HuggingFace(TINY)
    assert made.weights_fingerprint == before
    other = bm.HuggingFace(TINY)
    with torch.no_grad():
        other._network.transformer.wpe.weight[3, 3] += 1e-3
    assert other.weights_fingerprint != before
    assert made.with_context("auto", "skip").fingerprint != made.fingerprint


def test_nan_is_named_and_not_averaged_away() -> None:
    broken = bm.HuggingFace(TINY)
    with torch.no_grad():
        broken._network.transformer.wpe.weight[5] = math.nan
    with pytest.raises(ModelError, match=r"gave NaN for the unit b'.+' at byte \d+"):
        bm.score(broken, b"the value of the expression is the value")
    with pytest.raises(ModelError, match="NaN"):
        bm.divergence(tiny(), broken, b"the value of the expression is the value")


def test_a_tokenizer_and_a_network_that_do_not_fit(tmp_path: Path) -> None:
    network("llama").save_pretrained(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(TINY / name, tmp_path)
    with pytest.raises(ModelError, match=r"ids up to 399, but the network knows 300: they do not belong together"):
        bm.HuggingFace(tmp_path)


def test_weights_that_are_missing_are_not_made_up(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    for file in TINY.glob("*.json"):
        shutil.copy(file, tmp_path)
    weights = load_file(TINY / "model.safetensors")
    del weights["transformer.h.1.mlp.c_fc.weight"]
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"lacks the weights transformer\.h\.1\.mlp\.c_fc\.weight"):
        bm.HuggingFace(tmp_path)


def test_pickled_weights_need_trust(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    for file in TINY.glob("*.json"):
        shutil.copy(file, tmp_path)
    torch.save(load_file(TINY / "model.safetensors"), tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match="pickled"):
        bm.HuggingFace(tmp_path)
    trusted = bm.HuggingFace(tmp_path, trust=True)
    assert trusted.weights_fingerprint == tiny().weights_fingerprint


def test_a_device_without_float64_hands_its_figures_to_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (TINY / "joined.txt").read_bytes()[:300]
    usual = bm.HuggingFace(TINY)
    monkeypatch.setattr("bitmeter.models.causal.hf.head.WITHOUT_FLOAT64", ("cpu",))
    other = bm.HuggingFace(TINY)
    assert (usual._scorer._in_parts, other._scorer._in_parts) == (True, False)
    assert other.packs == usual.packs
    assert bm.score(other, text).bits == pytest.approx(bm.score(usual, text).bits, rel=1e-6)
    assert bm.divergence(usual, other, text).mean == pytest.approx(0.0, abs=1e-12)


def test_what_can_only_be_a_folder_is_not_sought_on_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("transformers.AutoConfig.from_pretrained", ask)
    for name in ("./absent", "../absent", str(tmp_path / "absent"), "~/absent", "models/of/mine", "absent/"):
        with pytest.raises(ModelError, match="no such folder, and no model of the hub"):
            bm.HuggingFace(name)


def test_nothing_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such folder"):
        bm.HuggingFace(tmp_path / "absent")
    with pytest.raises(ModelError, match="cannot be loaded"):
        bm.HuggingFace(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nonsense"}))
    with pytest.raises(ModelError, match="cannot be loaded"):
        bm.HuggingFace(tmp_path)
    with pytest.raises(ModelError, match="device"):
        bm.HuggingFace(TINY, device="cuda:7")


def test_a_tokenizer_without_special_tokens(tmp_path: Path) -> None:
    network("llama").save_pretrained(tmp_path)
    plain = byte_fallback_tokenizer()
    plain.bos_token = plain.eos_token = None
    plain.save_pretrained(tmp_path)
    made = bm.HuggingFace(tmp_path)
    assert (made.bos_id, made.eos_id) == (None, None)
    assert bm.score(made, b"text").signature.first == "uniform"
    with pytest.raises(ModelError, match="no token for the beginning or end"):
        bm.score(made, b"text", first="bos")


def test_the_score_is_proved_by_decoding() -> None:
    """Through the range coder token by token, across the border of a window, and back to the same bytes."""
    text = (TINY / "joined.txt").read_bytes()[:300]
    proof = bm.prove(tiny(), text)
    # The file ends at a whole byte, and sooner where a shorter number happens to lie in the last interval: that goes by
    # the last digits of the probabilities. Each further byte saved is 256 times less likely.
    assert -16.0 < proof.difference < 12.0
    assert proof.units == bm.score(tiny(), text).tokens


def test_a_name_of_the_hub_needs_no_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # hf:gpt2 was taken for a revision "gpt2" of a model "gpt2", which no hub has; the error names what was asked for.
    for name in ("absent-model", "org/absent-model@v1"):
        with pytest.raises(bm.errors.ModelError, match=rf"^hf:{name} cannot be loaded"):
            bm.load(f"hf:{name}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a@b").mkdir()
    assert revision_of("a@b") == ("a@b", None)
    assert revision_of("a@c") == ("a", "c")
    assert revision_of("a@") == ("a", None)
