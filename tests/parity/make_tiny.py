"""How tests/parity/tiny was made: a GPT-2 of two layers, trained for a minute on the embedded sample.

Its weights are kept, because training gives other bits on another machine, and with them other figures. To make it
again: python tests/parity/make_tiny.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import tokenizers
import torch
import transformers

from bitmeter.text.corpus.sample import sample_text

CONTEXT, WIDTH, VOCABULARY = 64, 32, 400
END = "<|endoftext|>"


def make_tokenizer(text: str) -> transformers.PreTrainedTokenizerFast:
    """Byte-level pairs, as GPT-2 has them."""
    inner = tokenizers.Tokenizer(tokenizers.models.BPE())
    inner.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=VOCABULARY - 1,
        special_tokens=[END],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator([text], trainer)
    inner.add_special_tokens([tokenizers.AddedToken("<pad>", special=True)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token=END, eos_token=END, pad_token="<pad>", model_max_length=CONTEXT
    )


def main(folder: Path) -> None:
    """Train and save."""
    torch.manual_seed(1)
    text = sample_text()
    tokenizer = make_tokenizer(text)
    config = transformers.GPT2Config(
        vocab_size=VOCABULARY, n_positions=CONTEXT, n_embd=WIDTH, n_layer=2, n_head=4,
        bos_token_id=0, eos_token_id=0, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip
    network = transformers.GPT2LMHeadModel(config)
    ids = torch.tensor(tokenizer(text)["input_ids"])
    generator = np.random.default_rng(1)
    optimiser = torch.optim.AdamW(network.parameters(), lr=3e-3)
    for step in range(1500):
        begins = generator.integers(0, len(ids) - CONTEXT, 8)
        batch = torch.stack([ids[b : b + CONTEXT] for b in begins])
        batch[:2, 0] = 0  # some begin with the token for the beginning
        loss = network(input_ids=batch, labels=batch).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 300 == 0:
            print(step, float(loss))
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
