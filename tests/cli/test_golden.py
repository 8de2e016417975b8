"""What the verbs print, to the letter.

Each file of `golden/` is a transcript: the commands in it are run one after the other in a folder with the texts of
`write_texts`, and must give what stands below them. `BITMETER_UPDATE_GOLDEN=1 pytest tests/cli/test_golden.py` writes
the transcripts anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter import cli

GOLDEN = Path(__file__).parent / "golden"
TRANSCRIPTS = sorted(GOLDEN.glob("*.txt"))
UPDATE = os.environ.get("BITMETER_UPDATE_GOLDEN") == "1"
MAIN = [sys.executable, "-c", "from bitmeter.cli import main; main()"]

LINES = """\
The wind was in the north, and the harbour lay quite still.
Nobody had seen the old boat since the end of October.
She was, they said, the only boat that never came home late.
On the third day the wind turned, and it began to rain.
It rained on the boats and the nets and the empty market.
Then a boy came running down from the hill above the harbour.
He had seen a sail, he said, a small brown sail, far out.
And so the whole village went down to the water to wait.
"""


def write_texts(folder: Path) -> None:
    """A text, half of it, one with all that is odd, rows, and a folder."""
    (folder / "harbour.txt").write_text(LINES)
    (folder / "half.txt").write_text("".join(LINES.splitlines(keepends=True)[:4]))
    (folder / "odd.txt").write_bytes(b"\xef\xbb\xbfna\xc3\xafve [bold]\r\n\\ tab\there \xff\xfe\r\n\r\nlast line")
    (folder / "empty.txt").write_bytes(b"")
    rows = [{"id": i, "text": line} for i, line in enumerate(LINES.splitlines())]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "texts").mkdir()
    for number in range(3):
        (folder / "texts" / f"{number}.txt").write_text(LINES[60 * number : 60 * number + 120])


def settled(text: str) -> str:
    """Without what changes from version to version."""
    return re.sub(r"bm1-[0-9a-f]{8}", "bm1-########", text).replace(f" {bm.__version__}:", " VERSION:")


def transcript(commands: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    parts = []
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "bitmeter"
        code = cli._run(words[1:])
        printed, said = capsys.readouterr()
        shown = [f"$ {command}\n", printed, said, f"[exit {code}]\n" if code else ""]
        parts.append("".join(shown))
        assert (code == 0) == (said == ""), f"{command}: what goes wrong is said on stderr, and only that: {said}"
    return settled("\n".join(parts))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_output_is_what_it_was(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    written = path.read_text(encoding="utf-8")
    found = transcript(re.findall(r"^\$ (.*)$", written, re.MULTILINE), capsys)
    if UPDATE:
        path.write_text(found, encoding="utf-8")
    assert found == written or UPDATE


def test_every_verb_has_a_transcript() -> None:
    shown = "".join(path.read_text(encoding="utf-8") for path in TRANSCRIPTS)
    verbs = (
        "score", "trace", "compare", "explain", "models", "train", "convert", "mix", "sample", "compress", "decompress",
        "verify", "code",
    )  # fmt: skip
    for verb in verbs:
        assert f"$ bitmeter {verb}" in shown


def test_the_settling_hides_only_versions() -> None:
    assert settled("a bm1-01234567 b") == "a bm1-######## b"
    assert settled("4.561 ± 0.014") == "4.561 ± 0.014"


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
    piped = subprocess.run(words, cwd=tmp_path, capture_output=True, check=True, stdin=subprocess.DEVNULL).stdout
    terminal, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CI")}
    child = subprocess.Popen(
        words, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE,
        env={**environment, "TERM": "xterm-256color", "COLUMNS": "60"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the child has closed its side
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    _, said = child.communicate(timeout=60)
    assert (child.returncode, said) == (0, b"")
    assert re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", shown).replace(b"\r\n", b"\n") == piped


def test_json_holds_every_figure_to_the_last_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert cli._run(["score", "kt", "harbour.txt", "--docs", "line", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    score = bm.score("kt", "harbour.txt", docs="line")
    assert (found["nats"], found["bits_per_byte"], found["bytes"]) == (score.nats, score.bits_per_byte, score.bytes)
    assert bm.Score.from_json(json.dumps(found)) == score
    assert cli._run(["score", "-m", "kt", "-m", "uniform", "harbour.txt", "--json"]) == 0
    assert [one["model"] for one in json.loads(capsys.readouterr().out)] == ["kt", "uniform:256"]
    assert cli._run(["compare", "uniform", "kt", "--on", "harbour.txt", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    flat = bm.score("uniform", "harbour.txt").bits_per_byte
    assert rows[1]["difference"] == bm.score("kt", "harbour.txt").bits_per_byte - flat
    assert cli._run(["trace", "kt", "harbour.txt", "--all", "--json"]) == 0
    nats = [json.loads(line)["nats"] for line in capsys.readouterr().out.splitlines()]
    assert sum(nats) == pytest.approx(score.nats, rel=1e-12)
    assert cli._run(["models", "--json"]) == 0
    assert {"usage", "summary", "state"} == set(json.loads(capsys.readouterr().out)[0])


def test_saved_runs_and_traces_are_those_of_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert cli._run(["score", "kt", "harbour.txt", "-o", "run.json", "--trace", "run.parquet"]) == 0
    score = bm.score("kt", "harbour.txt")
    assert bm.Score.load("run.json") == score
    trace = bm.Trace.load("run.parquet")
    assert (trace.logprob == score.trace.logprob).all()
    assert b"".join(trace.units) == LINES.encode()
    before = (tmp_path / "run.json").read_bytes()
    assert cli._run(["score", "uniform", "harbour.txt", "-o", "run.json"]) == 2
    assert "--force" in capsys.readouterr().err
    assert (tmp_path / "run.json").read_bytes() == before
    assert cli._run(["score", "uniform", "harbour.txt", "-o", "run.json", "--force"]) == 0
    assert bm.Score.load("run.json").model == "uniform:256"


def test_tab_separated_values_are_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert cli._run(["trace", "kt", "odd.txt", "--by", "word", "--all"]) == 0
    lines = capsys.readouterr().out.split("\n")
    rows = [line.split("\t") for line in lines[1:-1]]
    assert lines[0].split("\t") == ["doc", "start", "end", "bits", "unit"]
    assert {len(row) for row in rows} == {5}
    score = bm.score("kt", "odd.txt")
    assert sum(float(row[3]) for row in rows) == pytest.approx(score.bits, rel=1e-12)
    units = [row[4].encode("latin-1", "backslashreplace") for row in rows]
    assert b"".join(units).count(rb"\xff\xfe") == 1  # bytes that are not UTF-8, as they are


MISTAKES = [
    (2, "score"),
    (2, "score kt"),
    (2, "score kt harbour.txt --like vim"),
    (2, "score kt harbour.txt --docs chapter"),
    (2, "score kt harbour.txt --per verse -q"),
    (2, "score kt harbour.txt --confidence 95"),
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
    (1, "score kt harbour.txt -o missing/run.json"),
    (1, "score kt empty.txt -q"),
    (2, "compare kt"),
    (2, "compare kt uniform"),
    (1, "compare harbour.txt half.txt"),
    (1, "compare kt uniform --on empty.txt"),
    (1, "trace kt"),
    (1, "trace xz harbour.txt"),
    (1, "trace kt harbour.txt --by verse"),
    (2, "trace kt harbour.txt --top 0"),
    (2, "explain nonsense"),
    (1, "explain a:b|c"),
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


def test_an_interrupted_score_leaves_no_file(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [*MAIN, "score", "kt", "-", "-o", "run.json", "--trace", "run.parquet"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdin is not None
    end = time.monotonic() + 60
    while not any(path.stat().st_size for path in tmp_path.iterdir()):  # until the trace is being written
        assert time.monotonic() < end
        child.stdin.write(LINES.encode() * 500)
        child.stdin.flush()
        time.sleep(0.02)
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == []
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"Traceback" not in said
    assert list(tmp_path.iterdir()) == []
