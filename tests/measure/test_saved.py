"""Saved runs from strangers: what stands in one twice must agree, or the run is refused and not compared.

Each change below is to a sound run; the oracle is that a forged run must not give a figure.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.errors import FileFormatError
from bitmeter.measure.saved import read_run

TEXT = b"".join(b"%d apples and %d pears\n" % (i, i * i) for i in range(20))
RUN = json.loads(bm.score("kt", TEXT, docs="line").to_json())


KNOWN = RUN["exact"]["known_nats"]


def changed(*path: Any, to: Any) -> dict[str, Any]:
    found: dict[str, Any] = copy.deepcopy(RUN)
    *before, last = path
    inner: Any = found
    for key in before:
        inner = inner[key]
    inner[last] = to(inner[last]) if callable(to) else to
    return found


def signed(**changes: str) -> dict[str, Any]:
    """Under another signature, with its hash put right."""
    signature = bm.Signature.parse(RUN["signature"]).but(**changes)
    return {**RUN, "signature": str(signature), "short": signature.short}


FORGED: dict[str, tuple[dict[str, Any], str]] = {
    "a lower total": (changed("nats", to=lambda x: x * 0.9), "nats"),
    "a total below zero": (changed("nats", to=-1.0), "must be a cost"),
    "an infinite total": (
        {**changed("nats", to="inf"), "exact": {"nats": ["inf"], "known_nats": KNOWN}}, "0 impossible units"
    ),
    "known above the total": (changed("known_nats", to=lambda x: 2 * x), "known_nats"),
    "exact parts of another total": (changed("exact", "nats", 0, to=lambda x: x + 1), "exact nats"),
    "fewer bytes": (changed("bytes", to=lambda x: x - 1), "bytes"),
    "negative counts": (changed("oov", to=-1), "oov is -1"),
    "more characters than bytes": (changed("chars", to=lambda x: 10 * x), "more characters"),
    "another number of tokens": (changed("tokens", to=lambda x: x + 1), "tokens"),
    "another number of documents": (changed("documents", to=19), "documents"),
    "a cheaper document": (changed("by_document", "nats", 0, to=0.0), "by_document.nats"),
    "a document below zero": (changed("by_document", "nats", 0, to=-5.0), "less than nothing"),
    "a document that is missing": (changed("by_document", "nats", to=lambda x: x[:-1]), "different lengths"),
    "a larger document": (
        {**changed("by_document", "bytes", 0, to=lambda x: x + 1), "interval": None}, "its signature says"
    ),
    "a cheaper block": (changed("by_block", "nats", 0, to=0.0), "by_block.nats"),
    "a larger block": (changed("by_block", "bytes", 0, to=lambda x: x + 1), "blocks hold"),
    "tokens of blocks that are too many": (
        changed("by_block", to=lambda x: {**x, "tokens": [n + 1 for n in x["bytes"]]}), "tokens, and it has"
    ),
    "tokens of blocks that are missing": (changed("by_block", to=lambda x: {**x, "tokens": []}), "different lengths"),
    "no size of blocks": (changed("by_block", "size", to=0), "size is 0"),
    "another quotient": (changed("bits_per_byte", to=0.1), "bits_per_byte"),
    "an interval elsewhere": (changed("interval", "low", to=lambda x: x + 10), "does not hold its estimate"),
    "another estimate": (changed("interval", "estimate", to=lambda x: x * 1.001), "interval.estimate"),
    "another confidence": (changed("confidence", to=0.5), "confidence"),
    "half an interval": (changed("interval", "low", to=None), "only one of low and high"),
    "an unknown field of the interval": (changed("interval", to=lambda x: {**x, "y": 1}), "unknown field"),
    "another short form": (changed("short", to="bm1-00000000"), "hash of its signature"),
    "a signature cut short": (changed("signature", to=lambda x: x.rpartition("|")[0]), "not written as"),
    "no signature": (changed("signature", to="schema:1"), "signature"),
    "a signature of a longer text": (signed(text="sha256-00.9999"), "its signature says 9999"),
    "a signature without the size of the text": (signed(text="sha256-00"), "no size of the text"),
    "a signature of other documents": (signed(docs="line.7.00000000"), "docs:line.7"),
    "another schema": (changed("schema", to="bitmeter.score/2"), "expected the schema"),
    "no documents": (changed("by_document", to=None), "no sums by document"),
    "a number for a text": (changed("model", to=3), "model is 3"),
    "notes that are no texts": (changed("notes", to=[1]), "notes"),
    "negative seconds": (changed("seconds", to=-1), "seconds"),
    "an environment of numbers": (changed("environment", to={"a": 1}), "environment.a"),
}  # fmt: skip


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_run_is_refused(case: str) -> None:
    run, reason = FORGED[case]
    assert run != RUN
    with pytest.raises(FileFormatError, match=r"^r\.json is not a run of bitmeter: ") as caught:
        read_run(json.dumps(run), "r.json")
    assert reason in str(caught.value)


#: Fields that runs of earlier versions may lack, or that say again what another says.
SPARE = ("short", "bits_per_byte", "exact", "confidence", "learns")


@pytest.mark.parametrize("name", [name for name in RUN if name not in SPARE])
def test_every_field_must_be_there(name: str) -> None:
    found = {key: value for key, value in RUN.items() if key != name}
    with pytest.raises(FileFormatError):
        read_run(json.dumps(found), "r.json")


@pytest.mark.parametrize(
    "score",
    [
        bm.score("kt", TEXT, docs="line"),
        bm.score("kt", TEXT, docs="line", first="skip"),
        bm.score("kt", TEXT, docs="line", first="skip", den="original"),
        bm.score("uniform", b""),
        bm.score("zlib", TEXT),
        bm.score("uniform:100", TEXT),
        bm.score(bm.Distribution({"a": 0.5, "b": 0.5}), b"abac"),
        bm.score(bm.NGram(order=2).fit(TEXT), b"unknown words\nand apples\n", docs="line", oov="skipped", eos="yes"),
        bm.score(bm.NGram(order=2).fit(TEXT), b"unknown words\nand apples\n", docs="line"),
        bm.score("uniform", TEXT, docs="line") + bm.score("uniform", TEXT[:100], docs="line"),
    ],
    ids=str,
)
def test_sound_runs_of_every_kind_are_read(score: bm.Score) -> None:
    assert bm.Score.from_json(score.to_json()) == score


def test_a_run_without_the_fields_of_later_versions_is_read() -> None:
    old = {key: value for key, value in RUN.items() if key not in SPARE}
    assert bm.Score.from_json(json.dumps(old)).nats == RUN["nats"]
