"""Finds the conventions: each module of this package that defines `CONVENTION` is one."""

from __future__ import annotations

from bitmeter.errors import ChoiceError
from bitmeter.measure import conventions
from bitmeter.measure.conventions.base import Convention
from bitmeter.measure.discovery import defined

#: The order in which conventions are listed; any others follow by name.
_ORDER = (
    "bitmeter",
    "kenlm",
    "srilm",
    "nltk",
    "lm-eval",
    "hf-evaluate",
    "hf-docs",
    "llama.cpp",
    "torchmetrics",
    "minicons",
    "lmppl",
    "cc_net",
    "edugp",
    "datatrove",
    "roots",
    "data-juicer",
)


def _found() -> dict[str, Convention]:
    by_name = {found.name: found for found in defined(conventions, "CONVENTION", Convention)}
    listed = [name for name in _ORDER if name in by_name]
    return {name: by_name[name] for name in (*listed, *sorted(by_name.keys() - set(listed)))}


CONVENTIONS: dict[str, Convention] = _found()


def convention(name: object) -> Convention:
    """The convention of a name.

    Examples
    --------
    >>> convention("kenlm").settings["docs"]
    'line'
    """
    if not isinstance(name, str) or name not in CONVENTIONS:
        message = f"there is no convention {name!r:.40}; known are {', '.join(CONVENTIONS)}"
        raise ChoiceError(message, value=name)
    return CONVENTIONS[name]
