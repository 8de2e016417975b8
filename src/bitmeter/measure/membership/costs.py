"""What the units of each document cost, from the trace of a score."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter.errors import UndefinedError
from bitmeter.measure.score import Score
from bitmeter.measure.trace.tracer import KEPT_UNITS
from bitmeter.models.protocols import Model, OpenVocabulary, Predictor
from bitmeter.text.corpus.corpus import Corpus

__all__ = ["by_costs", "costs_of_documents", "names_of_documents"]


def by_costs(model: Model, corpus: Corpus) -> bool:
    """Whether one pass over the text gives the costs of documents: each as it costs alone, and all of them kept."""
    if model.traits.learns:
        return False
    if not isinstance(model, Predictor):
        return True
    size = corpus.total_bytes
    # An unknown word is the outcome <unk> in whole predictions, and is spelled in a score.
    return not isinstance(model, OpenVocabulary) and size is not None and size <= KEPT_UNITS


def costs_of_documents(score: Score) -> Iterator[tuple[int, bytes, Floats]]:
    """The index, the bytes and the costs (ln p) of each document that has a unit that is predicted."""
    trace = score.trace
    docs = trace.doc
    begins = np.flatnonzero(np.diff(docs, prepend=-1))
    skip = 0
    if score.skipped:
        if score.signature.first != "skip" or score.skipped != len(begins):
            message = (
                f"{score.skipped:,} units are left out by the conventions, and it is not known which; score with "
                "--oov none and without --first skip"
            )
            raise UndefinedError(message)
        skip = 1
    units, logs = trace.units, trace.logprob
    for first, last in zip(begins.tolist(), [*begins[1:].tolist(), len(docs)], strict=True):
        if first + skip < last:
            yield int(docs[first]), b"".join(units[first:last]), logs[first + skip : last]


def names_of_documents(corpus: Corpus, documents: list[int]) -> list[str]:
    """The names of documents of a corpus that was read, as `Corpus.documents` has them."""
    if corpus.docs.startswith("joined"):
        return [corpus.name] * len(documents)
    begun, sources = corpus.first_documents(), corpus.source_names
    numbered = corpus.holds_rows or corpus.docs != "file"
    found = []
    for document in documents:
        source = int(np.searchsorted(begun, document, side="right")) - 1
        number = f":{document - int(begun[source]) + 1}" if numbered else ""
        found.append(f"{sources[source]}{number}")
    return found
