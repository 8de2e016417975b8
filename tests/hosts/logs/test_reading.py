"""Logs that are damaged, hostile or something else: typed errors, never a figure."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import BitmeterError, FileFormatError
from bitmeter.hosts.logs.reading import TOOLS, read_log
from tests.hosts.logs.made_logs import GENUINE, chat, completion, position, vllm, write


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{}", b"[]", b"[1]", b"null", b"\xff\xfe", b"{", b"text\nmore text", b"[" * 100_000,
        b'{"choices": []}', b'{"choices": [{"logprobs": null}]}', b'{"eval": 1, "samples": 2}', b"PAR1", b"PK\x03\x04",
        b'{"eval": {}, "samples": []}', b'{"doc_id": 0, "arguments": {}, "resps": []}',
    ],
)  # fmt: skip
def test_what_is_no_log(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(content)
    with pytest.raises(FileFormatError, match="log"):
        bm.import_log(tmp_path / "log")


@pytest.mark.parametrize(
    "row",
    [
        chat(("a", 0.5)), chat(("a", "x")),  # type: ignore[arg-type]
        chat(("a", True)), {"choices": [{"logprobs": {"content": [{"token": "\ufffd", "logprob": -1.0}]}}]},
        {"choices": [{"logprobs": {"content": [{"token": "a", "logprob": -1.0, "bytes": [300]}]}}]},
        {"choices": [{"logprobs": {"content": [{"token": "a"}]}}]}, {"choices": [{"logprobs": {"content": 3}}]},
        completion(("a", -1.0), ("b", None)), {"choices": [{"logprobs": {"tokens": ["a"], "token_logprobs": []}}]},
        {"choices": [{"logprobs": {"tokens": ["a", "b"], "token_logprobs": [None]}}]},
        vllm(None, {}), vllm(position("a", -1.0), None), vllm(None, {"1": {"logprob": -1.0}}),
        vllm(None, position("a", -1.0), prompt_token_ids=[1, 99]),
    ],
)  # fmt: skip
def test_fields_that_are_wrong(row: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"log\.json"):
        bm.import_log(write(tmp_path / "log.json", row))


def test_nan_is_not_json(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text('{"choices": [{"logprobs": {"content": [{"token": "a", "logprob": NaN}]}}]}')
    with pytest.raises(FileFormatError, match="NaN"):
        bm.import_log(tmp_path / "log.json")


def test_rows_of_two_kinds_are_not_averaged(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="mixes"):
        bm.import_log(write(tmp_path / "log.jsonl", chat(("a", -1.0)), completion(("a", None), ("b", -1.0))))
    rows = [
        json.loads((GENUINE / f"lm-eval-{kind}.jsonl").read_text().splitlines()[0]) for kind in ("rolling", "choice")
    ]
    with pytest.raises(FileFormatError, match="mixes"):
        bm.import_log(write(tmp_path / "log.jsonl", *rows))
    with pytest.raises(FileFormatError, match="log-probabilities"):
        bm.import_log(write(tmp_path / "log.jsonl", chat(("a", -1.0)), {"choices": [{"text": "b"}]}))


def changed(row: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**row, **changes}


@pytest.mark.parametrize(
    ("changes", "pattern"),
    [
        ({"resps": []}, "answers"), ({"resps": [[["1.5", "False"]]] * 3}, "above 0"), ({"target": "9"}, "choices"),
        ({"target": "x"}, "choices"), ({"arguments": [["a", 2]], "resps": [[["-1", "x"]]]}, "neither"),
        ({"arguments": 3}, "list"), ({"resps": [[], [], []]}, "has no"),
    ],
)  # fmt: skip
def test_samples_of_lm_eval_that_are_wrong(changes: dict[str, Any], pattern: str, tmp_path: Path) -> None:
    row = json.loads((GENUINE / "lm-eval-choice.jsonl").read_text().splitlines()[0])
    with pytest.raises(FileFormatError, match=pattern):
        bm.import_log(write(tmp_path / "log.jsonl", changed(row, **changes)))


def test_every_cut_and_changed_byte_is_a_typed_error(tmp_path: Path) -> None:
    for name in ("inspect.eval", "lighteval.parquet", "lm-eval-choice.jsonl"):
        whole = (GENUINE / name).read_bytes()
        for at in range(1, len(whole), max(1, len(whole) // 40)):
            for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :]):
                (tmp_path / "log").write_bytes(data)
                try:
                    read_log(tmp_path / "log")
                except (BitmeterError, OSError):
                    continue


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "logprobs", "content", "token", "logprob", "bytes", "tokens", "token_logprobs", "samples",
                 "prompt_logprobs", "eval", "output", "doc_id", "arguments", "resps", "target",
                 "completion_probabilities"]
            ),
            inner,
            max_size=4,
        ),
        max_leaves=20,
    )
)  # fmt: skip
def test_any_json_is_a_run_or_a_typed_error(value: Any, tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(json.dumps(value))
    try:
        bm.import_log(tmp_path / "log.json")
    except BitmeterError:
        return


def test_an_archive_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bitmeter.hosts.logs.inspect_ai._MOST", 1000)
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("header.json", b"0" * 100_000)
    with pytest.raises(FileFormatError, match="unpack"):
        bm.import_log(tmp_path / "log.eval")


def test_missing_and_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileFormatError, match="does not exist"):
        bm.import_log(tmp_path / "none.json")
    monkeypatch.setattr("bitmeter.hosts.logs.reading._MOST", 10)
    with pytest.raises(FileFormatError, match="bytes"):
        bm.import_log(GENUINE / "inspect.json")
    assert len(TOOLS) == 6
