"""Models that go to other processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm


def test_a_model_goes_to_other_processes(tmp_path: Path) -> None:
    import copy
    import pickle

    model = bm.NGram(order=2).fit(b"to be or not to be\n")
    assert pickle.loads(pickle.dumps(model)).fingerprint == model.fingerprint  # in memory alone: by value
    assert copy.deepcopy(model).logprob("to be") == model.logprob("to be")
    for name in ("model.bmn", "model.arpa"):
        model.save(tmp_path / name)
        kept = bm.NGram.load(tmp_path / name).with_oov("class")
        again = pickle.loads(pickle.dumps(kept))
        assert again.fingerprint == kept.fingerprint
        assert again.logprob("to see") == kept.logprob("to see")
    assert pickle.loads(pickle.dumps(model)).logprob("to be") == model.logprob("to be")  # ARPA has it rounded
    pickled = pickle.dumps(kept)
    bm.NGram(order=2).fit(b"something else\n").save(tmp_path / "model.arpa", force=True)
    with pytest.raises(bm.errors.ModelError, match="another model"):
        pickle.loads(pickled)


def test_a_model_that_is_not_estimated_yet() -> None:
    import pickle

    again = pickle.loads(pickle.dumps(bm.NGram(order=3, smoothing="laplace")))
    assert again.fit(b"a b\n").fingerprint == bm.NGram(order=3, smoothing="laplace").fit(b"a b\n").fingerprint


@pytest.mark.parametrize("units", ["words", "bytes"])
def test_what_is_made_again_from_the_file_is_left_out(units: str) -> None:
    import pickle

    from bitmeter.models.ngram.pickling import _OF_THE_FILE

    model = bm.NGram(order=2, units=units).fit(b"to be or not to be\n")
    assert set(_OF_THE_FILE) <= set(vars(model))  # an attribute that was renamed would be taken along
    size = len(pickle.dumps(model))
    model.predict(np.zeros(0, dtype=np.int64))
    bm.score(model, b"to be\n")
    assert len(pickle.dumps(model)) == size
