"""Vocabularies of pieces, learned from a text by the package `sentencepiece`."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from bitmeter._util.check import integer, shown
from bitmeter._util.optional import require
from bitmeter.errors import ChoiceError, EmptyError, ModelError
from bitmeter.text.corpus.corpus import Corpus

__all__ = ["ALGORITHMS", "learn_pieces", "vocabulary_spec"]

ALGORITHMS = ("unigram", "bpe")
#: How many pieces a vocabulary has if nothing else is said.
_SIZE = 8000
_SPEC = re.compile(r"sentencepiece:(unigram|bpe)(?::(\d+))?")
#: Characters of a sentence. The trainer passes over sentences of more than 4192 bytes.
_LONGEST = 1000
#: The trainer holds at most so many sentences in memory, drawn at random by a fixed seed.
_SENTENCES = 2_000_000


def vocabulary_spec(name: str | None) -> tuple[str, int] | None:
    """The algorithm and the size that a name such as "sentencepiece:unigram:8000" asks for; None for any other name.

    Examples
    --------
    >>> vocabulary_spec("sentencepiece:bpe:4000"), vocabulary_spec("sentencepiece:unigram")
    (('bpe', 4000), ('unigram', 8000))
    >>> vocabulary_spec("sentencepiece:en.model") is None
    True
    """
    found = _SPEC.fullmatch(name or "")
    return None if found is None else (found[1], int(found[2] or _SIZE))


def learn_pieces(corpus: Corpus, algorithm: str = "unigram", size: int = _SIZE) -> bytes:
    """The contents of a .model file with pieces learned from a corpus.

    Texts are not normalised and unknown characters become bytes, so that pieces give every text back and bits per byte
    compare with those of any other model.

    Parameters
    ----------
    corpus
        What to learn from: the lines of its documents.
    algorithm
        "unigram" or "bpe".
    size
        How many pieces, the 256 bytes and three marks included.
    """
    if algorithm not in ALGORITHMS:
        message = f"algorithm is {shown(algorithm)}; it must be one of {', '.join(map(repr, ALGORITHMS))}"
        raise ChoiceError(message, value=algorithm)
    size = integer(size, "size", low=300)
    package = require("sentencepiece", "Learning a vocabulary of pieces")
    lines = _sentences(corpus)
    first = next(lines, None)
    if first is None:
        message = f"{corpus.name} holds no text; a vocabulary is learned from at least one line"
        raise EmptyError(message, value=corpus.name)

    def all_lines() -> Iterator[str]:
        yield first
        yield from lines

    model = io.BytesIO()
    package.set_random_generator_seed(1)
    try:
        package.SentencePieceTrainer.train(
            sentence_iterator=all_lines(), model_writer=model, model_type=algorithm, vocab_size=size,
            byte_fallback=True, character_coverage=0.9995, normalization_rule_name="identity",
            remove_extra_whitespaces=False, input_sentence_size=_SENTENCES, minloglevel=2,
        )  # fmt: skip
    except RuntimeError as error:  # all that the trainer raises
        reason = str(error).rpartition("] ")[2].strip() or " ".join(str(error).split())
        message = f"no {algorithm} vocabulary of {size:,} pieces can be learned from {corpus.name}: {reason}"
        raise ModelError(message, value=size) from error
    return model.getvalue()


def _sentences(corpus: Corpus) -> Iterator[str]:
    """The lines of all documents, long ones in parts."""
    for document in corpus.documents():
        for line in document.data.decode("utf-8", "replace").splitlines():
            rest = line.strip()
            while len(rest) > _LONGEST:
                space = rest.rfind(" ", 1, _LONGEST)
                stop = space if space > 0 else _LONGEST
                yield rest[:stop]
                rest = rest[stop:].strip()
            if rest:
                yield rest
