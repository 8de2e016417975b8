"""Choices between answers and minimal pairs as programs read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bitmeter._version import __version__
from bitmeter.measure.answers.choices import WAYS, Choices
from bitmeter.measure.answers.pairs import Preferences
from bitmeter.reports.formats.table import Column, Table, columns_of

__all__ = ["choices_document", "choices_paper", "choices_records", "pair_paper", "pair_records", "preferences_document"]

_LN2 = math.log(2.0)
_COLUMNS = (
    Column("pair", "integer"), Column("group"),
    *columns_of("good_bits bad_bits good_nats bad_nats margin_bits", "number"), *columns_of("preferred per model text"),
    *columns_of("short signature schema version"),
)  # fmt: skip

_ANSWER = (
    *columns_of("item answer", "integer"), Column("label", "flag"), *columns_of("bits nats", "number"),
    *(Column(f"picked_by_{name}", "flag") for name in WAYS),
    *columns_of("model text calibrate short signature schema version"),
)  # fmt: skip


def choices_document(found: Choices) -> dict[str, Any]:
    """Accuracies and margins by each way, what each answer cost, and both forms of the signature."""
    own = found.to_dict()
    return {"schema": own.pop("schema"), "version": __version__, **own, "short": found.signature.short}


def choices_records(found: Sequence[Choices]) -> Table:
    r"""One row per answer: what it cost, and by which ways it was picked; items and answers are numbered from 1.

    Examples
    --------
    >>> import bitmeter as bm
    >>> model = bm.NGram(order=3).fit(b"one and one is two\n" * 9)
    >>> rows = [{"q": "one and one is", "a": [" two", " one"], "right": 0}]
    >>> table = choices_records([bm.choose(model, rows, given="q", choices="a", label="right")])
    >>> [(*row[:3], row[5]) for row in table.rows]
    [(1, 1, True, True), (1, 2, False, False)]
    """
    schema = "bitmeter.choices-row/1"
    rows = []
    for one in found:
        shared = [one.model, one.text, one.calibrate, one.signature.short, str(one.signature), schema, __version__]
        for item, (first, last) in enumerate(zip(one.bounds[:-1].tolist(), one.bounds[1:].tolist(), strict=True)):
            picked = [int(one.ways[name].picked[item]) if name in one.ways else None for name in WAYS]
            rows += [
                [item + 1, answer + 1, answer == int(one.labels[item]), nats / _LN2, nats,
                 *(None if best is None else answer == best for best in picked), *shared]
                for answer, nats in enumerate(one.nats[first:last].tolist())
            ]  # fmt: skip
    return Table(schema, _ANSWER, rows)


def choices_paper(found: Sequence[Choices]) -> Table:
    """Accuracy by each way of comparing answers, with its interval."""
    columns = (
        Column("model"), Column("text"), Column("by"), Column("items", "integer"), Column("accuracy (%)", "number", 1),
        Column("low", "number", 1), Column("high", "number", 1), Column("margin (bits)", "number", 3),
    )  # fmt: skip
    rows = []
    for one in found:
        for name, way in one.ways.items():
            both = (way.accuracy.interval.low, way.accuracy.interval.high)
            ends = [None if end is None else 100.0 * end for end in both]
            margin = None if way.margin is None else float(way.margin.estimate)
            rows.append([one.model, one.text, name, one.items, 100.0 * way.accuracy.share, *ends, margin])
    said = (
        f"Items whose labelled answer a model finds best, with {100 * found[0].confidence:g} % intervals (Wilson's); a "
        "tie of n answers counts 1/n."
    )
    signed = ", ".join(dict.fromkeys(one.signature.short for one in found))
    return Table("bitmeter.paper/1", columns, rows, caption=(said, f"Measured by bitmeter {__version__}; {signed}."))


def preferences_document(found: Preferences) -> dict[str, Any]:
    """Accuracies and margins, over all and by group, with both forms of the signature."""
    own = found.to_dict()
    return {"schema": own.pop("schema"), "version": __version__, **own}


def pair_records(found: Preferences) -> Table:
    r"""One row per pair; the margin is in bits, per what `per` says.

    Examples
    --------
    >>> import bitmeter as bm
    >>> model = bm.NGram(order=3).fit(b"the cats sleep\nthe cat sleeps\n" * 9)
    >>> table = pair_records(bm.prefer(model, [{"good": "the cats sleep", "bad": "the cats sleeps"}]))
    >>> [(row[0], row[7]) for row in table.rows]
    [(1, 'good')]
    """
    schema = "bitmeter.pairs/1"
    shared = [found.per, found.model, found.text, found.short, found.signature, schema, __version__]
    columns = zip(found.names, found.good.tolist(), found.bad.tolist(), found.margins.tolist(), strict=True)
    rows = [
        [k, name or None, good / _LN2, bad / _LN2, good, bad, margin,
         "good" if margin > 0.0 else "bad" if margin < 0.0 else "tie", *shared]
        for k, (name, good, bad, margin) in enumerate(columns, 1)
    ]  # fmt: skip
    about = {"short": found.short, "signature": found.signature, "accuracy": found.accuracy.share}
    return Table(schema, _COLUMNS, rows, about)


def pair_paper(found: Preferences) -> Table:
    """Accuracy by group for a paper, with its interval, and the mean over groups."""
    columns = (
        Column("group"), Column("pairs", "integer"), Column("accuracy (%)", "number", 1), Column("low", "number", 1),
        Column("high", "number", 1), Column("margin", "number", 3),
    )  # fmt: skip

    def row(name: str, pairs: int | None, interval: Any, margin: Any) -> list[Any]:
        ends = [None, None, None] if interval is None else [interval.estimate, interval.low, interval.high]
        shares = [None if end is None else 100.0 * float(end) for end in ends]
        return [name, pairs, *shares, None if margin is None else float(margin.estimate)]

    rows = [row(one.name, one.accuracy.items, one.accuracy.interval, one.margin) for one in found.groups]
    rows.append(row("all", len(found), found.accuracy.interval, found.margin))
    if found.macro is not None:
        rows.append(row("macro", None, found.macro, None))
    unit = "bits" if found.per == "total" else f"bits per {found.per}"
    said = (
        f"Pairs of {found.text} in which {found.model} prefers the good sentence, with {100 * found.confidence:g} % "
        f"intervals (Wilson's); a tie counts half. The margin is in {unit}."
    )
    signed = f"; signature: {found.short}" if found.short else ""
    return Table("bitmeter.paper/1", columns, rows, caption=(said, f"Measured by bitmeter {__version__}{signed}."))
