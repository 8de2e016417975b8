"""A network of words word by word: an unknown word is `<unk>` to it."""

from __future__ import annotations

import numpy as np
import pytest

from bitmeter.errors import RangeError
from bitmeter.models.causal.trained.stepper import WordStepper
from tests.models.causal.trained.made import trained


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_an_unknown_word_is_taken_as_its_class(kind: str) -> None:
    model = trained(kind, "words").with_oov("class")
    unknown, classed = model.stepper(), model.stepper()
    assert isinstance(unknown, WordStepper)
    unknown.take(-1)
    classed.take(0)
    np.testing.assert_array_equal(unknown.predict(), classed.predict())
    assert isinstance(unknown.copy(), WordStepper)
    np.testing.assert_allclose(unknown.predict(), model.predict(np.array([-1])), atol=1e-5)
    with pytest.raises(RangeError):
        unknown.take(-3)
