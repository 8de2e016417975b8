"""`bitmeter serve`: its options reach the server."""

from __future__ import annotations

from typing import Any

import pytest

from bitmeter.cli import _run
from bitmeter.errors import MissingPackageError
from bitmeter.web.start import serve


def test_options(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    given: dict[str, Any] = {}

    def serve(models: list[str], *, ready: Any, **options: Any) -> None:
        given.update(options, models=list(models))
        ready("http://127.0.0.1:1/")

    monkeypatch.setattr("bitmeter.web.start.serve", serve)
    monkeypatch.setenv("BITMETER_TOKEN", "from-the-environment")
    line = "serve kt --models . --port 0 --name box --host 10.0.0.1 --idle 2"
    assert _run(line.split()) == 0
    assert given["models"] == ["kt"]
    assert (given["host"], given["port"], given["names"]) == ("10.0.0.1", 0, ["box"])
    assert given["token"] == "from-the-environment"
    assert (str(given["folder"]), given["idle"]) == (".", 120.0)
    assert "The page is at http://127.0.0.1:1/" in capsys.readouterr().out


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def absent(name: str) -> Any:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr("bitmeter._util.optional.importlib.import_module", absent)

    with pytest.raises(MissingPackageError, match=r"\.\[web\]"):
        serve()
