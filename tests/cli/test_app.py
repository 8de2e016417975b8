"""The command line as a whole: help, version, exit codes, pipes and interruptions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bitmeter
from bitmeter import cli
from bitmeter.cli import verbs as cli_verbs
from tests.cli.running import MAIN, at_terminal

ROOT = Path(__file__).parents[2]
VERBS = [verb for group in cli_verbs.VERBS.values() for verb in group]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MAIN, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str) -> None:
    done = run(verb, "--help")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()[2].strip()) > 20  # a sentence on what it does
    assert f"  {verb} " in run("--help").stdout


def test_every_option_has_help() -> None:
    import typer

    group: Any = typer.main.get_command(cli.app)
    for verb in VERBS:
        for parameter in group.get_command(None, verb).params:
            assert parameter.help, f"{verb} {parameter.name} has no help"


def test_every_verb_is_in_the_documentation() -> None:
    import runpy

    shown: str = runpy.run_path(str(ROOT / "docs" / "hooks.py"))["verbs"]()
    for verb in VERBS:
        assert f"## bitmeter {verb}\n" in shown
        assert f"Usage: bitmeter {verb}" in shown
    assert "<!-- verbs -->" in (ROOT / "docs" / "cli.md").read_text()


def test_version() -> None:
    assert run("--version").stdout == f"bitmeter {bitmeter.__version__}\n"


def test_no_words_shows_the_help() -> None:
    done = run()
    assert done.returncode == 0
    assert done.stdout == run("--help").stdout


def test_a_fault_of_ours_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(ZeroDivisionError):
        cli._run([])


def test_a_reader_that_goes_away_is_no_error() -> None:
    # `head -1` closes the pipe while the tour still prints.
    done = subprocess.run(
        ["bash", "-c", '"$@" learn | head -1 > /dev/null', "-", *MAIN], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


def test_a_reader_that_goes_away_is_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("to be or not to be\n" * 20)
    done = subprocess.run(
        ["bash", "-c", '"$@" check uniform kt --on t.txt --docs line | true; exit "${PIPESTATUS[0]}"', "-", *MAIN],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    # 128 + SIGPIPE, or 0 where all was written before the reader had gone; never 1, which is "worse".
    assert done.returncode in (141, 0)
    assert done.stderr == ""


def test_interruption_is_quiet() -> None:
    # It says when it waits for input: an interruption before that meets imports, which answer as they like.
    code = """
import sys
from bitmeter.cli import main
class Waiting:
    buffer = property(lambda self: self)
    def isatty(self):
        return False
    def read(self):
        print("ready", flush=True)
        return sys.__stdin__.buffer.read()
sys.stdin = Waiting()
main()
"""
    child = subprocess.Popen(
        [sys.executable, "-c", code, "entropy", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "Traceback" not in said


def test_at_a_terminal_without_a_file_it_says_what_to_type() -> None:
    code, shown = at_terminal("entropy")
    assert code == 2
    assert "bitmeter entropy --sample" in " ".join(shown.split())  # it is folded at the terminal's width


def test_the_text_at_a_terminal_is_the_text_in_a_pipe() -> None:
    import re

    code, shown = at_terminal("entropy", "--sample", "--units", "words")
    assert code == 0
    assert "measuring" in shown  # progress, on stderr
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r", "")
    assert run("entropy", "--sample", "--units", "words").stdout.strip() in plain


def test_a_wrong_instruction_set_is_one_line() -> None:
    code = "from bitmeter.cli import main; main(['score', 'kt', '-'])"
    done = subprocess.run(
        [sys.executable, "-c", code], input="a", capture_output=True, text=True, check=False,
        env={**os.environ, "BITMETER_CPU": "mmx"},
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error: BITMETER_CPU is 'mmx'")
    assert "baseline" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "found"),
    [("bitmeter sco", {"score"}), ("bitmeter co", {"compare", "convert", "compress", "code"}),
     ("bitmeter score --no", {"--norm", "--no-history"}), ("bitmeter doctor --j", {"--json"})],
)  # fmt: skip
def test_the_shell_completes_verbs_and_options(words: str, found: set[str]) -> None:
    environment = {
        **os.environ, "COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_BITMETER_COMPLETE": "complete_bash",
    }  # fmt: skip
    done = subprocess.run(MAIN, capture_output=True, text=True, env=environment, check=True)
    assert set(done.stdout.split()) == found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_into_the_home_of_the_user(shell: str, tmp_path: Path) -> None:
    # typer finds the shell by the parent process; with this variable the shell is named instead.
    environment = {**os.environ, "HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = subprocess.run(
        [*MAIN, "--show-completion", shell], capture_output=True, text=True, env=environment, check=True
    )
    assert "_BITMETER_COMPLETE" in shown.stdout
    done = subprocess.run(
        [*MAIN, "--install-completion", shell], capture_output=True, text=True, env=environment, check=True
    )
    assert f"{shell} completion installed in" in done.stdout
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "_BITMETER_COMPLETE" in written
