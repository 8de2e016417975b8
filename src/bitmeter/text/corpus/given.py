"""A corpus of answers, each with the context that it is given."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

import numpy as np

from bitmeter.errors import InputError
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.labels import Collector, Contexts
from bitmeter.text.corpus.readers import Block
from bitmeter.text.corpus.sources import Resolved, Source

__all__ = ["with_contexts"]

_SPACE = b" \t\n\r\v\f"


def with_contexts(
    corpus: Corpus,
    field: str,
    *,
    between: bytes = b"",
    moves_space: bool = False,
    change: Callable[[bytes], bytes] | None = None,
) -> Corpus:
    """The answers of a corpus of records as its text; `take_contexts` gives the context of each.

    Parameters
    ----------
    corpus
        Records; its text is the answers.
    field
        The field of the contexts.
    between
        What stands between a context and its answer. It belongs to the answer.
    moves_space
        Move white space at the end of a context to its answer.
    change
        What is done to contexts and answers before, such as lower case.

    Examples
    --------
    >>> rows = Corpus.from_records([{"q": "2 + 2 = ", "a": "4"}], field="a")
    >>> answers = with_contexts(rows, "q", moves_space=True)
    >>> [document.data for document in answers], answers.take_contexts(1)
    ([b' 4'], [b'2 + 2 ='])
    """
    if not corpus.holds_rows or corpus.docs != "record":
        message = (
            f"{corpus.name} holds no records whose field {field!r} could be the context of another; give JSON lines, "
            "Parquet, a dataset or Corpus.from_records, and leave docs out"
        )
        raise InputError(message, value=field)
    corpus = copy.copy(corpus)  # which goes on without contexts
    corpus.condition_on(field)
    waiting = Contexts(field)

    def read(docs: str, own_field: str, size: int, labels: Collector | None) -> Iterator[Block]:
        begun: list[bytes] = []
        for block in corpus.blocks(size):
            start = 0
            for end in block.ends.tolist():
                answer = b"".join((*begun, block.data[start:end]))
                [context] = corpus.take_contexts(1)
                if change is not None:
                    context, answer = change(context), change(answer)
                answer = between + answer
                if moves_space:
                    kept = context.rstrip(_SPACE)
                    answer = context[len(kept) :] + answer
                    context = kept
                waiting.add(context, corpus.name, 0, "row")
                yield Block(answer, np.array([len(answer)], dtype=np.int64))
                begun, start = [], end
            begun.append(block.data[start:])

    made = Corpus._made(Resolved([Source(corpus.name, "record", read)], list(corpus.notes)), None)
    made.docs, made.origin = corpus.docs, corpus
    made._contexts = waiting
    return made
