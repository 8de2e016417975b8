"""Unknown characters spelled: each has an equal share of all characters.

So a model of characters covers all texts. The id of a character is its code point, and that of a byte which is not
UTF-8 lies above all of them. An id is coded as a row of 256 and a column: log2 4353 + 8 bits beside those of `<unk>`.
Characters that the model knows could be coded so too; that little is lost, and the sum over all texts stays below one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter.models.coder import StepwiseCoder
from bitmeter.models.ngram.session import NGramSession, NGramView
from bitmeter.models.session import Options
from bitmeter.text.units.plain import Characters

__all__ = ["CHARACTER_ROWS", "ROW_SIZE", "SPELLING_COST", "CharacterCoder", "SpelledCharacters"]

ROW_SIZE = 256
CHARACTER_ROWS = (Characters.INVALID + ROW_SIZE) // ROW_SIZE
#: ln of the share of each.
SPELLING_COST = -math.log(CHARACTER_ROWS) - math.log(ROW_SIZE)
#: The entry of all unknown characters in a prediction.
_UNKNOWN = 0
_EVERY_ROW, _EVERY_COLUMN = (np.full(size, -np.log(float(size))) for size in (CHARACTER_ROWS, ROW_SIZE))


class SpelledCharacters(NGramSession):
    """A text going past a model of characters; those that it does not know cost `<unk>` and which one it is.

    In details, all unknown characters are one outcome.
    """

    def __init__(self, model: NGramView, unknown: Callable[[Ids], Bools], options: Options = Options()) -> None:  # noqa: B008
        super().__init__(model, options)
        self._unknown = unknown

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """ln p of each character."""
        logs = super().logprobs(ids, bounds, continues)
        return np.asarray(logs + np.where(self._unknown(ids), SPELLING_COST, 0.0))


class CharacterCoder(StepwiseCoder):
    """Characters by one prediction after the other; an unknown one as `<unk>`, its row and its column."""

    def _stands_for(self, known: int, unit: int, entry: int) -> bool:
        return known == unit or entry == _UNKNOWN

    def _put_rest(self, core: _core.RowEncoder, unit: int, entry: int) -> None:
        if entry == _UNKNOWN:
            core.put(_EVERY_ROW, unit // ROW_SIZE)
            core.put(_EVERY_COLUMN, unit % ROW_SIZE)

    def _get_rest(self, core: _core.RowDecoder, known: int, entry: int) -> int:
        if entry != _UNKNOWN:
            return known
        return core.get(_EVERY_ROW) * ROW_SIZE + core.get(_EVERY_COLUMN)
