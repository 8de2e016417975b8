"""Counts and exact sums by outcome, and histograms by language: what receipts hold, and what adds up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter.filter.histogram import Histogram
from bitmeter.filter.scores import SCORED, Records
from bitmeter.measure.exact import exact_parts, rounded

__all__ = ["Share", "Tally"]


@dataclass(slots=True)
class Share:
    """The documents of one outcome.

    Attributes
    ----------
    documents, bytes, tokens
        Counts; those of text, after normalisation.
    nats
        Numbers whose exact sum is the cost of all documents that are possible.
    impossible
        How many documents cost infinitely much.
    """

    documents: int = 0
    bytes: int = 0
    tokens: int = 0
    nats: tuple[float, ...] = ()
    impossible: int = 0

    def add(self, other: Share) -> None:
        """Add the documents of another."""
        self.documents += other.documents
        self.bytes += other.bytes
        self.tokens += other.tokens
        self.nats = exact_parts((*self.nats, *other.nats))
        self.impossible += other.impossible

    @property
    def total_nats(self) -> float:
        """The cost of all possible documents, rounded once."""
        return rounded(self.nats)


@dataclass(slots=True)
class Tally:
    """What became of the records of one file, or of several."""

    shares: dict[str, Share] = field(default_factory=dict)
    histograms: dict[str, Histogram] = field(default_factory=dict)
    bad: int = 0
    #: The first bad records: where, and why.
    places: list[str] = field(default_factory=list)

    def add_scores(self, records: Records, languages: Sequence[str]) -> None:
        """Add the values of records to the histograms of their languages."""
        scored = records[records["state"] == SCORED]
        for number in np.unique(scored["language"]).tolist():
            here = self.histograms.setdefault(languages[number], Histogram())
            here.add(np.ascontiguousarray(scored["value"][scored["language"] == number]))

    def add_labels(self, records: Records, outcomes: Ints, names: Sequence[str]) -> None:
        """Add records to their outcomes; a negative outcome is none."""
        for number in np.unique(outcomes[outcomes >= 0]).tolist():
            here = records[outcomes == number]
            nats = here["nats"]
            finite = np.isfinite(nats)
            self.shares.setdefault(names[number], Share()).add(
                Share(
                    len(here), int(here["bytes"].sum()), int(here["tokens"].sum()),
                    exact_parts(nats[finite].tolist()), int(np.count_nonzero(~finite)),
                )
            )  # fmt: skip

    def merge(self, other: Tally, most_places: int) -> None:
        """Add what another file gave."""
        for name, share in other.shares.items():
            self.shares.setdefault(name, Share()).add(share)
        for language, histogram in other.histograms.items():
            self.histograms.setdefault(language, Histogram()).merge(histogram)
        self.bad += other.bad
        self.places = [*self.places, *other.places][:most_places]

    def note_bad(self, places: Iterable[str], most_places: int) -> None:
        """Count bad records."""
        for place in places:
            self.bad += 1
            if len(self.places) < most_places:
                self.places.append(place)

    def whole_histogram(self) -> Histogram:
        """Of all languages."""
        found = Histogram()
        for histogram in self.histograms.values():
            found.merge(histogram)
        return found

    def to_json(self) -> dict[str, Any]:
        """For a receipt."""
        return {
            "shares": {
                name: {
                    "documents": share.documents, "bytes": share.bytes, "tokens": share.tokens,
                    "nats": list(share.nats), "impossible": share.impossible,
                }
                for name, share in sorted(self.shares.items())
            },
            "histograms": {language: found.to_json() for language, found in sorted(self.histograms.items())},
            "bad": self.bad,
            "places": self.places,
        }  # fmt: skip

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Tally:
        """What `to_json` gave."""
        shares = {
            name: Share(one["documents"], one["bytes"], one["tokens"], tuple(one["nats"]), one["impossible"])
            for name, one in found["shares"].items()
        }
        histograms = {language: Histogram.from_json(one) for language, one in found["histograms"].items()}
        return cls(shares, histograms, found["bad"], list(found["places"]))
