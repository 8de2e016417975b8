"""Masked language models of Hugging Face: the pseudo-log-likelihood of sentences.

The sum over tokens of ln p of each, given all others of the sentence, is no logarithm of a probability: it does not sum
to one over sentences. It ranks sentences, and has no perplexity. Where a word has several tokens, those behind the one
that is predicted are masked with it (Kauf and Ivanova, 2023), because they would give it away.
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.files import label
from bitmeter._util.optional import require
from bitmeter.errors import BitmeterError, InputError, ModelError
from bitmeter.models.causal.hf.folder import check_settings
from bitmeter.models.protocols import PseudoScorer, Watch
from bitmeter.models.scheme import Scheme

__all__ = ["Masked"]

#: Tokens that go through the network at once.
_AT_ONCE = 8192


class Masked(PseudoScorer):
    """A masked language model from a folder.

    Parameters
    ----------
    path
        A folder with config.json, a fast tokenizer and model.safetensors.

    Examples
    --------
    >>> Masked("no-such-folder")
    Traceback (most recent call last):
    bitmeter.errors.ModelError: there is no folder no-such-folder; mlm: takes a folder with a masked model
    """

    metric = "PLL-word-l2r"
    caveats = (
        "pseudo-log-likelihoods of a masked model (PLL-word-l2r): they rank sentences, but are no probabilities, and "
        "there is no perplexity",
    )

    def __init__(self, path: Any) -> None:
        folder = Path(path)
        if not folder.is_dir():
            message = f"there is no folder {folder}; mlm: takes a folder with a masked model"
            raise ModelError(message, value=str(path))
        self.name = f"mlm:{label(folder.name or str(folder))}"
        torch = require("torch", "Running a neural model")
        transformers = require("transformers", "Loading a model of Hugging Face")
        check_settings(lambda file: folder / file if (folder / file).is_file() else None, self.name, trusted=False)
        self._tokenizer, self._network = _load(transformers, torch, folder, self.name)
        self._mask = self._tokenizer.mask_token_id
        if self._mask is None or not self._tokenizer.is_fast:
            message = f"{self.name} has no mask token or no fast tokenizer, so it cannot be scored as a masked model"
            raise ModelError(message, value=str(path))
        longest = [_positions(self._network), self._tokenizer.model_max_length]
        self._longest = min(int(size) for size in longest if isinstance(size, int) and size > 0)
        self.fingerprint = _digest(self._network, self._tokenizer)

    def pseudo(self, sentences: list[bytes], watch: Watch | None = None) -> tuple[Floats, Ints]:
        """The negative pseudo-log-likelihood of each sentence in nats, and its number of tokens."""
        import torch

        texts = [sentence.decode("utf-8", "replace") for sentence in sentences]
        known = dict.fromkeys(texts)
        plans = {text: self._plan(text) for text in known}
        found: dict[str, float] = {}
        by_length: dict[int, list[str]] = {}
        for text, (ids, _, _) in plans.items():
            by_length.setdefault(len(ids), []).append(text)
        with torch.inference_mode():
            for length, members in sorted(by_length.items()):  # equal lengths need no padding, which moves figures
                held: list[str] = []
                for text in members:
                    held.append(text)
                    if sum(len(plans[each][1]) for each in held) * length >= _AT_ONCE or text is members[-1]:
                        found.update(zip(held, self._costs([plans[each] for each in held]), strict=True))
                        held = []
                        if watch is not None:
                            watch(len(found), len(known))
        nats = np.array([found[text] for text in texts])
        return nats, np.array([len(plans[text][1]) for text in texts], dtype=np.int64)

    def _plan(self, text: str) -> tuple[Ints, Ints, Ints]:
        """The ids with special tokens, the indices of the sentence's own tokens, and the word of each."""
        # Text is text: the name of a special token is split like any other.
        encoded = self._tokenizer(text, return_special_tokens_mask=True, split_special_tokens=True)
        ids = np.array(encoded["input_ids"], dtype=np.int64)
        if len(ids) > self._longest:
            message = (
                f"a sentence has {len(ids):,} tokens, and {self.name} sees {self._longest:,} at once: {text[:40]!r}"
            )
            raise InputError(message, value=text)
        own = np.flatnonzero(np.array(encoded["special_tokens_mask"]) == 0)
        words = np.array([-1 if word is None else word for word in encoded.word_ids()], dtype=np.int64)
        return ids, own, words

    def _costs(self, plans: list[tuple[Ints, Ints, Ints]]) -> list[float]:
        """The cost of each sentence; all have one length."""
        import torch

        rows, targets, places = [], [], []
        for ids, own, words in plans:
            # One row per token: it is masked, and so are the tokens of its word behind it.
            behind = np.arange(len(ids))[None, :] >= own[:, None]
            masked = behind & (words[None, :] == words[own][:, None])
            rows.append(np.where(masked, self._mask, ids[None, :]))
            targets.append(ids[own])
            places.append(own)
        together, at, truth = np.concatenate(rows), np.concatenate(places), np.concatenate(targets)
        if not len(together):
            return [0.0] * len(plans)
        values = []
        step = max(1, _AT_ONCE // together.shape[1])
        for i in range(0, len(together), step):
            shown = torch.from_numpy(together[i : i + step])
            logits = self._network(input_ids=shown, attention_mask=torch.ones_like(shown)).logits
            chosen = logits[torch.arange(len(shown)), torch.from_numpy(at[i : i + step])].double()
            logs = torch.log_softmax(chosen, dim=-1)
            values.append(logs[torch.arange(len(shown)), torch.from_numpy(truth[i : i + step])].numpy())
        ends = np.cumsum([len(own) for _, own, _ in plans])[:-1]
        return [-float(np.sum(part)) for part in np.split(np.concatenate(values), ends)]


def _positions(network: Any) -> int | None:
    """How many tokens it sees: RoBERTa and its kin count positions from behind that of the padding."""
    most = getattr(network.config, "max_position_embeddings", None)
    for name, module in network.named_modules():
        padding = getattr(module, "padding_idx", None)
        if name.endswith("embeddings.position_embeddings") and isinstance(most, int) and padding is not None:
            return most - int(padding) - 1
    return most


def _load(transformers: Any, torch: Any, folder: Path, name: str) -> tuple[Any, Any]:
    logger = logging.getLogger("transformers")
    level = logger.level
    logger.setLevel(logging.ERROR)
    bars = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()
    given: dict[str, Any] = {"trust_remote_code": False, "local_files_only": True}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **given)
        network, report = transformers.AutoModelForMaskedLM.from_pretrained(
            folder, dtype=torch.float32, use_safetensors=True, output_loading_info=True, **given
        )
    except (BitmeterError, MemoryError):
        raise
    except Exception as error:  # the message names what it was, and the cause is kept
        reason = " ".join(str(error).split())[:300]
        if "Unrecognized configuration class" in reason:
            message = (
                f"{name} is of a kind that fills no gaps: it is not a masked model; to compare sentences with a causal "
                "model, type: bitmeter prefer hf:FOLDER PAIRS"
            )
            raise ModelError(message, value=str(folder)) from error
        message = (
            f"{name} cannot be loaded as a masked model: it must have config.json, a tokenizer and model.safetensors "
            f"in one folder. transformers says: {type(error).__name__}: {reason}"
        )
        raise ModelError(message, value=str(folder)) from error
    finally:
        logger.setLevel(level)
        if bars:
            transformers.utils.logging.enable_progress_bar()
    missing = sorted(report.get("missing_keys", ()))
    if missing:
        message = f"{name} lacks the weights {', '.join(missing[:3])}, which would be random; it is not a masked model"
        raise ModelError(message, value=str(folder))
    return tokenizer, network.eval()


def _digest(network: Any, tokenizer: Any) -> str:
    """A hash of the tokenizer and of every weight."""
    import torch

    total = hashlib.blake2b(tokenizer.backend_tokenizer.to_str().encode(), digest_size=12)
    for name, weight in sorted(network.state_dict().items()):
        flat = weight.detach().cpu().contiguous().view(-1)
        total.update(f"{name} {weight.dtype} {tuple(weight.shape)}".encode())
        total.update(memoryview(flat.view(torch.uint8).numpy()) if flat.numel() else b"")
    return f"mlm-{total.hexdigest()}"


def _scheme(rest: str) -> Masked:
    if not rest:
        message = "mlm needs a folder: mlm:./bert"
        raise ModelError(message, value=rest)
    return Masked(rest)


SCHEMES = (Scheme("mlm", "mlm:PATH", "a masked model, for bitmeter prefer alone", _scheme, "transformers"),)
