"""How models are pickled; tests/test_pickles.py goes through all kinds of them."""

from __future__ import annotations

import copy
import os
import pickle
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.models.pickling import SharedCopies, check_same


def test_a_saved_model_is_pickled_as_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = bm.NGram(order=2).fit(b"to be\n" * 500)
    by_value = len(pickle.dumps(model))
    model.save("m.bmn")
    data = pickle.dumps(model)
    assert len(data) < by_value
    monkeypatch.chdir(os.sep)  # another process may be elsewhere
    assert pickle.loads(data).path == str(tmp_path / "m.bmn")


def test_a_model_by_value_has_no_file() -> None:
    again = pickle.loads(pickle.dumps(bm.NGram(order=2).fit(b"to be\n")))
    assert (again.path, again.name) == (None, "ngram(order 2)")


def test_copies_share_what_never_changes() -> None:
    class Model(SharedCopies):
        def __init__(self) -> None:
            self.weights = [1.0]

    made = Model()
    assert copy.deepcopy(made).weights is made.weights
    assert copy.copy(made) is not made


def test_another_model_is_refused() -> None:
    check_same("m.bmn", "a", "a")
    with pytest.raises(ModelError, match=r"m\.bmn holds another model than the one that was pickled: a, not b"):
        check_same("m.bmn", "a", "b")
