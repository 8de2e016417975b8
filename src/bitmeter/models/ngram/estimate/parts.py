"""Counting a text in parts: what is done with one part, or one partition of the n-grams, as tasks for any process.

Three stages, with files in one folder between them. Each part of the text is split into units, with a vocabulary of its
own. When the vocabulary of the whole text is known, each part is sorted into runs of n-grams, cut into partitions by
their first unit. Each partition is merged from all runs. A task is done when its receipt has its name.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.files import read_whole, replacing
from bitmeter._util.jobs import Report
from bitmeter.errors import FileFormatError
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.normalise import normalised

__all__ = [
    "Receipt",
    "is_own",
    "merge_partition",
    "read_receipt",
    "remove_work",
    "sort_part",
    "split_part",
    "vocabulary_of",
    "write_receipt",
]

#: What a task says of its result: JSON.
Receipt = dict[str, Any]
#: Ids that are no words: unknown ones, and the ends of a sentence.
_SPECIAL = 3
#: The stages as receipts name them; the names of all files in the folder of a training; those that are removed last.
_STAGES = ("split", "sort", "merge", "grow", "link", "weigh", "finish")
_OWN = re.compile(
    r"(ids|words|numbers|adopted|sorted|merged|grown|linked|weighed|finished)-.+"
    rf"|({'|'.join(_STAGES)})-.+\.json|cuts\.npy|job\.json|lock"
)
_LAST = ("job.json", "lock")
#: The parts of a part's vocabulary in its file, with their types.
_VOCABULARY = (("words", np.uint8), ("ends", np.int64), ("counts", np.uint64))


def split_part(corpus: Corpus, settings: Any, folder: str, number: int, key: str, size: int, report: Report) -> Receipt:
    """Split a part of the text: its ids, numbered by a vocabulary of its own, which comes with its counts."""
    from bitmeter.models.ngram.estimate.fit import read_text

    text = corpus if settings.norm == "none" else normalised(corpus, settings.norm)
    estimation, gaps = read_text(text, settings, _watch(size, report))
    words, ends, counts, ids = estimation.part()
    # Units of a closed vocabulary that this part lacks stand at its end; the whole text may have them early.
    known = max(_SPECIAL, int(np.flatnonzero(counts)[-1]) + 1) if counts.any() else _SPECIAL
    ends, counts = ends[: known - _SPECIAL], counts[:known]
    words = words[: int(ends[-1]) if len(ends) else 0]
    at = Path(folder)
    with replacing(at / f"ids-{number}.npy", force=True) as path, path.open("wb") as file:
        np.save(file, ids, allow_pickle=False)
    with replacing(at / f"words-{number}.npz", force=True) as path, path.open("wb") as file:
        np.savez(file, words=np.frombuffer(words, dtype=np.uint8), ends=ends, counts=counts)
    about = {
        "files": {name: _sha256(at / name) for name in (f"ids-{number}.npy", f"words-{number}.npz")},
        "gaps": None if gaps is None else _hexadecimal(gaps.counted()),
    }
    return write_receipt(at, f"split-{number}", key, about)


def sort_part(
    folder: str, number: int, key: str, sha256: str, words: int, order: int, most_keys: int, report: Report
) -> Receipt:
    """Sort the n-grams of a part into runs, by the ids of the whole text."""
    at = Path(folder)
    with _checked(at / f"ids-{number}.npy", sha256) as file:
        ids = np.load(file, allow_pickle=False)
    numbers = np.load(at / f"numbers-{number}.npy", allow_pickle=False)
    cuts = np.load(at / "cuts.npy", allow_pickle=False)
    if ids.dtype != np.uint32 or numbers.dtype != np.uint32 or (len(ids) and int(ids.max()) >= len(numbers)):
        message = f"{at / f'numbers-{number}.npy'} does not fit the part of the text; remove {at}, and start again"
        raise FileFormatError(message, value=str(at))
    mark = f".{uuid.uuid4().hex}"
    runs, chain, times = _core.write_ngram_runs(
        np.take(numbers, ids), words, order, cuts, str(at / f"sorted-{number}{mark}"), most_keys=most_keys, threads=1
    )
    names = [f"sorted-{number}.{run}" for run in range(runs)]
    for run, name in enumerate(names):
        os.replace(at / f"sorted-{number}{mark}.{run}", at / name)
    about = {"runs": names, "chain": chain, "times": times}
    return write_receipt(at, f"sort-{number}", key, about)


def merge_partition(
    folder: str, partition: int, key: str, runs: list[str], words: int, order: int, report: Report
) -> Receipt:
    """Merge a partition of the n-grams from all runs."""
    at = Path(folder)
    names = [str(at / run) for run in runs]
    with replacing(at / f"merged-{partition}", force=True) as path:
        ngrams, size = _core.merge_ngram_runs(names, words, order, partition, str(path))
    return write_receipt(at, f"merge-{partition}", key, {"ngrams": ngrams, "bytes": size})


def vocabulary_of(folder: Path, number: int, receipt: Receipt) -> tuple[bytes, NDArray[Any], NDArray[Any]]:
    """The words of a part, where each ends, and how often each id came."""
    name = f"words-{number}.npz"
    with _checked(folder / name, receipt["files"][name]) as file, np.load(file, allow_pickle=False) as found:
        arrays = [found[part] for part, _ in _VOCABULARY]
    if any(array.dtype != kind or array.ndim != 1 for array, (_, kind) in zip(arrays, _VOCABULARY, strict=True)):
        message = f"{folder / name} does not hold a vocabulary; remove {folder}, and start again"
        raise FileFormatError(message, value=str(folder / name))
    return arrays[0].tobytes(), arrays[1], arrays[2]


def gaps_of(receipt: Receipt) -> tuple[int, int, list[tuple[list[tuple[bytes, int]], int]]]:
    """What a part counted of white space."""
    ended, unended, places = receipt["gaps"]
    return ended, unended, [([(bytes.fromhex(gap), count) for gap, count in gaps], long) for gaps, long in places]


def _hexadecimal(counted: Any) -> Any:
    ended, unended, places = counted
    return [ended, unended, [[[[gap.hex(), count] for gap, count in gaps], long] for gaps, long in places]]


def read_receipt(folder: Path, name: str, key: str) -> Receipt | None:
    """What a task has said; None if it was not done for this job."""
    try:
        found = json.loads(read_whole(folder / f"{name}.json"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        message = f"{folder / f'{name}.json'} cannot be read ({error}); remove {folder}, and start again"
        raise FileFormatError(message, value=str(folder)) from error
    return found["about"] if isinstance(found, dict) and found.get("key") == key else None


def write_receipt(folder: Path, name: str, key: str, about: Receipt) -> Receipt:
    """Say that a task is done, and what came of it."""
    with replacing(folder / f"{name}.json", force=True) as path:
        path.write_text(json.dumps({"key": key, "about": about}))
    return about


def is_own(name: str) -> bool:
    """Whether a file in the folder of a training is one of its own."""
    return _OWN.fullmatch(name) is not None


def remove_work(folder: Path) -> None:
    """Remove the files between the stages, and the folder if nothing else is in it.

    Receipts go first, in the order of the stages, and the mark of the job last: after an interruption a task without
    one finds what it needs, since all tasks of the stages before are done again.
    """
    with contextlib.suppress(FileNotFoundError):
        names = [name for name in os.listdir(folder) if is_own(name)]
        for name in sorted(names, key=_turn):
            (folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            folder.rmdir()


def _turn(name: str) -> int:
    stage = name.partition("-")[0]
    return len(_STAGES) + (name in _LAST) if stage not in _STAGES else _STAGES.index(stage)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checked(path: Path, sha256: str) -> Any:
    """An open file whose bytes are those that a receipt is about."""
    try:
        file = path.open("rb")
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}); remove {path.parent}, and start again"
        raise FileFormatError(message, value=str(path)) from error
    if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
        file.close()
        message = f"{path} was changed since it was written; remove {path.parent}, and start again"
        raise FileFormatError(message, value=str(path))
    file.seek(0)
    return file


def _watch(size: int, report: Report) -> Callable[[str, float], None]:
    """Report how far the reading of a part is, in bytes of the file."""
    reported = 0.0

    def watch(stage: str, share: float) -> None:
        nonlocal reported
        if share - reported >= 1 / 16:
            report(size * (share - reported))
            reported = share

    return watch
