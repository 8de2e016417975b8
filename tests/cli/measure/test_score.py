"""`bitmeter score`: the figures of the library, in every output form."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Literal

import pytest

import bitmeter as bm
from bitmeter import cli
from tests.cli.running import MAIN, run
from tests.cli.texts import LINES, write_texts
from tests.hosts.logs.made_logs import GENUINE, chat, write


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_json_holds_every_figure_to_the_last_bit(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = run(capsys, "score", "kt", "harbour.txt", "--docs", "line", "--json")
    found = json.loads(printed)
    score = bm.score("kt", "harbour.txt", docs="line")
    assert (found["nats"], found["bits_per_byte"], found["bytes"]) == (score.nats, score.bits_per_byte, score.bytes)
    assert bm.Score.from_json(json.dumps(found)) == score
    _, printed, _ = run(capsys, "score", "-m", "kt", "-m", "uniform", "harbour.txt", "--json")
    assert [one["model"] for one in json.loads(printed)] == ["kt", "uniform:256"]


def test_several_models_and_texts_are_scored_text_by_text(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = run(capsys, "score", "-m", "kt", "-m", "xz", "harbour.txt", "half.txt", "-q")
    assert code == 0
    expected = [bm.score(model, text).bits_per_byte for text in ("harbour.txt", "half.txt") for model in ("kt", "xz")]
    assert [float(line) for line in printed.splitlines()] == expected


@pytest.mark.parametrize(("per", "empty"), [("byte", b""), ("word", b" \n")])
def test_quiet_prints_the_figures_of_the_other_texts_where_one_has_none(
    here: Path, capsys: pytest.CaptureFixture[str], per: Literal["byte", "word"], empty: bytes
) -> None:
    (here / "empty.txt").write_bytes(empty)
    texts = ["harbour.txt", "empty.txt", "half.txt"]
    code, printed, said = run(capsys, "score", "kt", *texts, "-q", "--per", per)
    first, last = (repr(bm.score("kt", text).per(per)) for text in ("harbour.txt", "half.txt"))
    assert (code, printed.splitlines()) == (0, [first, "–", last])
    assert said == f"note: the text empty.txt has no {per}s, so there is nothing to divide by\n"
    code, printed, said = run(capsys, "score", "-m", "kt", "-m", "uniform", "empty.txt", "-q", "--per", per)
    assert (code, printed) == (1, "")
    assert f"the text empty.txt has no {per}s" in said


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_null_text_is_refused_with_what_to_type(here: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    rows = [{"text": "one"}, {"text": None}, {"text": "two"}]
    if kind == "jsonl":
        (here / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
        pq.write_table(pa.Table.from_pylist(rows), "a.parquet")
    code, _, said = run(capsys, "score", "kt", f"a.{kind}")
    assert code == 1
    assert said.endswith("2: 'text' is null; it must be text. Leave such rows out with --on-bad skip, or choose "
                         "another with --field\n")  # fmt: skip
    assert run(capsys, "score", "kt", f"a.{kind}", "--on-bad", "skip", "-q")[0] == 0
    # There is no such option elsewhere.
    _, _, said = run(capsys, "compare", "kt", "uniform", "--on", f"a.{kind}")
    assert "Remove such rows, or choose another with --field\n" in said


@pytest.mark.parametrize(
    ("name", "tool"), [("lm_eval.jsonl", "lm-eval"), ("lighteval.parquet", "lighteval"), ("server.jsonl", "a server")]
)
def test_a_log_of_another_tool_is_for_runs_import(
    here: Path, capsys: pytest.CaptureFixture[str], name: str, tool: str
) -> None:
    if name == "lm_eval.jsonl":
        write(here / name, {"doc_id": 0, "arguments": [["The text"]], "resps": [[[-3.5]]]})
    elif name == "server.jsonl":
        write(here / name, chat(("a", -1.0)), chat(("b", -2.0)))
    else:
        shutil.copy(GENUINE / name, here / name)
    code, _, said = run(capsys, "score", "kt", name)
    assert code == 1
    assert said.endswith(f". This is a log of {tool}, which has its figures already: bitmeter runs import {name}\n")
    assert run(capsys, "runs", "import", name)[0] == 0
    (here / "rows.jsonl").write_text('{"body": "x"}\n')
    assert "runs import" not in run(capsys, "score", "kt", "rows.jsonl")[2]


def test_without_a_model_it_is_universal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = run(capsys, "score", "half.txt")
    assert printed.endswith("No model was named, so this is universal, which learns as it reads.\n")
    _, printed, _ = run(capsys, "score", "half.txt", "-q", "--per", "char")
    assert float(printed) == bm.score("universal", "half.txt").per("char")


def test_a_file_that_is_called_like_a_model_is_a_text_by_its_path(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "kt").write_text("a text")
    code, _, said = run(capsys, "score", "kt")
    assert (code, "a text is needed: bitmeter score kt TEXT" in said) == (2, True)
    assert run(capsys, "score", "./kt", "-q")[0] == 0


def test_a_priming_text_is_read_first(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone, primed = (
        float(run(capsys, "score", "universal:small", "harbour.txt", "-q", *more)[1])
        for more in ([], ["--prime", "half.txt"])
    )
    assert primed < 0.7 * alone  # half of the text has been read before


def test_a_proof_is_the_text_decoded(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = run(capsys, "score", "kt", "half.txt", "--prove")
    assert code == 0
    assert str(bm.score("kt", "half.txt")) in printed
    assert printed.endswith("proved: the text was decoded from that many bits\n")
    for option in (["--docs", "line"], ["--like", "kenlm"]):
        code, _, said = run(capsys, "score", "kt", "half.txt", "--prove", *option)
        assert code == 2
        assert f"leave out {option[0]}\n" in said


def test_saved_runs_and_traces_are_those_of_the_library(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli._run(["score", "kt", "harbour.txt", "-o", "run.json", "--trace", "run.parquet"]) == 0
    score = bm.score("kt", "harbour.txt")
    assert bm.Score.load("run.json") == score
    trace = bm.Trace.load("run.parquet")
    assert (trace.logprob == score.trace.logprob).all()
    assert b"".join(trace.units) == LINES.encode()
    before = (here / "run.json").read_bytes()
    assert cli._run(["score", "uniform", "harbour.txt", "-o", "run.json"]) == 2
    assert "--force" in capsys.readouterr().err
    assert (here / "run.json").read_bytes() == before
    assert cli._run(["score", "uniform", "harbour.txt", "-o", "run.json", "--force"]) == 0
    assert bm.Score.load("run.json").model == "uniform:256"


def _is_written(folder: Path, process: int) -> bool:
    """Whether a file in a folder, which may have no name yet, has content."""
    opened = list(Path(f"/proc/{process}/fd").glob("*")) if Path("/proc/self/fd").exists() else []
    inside = [path for path in opened if os.path.islink(path) and os.readlink(path).startswith(str(folder))]
    return any(path.exists() and path.stat().st_size for path in (*inside, *folder.iterdir()))


def test_an_interrupted_score_leaves_no_file(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [*MAIN, "score", "kt", "-", "-o", "run.json", "--trace", "run.parquet"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdin is not None
    end = time.monotonic() + 60
    while not _is_written(tmp_path, child.pid):
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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--given", "q", "--choices", "c", "--label", "l", "--per", "word"], "--per has no meaning"),
        (["--label", "l", "--field", "a"], "--choices is missing"),
    ],
)
def test_what_a_choice_needs(words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "items.jsonl").write_text('{"q": "a", "c": ["b", "c"], "l": 0, "a": "x"}\n')
    code, printed, error = run(capsys, "score", "kt", str(tmp_path / "items.jsonl"), *words)
    assert (code, printed) == (2, "")
    assert said in " ".join(error.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["kt", "-", "-"], "only once"),
        (["kt", "r.jsonl", "--input-format", "text"], "holds records by its name"),
        (["empty.bin", "r.jsonl"], "does not begin like one"),
    ],
)
def test_what_would_be_read_as_something_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.jsonl").write_text('{"text": "to be"}\n')
    Path("empty.bin").write_bytes(b"")
    code, printed, error = run(capsys, "score", *words)
    assert (code, printed) == (2, "")
    assert said in " ".join(error.split())
