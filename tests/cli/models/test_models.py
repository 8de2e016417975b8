"""`bitmeter models`: every scheme with its state."""

from __future__ import annotations

import json

import pytest

from bitmeter._util.optional import install_line
from bitmeter.models.registry import own_schemes
from tests.cli.running import run


def test_every_scheme_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "models", "--json")
    assert (code, said) == (0, "")
    rows = json.loads(printed)["rows"]
    assert {"usage", "summary", "state"} == set(rows[0])
    usages = [row["usage"] for row in rows]
    for scheme in own_schemes().values():
        assert scheme.usage in usages


def test_what_is_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = own_schemes()["hf"]
    assert missing.requires is not None
    monkeypatch.setattr("bitmeter._util.optional.is_absent", lambda package: package == missing.requires)
    states = {row["usage"]: row["state"] for row in json.loads(run(capsys, "models", "--json")[1])["rows"]}
    assert states[missing.usage] == install_line(missing.requires)
    assert "pip install" in states[missing.usage]
    assert states[own_schemes()["kt"].usage] == "ready"


def test_the_table_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "models")[1].splitlines()
    # Where a package is missing, the line to type stands at the end and may be longer.
    assert max(len(line) for line in lines if line.endswith("ready")) <= 80
