"""All that decides what a filter writes, checked and in one place: receipts of other settings are not taken."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from bitmeter._util.check import choice, integer, items, real, shown
from bitmeter.errors import ChoiceError, InputTypeError
from bitmeter.filter.records import Fields
from bitmeter.filter.rules import (
    Between,
    Buckets,
    Decision,
    Everything,
    Shares,
    parse_range,
    parse_sample,
    parse_shares,
)
from bitmeter.filter.statistics import STATISTICS
from bitmeter.filter.tables import read_cuts, read_limits

__all__ = ["Settings", "check_strings", "rule_of", "settle"]

#: What happens with records that have no figure: they are empty, or their language has no model.
UNSCORED = ("drop", "keep")
#: Beside the figures by name: the one that decides.
VALUE = "value"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a filter reads, by what it decides and what it adds.

    Attributes
    ----------
    rule
        How documents are chosen.
    fields
        The fields of records.
    added
        The figures that are added, by the name of their field.
    tag
        The field that gets the outcome of each record, none of which is dropped then; empty for none.
    unscored
        Whether records without a figure are kept.
    seed
        Of the sampling.
    """

    rule: Decision | Shares
    fields: Fields
    added: dict[str, str] = field(default_factory=dict)
    tag: str = ""
    unscored: str = "drop"
    seed: int = 0

    def describe(self) -> dict[str, Any]:
        """As JSON, with all that can change what is written."""
        return {
            "rule": self.rule.describe(), "text": self.fields.text, "language": self.fields.language,
            "docs": self.fields.docs, "added": dict(self.added), "tag": self.tag, "unscored": self.unscored,
        }  # fmt: skip


def check_strings(**given: Any) -> None:
    """Refuse what is not a string."""
    for name, value in given.items():
        if not isinstance(value, str):
            message = f"{name} is {shown(value)}; it must be a string"
            raise InputTypeError(message, value=value)


def settle(
    rule: Decision | Shares,
    *,
    field: Any,
    language: Any,
    docs: Any,
    add: Any,
    prefix: Any,
    tag: Any,
    unscored: Any,
    seed: Any,
) -> Settings:
    """The settings, or what is wrong with them."""
    for name, value in (("field", field), ("language", language), ("tag", tag)):
        if value is not None and (not isinstance(value, str) or not value):
            message = f"{name} is {shown(value)}; it must be the name of a field"
            raise InputTypeError(message, value=value)
    check_strings(prefix=prefix)
    names = (
        [part.strip() for part in add.split(",")]
        if isinstance(add, str)
        else list(items(add, "add", "a list of names"))
    )
    for name in names:
        choice(name, "add", (*STATISTICS, VALUE))
    added = {f"{prefix}{name}": name for name in names}
    fields = Fields(
        field or "text", language or "", choice("line" if docs is None else docs, "docs", ("line", "blank")),
        (*added, *((tag,) if tag else ())),
    )  # fmt: skip
    if tag and tag in added:
        message = f"the field {tag!r} would be added twice, as the tag and as a figure; name another tag"
        raise ChoiceError(message, value=tag)
    return Settings(
        rule, fields, added, tag or "", choice(unscored, "unscored", UNSCORED), integer(seed, "seed", low=0)
    )


def rule_of(
    *, low: Any = None, high: Any = None, keep: Any = None, buckets: Any = None, table: Any = None, sample: Any = None,
    seed: int = 0,
) -> Decision | Shares:  # fmt: skip
    """The rule that some keywords ask for; those that contradict each other are an error.

    Parameters
    ----------
    low, high
        The least and the largest value that is kept.
    keep
        A range of all documents by rank: "30%", "25%-75%".
    buckets
        Where head and middle end: "30%,60%", of all documents; with a table, its percentiles.
    table
        A CSV file of limits by language, or the name of a table.
    sample
        Weights of sampling.
    seed
        Of the sampling.
    """
    check_strings(**{
        name: one for name, one in (("keep", keep), ("buckets", buckets), ("sample", sample)) if one is not None
    })  # fmt: skip
    low, high = (None if one is None else real(one, name) for one, name in ((low, "min"), (high, "max")))
    stated = {"--min or --max": low is not None or high is not None, "--keep": keep is not None}
    stated |= {"--buckets": buckets is not None and table is None, "--table": table is not None}
    chosen = [name for name, is_stated in stated.items() if is_stated]
    if len(chosen) > 1:
        message = f"{' and '.join(chosen)} are different rules; give one of them"
        raise ChoiceError(message)
    if low is not None and high is not None and low > high:
        message = f"--min {low:g} is above --max {high:g}, so nothing would be kept"
        raise ChoiceError(message, value=low)
    rule: Decision | Shares
    if keep is not None:
        rule = Shares(parse_range(str(keep)))
    elif buckets is not None and table is None:
        rule = Shares(parse_shares(str(buckets)), buckets=True)
    elif table is not None and buckets is not None:
        rule = Buckets(read_cuts(table, parse_shares(str(buckets))), strict=True)
    elif table is not None:
        rule = Between(read_limits(table))
    elif chosen:
        rule = Between({"": (-math.inf if low is None else low, math.inf if high is None else high)})
    else:
        rule = Everything()
    if sample is None:
        return rule
    if not isinstance(rule, Between | Everything):
        message = "--sample goes with --min, --max or --table of limits, not with shares of all documents"
        raise ChoiceError(message)
    return parse_sample(str(sample), seed, rule)
