"""`bitmeter runs`: what was measured is listed, shown, cited and forgotten; logs are imported."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from tests.cli.running import run
from tests.hosts.logs.made_logs import GENUINE

LOG = str(GENUINE / "inspect.json")


def test_a_log_becomes_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["runs", "import", LOG, "-o", str(tmp_path / "run.json"), "--trace", str(tmp_path / "t.parquet")]
    code, printed, error = run(capsys, *words)
    assert (code, error) == (0, "")
    assert "from a log of inspect_ai" in " ".join(printed.split())
    assert bm.Score.load(tmp_path / "run.json").nats == 8.125
    assert "harbour" in run(capsys, "trace", str(tmp_path / "t.parquet"))[1]
    assert run(capsys, "compare", str(tmp_path / "run.json"), str(tmp_path / "run.json"))[0] == 0
    assert run(capsys, *words)[0] == 2  # the files are there
    assert float(run(capsys, "runs", "import", LOG, "-q")[1]) == pytest.approx(8.125 / 22 / 0.6931471805599453)
    assert json.loads(run(capsys, "runs", "import", LOG, "--json")[1])["model"] == "mockllm/model"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["export", LOG], 2, "type one of list, show, cite, delete, prune, import"),
        (["import"], 2, "name the log"),
        (["import", LOG, LOG], 2, "one log at a time"),
        (["show"], 2, "name a run"),
        (["list", "3"], 2, "bitmeter runs show 3"),
        (["show", "999999"], 2, "no run 999999"),
        (["show", "bm1-0000"], 2, "neither in the history"),
        (["show", "none.json"], 2, "no saved run"),
        (["delete", "999999"], 2, "Nothing was deleted"),
        (["prune"], 2, "say which runs"),
        (["prune", "3"], 2, "runs delete 3"),
        (["prune", "--all", "--keep", "3"], 2, "--all forgets every run"),
        (["prune", "--before", "March"], 2, "must be a day"),
        (["list", "--keep", "3"], 2, "--keep is for runs prune"),
        (["cite", "1", "-q"], 2, "--quiet is for runs import"),
        (["import", LOG, "--tool", "other"], 2, "tool"),
        (["import", LOG, "--tool", "vllm"], 1, "not of vllm"),
        (["import", "none.json"], 1, "does not exist"),
        (["import", LOG, "-o", "x", "--trace", "x"], 2, "two names"),
    ],
)
def test_mistakes(words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "runs", *words)
    assert found[0] == code
    assert said in found[2]


TEXT = "to be or not to be\nthat is the question\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path / "data"))
    (tmp_path / "text").write_text(TEXT)
    bm.NGram(order=2).fit(TEXT.encode()).save(tmp_path / "m.bmn")
    return tmp_path


def listed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(capsys, "runs", "list", "--json")[1])["rows"]
    return found


def test_each_verb_that_scores_remembers(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(capsys) == []
    commands = [
        "score kt text",
        "score m.bmn text",  # the fast path
        "score m.bmn text --docs line",
        "compare uniform kt --on text",
        "trace kt text --docs line",
        "check uniform xz --on text",
        f"runs import {LOG}",
    ]
    for command in commands:
        code, _, said = run(capsys, *command.split())
        assert (code, said) == (0, ""), command
    found = [(line["verb"], line["model"], line["times"]) for line in reversed(listed(capsys))]
    assert found == [
        ("score", "ngram:m.bmn", 1), ("score", "ngram:m.bmn", 1), ("compare", "kt", 2), ("trace", "kt", 1),
        ("check", "uniform:256", 2), ("check", "xz:9", 1), ("runs import", "mockllm/model", 1),
    ]  # fmt: skip


def test_every_signature_that_is_printed_can_be_looked_up(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pairs.jsonl").write_text('{"good": "to be", "bad": "be to"}\n' * 3)
    Path("items.jsonl").write_text('{"q": "to", "c": ["be", "see"], "l": 0}\n' * 3)
    commands = [
        "score kt text", "score kt text --like lm-eval", "trace kt text --by word", "trace kt text --by 8",
        "surprisal kt text", "diverge uniform kt text", "prefer kt pairs.jsonl", "filter kt text --dry-run --keep 50%",
        "score kt items.jsonl --given q --choices c --label l", "score uniform text --prove",
        "score -m kt -m uniform text", "sweep kt uniform --on text --format csv", "compare kt uniform --on text --json",
    ]  # fmt: skip
    for command in commands:
        code, printed, said = run(capsys, *command.split())
        assert (code, said) == (0, ""), command
        shorts = set(re.findall(r"bm1-[0-9a-f]{8}", printed))
        assert shorts, command
        for short in shorts:
            assert run(capsys, "explain", short)[0] == 0, (command, short)
            assert run(capsys, "runs", "show", short)[0] == 0, (command, short)
            code, cited, _ = run(capsys, "runs", "cite", short)
            assert (code, f"{{{short}" in cited) == (0, True), (command, short)


def test_runs_by_number_and_signature_are_compared_and_checked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "score", "uniform", "text", "-o", "base.json")
    run(capsys, "score", "kt", "text")
    shorts = [line["short"] for line in reversed(listed(capsys))]
    expected = run(capsys, "compare", "base.json", "2")
    assert expected[0] == 0
    for words in ([*shorts], ["1", shorts[1]], ["base.json", shorts[1][:9]]):
        assert run(capsys, "compare", *words) == expected
        code, printed, _ = run(capsys, "check", *words)
        assert code == 0
        assert "kt against uniform:256 on text" in printed
    assert run(capsys, "compare", "1", "99")[0] == 2
    assert run(capsys, "check", "bm1-00000000", "1")[0] == 2


@pytest.mark.parametrize("command", ["score m.bmn text", "score kt text", "compare uniform kt --on text"])
def test_no_history(
    command: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, *command.split(), "--no-history")[0] == 0
    if command.startswith("score"):
        assert run(capsys, *command.split(), "-q")[0] == 0
    monkeypatch.setenv("BITMETER_HISTORY", "off")
    assert run(capsys, *command.split())[0] == 0
    assert not (here / "data").exists()
    assert "BITMETER_HISTORY turns it off" in run(capsys, "runs")[1]


def test_a_run_is_shown_as_it_was_printed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "score", "kt", "text")[1]
    short = listed(capsys)[0]["short"]
    for name in ("1", short, short[:8]):
        shown = run(capsys, "runs", "show", name)[1]
        assert shown.startswith("run 1: measured once by score, last on ")
        assert shown.partition("\n")[2] == printed
    assert bm.Score.from_json(run(capsys, "runs", "show", "1", "--json")[1]) == bm.score("kt", "text")
    assert run(capsys, "runs", "delete", short)[1] == "1 run forgotten\n"
    assert run(capsys, "runs")[1] == "No run was remembered yet.\n"


def test_a_run_of_which_only_the_line_was_kept(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bitmeter.history.runs._MOST_ROWS", 0)
    run(capsys, "score", "kt", "text")
    code, shown, _ = run(capsys, "runs", "show", "1")
    assert code == 0
    assert "only this and the signature were kept" in shown
    assert "each file is a document" in shown
    assert run(capsys, "runs", "cite", "1")[0] == 0
    assert run(capsys, "runs", "show", "1", "--json")[0] == 1
    assert run(capsys, "explain", listed(capsys)[0]["short"])[0] == 0


def test_citing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "score", "kt", "text", "-o", "run.json")
    run(capsys, "score", "uniform", "text")
    code, printed, said = run(capsys, "runs", "cite", "1", "2", "run.json")
    assert (code, said) == (0, "")
    assert printed.count("@misc{") == 2  # the file is run 1
    assert "@software{bitmeter," in printed
    found = json.loads(run(capsys, "runs", "cite", "1", "--json")[1])
    assert found["runs"][0]["bibtex"].startswith("@misc{bm1-")
    assert found["runs"][0]["signature"] == str(bm.Score.load("run.json").signature)


def test_the_first_digits_must_be_of_one_signature(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "compare", "kt", "uniform", "--on", "text")
    database = sqlite3.connect(here / "data" / "history.sqlite")
    database.execute("UPDATE runs SET short = 'bm1-0000000' || id")
    database.commit()
    database.close()
    code, _, said = run(capsys, "runs", "show", "bm1-0000")
    assert code == 2
    assert "bm1-0000 begins several signatures: bm1-00000001, bm1-00000002" in said


@pytest.mark.parametrize("spoiled", ["file", "database"])
def test_a_history_that_cannot_be_used_never_ends_a_score(
    spoiled: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if spoiled == "file":
        (here / "data").touch()
    else:
        (here / "data").mkdir()
        (here / "data" / "history.sqlite").write_bytes(b"damaged" * 1000)
    code, printed, said = run(capsys, "score", "kt", "text")
    assert code == 0
    assert printed == f"{bm.score('kt', 'text')}\n"
    assert said.startswith("note: this run is not in the history: the history ")
    assert len(said.splitlines()) == 1
    code, printed, said = run(capsys, "runs", "show", "1")
    assert (code, printed) == ((1, "") if spoiled == "database" else (2, ""))
    assert said.startswith("error: ")
