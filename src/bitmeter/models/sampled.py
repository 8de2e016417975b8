"""A text drawn from a model."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bitmeter._util.arrays import Floats, Ints

__all__ = ["SampledText"]


@dataclass(frozen=True, slots=True, eq=False)
class SampledText:
    """One text drawn from a model.

    Attributes
    ----------
    data
        Its bytes; words are separated by spaces, and a unit that the model cannot name is written as `<unk>`.
    ids
        Its units, by their ids; -1 for `<unk>`.
    logprobs
        ln p of each unit and, where the model ended the text, of its end; as without temperature.
    ended
        Whether the model ended the text; if not, it was cut at the length asked for.
    """

    data: bytes
    ids: Ints
    logprobs: Floats
    ended: bool

    @property
    def bits(self) -> float:
        """What the model itself would need for it, its end included."""
        return -math.fsum(self.logprobs.tolist()) / math.log(2.0)

    def __str__(self) -> str:
        return self.data.decode("utf-8", "backslashreplace")
