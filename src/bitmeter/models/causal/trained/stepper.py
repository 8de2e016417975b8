"""A network of words going through a document word by word."""

from __future__ import annotations

from bitmeter.models.causal.stepping import NetworkStepper
from bitmeter.models.causal.trained.units import UNKNOWN_WORD
from bitmeter.text.units.base import UNKNOWN

__all__ = ["WordStepper"]


class WordStepper(NetworkStepper):
    """A stepper that also takes the id of an unknown word, which the network sees as `<unk>`."""

    def take(self, unit: int) -> None:
        """Take the word that came."""
        super().take(UNKNOWN_WORD if unit == UNKNOWN else unit)
