"""The Krichevsky-Trofimov estimator: adaptive, of order 0, over bytes."""

from __future__ import annotations

from typing import Self

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.errors import ModelError
from bitmeter.models.coder import Coder, CodeWatch, decode_errors
from bitmeter.models.outcomes import BYTE_NAMES, Details, Outcomes, byte_outcomes, details_of_rows, joined_details
from bitmeter.models.protocols import Codes, Options, Predictor, Traits
from bitmeter.models.scheme import Scheme
from bitmeter.models.session import PredictingSession, Stepper, Watch
from bitmeter.text.units.base import Units
from bitmeter.text.units.plain import Bytes

__all__ = ["KrichevskyTrofimov"]

#: Predictions that are held at once.
_AT_ONCE = 4096


class KrichevskyTrofimov(Predictor, Codes):
    """Adaptive order 0 over bytes: p(x) = (n(x) + ½)/(n + 128), from the counts of what came before in the corpus.

    Needs no training, and never more than ½·255·log2 n bits or so above the best fixed distribution.

    Examples
    --------
    >>> import bitmeter as bm
    >>> trace = bm.score(bm.KrichevskyTrofimov(), b"aaaa").trace
    >>> [round(bits, 2) for bits in trace.bits.tolist()]
    [8.0, 6.43, 5.7, 5.23]
    """

    name = "kt"
    fingerprint = "kt-order0-bytes-1"

    def __init__(self) -> None:
        self.units: Units = Bytes()

    @property
    def traits(self) -> Traits:
        """It chooses from 256 bytes, and learns."""
        return Traits(vocabulary=256, learns=True)

    @property
    def outcomes(self) -> Outcomes:
        """The 256 bytes."""
        return byte_outcomes()

    def open(self, options: Options = Options()) -> KtSession:  # noqa: B008
        """Begin a text; counts are zero."""
        return KtSession()

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """ln p of each byte; counts carry on from document to document."""
        return self.open().logprobs(ids, bounds, continues=False)

    def predict(self, history: Ids) -> Floats:
        """ln p of each byte after this history."""
        return _shares(np.bincount(np.asarray(history, dtype=np.uint8), minlength=256))

    def stepper(self) -> KtStepper:
        """Begin a document; counts are zero."""
        return KtStepper(np.zeros(256, dtype=np.int64))

    def coder(self, watch: CodeWatch | None = None) -> Coder:
        """Wholly in the core."""
        return KtCoder()


def _shares(counts: Ints) -> Floats:
    return np.asarray(np.log((counts + 0.5) / (counts.sum() + 128.0)))


class KtStepper(Stepper):
    """Counts, which carry on over documents."""

    def __init__(self, counts: Ints) -> None:
        self._counts = counts

    def begin(self) -> None:
        """Counts carry on."""

    def predict(self) -> Floats:
        """ln p of each byte."""
        return _shares(self._counts)

    def take(self, unit: int) -> None:
        """Count a byte."""
        self._counts[unit] += 1

    def copy(self) -> Self:
        """The same counts, to go on apart."""
        return type(self)(self._counts.copy())


class KtSession(PredictingSession):
    """Scores a text; counts carry on over documents."""

    def __init__(self) -> None:
        self._counts = np.zeros(256, dtype=np.int64)

    @property
    def outcomes(self) -> Outcomes:
        """The 256 bytes."""
        return byte_outcomes()

    def stepper(self) -> KtStepper:
        """With the counts so far."""
        return KtStepper(self._counts.copy())

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """ln p of each byte."""
        return _core.adaptive_logprobs(np.ascontiguousarray(ids, dtype=np.uint8), self._counts)

    def details(
        self,
        ids: Ids,
        bounds: Ints,
        continues: bool,  # noqa: FBT001
        alternatives: int,
        watch: Watch | None = None,
    ) -> Details:
        """From cumulative counts, many predictions at once."""
        counts, parts = self._counts.copy(), []
        for i in range(0, max(1, len(ids)), _AT_ONCE):
            truth = np.asarray(ids[i : i + _AT_ONCE], dtype=np.int64)
            seen = np.zeros((len(truth) + 1, 256), dtype=np.int64)
            seen[0] = counts
            seen[np.arange(1, len(truth) + 1), truth] = 1
            np.cumsum(seen, axis=0, out=seen)
            counts = seen[-1].copy()
            logs = np.log((seen[:-1] + 0.5) / (seen[:-1].sum(axis=1, keepdims=True) + 128.0))
            parts.append(details_of_rows(logs, truth, alternatives, BYTE_NAMES))
            if watch is not None:
                watch(min(i + _AT_ONCE, len(ids)), max(1, len(ids)))
        return joined_details(parts)


class KtCoder(Coder):
    """Bytes by their counts so far, wholly in the core."""

    long_blocks = False

    def __init__(self) -> None:
        self._core = _core.AdaptiveCoder()

    @property
    def bits(self) -> float:
        """What was encoded so far, before it became whole bytes."""
        return self._core.bits

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        """The coded bytes of all of `data`."""
        return self._core.encode(data), len(data)

    def decode(self, coded: bytes, size: int) -> bytes:
        """The `size` bytes of one block."""
        with decode_errors():
            return self._core.decode(coded, size)


def _load(rest: str) -> KrichevskyTrofimov:
    if rest:
        message = f"kt takes no setting; found kt:{rest}"
        raise ModelError(message, value=rest)
    return KrichevskyTrofimov()


SCHEMES = (Scheme("kt", "kt", "adaptive, of order 0 (Krichevsky-Trofimov)", _load),)
