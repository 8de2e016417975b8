"""Chat templates: what stands before a text conditions it and is not counted; the program that writes it is bounded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ModelError
from tests.models.networks import TINY, plain_loop, tiny

TEMPLATE = (
    "{% for message in messages %}{{ '<|endoftext|>' + message['role'] + '\\n' }}"
    "{{ message['content'] | trim }}{{ ' end\\n' }}{% endfor %}"
)
TEXT = " The harbour was quiet. "  # a template that trims may not trim this


def chat(folder: Path, template: str) -> Path:
    shutil.copytree(TINY, folder)
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"chat_template": template}))
    return folder


@pytest.mark.parametrize("role", ["assistant", "user"])
def test_the_text_is_scored_behind_what_the_template_writes(role: str, tmp_path: Path) -> None:
    folder = chat(tmp_path / "chat", TEMPLATE)
    made = bm.load(f"hf:{folder},template={'yes' if role == 'assistant' else role}")
    before = "user\n end\n" if role == "assistant" else ""
    ids = [0]
    if before:
        ids += [*tiny().units.split(before.encode()).ids.tolist(), 0]
    ids += tiny().units.split(f"{role}\n".encode()).ids.tolist()
    assert made.lead == tuple(ids)
    own = tiny().units.split(TEXT.encode()).ids
    expected = -plain_loop(tiny(), np.concatenate((ids, own)), len(ids)).sum()
    found = bm.score(made, TEXT.encode())
    assert found.nats == pytest.approx(expected, rel=1e-6)
    assert (found.tokens, found.bytes) == (len(own), len(TEXT))  # the template's own are not counted
    assert f",template={role}/" in found.signature.model
    assert made.fingerprint != bm.HuggingFace(folder).fingerprint
    assert "proved" in str(bm.prove(made, TEXT.encode()))  # token by token, too


def test_windows_have_the_template_before_each(tmp_path: Path) -> None:
    made = bm.HuggingFace(chat(tmp_path / "chat", TEMPLATE), template="user")
    long = (TINY / "joined.txt").read_bytes()[:700]
    found = bm.score(made, long, ctx="32.16")
    assert found.skipped == 0
    lead = np.array(made.lead)
    ids = tiny().units.split(long).ids
    room = 32 - len(lead)
    total, done = 0.0, 0
    for start in range(0, len(ids), 16):
        stop = min(start + room, len(ids))
        window = np.concatenate((lead, ids[start:stop]))
        total -= plain_loop(tiny(), window, len(lead) + done - start).sum()
        done = stop
        if done == len(ids):
            break
    assert found.nats == pytest.approx(total, rel=1e-6)
    for given in ({"first": "skip"}, {"ctx": "half"}, {"ctx": "rolling.32"}):
        with pytest.raises(ModelError, match="has a template before each text"):
            bm.score(made, long, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "SecurityError"),
        ("{% include '/etc/passwd' %}", "no loader"),
        ("{{ messages.append(1) }}", "SecurityError"),
        (
            "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
            "time or memory|did not end",
        ),
        ("{{ 'x' * 100000000000 }}", "MemoryError|OverflowError|time or memory"),
        ("{% for i in range(99999) %}{{ 'xxxxxxxxxx' }}{% endfor %}", "writes more than"),
        ("{{ raise_exception('no such role') }}", "no such role"),
        ("{% if %}", "TemplateSyntaxError"),
        ("{{ messages[0]['content'] | length }}", "does not show a message"),
        ("{{ messages[0]['content'] | length }}{{ messages[0]['content'] }}", "depends on the message"),
    ],
)
def test_a_program_of_a_stranger_does_no_harm(template: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=says):
        bm.HuggingFace(chat(tmp_path / "chat", template), template="user")


def test_a_tokenizer_without_one_says_so() -> None:
    with pytest.raises(ModelError, match="has no chat template"):
        bm.HuggingFace(TINY, template="user")
