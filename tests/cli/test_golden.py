"""What the verbs print, to the letter.

Each file of `golden/` is a transcript: the commands in it are run one after the other in a folder with the texts of
`write_texts`, and must print what stands below them. Figures for people must be equal to the digit. A double at full
precision, as --json prints it, may differ in its last digits, which depend on the processor.

`BITMETER_UPDATE_GOLDEN=1 pytest tests/cli/test_golden.py` rewrites the transcripts that no longer agree; read the
difference before committing it.
"""

from __future__ import annotations

import math
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter import cli
from bitmeter.cli.verbs import VERBS
from tests.cli.texts import write_texts

GOLDEN = Path(__file__).parent / "golden"
TRANSCRIPTS = sorted(GOLDEN.glob("*.txt"))
UPDATE = os.environ.get("BITMETER_UPDATE_GOLDEN") == "1"
MAIN = [sys.executable, "-c", "from bitmeter.cli import main; main()"]


#: The sizes of an archive that depends on the machine, and what it says of that.
MACHINE = re.compile(
    r"in [\d,]+, [\d.]+ bits per byte \((.* of text), [\d,]+ of header and\s+checksums\);\s+decoded\s+and\s+compared\n"
    r"note: (.*(?:\n {6}.*)*?\s+on\s+machines\s+like\s+this\s+one): .*(?:\n {6}.*)*"
)


def _without_machine(found: re.Match[str]) -> str:
    text, note = found[1], " ".join(found[2].split())
    return f"in #, # bits per byte ({text}, # of header and checksums); decoded and compared\nnote: {note}: #"


def settled(text: str) -> str:
    """Without what changes from version to version or day to day, and the machine that an archive notes."""
    text = MACHINE.sub(_without_machine, text)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "####-##-## ##:##", text)
    text = re.sub(r"year( +)= \{\d{4}\}", r"year\1= {####}", text)
    return re.sub(r"bm1-[0-9a-f]{8}", "bm1-########", text).replace(f" {bm.__version__}:", " VERSION:")


#: A number with a decimal point.
DECIMAL = re.compile(r"\d+\.\d+(?:e[+-]?\d+)?")
#: A number of so many digits is a double at full precision: nothing that is printed for people has more than ten.
FULL_DIGITS = 12
TOLERANCE = 1e-12


def is_full(number: str) -> bool:
    return len(re.sub(r"e.*|\.", "", number).lstrip("0")) >= FULL_DIGITS


def agree(found: str, written: str) -> bool:
    """Whether two transcripts are the same, but for the last digits of doubles at full precision."""
    if DECIMAL.sub("#", found) != DECIMAL.sub("#", written):
        return False
    pairs = zip(DECIMAL.findall(found), DECIMAL.findall(written), strict=True)
    return all(
        a == b or ((is_full(a) or is_full(b)) and math.isclose(float(a), float(b), rel_tol=TOLERANCE)) for a, b in pairs
    )


def test_the_comparison_can_fail() -> None:
    assert agree('{"entropy": 3.972711103349733}', '{"entropy": 3.9727111033497335}')
    assert agree("2.0", "1.9999999999999998")
    assert not agree("3.972711103349733", "3.972711103249733")
    assert not agree("10.071 bits", "10.072 bits")
    assert not agree("2.0", "2.00")
    assert not agree('{"rank": 34}', '{"rank": 35}')
    assert not agree("3.972711103349733 bits", "3.972711103349733 nats")


def transcript(commands: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    parts = []
    for command in commands:
        words = shlex.split(command)
        columns = words.pop(0).removeprefix("COLUMNS=") if words[0].startswith("COLUMNS=") else "80"
        monkeypatch.setenv("COLUMNS", columns)
        assert words[0] == "bitmeter"
        code = cli._run(words[1:])
        printed, said = capsys.readouterr()
        shown = [f"$ {command}\n", printed, said, f"[exit {code}]\n" if code else ""]
        parts.append("".join(shown))
        assert (code == 0) == (said == ""), f"{command}: what goes wrong is said on stderr, and only that: {said}"
    return settled("\n".join(parts))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_output_is_what_it_was(
    path: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path_factory.mktemp("data")))
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    written = path.read_text(encoding="utf-8")
    found = transcript(re.findall(r"^\$ (.*)$", written, re.MULTILINE), capsys, monkeypatch)
    if UPDATE and not agree(found, written):
        path.write_text(found, encoding="utf-8")
    elif not agree(found, written):
        assert found == written  # for pytest to show the difference


def test_every_verb_has_a_transcript() -> None:
    shown = "".join(path.read_text(encoding="utf-8") for path in TRANSCRIPTS)
    verbs = {verb for group in VERBS.values() for verb in group}
    # These need a network or print whole tables; their own tests look at what they print.
    for verb in verbs - {"diverge", "entropy", "learn", "demo"}:
        assert f"$ bitmeter {verb}" in shown


def test_the_settling_hides_only_versions() -> None:
    assert settled("a bm1-01234567 b") == "a bm1-######## b"
    assert settled("4.561 ± 0.014") == "4.561 ± 0.014"
    exact = "x: 5 bytes in 390, 70.9 bits per byte (49 of text, 341 of header and checksums); decoded and compared"
    assert settled(exact) == exact
    assert settled(f"{exact}\nnote: x decodes only on machines like this one: numpy 2") == (
        "x: 5 bytes in #, # bits per byte (49 of text, # of header and checksums); decoded and compared\n"
        "note: x decodes only on machines like this one: #"
    )


@pytest.mark.parametrize(
    "command",
    [
        "score kt harbour.txt --docs line",
        "score -m uniform -m kt harbour.txt half.txt",
        "trace kt harbour.txt --by word --top 5",
        "trace uniform odd.txt --top 5",
        "compare uniform kt --on harbour.txt --docs line",
        "explain kenlm srilm",
        "models",
    ],
)
def test_the_text_at_a_terminal_is_the_text_in_a_pipe(command: str, tmp_path: Path) -> None:
    write_texts(tmp_path)
    words = [*MAIN, *shlex.split(command)]
    terminal, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CI")}
    piped = subprocess.run(
        words, cwd=tmp_path, capture_output=True, check=True, stdin=subprocess.DEVNULL,
        env={**environment, "COLUMNS": "60"},
    ).stdout  # fmt: skip
    child = subprocess.Popen(
        words, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE,
        env={**environment, "TERM": "xterm-256color", "COLUMNS": "60"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            block = os.read(terminal, 65536)
        except OSError:  # the child has closed its side
            break
        if not block:
            break
        shown += block
    os.close(terminal)
    _, said = child.communicate(timeout=60)
    assert (child.returncode, said) == (0, b"")
    assert re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", shown).replace(b"\r\n", b"\n") == piped


MISTAKES = [
    (2, "score"),
    (2, "score kt"),
    (2, "score kt harbour.txt --like vim"),
    (2, "score kt harbour.txt --docs chapter"),
    (2, "score kt harbour.txt --per verse -q"),
    (2, "score kt harbour.txt --confidence 950"),
    (2, "score kt harbour.txt -q --json"),
    (2, "score kt harbour.txt half.txt -o run.json"),
    (2, "score kt harbour.txt --no-such-option"),
    (1, "score gpt7 harbour.txt"),
    (1, "score uniform:many harbour.txt"),
    (1, "score kt missing.txt"),
    (1, "score kt harbour.txt --docs record"),
    (1, "score kt rows.jsonl --docs line"),
    (1, "score kt rows.jsonl --field body"),
    (1, "score kt harbour.txt --like kenlm"),
    (1, "score kt harbour.txt --oov spelled"),
    (2, "score kt harbour.txt --ctx 512"),
    (1, "score kt harbour.txt --ctx 512.256"),
    (1, "score xz harbour.txt --first skip"),
    (2, "score kt harbour.txt -o missing/run.json"),
    (1, "score kt empty.txt -q"),
    (2, "compare kt"),
    (2, "compare kt uniform"),
    (2, "compare harbour.txt half.txt"),
    (1, "compare kt uniform --on empty.txt"),
    (2, "trace kt"),
    (1, "trace xz harbour.txt"),
    (2, "trace kt harbour.txt --by verse"),
    (2, "trace kt harbour.txt --top 0"),
    (2, "explain nonsense"),
    (2, "explain a:b|c"),
    (1, "explain harbour.txt"),
]


@pytest.mark.parametrize(("code", "command"), MISTAKES, ids=[command for _, command in MISTAKES])
def test_a_mistake_is_said_in_one_sentence(
    code: int, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert cli._run(shlex.split(command)) == code
    printed, said = capsys.readouterr()
    assert printed == ""
    assert said.startswith("error: ")
    assert "Traceback" not in said
    assert len(said.splitlines()) <= 2
    assert sorted(tmp_path.rglob("*")) == before
