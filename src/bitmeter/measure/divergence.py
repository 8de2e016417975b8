"""How far the predictions of two models lie apart on one text, token by token: a quantised model against its original.

Both read the same windows side by side, and only what a few positions need is held at once: no logits are kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter._util.progress import Progress, Step
from bitmeter.errors import EmptyError, IncomparableError, ModelError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import settle
from bitmeter.measure.scoring import _corpus
from bitmeter.measure.window_sums import in_windows
from bitmeter.models.protocols import WindowedPredictor
from bitmeter.models.registry import resolve
from bitmeter.text.blocks import split_corpus

__all__ = ["Divergence", "divergence"]

_LN2 = math.log(2.0)
#: The shares at which the distribution over tokens is shown.
PERCENTILES = (0.1, 1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)


@dataclass(frozen=True, slots=True, eq=False)
class Divergence:
    """How far the predictions of one model lie from another's.

    Attributes
    ----------
    first, second
        The names of the models; the first is the truth in D(first‖second).
    text
        The text's name.
    nats
        D(first‖second) of each token's prediction, in nats; inf where the second gives no probability to what the first
        does.
    same_top
        Whether both have the same most likely token, for each token.
    first_logprobs, second_logprobs
        ln p of the token that came, under each.
    """

    first: str
    second: str
    text: str
    nats: Floats
    same_top: Bools
    first_logprobs: Floats
    second_logprobs: Floats

    def __len__(self) -> int:
        return len(self.nats)

    @property
    def mean(self) -> float:
        """The mean divergence, in bits per token."""
        return math.fsum(self.nats) / len(self) / _LN2 if np.isfinite(self.nats).all() else math.inf

    @property
    def error(self) -> float:
        """One standard error of the mean, in bits, as if tokens did not depend on each other."""
        if len(self) < 2 or not np.isfinite(self.nats).all():
            return math.inf
        return float(np.std(self.nats, ddof=1)) / math.sqrt(len(self)) / _LN2

    @property
    def same_top_rate(self) -> float:
        """The share of tokens for which both have the same most likely one."""
        return float(np.mean(self.same_top))

    @property
    def log_ratio(self) -> float:
        """By how many bits per token the second's cross-entropy is higher: the mean of log p − log q of what came."""
        return math.fsum(self.first_logprobs - self.second_logprobs) / len(self) / _LN2

    @property
    def probability_error(self) -> float:
        """The root of the mean squared difference of the probabilities of what came."""
        return float(np.sqrt(np.mean((np.exp(self.first_logprobs) - np.exp(self.second_logprobs)) ** 2)))

    def percentile(self, share: float) -> float:
        """The divergence, in bits, below which this share of the tokens, in per cent, lies."""
        return float(np.percentile(self.nats, share, method="inverted_cdf")) / _LN2

    def to_dict(self) -> dict[str, Any]:
        """The figures, as JSON has them; infinity as the string "inf"."""
        found: dict[str, float] = {
            "mean": self.mean, "error": self.error, "max": self.percentile(100.0), "min": self.percentile(0.0),
            "same_top_rate": self.same_top_rate, "log_ratio": self.log_ratio,
            "probability_error": self.probability_error,
        }  # fmt: skip
        shown = {name: value if math.isfinite(value) else str(value) for name, value in found.items()}
        shares = {f"{share:g}": self.percentile(share) for share in PERCENTILES}
        return {
            "first": self.first, "second": self.second, "text": self.text, "tokens": len(self), **shown,
            "percentiles": {k: v if math.isfinite(v) else str(v) for k, v in shares.items()},
        }  # fmt: skip

    def __str__(self) -> str:
        lines = [
            f"{self.second} against {self.first} on {self.text}",
            f"  divergence   {self.mean:.6f} ± {self.error:.6f} bits per token, over {len(self):,} tokens",
            f"  of which     50 %: {self.percentile(50):.6f}   90 %: {self.percentile(90):.6f}   "
            f"99 %: {self.percentile(99):.6f}   most: {self.percentile(100):.6f}",
            f"  same top     {100 * self.same_top_rate:.3f} %",
            f"  cost         {self.log_ratio:+.6f} bits per token; probability of the truth off by "
            f"{100 * self.probability_error:.3f} % (root mean square)",
        ]
        return "\n".join(lines)


def divergence(
    first: Any,
    second: Any,
    text: Any,
    *,
    docs: str | None = None,
    field: str | None = None,
    ctx: str | None = None,
    progress: Progress | None = None,
) -> Divergence:
    """How far the predictions of two models of the same tokens lie apart on a text.

    Parameters
    ----------
    first
        The model that is taken for the truth, such as the original.
    second
        The model that is measured by it, such as a quantised one.
    text
        As for `score`.
    docs, field, ctx
        As for `score`; both models read in the same windows, those that the first has.
    progress
        Called as the text goes by.

    Returns
    -------
    Divergence
        D(first‖second) of every token's prediction, and what can be said of them.

    Examples
    --------
    >>> import bitmeter as bm
    >>> bm.divergence("uniform", "kt", b"abc")
    Traceback (most recent call last):
    bitmeter.errors.ModelError: uniform:256 does not expose a distribution over tokens; ... such as hf:PATH
    """
    chosen = settle(convention("bitmeter"), docs, field, None, None, None, None, None, ctx, 0.95)
    models = [_causal(model) for model in (first, second)]
    one, two = models
    sizes = len(one.outcomes), len(two.outcomes)
    if one.units != two.units or sizes[0] != sizes[1]:
        message = (
            f"{one.name} and {two.name} do not predict the same tokens ({one.units.name}, {sizes[0]:,} ids; "
            f"{two.units.name}, {sizes[1]:,} ids), so their predictions have no divergence; compare their bits per "
            "byte instead: bitmeter compare"
        )
        raise IncomparableError(message)
    corpus = _corpus(text, chosen)
    reader, settled = in_windows(one, chosen)
    other = in_windows(two, settled)[0].with_windowing(reader.windowing)
    parts: list[tuple[Floats, ...]] = []
    for piece in split_corpus(corpus, reader.units, reader.traits.block_bytes):
        parts += _piece(reader, other, piece.split.ids, piece.split.bounds)
        if progress is not None:
            progress(Step(piece.offset + len(piece.data), corpus.total_bytes))
    if not sum(len(part[0]) for part in parts):
        message = f"{corpus.name} has no token that is predicted, so there is nothing to compare"
        raise EmptyError(message)
    nats, same, own, theirs = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Divergence(*_told_apart(one, two), corpus.name, nats, same.astype(np.bool_), own, theirs)


def _told_apart(one: WindowedPredictor, two: WindowedPredictor) -> tuple[str, str]:
    """The names of two models, with their precision where they have one name: quantised against original, often."""
    if one.name != two.name or one.traits.precision == two.traits.precision:
        return one.name, two.name
    return f"{one.name} ({one.traits.precision})", f"{two.name} ({two.traits.precision})"


def _causal(model: Any) -> WindowedPredictor:
    found = resolve(model)
    if not isinstance(found, WindowedPredictor):
        message = (
            f"{found.name} does not expose a distribution over tokens; a divergence needs two models such as hf:PATH"
        )
        raise ModelError(message, value=model)
    return found


def _piece(one: WindowedPredictor, two: WindowedPredictor, ids: Ids, bounds: Ints) -> Iterator[tuple[Floats, ...]]:
    tokens = np.asarray(ids, dtype=np.int64)
    if ((tokens < 0) | (tokens >= len(one.outcomes))).any():  # a document of which the tokenizer kept nothing
        known = (tokens >= 0) & (tokens < len(one.outcomes))
        tokens, bounds = tokens[known], np.concatenate(([0], np.cumsum(known)))[bounds]
    plan = one.plan(bounds)
    for sequence, lead in zip(*one.sequences(tokens, plan), strict=True):
        if lead < len(sequence):
            yield from _window(one, two, sequence, lead)


def _window(one: WindowedPredictor, two: WindowedPredictor, sequence: Ints, lead: int) -> Iterator[tuple[Floats, ...]]:
    at = lead
    for p, q in zip(one.predictions(sequence, lead), two.predictions(sequence, lead), strict=True):
        truth = sequence[at : at + len(p), None]
        at += len(p)
        _refuse_nan(one, p)
        _refuse_nan(two, q)
        weights = np.exp(p)
        with np.errstate(invalid="ignore"):
            terms = np.where(weights > 0.0, weights * (p - q), 0.0)
        yield (
            np.maximum(terms.sum(axis=1), 0.0),
            (p.argmax(axis=1) == q.argmax(axis=1)).astype(np.float64),
            np.take_along_axis(p, truth, axis=1)[:, 0],
            np.take_along_axis(q, truth, axis=1)[:, 0],
        )


def _refuse_nan(model: WindowedPredictor, rows: Floats) -> None:
    if np.isnan(rows).any():
        message = f"{model.name} gave NaN among its predictions, so its divergence does not exist"
        raise ModelError(message)
