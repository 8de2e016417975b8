"""The plain form of the commonest command, without what other commands need.

`bitmeter score MODEL.bmn TEXT [--like NAME] [-q | --json]` is what scripts call in a loop, line by line. To import a
parser of command lines takes longer than all of its work, so these words are read here; whatever else is said, right or
wrong, goes to the parser. With `-q` even numpy takes longer than the work, so a short text goes to the core as it is;
where anything is out of the ordinary, the long way finds it again and says what it is.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as typing has it, which takes longer to import than all of this
if TYPE_CHECKING:
    from bitmeter.measure.score import Score

_FORMS = {"-q": "quiet", "--quiet": "quiet", "--json": "json"}
#: Of a longer text a person wants to see how far it is.
_LONG = 1 << 20
#: A text up to this is measured in one piece.
_SHORT = 1 << 18
#: How a model's note begins to tell of its units if they are words. (A quotation mark inside of a string would be
#: escaped, so these bytes can stand nowhere else.)
_OF_WORDS = b'"units": {"kind": "words"'
_NO_DISTRIBUTION = b"stupid-backoff"


def quickly(words: list[str]) -> bool:
    """Run a command if it is one of these; False if it is not, and nothing was done."""
    asked = _read(words[1:]) if words[:1] == ["score"] else None
    if asked is None:
        return False
    model, text, form, like = asked
    if os.path.getsize(text) > _LONG and sys.stderr.isatty():
        return False
    if form == "quiet" and like == "bitmeter" and (bits := _bits_a_byte(model, text)) is not None:
        print(repr(bits))
        return True
    from bitmeter.measure.conventions.registry import CONVENTIONS
    from bitmeter.measure.scoring import score
    from bitmeter.models.registry import load

    ready = load(model)
    if like not in CONVENTIONS or not ready.is_distribution:  # scores that are no probabilities are told otherwise
        return False
    print(shown(score(ready, text, like=like), "byte", json=form == "json", quiet=form == "quiet"))
    return True


def _read(words: list[str]) -> tuple[str, str, str, str] | None:
    """The model, the text, the form and the convention; None where there is more to it."""
    words, like = list(words), "bitmeter"
    if words.count("--like") == 1 and words[-1] != "--like":
        at = words.index("--like")
        like = words[at + 1]
        del words[at : at + 2]
    named = [word for word in words if not word.startswith("-")]
    options = [word for word in words if word.startswith("-")]
    if len(named) != 2 or len(options) > 1 or any(word not in _FORMS for word in options):
        return None
    model, text = named
    if not model.endswith(".bmn") or not os.path.isfile(model) or not os.path.isfile(text):
        return None
    return model, text, _FORMS[options[0]] if options else "", like


def _bits_a_byte(model: str, text: str) -> float | None:
    """What `score(model, text).per()` gives, for a short plain text and a model of words; None for all else."""
    from bitmeter.text.formats import COMPRESSIONS, ROW_FORMATS, SEPARATORS

    if text.lower().endswith((*COMPRESSIONS, *ROW_FORMATS)) or any(character in text for character in "*?[:"):
        return None
    from bitmeter import _core

    try:
        with open(text, "rb") as file:
            data = file.read(_SHORT + 1)
        with open(model, "rb") as file:
            compact = file.read(len(_core.COMPACT_MAGIC)) == _core.COMPACT_MAGIC
        core = _core.CompactNgram.open(model) if compact else _core.NgramModel.open(model)
        told = bytes(core.note)
        if not 0 < len(data) <= _SHORT or not core.has_section or _OF_WORDS not in told or _NO_DISTRIBUTION in told:
            return None
        nats = _core.ngram_spelled_nats(core, _core.Spelling(core), data, SEPARATORS["kenlm"])
    except (OSError, _core.NgramFormatError):
        return None
    import math

    return nats / len(data) / math.log(2.0) if math.isfinite(nats) else None


def shown(score: Score, per: str, *, json: bool, quiet: bool) -> str:
    """A score as the command line prints it."""
    if json:
        return score.to_json()
    return repr(score.per(per)) if quiet else str(score)  # type: ignore[arg-type]
