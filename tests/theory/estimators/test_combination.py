from __future__ import annotations

import numpy as np
import pytest

from bitmeter.theory.estimators.combination import Combination
from bitmeter.theory.multivariate import mutual_terms


@pytest.mark.parametrize("kinds", [3, 500])  # counted in a table, and by sorting
def test_permutations_keep_the_strata_and_count_like_the_plug_in(kinds: int) -> None:
    rng = np.random.default_rng(1)
    x, y, z = rng.integers(0, kinds, (3, 400))
    found = Combination([x, y, z % 3], mutual_terms(conditional=True), (2,)).permuted(5, np.random.default_rng(2))
    assert len(set(found.tolist())) > 1
    # With every observation in a stratum of its own, nothing can be permuted.
    alone = Combination([x, y, np.arange(400)], mutual_terms(conditional=True), (2,))
    assert alone.permuted(3, rng) == pytest.approx(np.full(3, alone.estimate("maximum-likelihood")), abs=1e-12)
