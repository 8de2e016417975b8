"""Whether what follows a unit changes what it costs: the text is cut, changed and lengthened behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Floats, Ids
from bitmeter._util.check import generator
from bitmeter.measure.audit.enumeration import Watch
from bitmeter.measure.audit.result import AuditCheck, Finding, Status
from bitmeter.measure.audit.subject import Sample, Subject, distance, place_of, within
from bitmeter.text.units.base import BLANK

__all__ = ["check_future", "check_later_documents"]

#: At how many places the text is cut and changed.
CUTS, CUTS_METERED = 16, 2
#: How many units more than before there may be after a change.
_MORE = 7
_LN2 = math.log(2.0)


@dataclass(slots=True)
class _Worst:
    """The largest difference so far, its place, and what all of them sum to."""

    apart: float = 0.0
    sample: Sample | None = None
    index: int = 0
    how: str = ""
    gains: float = 0.0
    counted: int = 0

    def add(self, sample: Sample, before: Floats, after: Floats, how: str) -> None:
        """Hold the costs of the first units against those of the same units with another future."""
        apart = distance(before, after)
        if len(apart) and float(apart.max()) > self.apart:
            self.apart, self.sample, self.index, self.how = float(apart.max()), sample, int(np.argmax(apart)), how


def check_future(
    subject: Subject, seed: int, watch: Watch, before: Sequence[tuple[Ids, Floats]] = ()
) -> tuple[list[AuditCheck], list[Finding]]:
    """Units are changed after some place, and the costs up to it must stay, as they were `before` all was shown."""
    random = generator(seed)
    cuts = CUTS_METERED if subject.model.traits.metered else CUTS
    number = min(cuts, subject.units)
    drawn = np.sort(random.choice(subject.units, size=number, replace=False)).tolist()
    worst, honest = _Worst(), []
    opening, known = subject.samples[0], subject.costs[0]
    for ids, costs in before:
        if opening.document == 0 and np.array_equal(ids, opening.ids[: len(ids)]):
            worst.add(opening, known[: len(ids)], costs, "not yet shown to the model")
    for k, position in enumerate(drawn):
        sample, last = subject.where(position)
        costs = subject.costs[subject.samples.index(sample)]
        shown = [("cut off", sample.ids[: last + 1])]
        if not subject.model.traits.metered:  # a server's tokens cannot be put together at will
            shown.append(("changed, and their number with them", _other_future(random, sample, last)))
        for how, ids in shown:
            found = subject.logprobs([ids])[0][: last + 1]
            worst.add(sample, costs[: last + 1], found, how)
            if how == "cut off":
                honest.append(0.0 if costs[last] == found[last] else float(costs[last]) - float(found[last]))
        if subject.spells:
            _by_bytes(subject, sample, last, worst)
        watch(k + 1, number)
    return _reported(subject, worst, honest, tuple(drawn))


def _other_future(random: np.random.Generator, sample: Sample, last: int) -> Ids:
    """The same up to a unit, then units drawn from the document, another number of them."""
    left = len(sample.ids) - last - 1
    size = max(1, left + int(random.integers(-left // 2, _MORE)))
    units = sample.ids[sample.ids != BLANK]
    tail = random.choice(units, size=size) if len(units) else units
    return np.concatenate((sample.ids[: last + 1], tail))


def _by_bytes(subject: Subject, sample: Sample, last: int, worst: _Worst) -> None:
    """The same through a session, with the spelling of words; the unit at the cut may depend on what ends it."""
    whole, _ = subject.session([sample.data])[0]
    cut, _ = subject.session([sample.data[: int(sample.cuts[last + 1])]])[0]
    worst.add(sample, whole[:last], cut[:last], "cut off")


def _reported(
    subject: Subject, worst: _Worst, honest: list[float], drawn: tuple[int, ...]
) -> tuple[list[AuditCheck], list[Finding]]:
    limit = subject.tolerance
    held = worst.apart <= limit
    said = f"nothing, {within(worst.apart)}" if held else f"a cost by up to {worst.apart:.4g} nats"
    summary = f"what follows changes {said}, with the text cut"
    summary += " or changed" * (not subject.model.traits.metered) + f" at {len(drawn)} places"
    status: Status = "partial" if held and subject.model.traits.metered else "passed" if held else "failed"
    check = AuditCheck("future", status, summary, worst.apart, limit, drawn, subject.units)
    if held or worst.sample is None:
        return [check], []
    mean = float(np.mean(honest)) if honest and np.isfinite(honest).all() else math.nan
    bits = mean * subject.units / _LN2
    size = sum(len(sample.data) for sample in subject.samples)
    known = math.isfinite(bits) and abs(bits) > 0.0
    finding = Finding(
        "future",
        f"it looks ahead: this unit costs {worst.apart / _LN2:.4g} bits more or less when units behind it are "
        f"{worst.how}",
        bits=bits if known else None,
        bits_per_byte=bits / size if known and size else None,
        estimated=len(honest) if len(honest) < subject.units else 0,
        **place_of(worst.sample, worst.index),  # type: ignore[arg-type]
    )
    return [check], [finding]


def check_later_documents(subject: Subject) -> tuple[list[AuditCheck], list[Finding]]:
    """Documents that come later must not change those before: one pass from left to right."""
    samples = subject.samples
    if len(samples) > 1:
        together = subject.logprobs([sample.ids for sample in samples[:2]])[0]
    else:
        together = subject.logprobs([samples[0].ids, samples[0].ids[::-1]])[0]
    apart = distance(subject.costs[0], together)
    worst = float(apart.max(initial=0.0))
    held = worst <= subject.tolerance
    check = AuditCheck(
        "pass",
        "passed" if held else "failed",
        f"a document that follows changes nothing, {within(worst)}"
        if held
        else f"a document that follows changes a cost by up to {worst:.4g} nats",
        worst,
        subject.tolerance,
    )
    if held:
        return [check], []
    at = int(np.argmax(apart))
    differing = together != subject.costs[0]
    bits = float(np.sum(together[differing] - subject.costs[0][differing])) / _LN2
    return [check], [
        Finding(
            "pass",
            "it does not go through the text once: the first document costs something else where another "
            "follows it in the same call",
            bits=bits if math.isfinite(bits) else None,
            **place_of(samples[0], at),  # type: ignore[arg-type]
        )
    ]
