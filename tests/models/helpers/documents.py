"""Documents as events, and the parts in which a session may get them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

END = None


@dataclass(frozen=True)
class Part:
    ids: NDArray[Any]
    bounds: NDArray[np.int64]
    continues: bool


def whole(documents: Sequence[Sequence[int]], dtype: Any = np.int64) -> Part:
    """All documents at once."""
    sizes = [len(document) for document in documents]
    return Part(
        np.array([x for document in documents for x in document], dtype=dtype),
        np.cumsum([0, *sizes], dtype=np.int64),
        continues=False,
    )


def in_parts(documents: Sequence[Sequence[int]], cuts: Sequence[int], dtype: Any = np.int64) -> Iterator[Part]:
    """The same in parts; a cut may fall inside a document, or between its last unit and its end."""
    events: list[int | None] = [x for document in documents for x in (*document, END)]
    edges = [0, *sorted(min(cut, len(events)) for cut in cuts), len(events)]
    is_open = False
    for start, stop in pairwise(edges):
        runs: list[list[int]] = [[]]
        for event in events[start:stop]:
            if event is END:
                runs.append([])
            else:
                runs[-1].append(event)
        if not runs[-1] and not (is_open and len(runs) == 1):
            runs.pop()  # nothing of a next document was seen
        if runs:
            found = whole(runs, dtype)
            yield Part(found.ids, found.bounds, continues=is_open)
        is_open = (stop > start and events[stop - 1] is not END) or (stop == start and is_open)


def cut_documents(units: st.SearchStrategy[int]) -> st.SearchStrategy[tuple[list[list[int]], list[int]]]:
    """Documents, some of them empty, and where to cut."""
    documents = st.lists(st.lists(units, max_size=8), min_size=1, max_size=6)
    return st.tuples(documents, st.lists(st.integers(0, 60), max_size=6))
