"""Unknown characters spelled: each has an equal share of all that there are.

So a model of characters covers all texts. The id of a character is its code point, and that of a byte which is no UTF-8
lies above all of them. An id is told by its row of 256 and its place in the row: log2 4353 + 8 bits beside those of
`<unk>`. Characters that the model knows could be told so too; that little is lost, and the sum over all texts stays
below one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter.text.units.plain import Characters

if TYPE_CHECKING:
    from bitmeter.models.ngram.model import NGram
    from bitmeter.models.ngram.session import NGramStream
    from bitmeter.models.outcomes import Details

__all__ = ["CHARACTER_ROWS", "ROW_SIZE", "SPELLING_COST", "SpelledCharacters"]

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]

ROW_SIZE = 256
CHARACTER_ROWS = (Characters.INVALID + ROW_SIZE) // ROW_SIZE
#: ln of the share of each.
SPELLING_COST = -math.log(CHARACTER_ROWS) - math.log(ROW_SIZE)


class SpelledCharacters:
    """A text going past a model of characters; those that it does not know cost `<unk>` and which one it is."""

    def __init__(self, plain: NGramStream, model: NGram) -> None:
        self._plain, self._model = plain, model

    def logprobs(self, ids: NDArray[Any], bounds: Bounds, continues: bool) -> Floats:  # noqa: FBT001
        """As `Streaming.stream().logprobs`."""
        logs = self._plain.logprobs(ids, bounds, continues)
        return np.asarray(logs + np.where(self._model.unknown(ids), SPELLING_COST, 0.0))

    def details(self, ids: NDArray[Any], bounds: Bounds, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        """The whole prediction at each place, in which all unknown characters are one outcome."""
        return self._plain.details(ids, bounds, continues, alternatives)
