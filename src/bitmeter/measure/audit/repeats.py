"""Whether figures are the same again, in other company, and after the model has seen the text."""

from __future__ import annotations

import math

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter.measure.audit.result import AuditCheck, Finding, Status
from bitmeter.measure.audit.subject import Sample, Subject, distance, place_of, within

__all__ = ["check_batches", "check_repeats"]

_LN2 = math.log(2.0)


def check_repeats(subject: Subject) -> tuple[list[AuditCheck], list[Finding]]:
    """The same documents in the same calls once more; what has changed is chance, or was learned in between."""
    again = [subject.logprobs([sample.ids])[0] for sample in subject.samples]
    worst, sample, at, bits = _compare(subject, subject.costs, again)
    held = worst <= subject.tolerance
    check = AuditCheck(
        "repeat",
        "passed" if held else "failed",
        f"the same call gives the same figures, {within(worst)}"
        if held
        else f"the same call gives figures that differ by up to {worst:.4g} nats",
        worst,
        subject.tolerance,
    )
    if held or sample is None:
        return [check], []
    total = -sum(float(costs.sum()) for costs in subject.costs) / _LN2
    learned = math.isfinite(bits) and bits < -1e-3 * abs(total)
    text = (
        f"the documents cost {-bits:.4g} bits less the second time: the model keeps what it learned from them between "
        "calls, so that a figure depends on what it was shown before"
        if learned
        else "the same call gives other figures the second time"
    )
    return [check], [_finding("repeat", text, subject, sample, at, bits)]


def check_batches(subject: Subject) -> tuple[list[AuditCheck], list[Finding]]:
    """Each document alone, all of them in one call, and in another order; and as they were in the run."""
    tolerance, alone = subject.tolerance, subject.costs
    if subject.by_bytes:
        alone = [subject.session([sample.data])[0][0] for sample in subject.samples]
    learns = subject.model.traits.learns
    # What carries on over documents is compared with the run only where the text begins.
    pairs = [
        (sample, costs)
        for sample, costs in zip(subject.samples, alone, strict=True)
        if sample.run is not None and not (learns and sample.document)
    ]
    found = [("in the run", *_by_run(pairs))] if pairs else []
    several = len(subject.samples) > 1
    if not learns and not subject.model.traits.metered:
        ids = [sample.ids for sample in subject.samples]
        if several:
            found.append(("in one call with others", *_compare(subject, subject.costs, subject.logprobs(ids))))
            backwards = subject.logprobs(ids[::-1])[::-1]
            found.append(("in another order", *_compare(subject, subject.costs, backwards)))
        else:
            others = subject.logprobs([ids[0], ids[0][: len(ids[0]) // 2], ids[0]])
            both = subject.costs[0], others[0]
            found.append(("in one call with others", *_compare(subject, [both[0]], [both[1]])))
            found.append(("in one call with others", *_compare(subject, [both[0]], [others[2]])))
    ways = list(dict.fromkeys(way for way, *_ in found))
    worst = max((one[1] for one in found), default=0.0)
    held = worst <= tolerance
    company = ", ".join(ways) or "again"
    text = f"a document costs the same alone and {company}, {within(worst)}"
    if not held:
        text = f"a unit costs up to {worst:.4g} nats more or less alone than {company}"
    if learns:
        text += "; the model declares that what it learns carries on from document to document"
    status: Status = "failed" if not held else "partial" if not found else "passed"
    check = AuditCheck("batch", status, text, worst, tolerance)
    if held:
        return [check], []
    way, _, sample, at, bits = max(found, key=lambda one: one[1])
    assert sample is not None, "a difference has a place"
    text = f"a unit costs something else alone than {way}: its figure depends on what it is scored beside or after"
    return [check], [_finding("batch", text, subject, sample, at, bits)]


def _by_run(pairs: list[tuple[Sample, Floats]]) -> tuple[float, Sample | None, int, float]:
    worst, place, at, bits = 0.0, None, 0, 0.0
    for sample, costs in pairs:
        run = sample.run
        assert run is not None, "only those that were kept"
        # Where the document goes on in the text, its last unit here may be ended by something else.
        size = max(0, min(len(costs), len(run)) - 1)
        size = len(run) if np.array_equal(costs, run) else size
        apart = distance(costs[:size], run[:size])
        if len(apart) and float(apart.max()) > worst:
            worst, place, at = float(apart.max()), sample, int(np.argmax(apart))
        bits += _gain(run[:size], costs[:size])
    return worst, place, at, bits


def _gain(first: Floats, second: Floats) -> float:
    """By how many bits the first is more likely; what is impossible in both is left out."""
    differing = first != second
    return float(np.sum(first[differing] - second[differing])) / _LN2


def _compare(subject: Subject, first: list[Floats], second: list[Floats]) -> tuple[float, Sample | None, int, float]:
    """The largest difference, its place, and by how many bits the second is cheaper (below zero)."""
    worst, place, at, bits = 0.0, None, 0, 0.0
    for sample, one, other in zip(subject.samples, first, second, strict=False):
        apart = distance(one, other)
        if len(apart) and float(apart.max()) > worst:
            worst, place, at = float(apart.max()), sample, int(np.argmax(apart))
        bits += _gain(one, other)
    return worst, place, at, bits


def _finding(check: str, text: str, subject: Subject, sample: Sample, at: int, bits: float) -> Finding:
    size = sum(len(s.data) for s in subject.samples)
    known = math.isfinite(bits)
    return Finding(
        check,
        text,
        bits=abs(bits) if known else None,
        bits_per_byte=abs(bits) / size if known and size else None,
        **place_of(sample, at),  # type: ignore[arg-type]
    )
