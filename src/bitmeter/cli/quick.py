"""The plain form of the commonest command, without what other commands need.

`bitmeter score MODEL.bmn TEXT [--like NAME] [-q | --json]` is what scripts call in a loop, line by line. To import a
parser of command lines takes longer than all of its work, so these words are read here; whatever else is said, right or
wrong, goes to the parser.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bitmeter.measure.score import Score

_FORMS = {"-q": "quiet", "--quiet": "quiet", "--json": "json"}
#: Of a longer text a person wants to see how far it is.
_LONG = 1 << 20


def quickly(words: list[str]) -> bool:
    """Run a command if it is one of these; False if it is not, and nothing was done."""
    asked = _read(words[1:]) if words[:1] == ["score"] else None
    if asked is None:
        return False
    model, text, form, like = asked
    if os.path.getsize(text) > _LONG and sys.stderr.isatty():
        return False
    from bitmeter.measure.conventions import CONVENTIONS
    from bitmeter.measure.scoring import score
    from bitmeter.models.base import load

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


def shown(score: Score, per: str, *, json: bool, quiet: bool) -> str:
    """A score as the command line prints it."""
    if json:
        return score.to_json()
    return repr(score.rate(per)) if quiet else str(score)  # type: ignore[arg-type]
