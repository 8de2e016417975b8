"""Whether what is paid beside words sums to one: the bytes of unknown words, and white space."""

from __future__ import annotations

import math

import numpy as np

from bitmeter import _core
from bitmeter.errors import ModelError
from bitmeter.measure.audit.result import AuditCheck, Finding
from bitmeter.measure.audit.subject import Subject, within
from bitmeter.measure.audit.sums import SUM_TOLERANCE
from bitmeter.models.protocols import OpenVocabulary
from bitmeter.text.units.plain import Characters

__all__ = ["check_spelling"]

#: How many words of the text are spelled.
_WORDS = 64
#: Before the first byte of white space.
_START = -1
_PLACES = ("lead", "between", "tail", "blank")


def check_spelling(subject: Subject) -> tuple[list[AuditCheck], list[Finding]]:
    """The spelling of words of the text byte by byte, and each table of white space."""
    model = subject.whole
    if isinstance(model.units, Characters):
        # An unknown character costs an equal share of all characters: known ones have a share, too, so the sum of the
        # model with spelling is below one.
        text = f"an unknown character costs <unk> and one of {model.units.vocabulary_size:,} equal shares"
        return [AuditCheck("spelling", "passed", text, 0.0, SUM_TOLERANCE)], []
    assert isinstance(model, OpenVocabulary), "only those spell"
    try:
        spelling = model.spelling
    except ModelError as error:
        return [AuditCheck("spelling", "impossible", str(error))], []
    words = {word for sample in subject.samples for word in sample.data[: 1 << 14].split()}
    rare = sorted(words, key=lambda word: (-len(word), word))[:_WORDS]
    worst, where = _spelled(spelling, rare)
    held = worst <= SUM_TOLERANCE
    text = f"spellings of words and white space sum to one {within(worst, '')}, over {len(rare)} words"
    if not held:
        text = f"spellings of words and white space sum to up to {worst:.2g} more or less than one"
    check = AuditCheck("spelling", "passed" if held else "failed", text, worst, SUM_TOLERANCE)
    return [check], [] if held else [Finding("spelling", f"what is paid for {where} does not sum to one")]


def _spelled(spelling: _core.Spelling, words: list[bytes]) -> tuple[float, str]:
    worst, where = 0.0, ""
    sums = [
        (f"the bytes after {word[:i]!r:.40}", math.fsum(spelling.predict(word[:i]).tolist()))
        for word in words
        for i in range(len(word) + 1)
    ]
    for place in _PLACES:
        listed = [share for _, share in spelling.gaps(place)]
        sums.append((f"white space ({place})", math.fsum([spelling.escape(place), *listed])))
    begun = spelling.predict_gap(_START)
    sums.append(("the first byte of new white space", math.fsum(begun.tolist())))
    sums += [
        (f"white space after byte {last}", math.fsum(spelling.predict_gap(last).tolist()))
        for last in np.flatnonzero(begun[:-1]).tolist()  # the bytes that can come there
    ]
    if spelling.lines:
        sums.append(("the end of a line", math.exp(spelling.newline) + math.exp(spelling.no_newline)))
    for name, total in sums:
        if not abs(total - 1.0) <= worst:
            worst, where = abs(total - 1.0) if math.isfinite(total) else math.inf, name
    return worst, where
