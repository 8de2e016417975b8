"""prove(): a score against the file that the same model makes of the same text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bitmeter._util.check import choice
from bitmeter._util.progress import Progress, Step
from bitmeter.coding.archive.format import BLOCK
from bitmeter.coding.coders import coder_of, for_bytes
from bitmeter.errors import FileFormatError, InputError, ModelError
from bitmeter.measure.score import Score
from bitmeter.measure.scoring import score as measure
from bitmeter.models.coder import Coder
from bitmeter.models.protocols import Model
from bitmeter.models.registry import resolve
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.normalise import NORMALISERS, normalised

__all__ = ["Proof", "prove"]

_NORMS = ("none", *NORMALISERS)


@dataclass(frozen=True, slots=True)
class Proof:
    """A score, and the file that proves it.

    Attributes
    ----------
    score
        What was measured.
    quantised_bits
        −log2 of the probabilities as the whole numbers that are coded.
    file_bits
        The coded bytes, in bits. What an archive holds beside them (its header, checksums, a model inside) is left out.
    """

    score: Score
    quantised_bits: float
    file_bits: int

    @property
    def units(self) -> int:
        """How many units the model predicted."""
        return self.score.tokens or 0

    @property
    def difference(self) -> float:
        """By how many bits the file is longer than the score."""
        return self.file_bits - self.score.bits

    @property
    def bound(self) -> float:
        """How many bits score and file may differ: 64, and 0.0002 per unit."""
        return 64.0 + 2e-4 * self.units

    @property
    def holds(self) -> bool:
        """Whether the file is as long as the score says."""
        return abs(self.difference) <= self.bound

    def __str__(self) -> str:
        units = max(1, self.units)
        verdict = (
            "proved: the text was decoded from that many bits"
            if self.holds
            else f"NOT proved: the file may differ from the score by {self.bound:,.0f} bits"
        )
        return "\n".join(
            [
                f"bits in the score  {self.score.bits:,.1f}",
                f"bits quantised     {self.quantised_bits:,.1f}",
                f"bits in the file   {self.file_bits:,}",
                f"difference         {self.difference:+,.1f} bits, {self.difference / units:+.2e} per unit",
                verdict,
            ]
        )


def prove(
    model: Any, text: Any, *, field: str | None = None, norm: str = "none", progress: Progress | None = None
) -> Proof:
    """Measure a model on a text, code the text by the model, decode it, and compare the lengths.

    A model that cheats is caught: probabilities that do not sum to one are refused, and one that looks at what follows
    codes worse than it scores, because whoever decodes has not seen it.

    Parameters
    ----------
    model
        As for `score`; it must predict.
    text
        As for `score`: one document.
    field
        The field of rows that holds the text.
    norm
        What is done to the text before; the text that is then coded is the normalised one.
    progress
        Called as the coding goes on.

    Returns
    -------
    Proof
        The score, the bits of the file, and whether they agree.

    Examples
    --------
    >>> proof = prove("kt", b"to be or not to be")
    >>> proof.holds, proof.file_bits, round(proof.score.bits, 2)
    (True, 128, 121.98)
    """
    chosen = resolve(model)
    corpus = Corpus.of(text, field=field)
    if choice(norm, "norm", _NORMS) != "none":
        corpus = normalised(corpus, norm)
    coded_by = for_bytes(chosen)
    coder_of(coded_by)  # says at once if there can be no file
    found = measure(chosen, corpus)
    if found.documents > 1:
        message = (
            f"{corpus.name} has {found.documents:,} documents, and where they end is not in the score; prove the score "
            "of one file at a time"
        )
        raise InputError(message)
    quantised, size = _round_trip(coded_by, corpus, progress)
    return Proof(found, quantised, 8 * size)


def _round_trip(model: Model, corpus: Corpus, progress: Progress | None) -> tuple[float, int]:
    """The quantised bits and the coded bytes of a text that was decoded again."""
    there, back = coder_of(model), coder_of(model)
    held, done, size = b"", 0, 0

    def take(data: bytes, *, final: bool) -> bytes:
        nonlocal done, size
        coded, taken = there.encode(data, final)
        if taken:
            _compare(back, coded, data[:taken], model, done)
            done, size = done + taken, size + len(coded)
            if progress is not None:
                progress(Step(done, corpus.total_bytes, stage="coding"))
        return data[taken:]

    for block in corpus.blocks(BLOCK):
        held = take(held + block.data, final=False)
    take(held, final=True)
    return there.bits, size


def _compare(decoder: Coder, coded: bytes, text: bytes, model: Model, offset: int) -> None:
    try:
        found: bytes | None = decoder.decode(coded, len(text))
    except FileFormatError:
        found = None
    if found != text:
        message = (
            f"what {model.name} coded does not come back when it is decoded, from byte {offset:,} on: its predictions "
            "are not the same the second time"
        )
        raise ModelError(message, index=offset)
