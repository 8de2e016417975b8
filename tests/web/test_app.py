"""The interface: the same figures and schemas as the command line, and no server error whatever is sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

import bitmeter as bm
from tests.web.serving import client_of, guarded

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
TEXT = "to be or not to be, that is the question.\n" * 30


def check(document: object, name: str) -> None:
    jsonschema.validate(document, json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8")))


def test_a_score_is_that_of_the_library() -> None:
    found = client_of().post("/api/score", json={"model": "kt", "text": TEXT, "docs": "line"}).json()
    check(found, "score-1")
    own = bm.score("kt", TEXT.encode(), docs="line")
    assert found["figures"]["bits_per_byte"] == own.bits_per_byte
    assert found["signature"] == str(own.signature)


def test_a_comparison_is_that_of_the_library() -> None:
    body = {"models": ["kt", "universal"], "text": TEXT, "docs": "line", "remember": True}
    client = client_of()
    found = client.post("/api/compare", json=body).json()
    check(found, "comparison-1")
    own = bm.compare("kt", "universal", on=bm.Corpus.from_text(TEXT, docs="line"))
    assert found["rows"][1]["difference"] == own.rows[1].difference
    assert len(client.get("/api/runs").json()["runs"]) == 2
    assert client.post("/api/compare", json={"models": ["kt", "kt"], "text": TEXT}).status_code == 422


def test_models_have_the_schema_of_the_command_line() -> None:
    found = client_of().get("/api/models").json()
    check(found, "models-1")
    assert [row["usage"] for row in found["rows"]] == ["sample-words", "sample-bytes", "universal", "kt"]


def test_the_history_is_listed_compared_and_deleted() -> None:
    client = client_of()
    for model in ("kt", "universal"):
        client.post("/api/score", json={"model": model, "text": TEXT, "name": "Hamlet", "remember": True})
    client.post("/api/score", json={"model": "kt", "text": "another", "remember": True})
    runs = client.get("/api/runs").json()["runs"]
    assert [run["model"] for run in runs] == ["kt", "universal:medium", "kt"]
    assert [run["id"] for run in client.get("/api/runs?text=Hamlet").json()["runs"]] == [2, 1]
    check(client.get("/api/runs/1").json(), "score-1")
    same = client.get("/api/runs/compared?a=1&b=2").json()
    assert same["same_text"]
    assert same["verdicts"][0]["agree"]
    other = client.get("/api/runs/compared?a=1&b=3").json()
    assert not other["verdicts"][0]["agree"]
    assert any("text" in reason for reason in other["verdicts"][0]["reasons"])
    assert client.delete("/api/runs/3").json() == {"deleted": 1}
    assert client.delete("/api/runs/3").status_code == 404
    assert client.get("/api/runs/3").status_code == 404
    assert client.get("/api/runs/compared?a=1&b=3").status_code == 404


def test_without_a_history_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BITMETER_HISTORY", "off")
    client = client_of()
    assert client.post("/api/score", json={"model": "kt", "text": "a", "remember": True}).status_code == 200
    assert client.get("/api/runs").json() == {"on": False, "runs": []}


def test_a_damaged_history_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path))
    (tmp_path / "history.sqlite").write_bytes(b"no database" * 100)
    found = client_of().get("/api/runs")
    assert found.status_code == 422
    assert "history" in found.json()["detail"]


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("/api/live", b'{"models": ["kt"], "text": "\\ud800"}', 422),
        ("/api/live", b'{"models": ["kt"], "text": 5}', 422),
        ("/api/live", b'{"models": [], "text": "a"}', 422),
        ("/api/live", b'{"models": ["kt"], "text": "a", "path": "/etc/passwd"}', 422),
        ("/api/live", b"[" * 100_000, 400),
        ("/api/live", b"{", 400),
        ("/api/live", b"", 422),
        ("/api/live", b"5", 422),
        ("/api/live", b'{"models": ["kt"], "text": "a", "confidence": ' + b"9" * 5000 + b"}", 400),
        ("/api/live", b'{"models": ["kt"], "text": "a", "confidence": NaN}', 422),
        ("/api/live", b"\xff\xfe", 400),
        ("/api/score", b'{"model": "kt", "text": "", "docs": "blank"}', 200),
        ("/api/score", b'{"model": "kt", "text": "a\\u0000b", "name": "\\u001b[31m"}', 200),
        ("/api/predict", b'{"model": "kt", "text": ""}', 200),
        ("/api/predict", b'{"model": "sample-words", "text": "  \\n\\n "}', 200),
        ("/api/predict", b'{"model": "sample-words", "text": "zzzzqqqq"}', 200),
    ],
)
def test_odd_bodies(path: str, content: bytes, status: int) -> None:
    found = client_of().post(path, content=content, headers={"Content-Type": "application/json"})
    assert found.status_code == status, found.text
    assert found.json()
    assert "set_int_max_str_digits" not in found.text


@pytest.mark.parametrize("kind", [None, "text/plain", "application/octet-stream", "application/x-www-form-urlencoded"])
def test_a_body_of_another_type(kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    for content in (b'{"models": ["kt"], "text": "a"}', b"{"):
        found = client_of().post("/api/live", content=content, headers=headers)
        assert found.status_code == 415
        assert "application/json" in found.json()["detail"]


@pytest.mark.parametrize("path", ["/api/runs?limit=", "/api/runs/", "/api/game/", "/api/runs/compared?b=1&a="])
def test_endless_numbers(path: str) -> None:
    found = client_of().get(f"{path}{'9' * 5000}")
    assert found.status_code == 422
    assert "set_int_max_str_digits" not in found.text


def test_every_status_is_described() -> None:
    described = client_of().get("/api/openapi.json").json()["paths"]["/api/live"]["post"]["responses"]
    assert {"400", "405", "408", "413", "415", "422", "429", "503"} <= set(described)


PATHS = (
    "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/shared/../app.py", "/app.py", "/api", "/api/nothing",
    "/__init__.py", "//etc/passwd",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_no_other_file_is_served(path: str) -> None:
    assert client_of().get(path).status_code == 404


def test_the_description_names_every_path() -> None:
    found = client_of().get("/api/openapi.json").json()
    assert found["openapi"].startswith("3.")
    assert {"/api/score", "/api/compare", "/api/live", "/api/jobs", "/api/runs", "/api/log"} <= set(found["paths"])


schema = schemathesis.openapi.from_asgi("/api/openapi.json", guarded(names=("testserver",)))
_CHECKED: list[Any] = [
    CHECKS.get_one(name) for name in ("not_a_server_error", "status_code_conformance", "response_schema_conformance")
]


@schema.parametrize()
@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_no_request_is_a_server_error(case: schemathesis.Case[Any]) -> None:
    """Requests drawn from the description, right and wrong ones (schemathesis)."""
    case.call_and_validate(checks=_CHECKED)
