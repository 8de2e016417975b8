"""Small networks of several makes, and the plain loop that says what each should answer."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers
from numpy.typing import NDArray

import bitmeter as bm

TINY = Path(__file__).parents[1] / "parity" / "tiny"
SIZE = 300


def byte_fallback_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """As Llama has it: pieces with ▁ for a space, bytes for what has no piece, and BOS put before a text."""
    vocabulary = {"<unk>": 0, "<s>": 1, "</s>": 2} | {f"<0x{byte:02X}>": 3 + byte for byte in range(256)}
    merges: list[tuple[str, str]] = []
    for piece in "▁etaoins":
        vocabulary.setdefault(piece, len(vocabulary))
    for pair in (("▁", "t"), ("e", "s"), ("i", "s"), ("▁t", "o"), ("a", "t")):
        merges.append(pair)
        vocabulary["".join(pair)] = len(vocabulary)
    inner = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    )
    inner.normalizer = tokenizers.normalizers.Sequence(
        [tokenizers.normalizers.Prepend("▁"), tokenizers.normalizers.Replace(" ", "▁")]
    )
    inner.decoder = tokenizers.decoders.Sequence(
        [
            tokenizers.decoders.Replace("▁", " "),
            tokenizers.decoders.ByteFallback(),
            tokenizers.decoders.Fuse(),
            tokenizers.decoders.Strip(" ", 1, 0),
        ]
    )
    inner.add_special_tokens(["<unk>", "<s>", "</s>"])
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 1)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


def network(make: str) -> Any:
    """A network with random weights, large enough that it is no uniform distribution."""
    torch.manual_seed(3)
    common = {"vocab_size": SIZE, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    llama = {**common, "intermediate_size": 24, "max_position_embeddings": 48, "num_key_value_heads": 1}
    configs: dict[str, Any] = {
        "llama": lambda: transformers.LlamaConfig(**llama),
        "mistral": lambda: transformers.MistralConfig(**llama, sliding_window=8, head_dim=8),
        "gemma2": lambda: transformers.Gemma2Config(
            **llama, head_dim=8, final_logit_softcapping=2.0, sliding_window=8, query_pre_attn_scalar=8
        ),
        "gpt2": lambda: transformers.GPT2Config(vocab_size=SIZE, n_embd=16, n_layer=2, n_head=2, n_positions=48),
        "gpt_neox": lambda: transformers.GPTNeoXConfig(**common, intermediate_size=24, max_position_embeddings=48),
        "bloom": lambda: transformers.BloomConfig(vocab_size=SIZE, hidden_size=16, n_layer=2, n_head=2),
        "mamba": lambda: transformers.MambaConfig(**{k: v for k, v in common.items() if "heads" not in k}),
    }
    made = transformers.AutoModelForCausalLM.from_config(configs[make]())
    with torch.no_grad():
        for weight in made.parameters():
            if weight.ndim > 1:
                weight.mul_(8.0)
    return made.eval()


@functools.cache
def model(make: str) -> bm.HuggingFace:
    """Saved and loaded, as a user's would be."""
    with tempfile.TemporaryDirectory() as folder:
        network(make).save_pretrained(folder)
        byte_fallback_tokenizer().save_pretrained(folder)
        return bm.HuggingFace(folder)


@functools.cache
def tiny(dtype: str = "float32", batch: int = 0) -> bm.HuggingFace:
    """The trained GPT-2 of tests/parity."""
    return bm.HuggingFace(TINY, dtype=dtype, batch=batch)


def plain_loop(made: bm.HuggingFace, sequence: NDArray[np.int64], first: int) -> NDArray[np.float64]:
    """One sequence by itself through the network, its logits normalised in float64: nothing else."""
    with torch.inference_mode():
        logits = made._network(torch.tensor(sequence[None, :-1])).logits[0].double()
    logs = torch.log_softmax(logits, dim=-1).numpy()
    return np.array([logs[i - 1, sequence[i]] for i in range(first, len(sequence))])
