"""Logs of other tools, sent as their content."""

from __future__ import annotations

import errno
import gzip
import json
import os
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError
from bitmeter.web.logs import imported
from tests.web.serving import client_of

LOGS = sorted((Path(__file__).parents[1] / "data" / "logs").glob("*.json*"))
KIND = {"Content-Type": "application/octet-stream"}


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_a_log_is_what_the_command_line_imports(path: Path) -> None:
    try:
        own = bm.import_log(path)
    except BitmeterError:
        assert client_of().post("/api/log", content=path.read_bytes(), headers=KIND).status_code == 422
        return
    found = imported(path.read_bytes(), path.name)
    assert found.measured[0].score.nats == own.nats
    assert found.data["title"] == path.name


def test_what_is_no_log_is_said() -> None:
    client = client_of()
    for content in (b"", b"{}", b"[]", b"\x00\xff", b'{"choices": 5}', gzip.compress(b"{}"), b"PAR1", b"PK\x03\x04"):
        found = client.post("/api/log", content=content, headers=KIND)
        assert found.status_code == 422, content
    assert client.post("/api/log", content=b"{}").status_code == 415
    assert "runs import" in client.post("/api/log", content=b"PK\x03\x04", headers=KIND).json()["detail"]


def test_a_log_can_be_kept() -> None:
    tokens = [{"token": "to", "logprob": -1.0}, {"token": " be", "logprob": -2.0}]
    content = json.dumps({"model": "m", "choices": [{"logprobs": {"content": tokens}}]}).encode()
    client = client_of()
    found = client.post("/api/log?name=../../etc/x.json&remember=true", content=content, headers=KIND).json()
    assert found["title"] == "../../etc/x.json", "a name is words, and opens nothing"
    assert client.get("/api/runs").json()["runs"][0]["model"] == "m"


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """`make faults` found a server error where the temporary file of a log had no room."""

    def full(path: Path, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    found = client_of().post("/api/log", content=b"{}", headers=KIND)
    assert found.status_code == 503
    assert "No space left on device" in found.json()["detail"]
    assert ".bitmeter-" not in found.json()["detail"], "no path of this machine"


def test_a_log_is_called_what_it_was_called() -> None:
    """Not only in the title of its report: the history would list all logs under one name."""
    tokens = [{"token": "to", "logprob": -1.0}]
    content = json.dumps({"model": "m", "choices": [{"logprobs": {"content": tokens}}]}).encode()
    client = client_of()
    found = client.post("/api/log?name=monday.json&remember=true", content=content, headers=KIND).json()
    assert found["runs"][0]["text"] == "monday.json"
    assert client.get("/api/runs").json()["runs"][0]["text"] == "monday.json"


def test_a_number_without_end() -> None:
    tokens = '{"choices": [{"logprobs": {"content": [{"token": "a", "logprob": -1, "id": ' + "9" * 5000 + "}]}}]}"
    found = client_of().post("/api/log", content=tokens.encode(), headers=KIND)
    assert found.status_code == 422
    assert "5,000 digits" in found.json()["detail"]
    assert "set_int_max_str_digits" not in found.text
