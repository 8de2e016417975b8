"""What a file holds cannot command the terminal: no control character of it is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import run

#: Sets the title of a terminal's window, and deletes a line.
ESCAPE = "\x1b]0;owned\x07\x1b[2K\x9b31m"


def is_harmless(text: str) -> bool:
    return not any((char < " " and char not in "\n\t") or "\x7f" <= char <= "\x9f" for char in text)


def test_a_saved_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bm.score("kt", b"to be or not to be").save(tmp_path / "run.json")
    whole = json.loads((tmp_path / "run.json").read_text())
    tried = 0
    for name, value in whole.items():
        if not isinstance(value, str | list):
            continue
        forged = whole | {name: value + ESCAPE if isinstance(value, str) else [*value, ESCAPE]}
        (tmp_path / "forged.json").write_text(json.dumps(forged))
        for words in (["explain"], ["compare", str(tmp_path / "run.json")]):
            _, printed, said = run(capsys, *words, str(tmp_path / "forged.json"))
            assert is_harmless(printed + said), name
            tried += 1
    assert tried > 4


@pytest.mark.parametrize(
    "content", [f'{{"schema": "{json.dumps(ESCAPE)[1:-1]}"}}', f'{{"{json.dumps(ESCAPE)[1:-1]}": 1}}']
)
def test_a_mixture(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.bmx").write_text(content)
    code, printed, said = run(capsys, "score", str(tmp_path / "m.bmx"), __file__)
    assert code == 1
    assert is_harmless(printed + said)


def test_a_word_of_an_arpa_file_and_a_unit_of_a_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    word = ESCAPE.replace("\x07", "")
    (tmp_path / "m.arpa").write_text(f"\\data\\\nngram 1=2\n\n\\1-grams:\n-1\t<s>\n-oops\t{word}\n\n\\end\\\n")
    code, printed, said = run(capsys, "score", str(tmp_path / "m.arpa"), __file__)
    assert code == 1
    assert is_harmless(printed + said)
    (tmp_path / "t.txt").write_text(f"one {word} two\n" * 5)
    for arguments in (["trace", "kt"], ["trace", "kt", "--all"], ["trace", "kt", "--json"]):
        code, printed, said = run(capsys, *arguments, str(tmp_path / "t.txt"))
        assert code == 0, said
        assert is_harmless(printed + said), arguments
