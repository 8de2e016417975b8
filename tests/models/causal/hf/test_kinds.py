"""What is no causal language model is refused, with what it is and what to use instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as tf

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.models.causal.hf.kinds import check_kind, described
from tests.models.networks import SIZE, byte_fallback_tokenizer

COMMON: dict[str, Any] = {
    "vocab_size": SIZE, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 24,
    "max_position_embeddings": 48,
}  # fmt: skip
BART: dict[str, Any] = {
    "vocab_size": SIZE, "d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24, "max_position_embeddings": 48,
}  # fmt: skip
VISION = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 24}
SOUND: dict[str, Any] = {
    **VISION, "vocab_size": 30, "conv_dim": (16,), "conv_stride": (2,), "conv_kernel": (3,),
    "num_feat_extract_layers": 1, "num_conv_pos_embeddings": 4, "num_conv_pos_embedding_groups": 2,
}  # fmt: skip


def made(kind: str) -> Any:
    torch.manual_seed(1)
    if kind == "bert":
        return tf.BertForMaskedLM(tf.BertConfig(**COMMON))
    if kind == "roberta":
        return tf.RobertaForMaskedLM(tf.RobertaConfig(**{**COMMON, "max_position_embeddings": 50}))
    if kind == "distilbert":
        return tf.DistilBertForMaskedLM(
            tf.DistilBertConfig(vocab_size=SIZE, dim=16, n_layers=1, n_heads=2, hidden_dim=24)
        )
    if kind == "electra":
        return tf.ElectraForPreTraining(tf.ElectraConfig(**COMMON, embedding_size=16))
    if kind == "t5":
        return tf.T5ForConditionalGeneration(
            tf.T5Config(vocab_size=SIZE, d_model=16, d_kv=8, d_ff=24, num_layers=1, num_heads=2)
        )
    if kind == "bart":
        return tf.BartForConditionalGeneration(tf.BartConfig(**BART))
    if kind == "vit":
        return tf.ViTForImageClassification(tf.ViTConfig(**VISION))
    if kind == "wav2vec2":
        return tf.Wav2Vec2ForCTC(tf.Wav2Vec2Config(**SOUND))
    if kind == "gpt2 with classes":
        return tf.GPT2ForSequenceClassification(
            tf.GPT2Config(vocab_size=SIZE, n_embd=16, n_layer=1, n_head=2, n_positions=48)
        )
    return tf.XLNetLMHeadModel(tf.XLNetConfig(vocab_size=SIZE, d_model=16, n_layer=1, n_head=2, d_inner=24))


def saved(network: Any, folder: Path) -> Path:
    network.save_pretrained(folder)
    byte_fallback_tokenizer().save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("bert", r"a masked model \(BertForMaskedLM\).*bitmeter prefer"),
        ("roberta", r"a masked model \(RobertaForMaskedLM\).*bitmeter prefer"),
        ("distilbert", r"a masked model.*bitmeter prefer"),
        ("xlnet", r"XLNetLMHeadModel.*changes with the tokens behind it"),
        ("electra", r"a model for pre-training \(ElectraForPreTraining\)"),
        ("t5", r"an encoder-decoder \(T5ForConditionalGeneration\).*decoder-only"),
        ("bart", r"an encoder-decoder \(BartForConditionalGeneration\)"),
        ("vit", r"a model of images"),
        ("wav2vec2", r"a speech recogniser"),
        ("gpt2 with classes", r"a classifier"),
    ],
)
def test_it_is_refused_by_name(kind: str, says: str, tmp_path: Path) -> None:
    """bert, roberta, xlnet and the classifier were scored without a word; the rest had messages about files."""
    folder = saved(made(kind), tmp_path)
    with pytest.raises(ModelError, match=says) as caught:
        bm.HuggingFace(folder)
    assert "causal language model" in str(caught.value)


def test_an_encoder_that_says_nothing_of_its_class_is_found_by_its_predictions(tmp_path: Path) -> None:
    network = made("bert")
    folder = saved(network, tmp_path)
    config = tf.BertConfig(**COMMON)
    config.save_pretrained(folder)  # without architectures
    with pytest.raises(ModelError, match="changes with the tokens behind it"):
        bm.HuggingFace(folder)


def test_an_encoder_made_to_look_back_is_a_causal_model(tmp_path: Path) -> None:
    torch.manual_seed(1)
    folder = saved(tf.BertLMHeadModel(tf.BertConfig(**COMMON, is_decoder=True)), tmp_path)
    assert bm.score(bm.HuggingFace(folder), b"to be or not").bits > 0


def test_the_decoder_of_bart_alone_is_a_causal_model(tmp_path: Path) -> None:
    torch.manual_seed(1)
    folder = saved(tf.BartForCausalLM(tf.BartConfig(**BART, is_encoder_decoder=False, is_decoder=True)), tmp_path)
    assert bm.score(bm.HuggingFace(folder), b"to be or not").bits > 0


def test_a_body_without_a_head_is_left_to_its_weights() -> None:
    config = tf.GPT2Config(architectures=["GPT2Model"])
    check_kind(config, "m", trusted=False)
    assert described(tf.ViTConfig()) == "a model of images"
