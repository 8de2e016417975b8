"""Defaults from files: what they change, what they cannot, and what is said of a wrong one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.cli.settings import KEYS, OWN_KEYS, is_configured, read_settings
from bitmeter.cli.verbs import VERBS, _Verbs
from bitmeter.errors import InputError
from tests.cli.running import Terminal, run

TEXT = b"to be or not to be\nthat is the question\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    Path("text").write_bytes(TEXT)
    return tmp_path


def project(text: str) -> None:
    Path("pyproject.toml").write_text(f"[project]\nname = 'x'\n[tool.bitmeter]\n{text}\n")


def own(folder: Path, text: str) -> None:
    (folder / "config" / "bitmeter").mkdir(parents=True, exist_ok=True)
    (folder / "config" / "bitmeter" / "config.toml").write_text(text)


def measured(capsys: pytest.CaptureFixture[str], *words: str) -> bm.Score:
    code, printed, said = run(capsys, "score", *words, "--json")
    assert (code, said) == (0, "")
    return bm.Score.from_json(printed)


def test_without_files_there_are_none(here: Path) -> None:
    assert not is_configured()
    assert read_settings().values == {}
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert not is_configured()


def test_a_folder_and_a_user_set_defaults_and_what_is_typed_goes_first(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own(here, "confidence = 0.9\ndocs = 'blank'\n")
    found = measured(capsys, "kt", "text")
    assert (found.confidence, found.docs) == (0.9, "blank")
    project("docs = 'line'")
    found = measured(capsys, "kt", "text")
    assert (found.confidence, found.docs) == (0.9, "line")
    found = measured(capsys, "kt", "text", "--docs", "file", "--confidence", "0.5")
    assert (found.confidence, found.docs) == (0.5, "file")


def test_the_fast_path_knows_them(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bm.NGram(order=2).fit(TEXT).save("m.bmn")
    project("docs = 'line'")
    assert measured(capsys, "m.bmn", "text").docs == "line"


def test_off(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    project("docs = 'line'")
    monkeypatch.setenv("BITMETER_CONFIG", "off")
    assert measured(capsys, "kt", "text").docs == "file"


def test_a_default_yields_where_it_has_no_meaning(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project("docs = 'line'\nctx = '8.4'")
    assert measured(capsys, "kt", "text").docs == "line"  # kt has no windows
    for name in ("kt", "uniform"):
        assert run(capsys, "score", name, "text", "-o", f"{name}.json", "--no-history")[0] == 0
    for command in (
        "compare uniform.json kt.json", "compare uniform kt --on text", "check uniform.json kt.json",
        "score kt text --prove", "trace kt text", "runs list",
    ):  # fmt: skip
        code, _, said = run(capsys, *command.split())
        assert (code, said) == (0, ""), command
    assert run(capsys, "compare", "uniform.json", "kt.json", "--docs", "line")[0] == 2


def test_the_user_can_turn_the_history_off_and_a_folder_cannot(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BITMETER_DATA", str(here / "data"))
    own(here, "history = false\n")
    measured(capsys, "kt", "text")
    assert not (here / "data").exists()
    own(here, "")
    project("history = false")
    code, _, said = run(capsys, "score", "kt", "text")
    assert code == 2
    assert "'history', which cannot be set there (in a folder's file; your own config.toml can)" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trust = 'yes'", "sets 'trust', which cannot be set there; known are confidence, ctx"),
        ("output = '/etc/passwd'", "cannot be set there"),
        ("model = 'openai:http://evil'", "cannot be set there"),
        ("force = true", "cannot be set there"),
        ("confidence = 'high'", "it must be a number"),
        ("confidence = true", "it must be a number"),
        ("top = 1.5", "it must be a whole number"),
        ("docs = 3", "it must be a text"),
        ('docs = "a\\u001b"', "it must be a text"),
        ("docs = ", "is not TOML"),
    ],
)
def test_a_wrong_file_is_a_mistake_with_a_way_out(
    text: str, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(text)
    code, printed, found = run(capsys, "score", "kt", "text")
    assert (code, printed) == (2, "")
    assert said in found
    assert "BITMETER_CONFIG=off" in found
    with pytest.raises(InputError):
        read_settings()
    assert run(capsys, "score", "--help")[0] == 0
    code, printed, _ = run(capsys, "doctor")
    assert code == 1
    assert "pyproject.toml" in printed


def test_a_value_that_the_option_refuses_is_a_mistake(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project("docs = 'chapter'")
    assert run(capsys, "score", "kt", "text")[0] == 2


def test_a_table_that_is_none(here: Path) -> None:
    Path("pyproject.toml").write_text("[tool]\nbitmeter = 3\n# tool.bitmeter\n")
    with pytest.raises(InputError, match="must be a table"):
        read_settings()


def test_a_terminal_shows_them(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    project("docs = 'line'")
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    run(capsys, "runs", "list")
    assert "note: defaults from files: docs=line (pyproject.toml)" in terminal.getvalue()


def test_nothing_that_names_or_trusts_can_be_set() -> None:
    """Each key is an option of a verb whose value is a choice or a number."""
    import typer

    options = {
        parameter.name
        for group, verbs in VERBS.items()
        for verb in verbs
        for parameter in typer.main.get_command(_app(group, verb)).params
    }
    later = {"format"}  # of the tables
    assert set(KEYS) - later <= options
    assert set(OWN_KEYS) - set(KEYS) == {"history"}
    assert not {"model", "output", "trace", "force", "key", "components", "field", "matrix", "prime", "on"} & set(KEYS)


def _app(group: str, verb: str) -> Any:
    import typer

    from bitmeter.cli.commands import flattened

    app = typer.Typer()
    app.command(verb)(flattened(_Verbs.load(group, verb)))
    return app


def test_the_list_is_json_that_can_be_loaded(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project("confidence = 0.9")
    found = json.loads(run(capsys, "doctor", "--json")[1])
    assert found["settings"] == {"confidence": {"value": 0.9, "file": "pyproject.toml"}}
