"""Models that go to other processes."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm


def test_a_model_goes_to_other_processes(tmp_path: Path) -> None:
    import copy
    import pickle

    model = bm.NGram(order=2).fit(b"to be or not to be\n")
    with pytest.raises(bm.errors.ModelError, match="save it first"):
        pickle.dumps(model)
    assert copy.deepcopy(model).logprob("to be") == model.logprob("to be")
    for name in ("model.bmn", "model.arpa"):
        model.save(tmp_path / name)
        kept = bm.NGram.load(tmp_path / name).with_oov("class")
        again = pickle.loads(pickle.dumps(kept))
        assert again.fingerprint == kept.fingerprint
        assert again.logprob("to see") == kept.logprob("to see")
    pickled = pickle.dumps(model)
    bm.NGram(order=2).fit(b"something else\n").save(tmp_path / "model.arpa", force=True)
    with pytest.raises(bm.errors.ModelError, match="another model"):
        pickle.loads(pickled)
