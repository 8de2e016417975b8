"""A text in parts of documents costs what whole documents do."""

from __future__ import annotations

import numpy as np
import pytest

from tests.models.causal.trained.made import every, trained, with_class


@every
@pytest.mark.parametrize("ctx", ["auto", "9.4", "disjoint.7"])
def test_a_session_gives_the_same_wherever_it_is_cut(kind: str, units: str, ctx: str) -> None:
    model = with_class(trained(kind, units)).with_context(ctx, "bos")
    documents = [b"the cat sat on the mat and the dog lay", b"", b"a dog", b"the rug on the mat and on the mat", b"mat"]
    ends = np.cumsum([len(document) for document in documents])
    split = model.units.split(b"".join(documents), ends)
    whole = model.logprobs(split.ids, split.bounds)
    for size in (1, 7):
        session = model.session()
        found = []
        for first in range(0, len(split.ids), size):
            last = min(len(split.ids), first + size)
            inner = split.bounds[(split.bounds > first) & (split.bounds < last)] - first
            bounds = np.concatenate(([0], inner, [last - first]))
            found.append(session.logprobs(split.ids[first:last], bounds, continues=first not in split.bounds))
        np.testing.assert_allclose(np.concatenate(found), whole, atol=1e-5, rtol=0)
