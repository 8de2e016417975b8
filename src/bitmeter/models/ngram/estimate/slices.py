"""An estimation in slices: what is done with one partition of the n-grams after counting, as tasks for any process.

A slice is the part of the trie whose n-grams begin with the words of a partition. Four stages follow the counting of
`parts.py`, with files in the same folder. Each slice is grown from its merged partition; its suffixes and adjusted
counts are found; then, order by order, its probabilities and back-offs; last, its bytes of the model's file. Slices
exchange what they need of each other by these files, each array of which has a checksum. A task is done when its
receipt has its name.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bitmeter import _core
from bitmeter._util.files import replacing
from bitmeter._util.jobs import Report
from bitmeter.errors import FileFormatError
from bitmeter.models.ngram.estimate.parts import Receipt, write_receipt

__all__ = ["WORDS", "Slices", "finish_slice", "grow_slice", "link_slice", "weigh_slice"]

#: The file of the probabilities of single words.
WORDS = "weighed-words"


@dataclass(frozen=True, slots=True)
class Slices:
    """What all tasks of an estimation in slices know.

    Attributes
    ----------
    folder
        Where their files are, with the first words of the partitions in `cuts.npy`.
    key
        Of the job, which every file carries.
    words
        The size of the vocabulary.
    order, smoothing, parameter, prune
        Of the model; the smoothing as the core calls it.
    closed
        Whether no word is unknown.
    settled
        A mark of the discounts and weights, which the files of the later stages carry; empty before they are known.
    """

    folder: str
    key: str
    words: int
    order: int
    smoothing: str
    parameter: float
    prune: tuple[int, ...]
    closed: bool
    settled: str = ""

    @property
    def mark(self) -> str:
        """What the receipts carry."""
        return f"{self.key} {self.settled}" if self.settled else self.key

    def open(self) -> _core.NgramSlices:
        """The stages in the core."""
        path = Path(self.folder, "cuts.npy")
        try:
            cuts = np.load(path, allow_pickle=False)
            opened = _core.NgramSlices(
                self.folder, _number(self.key), self.words, self.order, cuts, self.smoothing, self.parameter,
                list(self.prune), self.closed,
            )  # fmt: skip
        except (OSError, ValueError, TypeError) as error:
            message = f"{path} does not hold the partitions ({error}); remove {self.folder}, and start again"
            raise FileFormatError(message, value=str(path)) from error
        opened.settled = _number(self.settled) if self.settled else 0
        return opened


def _number(mark: str) -> int:
    return int.from_bytes(hashlib.sha256(mark.encode()).digest()[:8], "little")


def grow_slice(slices: Slices, number: int, report: Report) -> Receipt:
    """The trie of a merged partition, with how often its n-grams occurred."""
    at = Path(slices.folder)
    with replacing(at / f"grown-{number}", force=True) as path:
        ngrams, kept = slices.open().grow(number, str(at / f"merged-{number}"), str(path))
    return write_receipt(at, f"grow-{number}", slices.mark, {"ngrams": ngrams, "kept": kept})


def link_slice(slices: Slices, number: int, chain: list[int], report: Report) -> Receipt:
    """The suffixes that stand in a slice, of all n-grams that have them, and its adjusted counts.

    `chain` is the last n-gram of the text, of which the receipt has the counts that lmplz takes otherwise.
    """
    at = Path(slices.folder)
    with replacing(at / f"linked-{number}", force=True) as path:
        kinds, last = slices.open().link(number, chain, str(path))
    return write_receipt(at, f"link-{number}", slices.mark, {"kinds": kinds, "last": last})


def weigh_slice(
    slices: Slices, number: int, order: int, discounts: list[Any], weights: list[Any], report: Report
) -> Receipt:
    """The probabilities of one order of a slice, and the back-offs of the histories."""
    at = Path(slices.folder)
    with replacing(at / f"weighed-{order}-{number}", force=True) as path:
        slices.open().weigh(number, order, discounts, weights, str(path))
    return write_receipt(at, f"weigh-{order}-{number}", slices.mark, {})


def finish_slice(slices: Slices, number: int, kept: list[list[int]], report: Report) -> Receipt:
    """A slice's bytes of the model's file, of which each slice keeps so many n-grams by order."""
    at = Path(slices.folder)
    with replacing(at / f"finished-{number}", force=True) as path:
        slices.open().finish(number, kept, str(path))
    return write_receipt(at, f"finish-{number}", slices.mark, {})
