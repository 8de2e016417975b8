"""Hundreds of wrong calls, over all verbs: `golden/wrong.txt` has each with what it says and its exit code.

2 is for a command that is wrong whatever the files hold; 1 for a file, a model or a text with which it cannot be done.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bitmeter import cli
from bitmeter.cli.verbs import ALIASES, UNLISTED, VERBS
from tests.cli.running import Terminal
from tests.cli.texts import write_texts

CALLS = re.findall(
    r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", (Path(__file__).parents[1] / "golden" / "wrong.txt").read_text(), re.MULTILINE
)
#: What no user should have to read.
LEAKS = re.compile(r"\[?Errno|Traceback|Input should|=…|Corpus\.|object at 0x|<class|\bNone\b|kwarg")


def test_there_are_a_hundred_and_every_verb_has_some() -> None:
    assert len({command for command, _ in CALLS}) == len(CALLS) >= 100
    verbs = {command.split()[1] for command, _ in CALLS}
    assert {verb for group in VERBS.values() for verb in group} <= verbs


@pytest.mark.parametrize(("command", "said"), CALLS, ids=[command for command, _ in CALLS])
def test_each_says_what_is_wrong_and_what_to_type(command: str, said: str) -> None:
    message, *rest = said.strip("\n").splitlines()
    assert message.startswith("error: ")
    assert not LEAKS.search(message), message
    assert len(message) <= 500
    verb = command.replace(" -- ", " ").split()[1]
    known = {name for group in VERBS.values() for name in group} | {*UNLISTED, *ALIASES}
    shown = f"bitmeter {verb}" if verb in known else "bitmeter"
    if rest[-1] == "[exit 2]":
        assert rest[:-1] in ([f"Type: {shown} --help"], ["Type: bitmeter --help"])
    else:
        assert rest == ["[exit 1]"]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_terminal_folds_between_words(
    columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(columns))
    for command in ("score kt harbour.txt --docs lines", "score gpt2 harbour.txt", "explain nonsense"):
        cli._run(shlex.split(command))
        piped = capsys.readouterr().err
        terminal = Terminal()
        with monkeypatch.context() as patch:
            patch.setattr("sys.stderr", terminal)
            cli._run(shlex.split(command))
        assert max(map(len, terminal.shown.splitlines())) <= columns
        assert terminal.shown.split() == piped.split()
