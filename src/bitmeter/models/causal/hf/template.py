"""The chat template of a tokenizer: the tokens that stand before a document when it is a message of a chat.

A template is a program in a stranger's file. It is run by a process of its own, in the sandbox of jinja2, without a
loader of files, with a bounded time, memory and output; and it never sees a document, so that it cannot change one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from bitmeter._util.check import shown
from bitmeter.errors import ModelError

__all__ = ["ROLES", "lead_of"]

#: Who says a document.
ROLES = ("assistant", "user")
#: The largest template that is run, the most that it may write, and the seconds that it may take.
_TEMPLATE, _OUTPUT, _SECONDS = 1 << 20, 1 << 17, 60
#: Stand for the document; two, so that it shows if what comes before depends on it.
_MARKS = ("bitmeter first mark 5d1f", "another mark of bitmeter 83")


def lead_of(tokenizer: Any, role: str, name: str) -> list[int]:
    """The ids that stand before a document said by `role`, in an otherwise empty chat.

    Parameters
    ----------
    tokenizer
        Of transformers.
    role
        "user", or "assistant": then an empty message of the user stands before.
    name
        The model's, for messages.
    """
    template = tokenizer.chat_template
    if isinstance(template, dict):
        template = template.get("default")
    if not isinstance(template, str) or not template:
        message = f"the tokenizer of {name} has no chat template, so template= cannot be used; leave it out"
        raise ModelError(message, value=name)
    if len(template) > _TEMPLATE:
        message = f"the chat template of {name} has {len(template):,} characters, more than any; it is not run"
        raise ModelError(message, value=name)
    specials = {key: str(value) for key, value in tokenizer.special_tokens_map.items() if isinstance(value, str)}
    heads = []
    for mark in _MARKS:
        said = [{"role": "user", "content": mark if role == "user" else ""}]
        said += [{"role": "assistant", "content": mark}] if role == "assistant" else []
        head, found, rest = _rendered(template, said, specials, name).partition(mark)
        if not found or mark in rest:
            message = f"the chat template of {name} does not show a message of the {role} once, so it cannot be used"
            raise ModelError(message, value=name)
        heads.append(head)
    if heads[0] != heads[1]:
        message = f"what the chat template of {name} puts before a message depends on the message; it cannot be used"
        raise ModelError(message, value=name)
    ids = tokenizer(heads[0], add_special_tokens=False)["input_ids"]
    if not ids:
        message = f"the chat template of {name} puts nothing before a message of the {role}"
        raise ModelError(message, value=name)
    return [int(number) for number in ids]


def _rendered(template: str, messages: list[dict[str, str]], specials: dict[str, str], name: str) -> str:
    asked = json.dumps({"template": template, "messages": messages, "specials": specials, "most": _OUTPUT})
    command = [sys.executable, "-m", "bitmeter.models.causal.hf.rendering"]
    try:
        done = subprocess.run(command, input=asked.encode(), capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        message = f"the chat template of {name} did not end within {_SECONDS} seconds, so it cannot be used"
        raise ModelError(message, value=name) from error
    try:
        answer = json.loads(done.stdout)
        text, failed = answer["text"], answer["error"]
    except (ValueError, KeyError, TypeError):
        text, failed = "", "it took too much time or memory"
    if done.returncode or failed:
        message = f"the chat template of {name} cannot be used: {shown(failed)}"
        raise ModelError(message, value=name)
    return str(text)
