"""Reads a saved run and holds its fields against each other: a forged or damaged one is refused, not compared.

What stands in a run more than once must agree: totals with the sums by document and along the text, counts with the
signature, quotients with sums. That the model gave these figures for that text cannot be seen from the file; only
measuring again shows it.
"""

from __future__ import annotations

import math
from typing import TypedDict

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.fields import Fields, read_fields
from bitmeter.errors import SignatureError
from bitmeter.measure.aggregates import COUNTS, SCHEMA, BlockSums, DocumentSums, WindowSums
from bitmeter.measure.exact import Parts, exact_parts, rounded
from bitmeter.measure.groups.sums import SCHEMA as GROUPS
from bitmeter.measure.groups.sums import GroupSums
from bitmeter.measure.interval.base import Interval
from bitmeter.measure.signature import Signature, covers_all_texts

__all__ = ["Saved", "read_run"]

#: By how much a sum of rounded sums may differ from the rounded sum, relatively.
_TOLERANCE = 1e-9
#: A log-probability may be above zero by so much through rounding.
_ABOVE_ZERO = 1e-9
_LN2 = math.log(2.0)


class Saved(TypedDict):
    """What a score is made of, but its trace."""

    model: str
    text: str
    nats: float
    known_nats: float
    tokens: int | None
    bytes: int
    chars: int
    words: int
    documents: int
    oov: int
    skipped: int
    invalid: int
    impossible: int
    signature: Signature
    interval: Interval | None
    notes: tuple[str, ...]
    by_document: DocumentSums | None
    by_block: BlockSums | None
    by_window: WindowSums | None
    pieces: int | None
    learns: bool
    confidence: float
    seconds: float
    environment: dict[str, str]
    exact: tuple[Parts, Parts]
    by_group: GroupSums | None


def read_run(text: str | bytes, name: str) -> Saved:
    """The checked content of a saved run; FileFormatError says which field is wrong."""
    fields = read_fields(text, name, f"{name} is not a run of bitmeter", "`bitmeter score … -o FILE` writes one")
    if "schema" not in fields or fields.value("schema") != SCHEMA:
        other = f"{fields.value('schema')!r:.60}" if "schema" in fields else "none"
        fields.fail(f"expected the schema {SCHEMA!r}, found {other}")
    bytes_, chars, words, documents, oov, skipped, invalid, impossible = map(fields.count, COUNTS)
    interval = None if fields.is_null("interval") else _interval(fields.fields("interval"))
    level = 0.95 if interval is None else interval.confidence  # earlier versions have it only there
    found = Saved(
        model=fields.text("model"),
        text=fields.text("text"),
        nats=_nats(fields, "nats", infinite=True),
        known_nats=_nats(fields, "known_nats"),
        tokens=None if fields.is_null("tokens") else fields.count("tokens"),
        bytes=bytes_, chars=chars, words=words, documents=documents,
        oov=oov, skipped=skipped, invalid=invalid, impossible=impossible,
        signature=_signature(fields),
        interval=interval,
        notes=tuple(fields.texts("notes")),
        by_document=None if fields.is_null("by_document") else _document_sums(fields.fields("by_document")),
        by_block=None if fields.is_null("by_block") else _block_sums(fields.fields("by_block")),
        by_window=_window_sums(fields.fields("by_window")) if "by_window" in fields else None,
        pieces=fields.count("pieces") if "pieces" in fields else None,
        learns="learns" in fields and fields.flag("learns"),
        confidence=fields.real("confidence", 1e-6, 1.0 - 1e-9) if "confidence" in fields else level,
        seconds=fields.real("seconds", 0.0),
        environment=_environment(fields.fields("environment")),
        exact=((), ()),
        by_group=_group_sums(fields.fields("by_group")) if "by_group" in fields else None,
    )  # fmt: skip
    found["exact"] = _exact(fields, found)
    _check(fields, found)
    return found


def _nats(fields: Fields, name: str, *, infinite: bool = False) -> float:
    """A cost: not below zero but for rounding."""
    value = fields.real(name, infinite=infinite)
    tokens = 0 if fields.is_null("tokens") else fields.count("tokens")
    if value < -_ABOVE_ZERO * tokens:
        fields.wrong(name, "a cost, which is not below 0")
    return value


def _signature(fields: Fields) -> Signature:
    line = fields.text("signature")
    try:
        found = Signature.parse(line)
    except SignatureError as error:
        fields.fail(f"its signature cannot be read: {error}")
    if str(found) != line and "short" in fields:
        # Keys that a line leaves out get defaults, so that two lines could stand for one signature.
        fields.fail("its signature is not written as bitmeter writes it")
    if "short" in fields and fields.text("short") != found.short:
        fields.wrong("short", f"{found.short}, the hash of its signature")
    return found


def _interval(fields: Fields) -> Interval:
    def optional(name: str, low: float = -1e100) -> float | None:
        return None if fields.is_null(name) else fields.real(name, low)

    unknown = [name for name in fields if name not in Interval.__slots__]
    if unknown:
        fields.fail(f"interval has the unknown field {unknown[0]!r:.60}")
    found = Interval(
        low=optional("low"),
        high=optional("high"),
        estimate=fields.real("estimate"),
        standard_error=optional("standard_error", 0.0),
        confidence=fields.real("confidence", 1e-6, 1.0 - 1e-9),
        method=fields.text("method"),
        clusters=fields.count("clusters"),
        degrees=optional("degrees", 0.0),
        notes=tuple(fields.texts("notes")) if "notes" in fields else (),
        caveat=fields.text("caveat") if "caveat" in fields else "",
    )
    if found.low is None or found.high is None:
        if found.low is not found.high:
            fields.fail("interval has only one of low and high")
    elif not found.low <= found.estimate <= found.high:
        fields.fail(f"its interval from {found.low:g} to {found.high:g} does not hold its estimate {found.estimate:g}")
    return found


def _environment(fields: Fields) -> dict[str, str]:
    return {name: fields.text(name) for name in fields}


def _same_length(fields: Fields, *columns: Floats | Ints) -> None:
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        fields.fail(f"its columns have different lengths ({', '.join(map(str, lengths))})")


def _document_sums(fields: Fields) -> DocumentSums:
    bytes_, chars, words, tokens = map(fields.counts, ("bytes", "chars", "words", "tokens"))
    sizes = fields.counts("sizes", 1) if "sizes" in fields else None
    nats = fields.reals("nats", infinite=True)
    _same_length(fields, nats, bytes_, chars, words, tokens, *(() if sizes is None else (sizes,)))
    if (nats < -_ABOVE_ZERO * tokens).any():
        fields.fail("a document costs less than nothing (by_document.nats is below 0)")
    clusters, kind = _clusters(fields, nats)
    names, tool = _names(fields, clusters), _tool(fields, nats)
    return DocumentSums(nats, bytes_, chars, words, tokens, sizes, clusters, kind, names, tool)


def _tool(fields: Fields, nats: Floats) -> Floats | None:
    """The sums of another tool, which differ from ours by its rounding alone."""
    if "tool" not in fields:
        return None
    found = fields.reals("tool", infinite=True)
    _same_length(fields, nats, found)
    if not np.allclose(found * math.log(10.0), nats, rtol=1e-3, atol=1e-3):
        fields.fail("the sums of the tool are not those of its documents")
    return found


def _names(fields: Fields, clusters: Ints | None) -> Ints | None:
    """A hash of the name of each cluster, if clusters have names."""
    if "names" not in fields:
        return None
    found = fields.counts("names")
    if clusters is None or len(found) != int(clusters.max(initial=-1)) + 1 or len(np.unique(found)) != len(found):
        fields.fail("the names of its clusters are not one for each")
    return found


def _clusters(fields: Fields, nats: Floats) -> tuple[Ints | None, str]:
    """The cluster of each row, counted from 0 without gaps, and what a cluster is."""
    if "clusters" not in fields:
        return None, ""
    found = fields.counts("clusters", 0, max(0, len(nats) - 1))
    _same_length(fields, nats, found)
    if len(found) and len(np.unique(found)) != int(found.max()) + 1:
        fields.fail("the numbers of its clusters have gaps")
    return found, fields.text("kind")


def _block_sums(fields: Fields) -> BlockSums:
    nats, length = fields.reals("nats", infinite=True), fields.counts("bytes")
    _same_length(fields, nats, length)
    tokens = fields.counts("tokens") if "tokens" in fields else None
    if tokens is not None:
        _same_length(fields, nats, tokens)
    return BlockSums(fields.count("size", 1), nats, length, *_clusters(fields, nats), tokens)


def _window_sums(fields: Fields) -> WindowSums:
    nats, squares = fields.reals("nats", infinite=True), fields.reals("squares", 0.0, infinite=True)
    tokens, opening = fields.counts("tokens"), fields.counts("opening", 0, 1)
    _same_length(fields, nats, squares, tokens, opening)
    if (nats < -_ABOVE_ZERO * tokens).any():
        fields.fail("a window costs less than nothing (by_window.nats is below 0)")
    return WindowSums(nats, squares, tokens, opening)


def _group_sums(fields: Fields) -> GroupSums:
    if fields.text("schema") != GROUPS:
        fields.wrong("schema", GROUPS)
    names = tuple(fields.texts("names"))
    bytes_, chars, words, tokens, documents = map(fields.counts, ("bytes", "chars", "words", "tokens", "documents"))
    rows = fields.counts("rows", 0, max(0, len(names) - 1)) if "rows" in fields else None
    exact = fields.lists_of_reals("exact")
    if {len(names)} != {len(exact), *map(len, (bytes_, chars, words, tokens, documents))}:
        fields.fail("its columns have different lengths")
    if len(set(names)) != len(names):
        fields.fail("two of its groups have one name")
    sources = tuple(fields.texts("sources")) if "sources" in fields else ()
    if sources and len(sources) != len(names):
        fields.fail(f"it has {len(names)} groups, and the sources of {len(sources)}")
    return GroupSums(fields.text("kind"), names, exact, bytes_, chars, words, tokens, documents, rows, sources)


def _check_groups(fields: Fields, found: Saved, groups: GroupSums) -> None:
    """Groups add up to the whole: costs to the last bit, and counts."""
    documents = found["by_document"]
    if documents is None:
        fields.fail("it has groups, but no sums by document")
    for name in ("bytes", "chars", "words", "tokens", "documents"):
        whole = int(getattr(documents, name).sum())
        if int(getattr(groups, name).sum()) != whole:
            fields.fail(f"its groups have {int(getattr(groups, name).sum())} {name}, its documents {whole}")
    total = rounded([part for parts in groups.exact for part in parts])
    if total != found["nats"]:
        fields.fail(f"its groups cost {total!r} nats in all, but nats is {found['nats']!r}")
    if groups.rows is None:
        return
    if len(groups.rows) != len(documents):
        fields.fail(f"the groups of {len(groups.rows)} rows are known, and there are {len(documents)}")
    for name in ("bytes", "tokens", "documents"):
        by_row = np.bincount(groups.rows, getattr(documents, name), len(groups))
        if not np.array_equal(by_row, getattr(groups, name)):
            fields.fail(f"the {name} of its groups are not those of their documents")
    for k, parts in enumerate(groups.exact):
        own = _sum(documents.nats[groups.rows == k])
        _agree(fields, f"by_group.exact[{k}]", rounded(parts), own, "the cost of its documents")


def _exact(fields: Fields, found: Saved) -> tuple[Parts, Parts]:
    """The exact totals; runs of earlier versions have only the rounded ones."""
    if "exact" not in fields:
        return exact_parts([found["nats"]]), exact_parts([found["known_nats"]])
    inner = fields.fields("exact")
    nats = tuple(inner.reals("nats", infinite=True).tolist())
    known = tuple(inner.reals("known_nats").tolist())
    for name, parts, total in (("nats", nats, found["nats"]), ("known_nats", known, found["known_nats"])):
        if rounded(parts) != total:
            fields.fail(f"its exact {name} sum to {rounded(parts)!r}, but {name} is {total!r}")
    return nats, known


# ---- what stands in the file twice -----------------------------------------------------------------------------------


def _check(fields: Fields, found: Saved) -> None:
    if math.isinf(found["nats"]) != (found["impossible"] > 0):
        fields.fail(f"its cost is {found['nats']} nats with {found['impossible']} impossible units")
    if found["known_nats"] > found["nats"] * (1.0 + _TOLERANCE) + _TOLERANCE:
        fields.fail(f"known_nats is {found['known_nats']!r}, more than nats, {found['nats']!r}")
    if found["chars"] > found["bytes"] or found["words"] > found["bytes"]:
        fields.fail("it has more characters or words than bytes")
    for name, count in (("bits_per_byte", found["bytes"]), ("bits_per_token", found["tokens"])):
        if name in fields and not fields.is_null(name) and count:
            stated = fields.real(name, infinite=True)
            noun = name.removeprefix("bits_per_")
            _agree(fields, name, stated, found["nats"] / count / _LN2, f"nats / {noun}s / ln 2")
    if found["interval"] is not None:
        _check_interval(fields, found, found["interval"])
    _check_signature(fields, found)
    if found["by_group"] is not None:
        _check_groups(fields, found, found["by_group"])
    if found["by_document"] is None:
        if found["tokens"] is not None:
            fields.fail("it has tokens, but no sums by document")
        return
    _check_documents(fields, found, found["by_document"])
    blocks = found["by_block"]
    if blocks is not None:
        size = int(found["by_document"].bytes.sum())
        if int(blocks.bytes.sum()) != size:
            fields.fail(f"its blocks hold {int(blocks.bytes.sum())} bytes, its documents {size}")
        if blocks.tokens is not None and int(blocks.tokens.sum()) != (found["tokens"] or 0):
            fields.fail(f"its blocks hold {int(blocks.tokens.sum())} tokens, and it has {found['tokens']}")
        _agree(fields, "the sum of by_block.nats", _sum(blocks.nats), found["nats"], "nats")


def _check_interval(fields: Fields, found: Saved, interval: Interval) -> None:
    if found["bytes"] == 0:
        fields.fail("it has an interval, but no bytes were scored")
    # Of a closed vocabulary, which leaves bytes unpaid, the figure is per token.
    tokens = None if covers_all_texts(found["signature"]) else found["tokens"]
    if tokens == 0:
        fields.fail("it has an interval, but no tokens were scored")
    bits = found["nats"] / (found["bytes"] if tokens is None else tokens) / _LN2
    _agree(
        fields, "interval.estimate", interval.estimate, bits, f"the bits per {'byte' if tokens is None else 'token'}"
    )
    if interval.confidence != found["confidence"]:
        fields.fail(f"its confidence is {found['confidence']:g}, that of its interval {interval.confidence:g}")


def _check_signature(fields: Fields, found: Saved) -> None:
    """The signature states the number of documents and the size of the text."""
    signature = found["signature"]
    number = signature.docs.split(".")[1:2]
    if number != [str(found["documents"])]:
        fields.fail(f"it has {found['documents']} documents, its signature says docs:{signature.docs:.60}")
    sizes = [part.rpartition(".")[2] for part in signature.text.split("+")]
    if not all(size.isascii() and size.isdigit() and len(size) < 20 for size in sizes):
        fields.fail(f"its signature has no size of the text: text:{signature.text:.60}")
    size = sum(map(int, sizes))
    whole = found["bytes"] if found["by_document"] is None else int(found["by_document"].bytes.sum())
    if whole != size or found["bytes"] > size:
        fields.fail(f"it has {max(whole, found['bytes'])} bytes, its signature says {size}")


def _check_documents(fields: Fields, found: Saved, documents: DocumentSums) -> None:
    number = int(documents.documents.sum())
    if number != found["documents"]:
        fields.fail(f"it has {found['documents']} documents, but the sums of {number}")
    tokens = int(documents.tokens.sum())
    # Of a log that has sums alone, the number of tokens is not known.
    if (found["tokens"] or 0) != tokens:
        fields.fail(f"it has {found['tokens']} tokens, its documents {tokens}")
    for name, stated, column in (
        ("bytes", found["bytes"], documents.bytes),
        ("chars", found["chars"], documents.chars),
        ("words", found["words"], documents.words),
    ):
        whole = int(column.sum())
        if stated > whole or (stated < whole and not found["skipped"]):
            fields.fail(f"it has {stated} {name}, its documents {whole}")
    _agree(fields, "the sum of by_document.nats", _sum(documents.nats), found["nats"], "nats")


def _sum(values: Floats) -> float:
    return math.inf if np.isinf(values).any() else math.fsum(values.tolist())


def _agree(fields: Fields, name: str, stated: float, other: float, what: str) -> None:
    if stated != other and not math.isclose(stated, other, rel_tol=_TOLERANCE, abs_tol=1e-12):
        fields.fail(f"{name} is {stated!r}, but {what} is {other!r}")
