"""The published schemas of machine output: every output of every verb that writes tables obeys its own."""

from __future__ import annotations

import copy
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.running import run
from tests.cli.texts import write_texts

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
FILES = sorted(SCHEMAS.glob("*.json"))

COMMANDS = [
    "score kt harbour.txt",
    "score kt harbour.txt --docs line --like lm-eval",
    "score uniform:10000 harbour.txt",
    "score bz2 harbour.txt",
    "score kt empty.txt",
    "score kt sums.jsonl --field answer --given question --group kind",
    "score ml.bmn half.txt --oov none",
    "score model.bmn half.txt",
    "score model.bmn half.txt --like kenlm",
    "compare uniform kt bz2 --on harbour.txt --docs line",
    "compare uniform kt --on harbour.txt",
    "compare model.bmn other.bmn --on half.txt --like kenlm",
    "diverge uniform kt half.txt",
    "diverge model.bmn other.bmn half.txt",
    "trace kt harbour.txt --top 3",
    "trace kt harbour.txt --by word --all",
    "trace kt odd.txt --top 3 --alternatives 2",
    "trace ml.bmn half.txt --oov none --top 2",
    "entropy half.txt --orders 1",
    "entropy half.txt --units words --unit nats --orders 0",
    "models",
    "sets",
    "overlap half.txt --in harbour.txt",
    "overlap texts --self --length 20",
    "filter kt rows.jsonl --dry-run --keep 50%",
    "filter ml.bmn rows.jsonl --by bits --max 99 --oov none -o kept.jsonl --force",
    "check kt kt --on harbour.txt --docs line",
    "check model.bmn model.bmn --on half.txt --kl 0.1 --same-top 90%",
    "sweep kt uniform bz2 --on harbour.txt --docs line",
    "sweep model.bmn other.bmn --on half.txt --like kenlm --no-kl",
    "prefer kt pairs.jsonl --per word",
    "prefer ml.bmn pairs.jsonl --oov none",
    "surprisal model.bmn harbour.txt --spillover 1",
    "runs list",
    "score kt sums.jsonl --given question --choices choices --label label",
    "score kt sums.jsonl --given question --choices choices --label label --calibrate so",
    "score kt rows.jsonl --at min-k,zlib",
    "score kt rows.jsonl --at min-k --null rows.jsonl",
    "score kt half.txt --prove",
    "sample model.bmn -n 3",
    "sample kt --length 5 --seed 1",
    "code half.txt",
    "code --word a=0 --word b=01",
]
#: These print JSON alone.
DOCUMENTS = [
    "runs show 1",
    "runs cite 1",
    "audit kt half.txt",
    "doctor",
    "score backoff.bmn half.txt",
]
#: The schema of the rows of verbs whose rows do not name it.
OF_ROWS = {
    "trace": "bitmeter.trace-table/1", "models": "bitmeter.models/1", "sets": "bitmeter.sets-row/1",
    "runs": "bitmeter.runs/1", "surprisal": "bitmeter.surprisal/1",
    "sample": "bitmeter.sample/1", "code": "bitmeter.code/1",
}  # fmt: skip


def schema(name: str) -> dict[str, Any]:
    path = SCHEMAS / (name.removeprefix("bitmeter.").replace("/", "-") + ".json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def check(document: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schema(document["schema"])).validate(document)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("BITMETER_HISTORY", "on")
    for words in (
        "train harbour.txt -o model.bmn --order 3", "train harbour.txt -o other.bmn --order 2",
        "train half.txt -o ml.bmn --order 1 --smoothing maximum-likelihood",
        "train half.txt -o backoff.bmn --order 2 --smoothing stupid-backoff",
    ):  # fmt: skip
        assert run(capsys, *shlex.split(words))[0] == 0
    (tmp_path / "half.txt").write_text((tmp_path / "harbour.txt").read_text()[-120:])
    return tmp_path


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_schema_is_one_and_has_its_name(path: Path) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(found)
    assert found["$id"] == found["properties"]["schema"]["const"]
    assert path.stem == found["$id"].removeprefix("bitmeter.").replace("/", "-")
    assert found["title"]


def test_every_output_obeys_its_schema(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen = set()
    for command in COMMANDS:
        code, printed, said = run(capsys, *shlex.split(command), "--json")
        assert (code, said) == (0, ""), command
        document = json.loads(printed)
        check(document)
        seen.add(document["schema"])
        code, printed, said = run(capsys, *shlex.split(command), "--format", "jsonl")
        assert (code, said) == (0, ""), command
        for line in printed.splitlines():
            row = json.loads(line)
            of_rows = schema(OF_ROWS.get(command.split()[0]) or row["schema"])
            jsonschema.Draft202012Validator(of_rows["properties"]["rows"]["items"]).validate(row)
            seen.add(of_rows["$id"])
    for command in DOCUMENTS:
        code, printed, said = run(capsys, *shlex.split(command), "--json")
        assert (code, said) == (0, ""), command
        check(json.loads(printed))
        seen.add(json.loads(printed)["schema"])
    assert {json.loads(path.read_text())["$id"] for path in FILES} - LATER <= seen


#: Schemas whose verbs have tests of their own.
LATER = {"bitmeter.documents/1"}


def test_the_check_can_fail(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run(capsys, "score", "kt", "half.txt", "--json")[1])
    changes: list[Callable[[dict[str, Any]], Any]] = [
        lambda d: d.pop("signature"), lambda d: d["figures"].pop("perplexity_per_token"),
        lambda d: d.update(bytes="many"), lambda d: d.update(unheard_of=1),
        lambda d: d.update(schema="bitmeter.score/2"),
    ]  # fmt: skip
    for change in changes:
        wrong = copy.deepcopy(document)
        change(wrong)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(schema("bitmeter.score/1")).validate(wrong)
