"""Writes small llama networks as GGUF files, as llama.cpp's converter would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
import transformers
from numpy.typing import NDArray

from tests.models.networks import TINY, byte_fallback_tokenizer

#: Rows of quantised weights are blocks of 32 numbers.
WIDTH, HEADS, KEY_HEADS, LAYERS, CONTEXT = 64, 4, 2, 2, 48
KINDS = {
    "f32": gguf.GGMLQuantizationType.F32,
    "f16": gguf.GGMLQuantizationType.F16,
    "q8_0": gguf.GGMLQuantizationType.Q8_0,
    "q4_1": gguf.GGMLQuantizationType.Q4_1,
}


def llama(size: int, *, tied: bool = False) -> Any:
    """A network with random weights that are no uniform distribution."""
    torch.manual_seed(11)
    config = transformers.LlamaConfig(
        vocab_size=size, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS, intermediate_size=96, max_position_embeddings=CONTEXT, rms_norm_eps=1e-5,
        tie_word_embeddings=tied, rope_parameters={"rope_type": "default", "rope_theta": 5000.0},
    )  # fmt: skip
    made = transformers.LlamaForCausalLM(config)
    with torch.no_grad():
        for weight in made.parameters():
            weight.copy_(weight * 4.0 if weight.ndim > 1 else 1.0 + 0.1 * torch.randn_like(weight))
    return made.eval()


def bpe_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """The byte-level BPE of tests/parity, which adds nothing before a text."""
    return transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(TINY / "tokenizer.json"), bos_token="<|endoftext|>", eos_token="<|endoftext|>"
    )


def pieces_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """Pieces with ▁ for a space and bytes for what has none; BOS is put before a text."""
    return byte_fallback_tokenizer()


def write(
    path: Path, network: Any, tokenizer: Any, kind: str = "f32", *, special: bool = True, pre: str = "gpt-2"
) -> dict[str, torch.Tensor]:
    """Write a file; what comes back are the weights as the file holds them, dequantised, by transformers' names.

    Without `special` the file does not say which tokens stand for the beginning and the end of a text; `pre` is how it
    says that a text is cut before pairs are merged.
    """
    writer = gguf.GGUFWriter(str(path), "llama")
    config = network.config
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_vocab_size(config.vocab_size)
    _add_tokenizer(writer, tokenizer, pre)
    if special:
        writer.add_bos_token_id(tokenizer.bos_token_id)
        writer.add_eos_token_id(tokenizer.eos_token_id)
    held = {}
    for name, weight in network.state_dict().items():
        other = _other_name(name)
        if other == "output.weight" and config.tie_word_embeddings:
            continue
        table = weight.numpy()
        heads = {"q_proj": HEADS, "k_proj": KEY_HEADS}.get(name.split(".")[-2], 0)
        stored = _interleaved(table, heads) if heads else table
        as_kind = KINDS[kind] if table.ndim > 1 else KINDS["f32"]
        data = gguf.quants.quantize(np.ascontiguousarray(stored), as_kind)
        writer.add_tensor(other, data, raw_dtype=as_kind)
        back = gguf.quants.dequantize(data, as_kind).astype(np.float32).reshape(stored.shape)
        held[name] = torch.from_numpy(np.ascontiguousarray(_apart(back, heads) if heads else back))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return held


def _add_tokenizer(writer: gguf.GGUFWriter, tokenizer: Any, pre: str) -> None:
    inner = json.loads(tokenizer.backend_tokenizer.to_str())
    by_id = {number: name for name, number in tokenizer.get_vocab().items()}
    tokens = [by_id[number] for number in range(len(by_id))]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in inner["model"]["merges"]]
    special = set(tokenizer.all_special_tokens)
    kind = gguf.TokenType
    if inner["model"].get("byte_fallback"):
        joined = {merge.replace(" ", ""): place for place, merge in enumerate(merges)}
        # A pair that is merged early has a high score; single letters are never the result of a merge.
        writer.add_tokenizer_model("llama")
        writer.add_token_scores([float(-joined.get(token, len(tokens))) for token in tokens])
        types = [
            kind.CONTROL if token in special else kind.BYTE if token.startswith("<0x") else kind.NORMAL
            for token in tokens
        ]
        types[tokenizer.unk_token_id] = kind.UNKNOWN
        writer.add_unk_token_id(tokenizer.unk_token_id)
        writer.add_add_bos_token(True)
        writer.add_add_space_prefix(True)
    else:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        types = [kind.CONTROL if token in special else kind.NORMAL for token in tokens]
        writer.add_add_bos_token(False)
        writer.add_token_merges(merges)
    writer.add_token_list(tokens)
    writer.add_token_types(types)


_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def _other_name(name: str) -> str:
    """What llama.cpp calls a weight of transformers."""
    whole = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
    stem = name.removesuffix(".weight")
    if stem in whole:
        return f"{whole[stem]}.weight"
    _, _, layer, rest = stem.split(".", 3)
    return f"blk.{layer}.{_NAMES[rest]}.weight"


def _interleaved(weight: NDArray[Any], heads: int) -> NDArray[Any]:
    """llama.cpp rotates neighbours, transformers the halves of a head."""
    return weight.reshape(heads, 2, -1, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)


def _apart(weight: NDArray[Any], heads: int) -> NDArray[Any]:
    return weight.reshape(heads, -1, 2, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)
