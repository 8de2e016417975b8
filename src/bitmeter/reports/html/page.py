"""What a report says, as data: the writer puts it into the page as JSON, and the script of the page shows it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter._version import __version__
from bitmeter.errors import BitmeterError
from bitmeter.measure.compare import Comparison, compare_scores
from bitmeter.measure.interval.base import decimals
from bitmeter.measure.interval.paired import THIS_TEXT
from bitmeter.measure.score import Score
from bitmeter.measure.signature import MUST_AGREE, differences
from bitmeter.reports import figures
from bitmeter.reports.explain import explain_difference, explain_signature, independent
from bitmeter.reports.html import cite
from bitmeter.reports.html.against import buckets, literals, shared_segments, top_words
from bitmeter.reports.html.inputs import Measured
from bitmeter.reports.html.packing import PLANS, Columns, Plan, pack, packed_bytes, packed_models
from bitmeter.reports.html.patterns import pattern_of_bytes, pattern_of_segments
from bitmeter.reports.series.calibration import calibration
from bitmeter.reports.series.histogram import histogram
from bitmeter.reports.series.position import positions, window_positions
from bitmeter.reports.series.running import running
from bitmeter.reports.series.sizes import SizedModel
from bitmeter.reports.series.texts import TracedText, traced_text
from bitmeter.reports.series.words import word_costs, word_cuts

__all__ = ["SCHEMA", "compared", "cuts_of", "page_data", "run_entry"]

T = TypeVar("T")
SCHEMA = "bitmeter.page/1"
_ROUNDED = "to keep the page small, the bits of a unit are rounded to about 1 %"
#: The most documents whose rows are in a page.
MOST_DOCUMENTS = 20_000


def _nothing() -> None:
    """The default check, by which the work is never ended."""


def _checked(work: Callable[..., T], check: Callable[[], object], *given: Any) -> T:
    """One step of the work, after a check."""
    check()
    return work(*given)


def page_data(
    measured: Sequence[Measured],
    title: str,
    date: str,
    command: str,
    budget: int,
    sweep: Sequence[SizedModel] = (),
    check: Callable[[], object] = _nothing,
) -> dict[str, Any]:
    """All that the page shows.

    Parameters
    ----------
    measured
        Runs on one text, the baseline first.
    title
        The heading.
    date
        The day of the report, as ISO has it.
    command
        What made it, for the foot of the page; "" for nothing.
    budget
        The most bytes of packed columns.
    sweep
        Models with their sizes, for the plot of size against bits.
    check
        Called between steps, of which each takes up to a second or so for two million units; may raise to end the work.
    """
    scores, names = [one.score for one in measured], [one.name for one in measured]
    comparison, verdicts = compared(scores)
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "title": title,
        "date": date,
        "version": __version__,
        "command": command,
        "confidence": scores[0].confidence,
        "runs": [_checked(run_entry, check, one) for one in measured],
        "verdicts": verdicts,
        "chips": _chips(scores, names),
        "copy": {
            "text": cite.as_text(scores, names),
            "JSON": cite.as_json(scores, comparison),
            "LaTeX": cite.as_latex(scores, names),
            "BibTeX": cite.as_bibtex(scores, int(date[:4])),
        },
        "left": [],
    }
    found["groups"] = _groups(comparison, scores, names)
    found["documents"] = _documents(scores, found["left"])
    if sweep:
        found["sweep"] = _sweep(sweep)
    _add_text(found, measured, budget, check)
    return found


# ---- runs ------------------------------------------------------------------------------------------------------------


def run_entry(one: Measured, *, curve: bool = True) -> dict[str, Any]:
    """The figures of one model; with `curve` also the running one, whose band takes longer than all the rest."""
    score = one.score
    per = score.figure_per
    interval = score.interval
    ends = None if interval is None or interval.low is None else [interval.low, interval.high]
    places = 4 if ends is None else min(6, decimals(ends[1] - ends[0], least=3))  # type: ignore[operator]
    sized = bool(score.bytes and score.count(per))
    along = running(score) if curve else None
    return {
        "name": one.name,
        "model": score.model,
        "text": score.text,
        "per": per,
        "figure": _number(score.per(per)) if sized else None,
        "shown": _shown(score.per(per), places) if sized else "–",
        "ends": ends,
        "places": places,
        "how": "" if interval is None else figures.interval_words(interval),
        "bits": _number(score.bits),
        "tokens": score.tokens,
        "bytes": score.bytes,
        "words": score.words,
        "chars": score.chars,
        "documents": score.documents,
        "unit": _unit(score),
        "perplexity": {name: figures.perplexity(score, name) for name in ("word", "token")},
        "short": score.signature.short,
        "signature": str(score.signature),
        "explained": [list(row) for row in explain_signature(score.signature)],
        "notes": list(score.notes),
        "oov": score.oov,
        "skipped": score.skipped,
        "running": None if along is None else _rounded(asdict(along)),
    }


def _unit(score: Score) -> str:
    """What the model predicts, in words."""
    head = score.signature.units.partition("/")[0].partition(":")[0]
    return {"bytes": "byte", "chars": "character", "words": "word", "unicode-words": "word"}.get(head, "token")


def _shown(value: float, places: int) -> str:
    return "∞" if math.isinf(value) else f"{value:.{places}f}"


def compared(scores: Sequence[Score]) -> tuple[Comparison | None, list[dict[str, Any]]]:
    """The first run against each of the others; where they must not be compared, the reasons instead of a figure."""
    base, fitting, found = scores[0], [scores[0]], []
    for other in scores[1:]:
        apart = [d for d in independent(differences(base.signature, other.signature)) if d.decisive]
        row: dict[str, Any] = {"agree": not apart}
        if apart:
            row["reasons"] = [f"{d.key}: {explain_difference(d)}" for d in apart]
        else:
            try:
                compare_scores([base, other], base.confidence)
                fitting.append(other)
            except BitmeterError as error:
                row |= {"agree": False, "reasons": [str(error)]}
        found.append(row)
    if len(fitting) == 1:
        return None, found
    comparison = compare_scores(fitting, base.confidence)
    rows = iter(comparison.rows[1:])
    for row in found:
        if row["agree"]:
            one = next(rows)
            won = None
            if one.test is not None and one.test.label != THIS_TEXT and one.clusters:
                won = [round((1.0 - one.test.share_won) * one.clusters, 1), one.clusters]
            row |= {
                "difference": _number(one.difference),
                "ends": None if one.low is None else [one.low, one.high],
                "places": 4 if one.low is None or one.high is None else min(6, decimals(one.high - one.low, least=3)),
                "p": one.p_value,
                "won": won,
                "by": "" if one.test is None else one.test.label.removeprefix("by "),
                "reason": one.reason,
                "notes": list(one.notes),
                "per": comparison.per,
            }
    return comparison, found


def _chips(scores: Sequence[Score], names: Sequence[str]) -> list[dict[str, Any]]:
    """The signature in words: what must agree first, then what may differ, by model where it does."""
    found = []
    explained = [{key: (value, words) for key, value, words in explain_signature(score.signature)} for score in scores]
    for one, score in zip(explained, scores, strict=True):
        one["units"] = (one["units"][0].partition(" (")[0], one["units"][1])
        if score.interval is not None:
            how = figures.interval_words(score.interval).partition(";")[0]
            one["interval"] = (how, score.signature.interval)
    names = ["A", "B"] if len(scores) == 2 else names
    for key in explained[0]:
        values = [one[key] for one in explained if key in one]
        if key in ("schema", "model", "version"):
            continue
        same = len({value for value, _ in values}) == 1
        value = values[0][0] if same else "; ".join(f"{name}: {v}" for name, (v, _) in zip(names, values, strict=False))
        found.append({"key": key, "value": value, "words": values[0][1] if same else "", "must": key in MUST_AGREE})
    return found


def _groups(comparison: Comparison | None, scores: Sequence[Score], names: Sequence[str]) -> dict[str, Any] | None:
    if any(score.by_group is None for score in scores):
        return None
    kinds = {score.by_group.kind for score in scores if score.by_group is not None}
    rows = [
        {
            "run": k,
            "group": group.name,
            "figure": None if group.figure is None else _number(group.figure),
            "ends": None
            if group.interval is None or group.interval.low is None
            else [group.interval.low, group.interval.high],
            "bytes": group.bytes,
            "documents": group.documents,
        }
        for k, score in enumerate(scores)
        for group in score.groups
    ]
    apart = [] if comparison is None else [found.to_dict() for found in comparison.groups]
    return {"kind": ", ".join(sorted(kinds)), "rows": rows, "differences": apart}


def _documents(scores: Sequence[Score], left: list[str]) -> dict[str, Any] | None:
    """Bits of each document under each model; of rows that hold several documents, none."""
    first = scores[0].by_document
    if first is None or first.sizes is not None or len(first) < 2:
        return None
    if len(first) > MOST_DOCUMENTS:
        left.append(f"the table of documents has the first {MOST_DOCUMENTS:,} of {len(first):,}")
    rows = slice(0, MOST_DOCUMENTS)
    bits = []
    for score in scores:
        own = score.by_document
        fits = own is not None and len(own) == len(first)
        bits.append(
            [_number(round(x, 3)) for x in (own.nats[rows] / math.log(2.0)).tolist()]
            if own is not None and fits
            else None
        )
    return {"bytes": first.bytes[rows].tolist(), "bits": bits, "all": len(first)}


def _sweep(models: Sequence[SizedModel]) -> list[dict[str, Any]]:
    return [
        {
            "name": one.name,
            "size": one.size,
            "figure": _number(one.figure),
            "ends": None if one.low is None else [one.low, one.high],
            "best": one.best,
        }
        for one in models
    ]


# ---- the text --------------------------------------------------------------------------------------------------------


def _add_text(found: dict[str, Any], measured: Sequence[Measured], budget: int, check: Callable[[], object]) -> None:
    """The text with what each unit cost, and all that is computed from it."""
    traced = [k for k, one in enumerate(measured) if one.trace is not None]
    if not traced:
        found["left"].append(
            "none of the runs has a trace, so there is no text: score with --trace FILE, or with --html"
        )
        return
    texts: dict[int, TracedText] = {}
    for k in traced:
        trace = measured[k].trace
        assert trace is not None
        texts[k] = _checked(traced_text, check, trace, measured[k].score.documents)
    missing = [one.name for one in measured if one.trace is None]
    if missing:
        found["left"].append(f"without a trace, and so not in the text: {', '.join(missing)}")
    text = texts[traced[0]]
    words = word_cuts(text.data, text.ends)
    columns, costs = [], []
    for k in traced:
        trace = measured[k].trace
        assert trace is not None
        lengths = np.diff(texts[k].cuts)
        columns.append(Columns(lengths, np.asarray(trace.bits), trace.details))
        costs.append(_checked(word_costs, check, text.data, texts[k].cuts, trace.bits, words))
    entries, plan = _checked(packed_models, check, columns, budget)
    check()
    found["left"] += _left_out(plan, columns)
    for k, entry, own, cost in zip(traced, entries, columns, costs, strict=True):
        entry |= {"run": k, "bytewise": bool((own.lengths <= 1).all()), "across": cost.across}
        entry["unit"] = found["runs"][k]["unit"]
    found["text"] = {
        "z": packed_bytes(text.data),
        "bytes": len(text.data),
        "words": cuts_of(words),
        "documents": cuts_of(np.append(0, text.ends)),
    }
    found["models"] = entries
    found["histogram"] = _rounded(asdict(histogram([cost.bits for cost in costs])))
    for name, series in (("positions", positions), ("windows", window_positions)):
        found[name] = [
            [_rounded(asdict(one)) for one in _checked(series, check, measured[k].score, measured[k].trace)]
            for k in traced
        ]
    found["calibration"] = [_checked(_calibration, check, measured[k]) for k in traced]
    found["against"] = [
        _against(measured[0], measured[k], texts[0], texts[k], words, (costs[0].bits, cost.bits), check)
        if 0 in texts and found["verdicts"][k - 1]["agree"]
        else None
        for k, cost in zip(traced, costs, strict=True)
        if k != 0
    ]
    found["against"] = [one for one in found["against"] if one is not None]


def cuts_of(cuts: Ints) -> dict[str, str]:
    """Offsets as packed lengths."""
    return pack(np.diff(cuts).astype(np.uint32))


def _calibration(one: Measured) -> Any:
    assert one.trace is not None
    found = calibration(one.score, one.trace)
    return None if found is None else _rounded(asdict(found))


def _left_out(plan: Plan, columns: Sequence[Columns]) -> list[str]:
    """In words, what the budget did not allow."""
    if plan == PLANS[0] or all(one.details is None for one in columns):
        return [] if plan.fine else [_ROUNDED]
    found = [] if plan.fine else [_ROUNDED]
    few = {
        "all": f"{plan.alternatives} alternatives per unit",
        "surprising": f"{plan.alternatives} alternatives per unit, for units of 3 bits or more",
        "top": f"{plan.alternatives} alternatives for the 50,000 most surprising units of each model",
        "none": "no alternatives, entropies or ranks",
    }[plan.which]
    rest = "" if plan.detailed or plan.which == "none" else ", and entropy and rank for those alone"
    return [*found, f"to keep the page small, it has {few}{rest}"]


def _against(
    first: Measured,
    second: Measured,
    a: TracedText,
    b: TracedText,
    words: Ints,
    costs: tuple[Floats, Floats],
    check: Callable[[], object],
) -> dict[str, Any]:
    """Where A beats B, in tables."""
    assert first.trace is not None
    assert second.trace is not None
    confidence = first.score.confidence
    check()
    shared = shared_segments(a.data, (a.cuts, first.trace.bits), (b.cuts, second.trace.bits), a.ends)
    kinds = pattern_of_segments(_checked(pattern_of_bytes, check, a.data), shared.cuts)
    by_pattern = _checked(buckets, check, first.score, second.score, shared, kinds, confidence)
    gains, losses, tested = _checked(literals, check, first.score, second.score, a.data, words, shared, confidence)
    tops = top_words(*costs)
    return {
        "b": second.name,
        "segments": len(shared.cuts) - 1,
        "patterns": [_bucket(row) for row in by_pattern],
        "tops": [[[k, round(float(costs[0][k]), 3), round(float(costs[1][k]), 3)] for k in lot] for lot in tops],
        "literals": [[_bucket(row) for row in lot] for lot in (gains, losses)],
        "tested": tested,
    }


def _bucket(row: Any) -> dict[str, Any]:
    return {key: _number(value) if isinstance(value, float) else value for key, value in _rounded(asdict(row)).items()}


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _rounded(value: Any) -> Any:
    """Numbers with seven digits, which is more than is shown; infinity is the string "inf"."""
    if isinstance(value, float):
        return _number(float(f"{value:.7g}"))
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value
