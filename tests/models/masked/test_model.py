"""Masked models: pseudo-log-likelihoods against a plain loop, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

import bitmeter as bm
from bitmeter.models.masked.model import Masked

FOLDER = Path(__file__).parents[2] / "parity" / "answers" / "masked"
SENTENCES = [b"the cats run.", b"the cat runs unbelievably.", b"run", b"the cats run."]


def by_loop(text: str) -> float:
    """Each token masked with those of its word behind it, one row at a time."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(FOLDER)
    network = transformers.AutoModelForMaskedLM.from_pretrained(FOLDER).eval()
    encoded = tokenizer(text)
    ids, words = encoded["input_ids"], encoded.word_ids()
    total = 0.0
    for place, word in enumerate(words):
        if word is None:
            continue
        shown = [
            tokenizer.mask_token_id if other >= place and words[other] == word else ids[other]
            for other in range(len(ids))
        ]
        with torch.inference_mode():
            logs = torch.log_softmax(network(torch.tensor([shown])).logits[0, place].double(), dim=-1)
        total -= float(logs[ids[place]])
    return total


def test_against_a_loop() -> None:
    nats, _ = Masked(FOLDER).pseudo(SENTENCES)
    assert nats.tolist() == pytest.approx([by_loop(text.decode()) for text in SENTENCES], abs=1e-4)
    assert nats[0] == nats[3]


def test_neighbours_change_nothing() -> None:
    model = Masked(FOLDER)
    together, _ = model.pseudo(SENTENCES)
    alone = [float(model.pseudo([text])[0][0]) for text in SENTENCES]
    assert together.tolist() == pytest.approx(alone, abs=1e-5)


def test_progress_and_fingerprint() -> None:
    model, seen = Masked(FOLDER), []
    model.pseudo(SENTENCES, lambda done, of: seen.append((done, of)))
    assert seen[-1] == (3, 3)
    assert model.fingerprint == Masked(FOLDER).fingerprint


def test_no_perplexity() -> None:
    refused = "masked model, which is no distribution over texts"
    with pytest.raises(bm.BitmeterError, match=refused):
        bm.score(f"mlm:{FOLDER}", b"the cats run.")
    with pytest.raises(bm.BitmeterError, match=refused):
        bm.compare(f"mlm:{FOLDER}", "kt", on=b"the cats run.")


def test_positions_behind_the_padding_and_names_of_special_tokens(tmp_path: Path) -> None:
    """RoBERTa with 30 positions and its padding at 1 sees 28 tokens; one more ended in an IndexError of torch."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(FOLDER)
    tokenizer.save_pretrained(tmp_path)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.RobertaConfig(
        vocab_size=len(tokenizer), max_position_embeddings=30, pad_token_id=1, type_vocab_size=1, **sizes
    )
    transformers.RobertaForMaskedLM(config).save_pretrained(tmp_path)
    model = Masked(tmp_path)
    around = tokenizer.num_special_tokens_to_add()
    assert model.pseudo([b"run " * (28 - around)])[1].tolist() == [28 - around]
    with pytest.raises(bm.BitmeterError, match=r"has 29 tokens, and .* sees 28 at once"):
        model.pseudo([b"run " * (29 - around)])
    # A mask that is written in a sentence is text, and is paid for.
    ids, own, _ = model._plan(f"run {tokenizer.mask_token} run")
    assert tokenizer.mask_token_id not in ids.tolist()
    assert len(own) > 2


def test_a_causal_model_is_named(tmp_path: Path) -> None:
    import transformers

    transformers.AutoTokenizer.from_pretrained(FOLDER).save_pretrained(tmp_path)
    transformers.LlamaConfig().save_pretrained(tmp_path)
    with pytest.raises(bm.BitmeterError, match=r"is not a masked model; .* bitmeter prefer hf:FOLDER PAIRS"):
        Masked(tmp_path)


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(bm.BitmeterError, match="there is no folder"):
        Masked(tmp_path / "none")
    with pytest.raises(bm.BitmeterError, match="cannot be loaded as a masked model"):
        Masked(tmp_path)
    with pytest.raises(bm.BitmeterError, match="sees 32 at once"):
        Masked(FOLDER).pseudo([b"cat " * 40])
    shutil.copytree(FOLDER, tmp_path / "causal")
    (tmp_path / "causal" / "model.safetensors").unlink()
    with pytest.raises(bm.BitmeterError, match="cannot be loaded"):
        Masked(tmp_path / "causal")
    with pytest.raises(bm.BitmeterError, match="mlm needs a folder"):
        bm.prefer("mlm:", [{"good": "a", "bad": "b"}])
