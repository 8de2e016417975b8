"""Files of n-gram models: the same model, or an error that says what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter import errors
from tests.models.made_up import made_up_text

TEXT = made_up_text(400, 30)
MODEL = bm.NGram(order=3).fit(TEXT.encode())


def test_a_saved_model_is_the_same_model(tmp_path: Path) -> None:
    path = tmp_path / "model.bmn"
    MODEL.save(path)
    for spec in (path, str(path), f"ngram:{path}"):
        again = bm.load(spec)
        assert (again.fingerprint, again.counts, again.notes) == (MODEL.fingerprint, MODEL.counts, MODEL.notes)
    again.verify()
    with pytest.raises(errors.FileFormatError, match="--force"):
        MODEL.save(path)
    MODEL.save(path, force=True)


def test_damaged_files_are_errors(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "good.bmn")
    good = (tmp_path / "good.bmn").read_bytes()
    path = tmp_path / "bad.bmn"
    for size in (0, 1, 100, 511, 512, 5000, len(good) - 1):
        path.write_bytes(good[:size])
        with pytest.raises(errors.FileFormatError, match="not a sound n-gram model"):
            bm.NGram.load(path)
    for place in (3, 20, 40, 100):
        path.write_bytes(good[:place] + bytes([good[place] ^ 0x41]) + good[place + 1 :])
        with pytest.raises(errors.FileFormatError):
            bm.NGram.load(path)
    for place in range(5000, len(good), 4001):
        path.write_bytes(good[:place] + bytes([good[place] ^ 0xFF]) + good[place + 1 :])
        with pytest.raises(errors.FileFormatError):
            bm.NGram.load(path).verify()
    with pytest.raises(errors.MissingSourceError, match="bitmeter train"):
        bm.load(str(tmp_path / "absent.bmn"))
    with pytest.raises(errors.FileFormatError):
        bm.NGram.load(tmp_path)
