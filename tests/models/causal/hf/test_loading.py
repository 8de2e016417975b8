"""Loading: what is wrong with a folder or a device is said in a line or two."""

from __future__ import annotations

import pytest
import torch

import bitmeter as bm
from bitmeter.errors import ModelError
from tests.models.networks import TINY


def test_a_device_that_is_not_there_is_named_in_one_line() -> None:
    """torch lists all of its backends: it was a wall of 1,500 letters."""
    if torch.backends.mps.is_available():
        assert bm.score(bm.HuggingFace(TINY, device="mps"), b"to be").bits > 0
        return
    with pytest.raises(ModelError, match=r"there is no Apple GPU\. Use device='cpu'") as caught:
        bm.HuggingFace(TINY, device="mps")
    assert len(str(caught.value)) < 200


def test_other_devices_have_the_first_sentence_of_torch() -> None:
    with pytest.raises(ModelError, match="cannot be used here") as caught:
        bm.HuggingFace(TINY, device="ve")
    assert len(str(caught.value)) < 320
