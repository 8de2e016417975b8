"""Files of mixtures."""

from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter import errors
from tests.models.mixture.made import HELDOUT, ONE, TWO


def test_a_mixture_is_saved_and_loaded(tmp_path: Path) -> None:
    ONE.save(tmp_path / "one.bmn")
    TWO.save(tmp_path / "two.bmn")
    specs = [str(tmp_path / "one.bmn"), str(tmp_path / "two.bmn"), "cache:size=40,order=2,decay=0.99"]
    mixture = bm.MixtureModel(specs, buckets=True).fit(HELDOUT)
    mixture.save(tmp_path / "mix.bmx")
    again = bm.load(str(tmp_path / "mix.bmx"))
    assert again.fingerprint == mixture.fingerprint
    assert bm.score(again, HELDOUT).nats == bm.score(mixture, HELDOUT).nats
    with pytest.raises(errors.FileFormatError, match="force"):
        mixture.save(tmp_path / "mix.bmx")
    bm.NGram(order=2).fit(b"else\n").save(tmp_path / "two.bmn", force=True)
    with pytest.raises(errors.FileFormatError, match="another model"):
        bm.load(str(tmp_path / "mix.bmx"))


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"schema": "x"}', b'{"schema": "bitmeter.mixture/1"}',
    b'{"schema":"bitmeter.mixture/1","components":[{"model":"kt","fingerprint":"x"}],"weights":["a"],"rows":null,'
    b'"buckets":false}',
    b'{"schema":"bitmeter.mixture/1","components":[{"model":"kt","fingerprint":"x"}],"weights":[2],"rows":null,'
    b'"buckets":false}'])  # fmt: skip
def test_damaged_mixtures_are_errors(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "bad.bmx").write_bytes(content)
    with pytest.raises(errors.BitmeterError):
        bm.MixtureModel.load(tmp_path / "bad.bmx")
