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
