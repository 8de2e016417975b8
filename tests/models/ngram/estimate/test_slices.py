"""The tasks of an estimation in slices, one by one; tests/scale/test_training.py tests that the model is the same."""

from __future__ import annotations

import collections
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bitmeter import _core, errors
from bitmeter.models.ngram.estimate import parts, slices

#: Ids from 3 on are words, 2 ends a sentence, 1 begins it.
IDS = np.array([3, 4, 5, 3, 4, 2, 4, 5, 3, 4, 6, 2, 3, 4, 5, 6, 2, 6, 2], dtype=np.uint32)
WORDS, ORDER, CUTS = 7, 3, [0, 4, 5, 7]


def ignore(more: float) -> None:
    pass


def occurrences() -> list[collections.Counter[tuple[int, ...]]]:
    """How often each n-gram comes, by order - 1."""
    found: list[collections.Counter[tuple[int, ...]]] = [collections.Counter() for _ in range(ORDER)]
    sentence = [1]
    for word in IDS.tolist():
        sentence.append(word)
        for order in range(1, ORDER + 1):
            if len(sentence) > order - 1 and len(sentence) >= order:
                found[order - 1][tuple(sentence[-order:])] += 1
        if word == 2:
            sentence = [1]
    return found


def merged(folder: Path, **about: object) -> slices.Slices:
    """Merged partitions, as the tasks before leave them."""
    cuts = np.array(CUTS, dtype=np.uint32)
    np.save(folder / "cuts.npy", cuts)
    runs, _, _ = _core.write_ngram_runs(IDS, WORDS, ORDER, cuts, str(folder / "run"))
    for number in range(len(CUTS) - 1):
        names = [str(folder / f"run.{run}") for run in range(runs)]
        _core.merge_ngram_runs(names, WORDS, ORDER, number, str(folder / f"merged-{number}"))
    made = slices.Slices(str(folder), "job", WORDS, ORDER, "modified-kneser-ney", float("nan"), (), closed=False)
    return replace(made, **about)  # type: ignore[arg-type]


def test_slices_grow(tmp_path: Path) -> None:
    """All n-grams of a partition's first words, and those that came more often than the thresholds of pruning."""
    plan = merged(tmp_path, prune=(0, 1, 2))
    expected = occurrences()
    for number in range(len(CUTS) - 1):
        receipt = slices.grow_slice(plan, number, ignore)
        own = range(CUTS[number], CUTS[number + 1])
        counts = [[times for ngram, times in each.items() if ngram[0] in own] for each in expected]
        assert receipt["ngrams"][1:] == [len(each) for each in counts[1:]]
        assert receipt["kept"][1:] == [sum(times > least for times in counts[least]) for least in (1, 2)]
        assert parts.read_receipt(tmp_path, f"grow-{number}", "job") == receipt


def test_adjusted_counts(tmp_path: Path) -> None:
    """Different words before; occurrences where an n-gram begins a sentence, and at the highest order."""
    plan = merged(tmp_path)
    raw = occurrences()
    adjusted = collections.Counter(ngram[1:] for ngram in raw[2])
    for ngram, times in raw[1].items():
        if ngram[0] == 1:
            adjusted[ngram] = times
    kinds = [collections.Counter(adjusted.values()), collections.Counter(raw[2].values())]
    for number in range(len(CUTS) - 1):
        slices.grow_slice(plan, number, ignore)
    # The last n-gram of all from its last word to its first: (6, 5) is before it comes at 3 4 5 6.
    receipts = [slices.link_slice(plan, number, [6, 5, 4], ignore) for number in range(len(CUTS) - 1)]
    for order in (0, 1):
        found = np.sum([receipt["kinds"][order] for receipt in receipts], axis=0)
        assert found[1:].tolist() == [kinds[order][count] for count in range(1, 7)]
    assert [receipt["last"] for receipt in receipts] == [[0], [0], [adjusted[5, 6]]]


def test_a_slice_of_another_job(tmp_path: Path) -> None:
    plan = merged(tmp_path)
    for number in range(len(CUTS) - 1):
        slices.grow_slice(plan, number, ignore)
    other = replace(plan, key="another")
    with pytest.raises(errors.FileFormatError, match="grown-1, a slice of n-grams, is of another training"):
        slices.link_slice(other, 1, [], ignore)
    assert parts.read_receipt(tmp_path, "link-1", "another") is None


def test_partitions_that_are_none(tmp_path: Path) -> None:
    plan = merged(tmp_path)
    np.save(tmp_path / "cuts.npy", np.array([0, 5, 3, 7], dtype=np.uint32))
    with pytest.raises(errors.FileFormatError, match=r"cuts\.npy does not hold the partitions"):
        slices.grow_slice(plan, 0, ignore)
    (tmp_path / "cuts.npy").write_bytes(b"nothing")
    with pytest.raises(errors.FileFormatError, match="start again"):
        slices.grow_slice(plan, 0, ignore)


def test_which_smoothings() -> None:
    """All but Katz, whose back-offs look up those of shorter histories."""
    from bitmeter.models.ngram.estimate.smoothing import SMOOTHINGS, Smoothing

    names = {Smoothing(name).core_name for name in SMOOTHINGS}
    assert {name for name in names if not _core.smooths_in_slices(name)} == {"katz"}
