"""Named conventions: how other tools divide, condition and average, so that their figures can be reproduced.

A convention sets the keywords of `score` and says which figures the tool prints, computed from the same sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bitmeter.errors import ChoiceError, UndefinedError

if TYPE_CHECKING:
    from bitmeter.measure.score import Score

#: What each keyword can be, and in words what it means.
MEANINGS: dict[str, dict[str, str]] = {
    "docs": {
        "file": "each file is a document",
        "line": "each line is a document",
        "blank": "blank lines end a document",
        "record": "each record is a document",
        "joined": "all files or records are one document, with nothing between two",
        "joined-line": "all files or records are one document, with a newline between two",
        "joined-blank": "all files or records are one document, with two newlines between two",
    },
    "first": {
        "bos": "a document's first unit is predicted from the model's beginning of text",
        "eos": "a document's first unit is predicted from the token for the end of a text",
        "skip": "a document's first unit is not scored",
        "uniform": "a document's first unit costs log2 of the number of units",
    },
    "eos": {
        "no": "the end of a document is not predicted",
        "yes": "the end of each document is predicted and counted as a unit",
        "nonblank": "the end of each document that has words is predicted and counted as a unit",
    },
    "oov": {
        "none": "an unknown unit costs what the model says, which may be infinite",
        "skipped": "an unknown unit is not scored",
        "class": "an unknown unit costs that of the class <unk>, whatever its spelling",
        "spelled": "an unknown unit costs <unk> and its spelling, so that the model covers all texts",
    },
    "den": {
        "scored": "divided by the bytes that were scored",
        "original": "divided by all bytes of the text, scored or not",
    },
    "norm": {
        "none": "the text as it is",
        "nfc": "Unicode normal form C",
        "nfkc": "Unicode normal form KC",
        "lower": "lower case",
        "newlines": "CR LF and CR turned to LF",
    },
}


@dataclass(frozen=True, slots=True)
class Convention:
    """The habits of a tool.

    Attributes
    ----------
    name
        As it is typed after `--like`.
    settings
        Values for the keywords of `score`.
    habits
        What it does, in words, one sentence a habit.
    figures
        The figures that the tool prints, each by its name, from the sums of a score.
    needs
        What a model must have for the reproduction to be whole; "" where every model will do.
    """

    name: str
    settings: dict[str, str]
    habits: tuple[str, ...]
    figures: Callable[[Score], dict[str, float]]
    needs: str = ""


def _documents(score: Score) -> Any:
    if score.by_document is None:
        message = f"{score.model} gives only a total; this convention needs the documents one by one"
        raise UndefinedError(message)
    if score.by_document.sizes is not None:
        message = (
            f"{score.text} has {score.documents:,} documents, of which only sums over neighbours are kept; this "
            "convention needs them one by one. Score the text in parts of up to a million documents"
        )
        raise UndefinedError(message)
    return score.by_document


def _power(nats: float) -> float:
    return math.inf if nats > 709.0 else math.exp(nats)


def _kenlm(score: Score) -> dict[str, float]:
    tokens = score.count("token")
    known = tokens - score.oov
    # Without the unknown words KenLM leaves out their cost too; a score that skipped them has it left out already.
    return {
        "Perplexity including OOVs": _power(score.nats / tokens),
        "Perplexity excluding OOVs": _power(score.known_nats / known) if known else math.inf,
        "OOVs": float(score.oov),
        "Tokens": float(tokens),
    }


def _srilm(score: Score) -> dict[str, float]:
    left_out = score.oov if score.signature.oov == "skipped" else 0
    counted = score.count("token") - (score.oov - left_out) - score.impossible
    ends = int(np.count_nonzero(_documents(score).words)) if score.signature.eos != "no" else 0
    words = counted - ends
    return {
        "sentences": float(ends),
        "words": float(score.count("token") + left_out - ends),
        "OOVs": float(score.oov),
        "zeroprobs": float(score.impossible),
        "logprob": -score.known_nats / math.log(10.0),
        "ppl": _power(score.known_nats / counted) if counted > 0 else math.inf,
        "ppl1": _power(score.known_nats / words) if words > 0 else math.inf,
    }


def _token_mean(score: Score) -> dict[str, float]:
    tokens = score.count("token")
    return {"perplexity": _power(score.nats / tokens) if tokens else math.inf}


def _hf_docs(score: Score) -> dict[str, float]:
    """Every window's mean counts for its tokens less one, although only a window without context loses one."""
    windows = score.by_window
    if windows is None:
        return _token_mean(score)
    own, _, stride = score.signature.ctx.partition(".")
    heads_lost = (windows.opening == 1) | (own == stride)
    weights = np.maximum(np.where(heads_lost, windows.tokens, windows.tokens - 1), 0)
    means = windows.nats / np.maximum(windows.tokens, 1)
    total = int(weights.sum())
    return {"perplexity": _power(math.fsum(means * weights) / total) if total else math.inf}


def _llama_cpp(score: Score) -> dict[str, float]:
    """Its ± holds each token for independent of all others, and is one standard error."""
    windows, tokens = score.by_window, score.count("token")
    if windows is None or tokens < 2:
        return _token_mean(score)
    mean = score.nats / tokens
    spread = max(math.fsum(windows.squares) / tokens - mean * mean, 0.0)
    error = math.sqrt(spread / (tokens - 1))
    return {"PPL": _power(mean), "+/-": _power(mean) * error}


def _mean_of_documents(score: Score) -> dict[str, float]:
    documents = _documents(score)
    full = documents.tokens > 0
    each = [_power(float(x)) for x in documents.nats[full] / documents.tokens[full]]
    return {"mean_perplexity": math.fsum(each) / len(each) if each else math.inf}


def _lm_eval(score: Score) -> dict[str, float]:
    # Its words are the pieces between white space, the empty ones at the edges of a document among them.
    words = score.words if score.pieces is None else score.pieces
    return {
        "word_perplexity": _power(score.nats / words) if words else math.inf,
        "byte_perplexity": _power(score.nats / score.bytes) if score.bytes else math.inf,
        "bits_per_byte": score.bits_per_byte,
    }


def _minicons(score: Score) -> dict[str, float]:
    documents = _documents(score)
    full = documents.tokens > 0
    means = -documents.nats[full] / documents.tokens[full]
    return {"mean log-probability a token": float(np.mean(means)) if full.any() else -math.inf}


CONVENTIONS: dict[str, Convention] = {
    c.name: c
    for c in (
        Convention("bitmeter", {}, ("Every unit is scored once; bits are divided by bytes.",), lambda score: {}),
        Convention(
            "kenlm",
            {"docs": "line", "eos": "yes", "oov": "class"},
            (
                "Each line is a sentence, a blank one too, and its end is predicted and counted.",
                "An unknown word costs <unk> only; perplexity is given with and without them.",
                "Divided by words and sentence ends.",
            ),
            _kenlm,
            "an end of sentence and <unk>",
        ),
        Convention(
            "srilm",
            {"docs": "line", "eos": "nonblank", "oov": "skipped"},
            (
                "Each line is a sentence whose end is predicted; blank lines are passed over.",
                "Unknown words and words of probability zero are left out of the sum and of the count.",
                "ppl divides by words and ends, ppl1 by words alone.",
            ),
            _srilm,
            "an end of sentence",
        ),
        Convention(
            "nltk",
            {"docs": "line", "eos": "yes", "oov": "class"},
            (
                "Two to the mean of −log2 over all n-grams, sentence ends among them.",
                "Unknown words are the label <UNK>.",
            ),
            _token_mean,
            "an end of sentence and <unk>",
        ),
        Convention(
            "lm-eval",
            {"den": "original", "ctx": "rolling"},
            (
                "The first token is predicted from BOS, or from EOS where there is no BOS.",
                "A BOS that the tokenizer adds by itself is scored too, and counted for nothing.",
                "Long texts are cut in windows with one token of context; the last window is filled up from behind.",
                "Divided by words and bytes of the original text over the whole corpus.",
                "White space at the edges of a document makes an empty word, which is counted.",
            ),
            _lm_eval,
        ),
        Convention(
            "hf-evaluate",
            {"docs": "record"},
            ("The perplexity of each text by itself, then their arithmetic mean.", "BOS is put before each text."),
            _mean_of_documents,
        ),
        Convention(
            "hf-docs",
            {"docs": "joined-blank", "first": "skip"},
            (
                "All texts joined to one, with two newlines between two; windows with a stride.",
                "No BOS: the first token is not scored.",
                "The mean of each window counts for its tokens less one, also where none was lost.",
            ),
            _hf_docs,
        ),
        Convention(
            "llama.cpp",
            {"docs": "joined", "ctx": "half"},
            (
                "All texts joined to one and cut in disjoint windows.",
                "Only the second half of each window is scored; an unfinished window at the end is dropped.",
                "BOS takes the place of each window's first token where the tokenizer adds BOS, and only there.",
                "The ± is one standard error, as if tokens did not depend on each other.",
            ),
            _llama_cpp,
        ),
        Convention(
            "torchmetrics",
            {"first": "skip"},
            (
                "The mean over all tokens given, shifted by the caller.",
                "e to the mean, whatever its manual says of bits.",
            ),
            _token_mean,
        ),
        Convention(
            "minicons",
            {"docs": "record", "first": "skip"},
            ("No BOS unless asked: the first token costs 0 and is left out.", "The mean over each text by itself."),
            _minicons,
        ),
        Convention(
            "lmppl",
            {"docs": "record", "first": "skip"},
            (
                "The perplexity of each text by itself.",
                "The first token is not scored where the tokenizer adds no BOS.",
            ),
            _mean_of_documents,
        ),
    )
}


def convention(name: Any) -> Convention:
    """A convention by its name."""
    if not isinstance(name, str) or name not in CONVENTIONS:
        message = f"there is no convention {name!r:.40}; known are {', '.join(CONVENTIONS)}"
        raise ChoiceError(message, value=name)
    return CONVENTIONS[name]


def setting(key: str, value: Any) -> str:
    """One of the values that a keyword can have."""
    options = MEANINGS[key]
    if not isinstance(value, str) or value not in options:
        listed = "; ".join(f"{option!r}: {meaning}" for option, meaning in options.items())
        message = f"{key} is {value!r:.40}; it can be {listed}"
        raise ChoiceError(message, value=value)
    return value
