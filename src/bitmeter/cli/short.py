"""The score of a short text under a model of words, without numpy, whose import takes longer than the measurement.

One file of plain text, one document, the default conventions: the core sums up the text, and what `Run` finds for such
a text is put together here, to the last digit. Whatever is out of the ordinary gives None, and is measured by `Run`.
"""

from __future__ import annotations

import hashlib
import math
import os
import time
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from bitmeter import _core
from bitmeter._util.files import label
from bitmeter.measure.aggregates import FIRST_BLOCK, LARGEST_LOG, BlockSums, DocumentSums
from bitmeter.measure.conventions.mismatch import caveats_of
from bitmeter.measure.environment import environment
from bitmeter.measure.exact import exact_parts, rounded
from bitmeter.measure.interval.base import found_by
from bitmeter.measure.interval.blocks import METHOD
from bitmeter.measure.interval.ratio import FEWEST
from bitmeter.measure.score import Score, with_interval
from bitmeter.measure.signature import Signature
from bitmeter.models.ngram.files import QUANTISED, content_mark, read_metadata
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.sections import Sections

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bitmeter._util.arrays import Floats, Ints
    from bitmeter.models.ngram.files import OwnForm

__all__ = ["score_short"]

#: The level of the interval of `score`.
_CONFIDENCE = 0.95
#: What the metadata of a model of words say of its units.
_WORDS = {"kind": "words", "ids": 0, "newline_ends": False}
#: The id of the first word in a model's vocabulary.
_FIRST_WORD = 3


def score_short(model: str, core: OwnForm, text: str, data: bytes) -> Score | None:
    """The score of a file of plain text under the n-gram model of a .bmn file; None if it takes more than is done here.

    Parameters
    ----------
    model
        The path of the model, which has the suffix .bmn.
    core
        The model, opened.
    text
        The path of the text.
    data
        What is in that file; at least one byte, and no more than one block of a text.
    """
    started = time.perf_counter()
    about = read_metadata(core.metadata)
    described = about.get("units")
    if not isinstance(described, dict) or {**_WORDS, **described} != _WORDS or not core.has_section:
        return None
    sections = Sections()
    sections.add(data)
    sections.finish()
    if sections.has_headings(FEWEST):
        return None  # sections may be the clusters of the interval
    _core.Spelling.check(core)
    spelling = _core.Spelling(core)
    separators = SEPARATORS["kenlm"]
    tokens, unknown, most, nats, sizes, counts, parts, of_unknown = _core.ngram_spelled_sums(
        core, spelling, data, separators, FIRST_BLOCK
    )
    total = exact_parts(-part for part in parts)
    if not most <= LARGEST_LOG or not math.isfinite(rounded(total)) or not all(map(math.isfinite, nats)):
        return None
    counter = _core.TextCounts(SEPARATORS["ascii"])
    counter.take(data)
    counter.finish()
    known = exact_parts((*total, *of_unknown))
    name, mark = f"ngram:{label(os.path.basename(model))}", content_mark(core)
    length = len(data)
    signature = Signature(
        text=f"sha256-{hashlib.sha256(data).hexdigest()[:24]}.{length}",
        docs=f"file.1.{hashlib.sha256(length.to_bytes(8, 'little')).hexdigest()[:8]}",
        oov="spelled",
        units=f"words/words/1@ngram-{mark}",
        model=f"{name}/ngram-{mark}-spelled-{spelling.fingerprint():016x}",
    )
    size, chars, words, units = (_wholes([n]) for n in (length, counter.chars, counter.words, tokens))
    blocks = BlockSums(FIRST_BLOCK, _reals(nats), _wholes(sizes))
    if counts != sizes:  # else each byte is one
        blocks = replace(blocks, tokens=_wholes(counts))
    documents = DocumentSums(_reals([rounded(total) + 0.0]), size, chars, words, units)
    found = Score(
        model=name,
        text=label(text),
        nats=rounded(total),
        known_nats=rounded(known),
        bytes=length,
        chars=counter.chars,
        words=counter.words,
        tokens=tokens,
        documents=1,
        oov=unknown,
        skipped=0,
        invalid=counter.invalid,
        impossible=0,
        signature=signature,
        notes=tuple(_notes(about, core, data)),
        by_document=documents,
        by_block=blocks,
        exact=(total, known),
    )
    found = with_interval(found, _CONFIDENCE, lambda *asked: found_by(METHOD, *asked))
    return replace(found, seconds=time.perf_counter() - started, environment=environment())


def _notes(about: dict[str, Any], core: OwnForm, data: bytes) -> Iterator[str]:
    """What the model says of itself, and whether its training was normalised in another way."""
    lines = about.get("notes")
    yield from (str(line) for line in lines if str(line).startswith(QUANTISED)) if isinstance(lines, list) else ()
    norm = about.get("norm")
    trained = norm if isinstance(norm, str) and len(norm) < 100 and norm.isprintable() else None
    size = core.words

    def some_words(most: int) -> list[bytes]:
        return [core.word(i) for i in range(_FIRST_WORD, size, -(-size // most))]

    yield from caveats_of(trained, "none", data, some_words)


def _reals(values: list[float]) -> Floats:
    """A row of doubles: what is saved and shown of a score needs no array of numpy."""
    return cast("Floats", array("d", values))


def _wholes(values: list[int]) -> Ints:
    return cast("Ints", array("q", values))
