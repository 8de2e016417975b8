"""What a folder asks of one that it must not import: by name, resolved when it is asked.

Imports point one way. A text may be named after a test set all the same, and a signature may be that of one: both ask
the folder `data`, which stands above them. What is done by several processes is asked of `scale`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["ask"]

#: Each question, and the function that answers it, as "module:function".
ANSWERS = {
    "the file of a test set": "bitmeter.data.store:file_of",
    "the test set of a hash": "bitmeter.data.catalogue:name_of",
    "an executor": "bitmeter.scale.engines:executor_of",
    "counts in parts": "bitmeter.scale.training:count_in_parts",
    "a model to send": "bitmeter.scale.scoring:pickled_model",
    "a sent model": "bitmeter.scale.scoring:sent_model",
    "a score in parts": "bitmeter.scale.scoring:score_in_parts",
}


def ask(question: str, *arguments: Any, **keywords: Any) -> Any:
    """The answer to one of the questions.

    Examples
    --------
    >>> ask("the test set of a hash", "0" * 24, 1) is None
    True
    """
    module, _, function = ANSWERS[question].partition(":")
    return getattr(import_module(module), function)(*arguments, **keywords)
