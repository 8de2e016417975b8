"""What lm-eval and minicons give for answers after contexts, by tests/parity/tiny; and for a masked model.

Needs lm-eval, minicons and transformers. Type: python tests/parity/make_answers.py
It writes tests/parity/answers: the items, a BERT of one layer with random weights, and the figures of both tools.
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TINY, ANSWERS = HERE / "tiny", HERE / "answers"
LONG = "The function returns a list of all names that are defined in the module and in the modules it imports. " * 4

#: Contexts and answers: with the space in either, in neither, with an empty context, and with one that is too long.
ITEMS: list[dict[str, Any]] = [
    {"context": "The module defines the following", "choices": [" functions", " classes:", " errors"], "label": 0},
    {"context": "The module defines the following ", "choices": ["functions", "exceptions", "types"], "label": 2},
    {"context": "Return true if the ", "choices": ["string is empty", "list", "object"], "label": 0},
    {"context": "This is a sub", "choices": ["class of dict", "stitution"], "label": 0},
    {"context": "", "choices": ["The first argument", "Zwölf Boxkämpfer"], "label": 0},
    {"context": LONG, "choices": [" It raises an error", " It is new in version 3"], "label": 1},
    {"context": "Changed in version", "choices": [" 3.11: added the parameter", " two"], "label": 0},
    {"context": "A line\nand a ", "choices": ["new\nline", "tab\there"], "label": 1},
]
SENTENCES = ["the cats run.", "the cat runs unbelievably.", "dogs chase the unhappy cats.", "run"]


def lm_eval_figures() -> dict[str, Any]:
    """`loglikelihood` of each choice, and the metrics of a multiple-choice task."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(pretrained=str(TINY), device="cpu", dtype="float32", batch_size=1)

    def logs(pairs: list[tuple[str, str]]) -> list[float]:
        asked = [Instance("loglikelihood", {}, pair, i) for i, pair in enumerate(pairs)]
        return [float(value) for value, _ in model.loglikelihood(asked, disable_tqdm=True)]

    pairs = [(str(item["context"]), choice) for item in ITEMS for choice in item["choices"]]
    return {"loglikelihood": logs(pairs), "unconditional": logs([("Answer:", choice) for _, choice in pairs])}


def minicons_figures() -> dict[str, Any]:
    """`conditional_score`, summed over the tokens of each answer, after an explicit separator."""
    from minicons import scorer

    model = scorer.IncrementalLMScorer(str(TINY), "cpu")
    pairs = [
        (str(item["context"]).rstrip(), choice.strip())
        for item in ITEMS
        if item["context"] and item["context"] != LONG
        for choice in item["choices"]
    ]
    found = [model.conditional_score([a], [b], separator=" ", reduction=lambda x: x.sum(0).item())[0] for a, b in pairs]
    return {"pairs": pairs, "conditional": found}


def make_masked(folder: Path) -> None:
    """A BERT of one layer with random weights, and a tokenizer of word pieces."""
    import tokenizers
    import torch
    import transformers

    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["the", "cat", "cats", "dog", "run", "runs", "chase", "un", "happy", ".", *letters]
    pieces = ["##s", "##happy", "##believ", "##ab", "##ly", *(f"##{letter}" for letter in letters)]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *pieces]
    inner = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]")
    )
    inner.normalizer = tokenizers.normalizers.BertNormalizer()
    inner.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    inner.decoder = tokenizers.decoders.WordPiece()
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_max_length=32,
    )  # fmt: skip
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=32, initializer_range=0.5,
    )  # fmt: skip
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def masked_figures(folder: Path) -> dict[str, Any]:
    """Pseudo-log-likelihoods of sentences, each way."""
    from minicons import scorer

    model = scorer.MaskedLMScorer(str(folder), "cpu")
    # minicons 0.3.39 calls the tokenizer by a name that transformers 5 no longer has.
    type(model.tokenizer).batch_encode_plus = lambda self, *given, **named: self(*given, **named)

    def total(metric: str) -> list[float]:
        return [
            float(model.sequence_score([text], reduction=lambda x: x.sum(0).item(), PLL_metric=metric)[0])
            for text in SENTENCES
        ]

    return {"sentences": SENTENCES, "original": total("original"), "within_word_l2r": total("within_word_l2r")}


def main() -> None:
    """Write the items, the masked model and the figures."""
    ANSWERS.mkdir(exist_ok=True)
    (ANSWERS / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS), encoding="utf-8")
    masked = ANSWERS / "masked"
    if not masked.exists():
        make_masked(masked)
    names = ("lm-eval", "minicons", "torch", "transformers")
    figures = {
        "versions": {name: importlib.metadata.version(name) for name in names},
        "lm-eval": lm_eval_figures(),
        "minicons": minicons_figures(),
        "masked": masked_figures(masked),
    }
    (ANSWERS / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
