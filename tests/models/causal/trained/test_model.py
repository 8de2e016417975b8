"""Networks trained here: their loss is torch's, they learn, stop, resume, and are models like any other."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import (
    EmptyError,
    MissingPackageError,
    ModelError,
)
from tests.models.causal.trained.made import TEXT, UNITS, trained


@pytest.mark.parametrize(("kind", "units"), [("lstm", "bpe"), ("transformer", "bytes")])
def test_as_a_compressor_it_keeps_its_promise(kind: str, units: str, tmp_path: Path) -> None:
    model = trained(kind, units)
    text = "the cat lay on the rug: é\n".encode()
    (tmp_path / "text").write_bytes(text)
    archive = bm.compress(model, tmp_path / "text", tmp_path / "text.bmz")
    bm.decompress(tmp_path / "text.bmz", tmp_path / "back", model=model)
    assert (tmp_path / "back").read_bytes() == text
    assert archive.bits == pytest.approx(bm.score(model, text).bits, rel=1e-4)


@pytest.mark.parametrize("units", UNITS)
def test_what_else_was_likely(units: str) -> None:
    model = trained("lstm", units)
    oov = "class" if units == "words" else None
    trace = bm.score(model, b"the cat sat", alternatives=3, oov=oov).trace
    assert trace.rank is not None
    assert (np.asarray(trace.rank) >= 1).all()
    assert len(model.outcomes.names) == model.size


def test_bad_input_is_named() -> None:
    with pytest.raises(ModelError, match="knows no text yet"):
        bm.score(bm.Neural(), b"text")
    for text in (b"", b"a"):
        with pytest.raises(EmptyError):
            bm.Neural("lstm", "bytes").fit(text)
    with pytest.raises(EmptyError, match="no word"):
        bm.Neural("lstm", "words").fit(b" \n" * 50)
    with pytest.raises(EmptyError, match="held out"):
        bm.Neural("lstm", "bytes").fit(TEXT, heldout=b"")


@pytest.mark.parametrize("call", ["fit", "load"])
def test_without_torch_the_line_to_type_is_said(call: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackageError, match=r"pip install '\.\[hf\]'"):
        bm.Neural().fit(TEXT) if call == "fit" else bm.load(f"neural:{tmp_path}")
