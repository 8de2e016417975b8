"""What audit takes, and what it refuses; verify is another name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import EmptyError, InputError, ModelError
from bitmeter.measure.audit.auditing import is_table
from bitmeter.text.corpus.sample import SAMPLE_NAME

TEXT = b"to be or not to be, that is the question"


def test_verify_is_another_name() -> None:
    old, new = bm.verify("kt", TEXT, histories=5, seed=2), bm.audit("kt", TEXT, positions=5, seed=2)
    assert old == new
    assert old.sound is None  # five positions show little
    assert bm.verify("kt", TEXT).sound


def test_without_a_text_a_sample_is_taken() -> None:
    found = bm.audit("kt")
    assert found.text == SAMPLE_NAME
    assert found.verdict == "proven"


def test_the_same_seed_gives_the_same_audit() -> None:
    first, second, other = (bm.audit("kt", TEXT * 9, positions=4, seed=seed) for seed in (1, 1, 2))
    assert first == second
    assert first.checks != other.checks


def test_progress_is_reported() -> None:
    seen: list[Any] = []
    bm.audit("kt", TEXT, positions=3, progress=seen.append)
    assert {step.stage for step in seen} >= {"predictions", "future"}
    assert all(step.share is None or 0 <= step.share <= 1 for step in seen)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"model": "kt", "claimed": 1.0}, "claimed is for a table"),
        ({"model": "kt", "unit": "bits"}, "unit is for a table"),
        ({"model": "kt", "units": "bytes"}, "units of its own"),
        ({"model": {"logprob": [-1.0]}, "text": None}, "give the text"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        bm.audit(**{"text": TEXT, **arguments})


def test_an_empty_text_and_an_absent_model() -> None:
    with pytest.raises(EmptyError):
        bm.audit("kt", b"")
    with pytest.raises(ModelError, match="there is no model"):
        bm.audit("nonsense", TEXT)


def test_tables_are_known_by_their_names() -> None:
    assert is_table(Path("x.JSONL"))
    assert not is_table("openai:http://localhost/v1#x.csv")
    assert not is_table(np.zeros(3))


def test_documents_and_fields_of_a_text(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"body": "to be"}\n{"body": "or not"}\n')
    found = bm.audit("kt", tmp_path / "t.jsonl", field="body")
    assert (found.documents, found.text_bytes) == (2, 11)
    lines = bm.audit("uniform", b"a\nb\nc\n", docs="line")
    assert lines.documents == 3
    assert lines.options == {"docs": "line"}
