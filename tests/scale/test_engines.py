"""Which executor does the work, and what is wrong with what was asked for."""

from __future__ import annotations

from typing import Any

import pytest

from bitmeter._util.jobs import Here
from bitmeter.errors import BitmeterError, ChoiceError, InputTypeError, RangeError
from bitmeter.scale.engines import executor_of
from bitmeter.scale.local import LocalPool


def test_one_worker_is_this_process() -> None:
    assert isinstance(executor_of(), Here)
    assert isinstance(executor_of(1), Here)
    pool = executor_of(3)
    assert isinstance(pool, LocalPool)
    assert pool.workers == 3


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({"workers": 0}, RangeError, "workers"),
        ({"workers": 1.5}, BitmeterError, "workers"),
        ({"engine": "slurm"}, ChoiceError, "engine"),
        ({"address": "auto"}, ChoiceError, "--engine ray"),
        ({"engine": "ray", "address": 7}, InputTypeError, "address"),
        ({"engine": "ray", "address": ""}, InputTypeError, "address"),
    ],
    ids=str,
)
def test_wrong_keywords(given: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        executor_of(**given)
