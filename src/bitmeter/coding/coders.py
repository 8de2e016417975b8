"""Any model as a coder: bytes to a number as long as −log2 of the text's probability, and back."""

from __future__ import annotations

from bitmeter.errors import ModelError
from bitmeter.models.coder import PRECISION, Coder, CodeWatch, StepwiseCoder
from bitmeter.models.machine import Machine
from bitmeter.models.protocols import Codes, Compressor, Model, OpenVocabulary, Predictor

__all__ = ["PRECISION", "Coder", "coder_machine", "coder_of", "for_bytes"]


def coder_of(model: Model, *, watch: CodeWatch | None = None, noted: Machine | None = None) -> Coder:
    """The fastest coder for a model; an error says why there is none.

    Parameters
    ----------
    model
        Anything that predicts.
    watch
        Called with the number of bytes coded so far in a block, where that takes long.
    noted
        The machine that an archive to be decoded notes.
    """
    if not model.traits.is_distribution:
        message = (
            f"{model.name} gives scores that do not sum to one: they are not a distribution, so no code is as long as "
            "they say and nothing can be decoded by it; train with another smoothing, such as modified-kneser-ney"
        )
        raise ModelError(message)
    if isinstance(model, Codes) and (model.units.joins or _spells(model)):
        return model.machine_coder(watch) if noted else model.coder(watch)
    if not model.units.joins:
        message = (
            f"{model.name} predicts {model.units.name}, from which the bytes of a text cannot be put together again: "
            "neither what is between them nor how unknown ones are spelled is predicted"
        )
        raise ModelError(message)
    if not isinstance(model, Predictor):
        message = (
            f"{model.name} scores what it is shown but does not expose the distribution of the next unit, so nothing "
            "can be decoded by it"
        )
        raise ModelError(message)
    return StepwiseCoder(model.name, model.units, model.outcomes, model.stepper(), watch)


def coder_machine(model: Model) -> Machine:
    """What decoding by a model depends on beside its files; empty if it decodes on all machines."""
    return model.coder_machine if isinstance(model, Codes) else model.machine


def _spells(model: Model) -> bool:
    return isinstance(model, OpenVocabulary) and "spelled" in model.traits.oov


def for_bytes(model: Model | Compressor) -> Model:
    """The model as a distribution over byte strings: one of words or characters spells those that it does not know."""
    if isinstance(model, Compressor):
        message = f"{model.name} is a compressor with files of its own; use its program, or name a model that predicts"
        raise ModelError(message)
    return model.for_bytes() if isinstance(model, OpenVocabulary) else model
