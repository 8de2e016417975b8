"""The uniform model: every unit equally likely."""

from __future__ import annotations

import math
import re

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.errors import ModelError
from bitmeter.models.baseline.coding import LARGEST_TABLE, TableCoder
from bitmeter.models.coder import Coder, CodeWatch, StepwiseCoder
from bitmeter.models.outcomes import BYTE_NAMES, Details, Outcomes
from bitmeter.models.protocols import Codes, Options, Predictor, Traits
from bitmeter.models.scheme import Scheme
from bitmeter.models.session import HistoryStepper, PredictingSession, Stepper, Watch
from bitmeter.text.units.base import Units
from bitmeter.text.units.named import units_of
from bitmeter.text.units.plain import Bytes
from bitmeter.text.units.words import Words

__all__ = ["Uniform"]


class Uniform(Predictor, Codes):
    """Every unit is one of V, all equally likely: log2 V bits each, the baseline of all baselines.

    Over bytes V is 256. `uniform:V` is a model of words: each costs log2 V whatever it is, as when one says that a
    random guess among 10,000 words has perplexity 10,000.

    Parameters
    ----------
    size
        How many units there are to choose from, V.
    units
        What they are; bytes if V is 256, else words.

    Examples
    --------
    >>> import bitmeter as bm
    >>> bm.score(bm.Uniform(10_000), b"to be or not to be").perplexity("word")
    10000.0
    """

    name: str
    units: Units
    fingerprint: str

    def __init__(self, size: int = 256, units: Units | str | None = None) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= 2**53:
            message = f"uniform:{size} needs a whole number of choices, at least 1; such as uniform:10000"
            raise ModelError(message, value=size)
        self.size = size
        self.units = units_of(units) if units is not None else (Bytes() if size == 256 else Words())
        self.name = f"uniform:{size}"
        self.fingerprint = f"uniform-{size}-{self.units.name}"

    @property
    def traits(self) -> Traits:
        """It chooses from V units."""
        return Traits(vocabulary=self.size)

    @property
    def outcomes(self) -> Outcomes:
        """The V choices; over bytes, they have names."""
        return Outcomes(self.size, names=(lambda: BYTE_NAMES) if isinstance(self.units, Bytes) else None)

    def open(self, options: Options = Options()) -> UniformSession:  # noqa: B008
        """Begin a text; there is no state to carry."""
        return UniformSession(self)

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """−ln V for each."""
        return np.full(len(ids), -math.log(self.size))

    def predict(self, history: Ids) -> Floats:
        """−ln V for each of the V choices."""
        return np.full(self.size, -math.log(self.size))

    def stepper(self) -> Stepper:
        """Begin a document; no unit is looked at."""
        return HistoryStepper(self.predict, reach=0)

    def coder(self, watch: CodeWatch | None = None) -> Coder:
        """By one row of frequencies, where that is not too long."""
        if self.size > LARGEST_TABLE:
            return StepwiseCoder(self.name, self.units, self.outcomes, self.stepper(), watch)
        return TableCoder(self.name, self.units, self.outcomes, self.predict(np.zeros(0, dtype=np.int64))[None], 0)


class UniformSession(PredictingSession):
    """Scores a text by the uniform model."""

    def __init__(self, model: Uniform) -> None:
        self._model = model

    @property
    def outcomes(self) -> Outcomes:
        """Those of the model."""
        return self._model.outcomes

    def stepper(self) -> Stepper:
        """There is no state: the same anywhere."""
        return self._model.stepper()

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """−ln V for each."""
        return self._model.logprobs(ids, bounds)

    def details(
        self,
        ids: Ids,
        bounds: Ints,
        continues: bool,  # noqa: FBT001
        alternatives: int,
        watch: Watch | None = None,
    ) -> Details:
        """All are equally likely: each has rank 1, and the first so many bytes stand for the alternatives."""
        size, names = len(ids), self.outcomes.names
        most = min(alternatives, len(names))
        level = math.log(self._model.size)
        top = np.tile(np.arange(most, dtype=np.int64), (size, 1))
        return Details(np.full(size, level), np.ones(size, dtype=np.int64), top, np.full((size, most), -level), names)


def _load(rest: str) -> Uniform:
    if not rest:
        return Uniform()
    if not re.fullmatch("[0-9]{1,16}", rest):
        message = f"uniform:{rest:.20} needs a whole number of choices; such as uniform:10000"
        raise ModelError(message, value=rest)
    return Uniform(int(rest))


SCHEMES = (Scheme("uniform", "uniform[:V]", "every byte (or one of V words) equally likely", _load),)
