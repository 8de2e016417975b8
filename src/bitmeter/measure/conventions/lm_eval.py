r"""lm-evaluation-harness: `loglikelihood_rolling` and the perplexity metrics.

Its words are the parts of `re.split(r"\s+", document)`: the empty strings at the edges of a document count too.
"""

from __future__ import annotations

import codecs
import math
import re

import numpy as np
from numpy.typing import NDArray

from bitmeter.measure.conventions.base import Convention, follows_tool, perplexity, single
from bitmeter.measure.score import Score

_SPACE = re.compile(r"\s+")


class SplitCounter:
    r"""Counts `len(re.split(r"\s+", document))` over the documents of a text that arrives in blocks.

    Examples
    --------
    >>> counter = SplitCounter()
    >>> counter.add(b" two words \n", np.array([12]))
    >>> counter.finished()
    4
    """

    def __init__(self) -> None:
        self._total = 0
        self._begin_document()

    def _begin_document(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._in_space = self._open = False

    def add(self, data: bytes, ends: NDArray[np.int64]) -> None:
        """Take the next block; documents end at the offsets `ends`, and the rest continues in the next call."""
        start = 0
        for end in ends.tolist():
            self._feed(data[start:end], final=True)
            self._total += 1
            self._begin_document()
            start = end
        if start < len(data):
            self._feed(data[start:], final=False)

    def _feed(self, data: bytes, *, final: bool) -> None:
        text = self._decoder.decode(data, final)
        self._open = self._open or bool(data)
        if not text:
            return
        runs = sum(1 for _ in _SPACE.finditer(text))
        # White space that continues from the last block is one run with it.
        self._total += runs - (self._in_space and text[0].isspace())
        self._in_space = text[-1].isspace()

    def finished(self) -> int:
        """The number of words, those of a document that is still open included."""
        return self._total + self._open


def _figures(score: Score) -> dict[str, float]:
    nats = score.nats
    if follows_tool(score) and score.by_window is not None and math.isfinite(nats):
        nats = math.fsum(map(single, score.by_window.nats.tolist()))  # it sums each window in float32
    found = {"word_perplexity": perplexity(nats, score.words if score.pieces is None else score.pieces)}
    if score.figure_per == "byte":
        found |= {
            "byte_perplexity": perplexity(nats, score.bytes),
            "bits_per_byte": nats / math.log(2.0) / score.bytes if nats != score.nats else score.bits_per_byte,
        }
    return found


CONVENTION = Convention(
    name="lm-eval",
    settings={"den": "original", "ctx": "rolling"},
    statements=(
        "The first token is predicted from BOS, or from EOS if there is no BOS.",
        "A BOS that the tokenizer adds by itself is scored too, but not counted.",
        "Long texts are split into windows with one token of context; the last window is extended to the left.",
        "Divided by words and bytes of the original text over the whole corpus.",
        "White space at the edges of a document makes an empty word, which is counted.",
        "White space at the end of a context is moved to its answer; BOS stands before a context only if the "
        "tokenizer puts it there.",
        "log_softmax in the model's type: on a processor, float32 errs by some 2e-5 nats per token.",
    ),
    figures=_figures,
    words=SplitCounter,
    bos="twice",
    border="lm-eval",
    bos_of_answers="pair",
    arithmetic="log-softmax",
)
