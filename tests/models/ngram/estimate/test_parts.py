"""The tasks of counting in parts, one by one; that the model is the same is tested in tests/scale/test_training.py."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter import errors
from bitmeter.models.ngram.estimate import parts
from bitmeter.models.ngram.estimate.fit import Settings
from bitmeter.models.ngram.estimate.smoothing import Smoothing

SETTINGS = Settings(2, Smoothing.of("modified-kneser-ney"), (), unk_word=False, threads=1)
TEXT = b"a rose is a rose\nthe rain and the sea\n"


def ignore(more: float) -> None:
    pass


def split(folder: Path, key: str = "job") -> dict[str, Any]:
    return parts.split_part(bm.Corpus.of(TEXT, docs="line"), SETTINGS, str(folder), 0, key, len(TEXT), ignore)


def test_a_part_is_split_sorted_and_merged(tmp_path: Path) -> None:
    receipt = split(tmp_path)
    words, ends, counts = parts.vocabulary_of(tmp_path, 0, receipt)
    own = [words[start:end] for start, end in zip([0, *ends.tolist()], ends.tolist(), strict=False)]
    expected = collections.Counter(TEXT.split())
    assert dict(zip(own, counts[3:].tolist(), strict=True)) == expected
    assert counts[2] == 2  # sentences end

    # This part is all of the text, so its own ids are those of the whole.
    np.save(tmp_path / "numbers-0.npy", np.arange(len(counts), dtype=np.uint32))
    np.save(tmp_path / "cuts.npy", np.array([0, 4, len(counts)], dtype=np.uint32))
    ids = receipt["files"]["ids-0.npy"]
    done = parts.sort_part(str(tmp_path), 0, "job", ids, len(counts), 2, 1 << 16, ignore)
    merged = [parts.merge_partition(str(tmp_path), p, "job", done["runs"], len(counts), 2, ignore) for p in range(2)]
    pairs = {
        pair
        for line in TEXT.splitlines()
        for pair in zip([b"<s>", *line.split()], [*line.split(), b"</s>"], strict=True)
    }
    assert sum(receipt["ngrams"] for receipt in merged) == len(pairs)
    assert parts.read_receipt(tmp_path, "merge-1", "job") == merged[1]


def test_receipts_are_of_one_job(tmp_path: Path) -> None:
    receipt = split(tmp_path)
    assert parts.read_receipt(tmp_path, "split-0", "job") == receipt
    assert parts.read_receipt(tmp_path, "split-0", "another") is None
    assert parts.read_receipt(tmp_path, "split-1", "job") is None
    (tmp_path / "split-0.json").write_bytes(b"{")
    with pytest.raises(errors.FileFormatError, match="start again"):
        parts.read_receipt(tmp_path, "split-0", "job")


def test_files_that_were_changed_are_errors(tmp_path: Path) -> None:
    receipt = split(tmp_path)
    path = tmp_path / "words-0.npz"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(errors.FileFormatError, match="was changed since it was written"):
        parts.vocabulary_of(tmp_path, 0, receipt)
    path.unlink()
    with pytest.raises(errors.FileFormatError, match="cannot be read"):
        parts.vocabulary_of(tmp_path, 0, receipt)
    np.save(tmp_path / "numbers-0.npy", np.arange(2, dtype=np.uint32))
    np.save(tmp_path / "cuts.npy", np.array([0, 9], dtype=np.uint32))
    with pytest.raises(errors.FileFormatError, match="does not fit the part"):
        parts.sort_part(str(tmp_path), 0, "job", receipt["files"]["ids-0.npy"], 9, 2, 1 << 16, ignore)
