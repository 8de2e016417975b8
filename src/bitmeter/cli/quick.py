"""A fast path for the most common command, which imports nothing that this command does not need.

Scripts call `bitmeter score MODEL.bmn TEXT [--like NAME] [-q | --json]` in a loop, line by line. Importing the parser
of the command line takes longer than the work itself, so this form is parsed here; every other command line, right or
wrong, goes to the parser. Even numpy takes longer than the work, so a short text goes straight to the core: with `-q`
for the one number, else for all that a score holds (`cli.short`).
Where anything is out of the ordinary, the slow path finds it again and reports it.
"""

from __future__ import annotations

import os
import sys

from bitmeter.cli.settings import is_configured

TYPE_CHECKING = False  # not imported from typing, which is slow; type checkers know the name
if TYPE_CHECKING:
    from bitmeter.measure.score import Score
    from bitmeter.models.ngram.files import OwnForm

__all__ = ["WAYS", "bits_per_byte", "quickly", "shown"]

#: What -q can print.
WAYS = ("bits", "nats", "perplexity")

_FORMS = {"-q": "quiet", "--quiet": "quiet", "--json": "json"}
#: Bytes of a text above which a terminal shows progress.
_LONG = 1 << 20
#: Bytes of a text up to which it is scored in one block.
_SHORT = 1 << 18


def quickly(words: list[str]) -> bool:
    """Run a command line if it has the fast form; False if it has not, and nothing was done."""
    asked = _read(words[1:]) if words[:1] == ["score"] else None
    if asked is None or is_configured():
        return False
    model, text, form, like, forgets = asked
    if os.path.getsize(text) > _LONG and sys.stderr.isatty():
        return False
    own = like == "bitmeter"
    if form == "quiet" and own and (bits := bits_per_byte(model, text)) is not None:
        print(repr(bits))
        return True
    found = _short(model, text) if form != "quiet" and own else None
    if found is None:
        found = _measured(model, text, like)
    if found is None:
        return False
    from bitmeter._util.width import terminal_width

    if not forgets and form != "quiet":
        from bitmeter.cli.remembering import remember

        remember([found], "score")
    with terminal_width():
        print(shown(found, "byte", json=form == "json", quiet=form == "quiet"))
    return True


def _measured(model: str, text: str, like: str) -> Score | None:
    """The score by way of all that can be measured; None if the parser must say what is wrong."""
    from bitmeter.measure.conventions.registry import CONVENTIONS
    from bitmeter.measure.scoring import score
    from bitmeter.models.registry import load

    ready = load(model)
    if like not in CONVENTIONS or not ready.traits.is_distribution:
        return None
    return score(ready, text, like=like)


def _read(words: list[str]) -> tuple[str, str, str, str, bool] | None:
    """The model, the text, the output form, the convention and --no-history; None if there is anything else."""
    words, like = list(words), "bitmeter"
    forgets = words.count("--no-history") == 1
    if forgets:
        words.remove("--no-history")
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
    return model, text, _FORMS[options[0]] if options else "", like, forgets


def bits_per_byte(model: str, text: str) -> float | None:
    """The bits per byte of a short plain text under a word model; None for anything else."""
    opened = _opened(model, text)
    if opened is None:
        return None
    from bitmeter import _core
    from bitmeter.text.formats import SEPARATORS

    core, data = opened
    try:
        nats = _core.ngram_spelled_nats(core, _core.Spelling(core), data, SEPARATORS["kenlm"])
    except (OSError, _core.NgramFormatError):
        return None
    import math

    return nats / len(data) / math.log(2.0) if math.isfinite(nats) else None


def _short(model: str, text: str) -> Score | None:
    """The score of a short plain text under a word model; None for anything else."""
    opened = _opened(model, text)
    if opened is None or os.path.basename(model) == ".bmn":
        return None
    from bitmeter import _core
    from bitmeter.cli.short import score_short

    core, data = opened
    try:
        return score_short(model, core, text, data)
    except (OSError, _core.NgramFormatError):
        return None


def _opened(model: str, text: str) -> tuple[OwnForm, bytes] | None:
    """A word model that can spell, and a short plain text; None for anything else."""
    from bitmeter.text.formats import COMPRESSIONS, ROW_FORMATS

    if text.lower().endswith((*COMPRESSIONS, *ROW_FORMATS)) or any(character in text for character in "*?[:"):
        return None
    from bitmeter import _core
    from bitmeter.models.ngram.metadata import is_word_distribution

    try:
        with open(text, "rb") as file:
            data = file.read(_SHORT + 1)
        with open(model, "rb") as file:
            compact = file.read(len(_core.COMPACT_MAGIC)) == _core.COMPACT_MAGIC
        core = _core.CompactNgram.open(model) if compact else _core.NgramModel.open(model)
    except (OSError, _core.NgramFormatError):
        return None
    sound = core.has_section and is_word_distribution(bytes(core.metadata))
    return (core, data) if sound and 0 < len(data) <= _SHORT else None


def shown(score: Score, per: str, way: str = "bits", *, json: bool, quiet: bool) -> str:
    """A score as the command line prints it."""
    if json:
        from bitmeter.reports.formats.cells import encoded
        from bitmeter.reports.records.machine import score_document

        return encoded(score_document(score))
    if quiet and per in ("byte", "char") and score.figure_per != "byte":
        from bitmeter.errors import UndefinedError

        message = (
            f"{score.model} has no bits per {per} on {score.text} under this convention: the vocabulary is closed, and "
            "what a word does not tell of its bytes is not paid for. Type -q --per token (or word); or leave out "
            "--like and --oov, if the model can spell"
        )
        raise UndefinedError(message, value=per)
    if not quiet:
        return str(score)
    if way == "perplexity":
        return repr(score.perplexity(per))  # type: ignore[arg-type]
    return repr(score.per(per, unit=way))  # type: ignore[arg-type]
