"""No verb opens a connection, unless the user typed an address."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from bitmeter.cli.verbs import VERBS
from tests.pickles import TEXT, TINY

LOG = Path(__file__).parents[2] / "data" / "logs" / "lm-eval-rolling.jsonl"

#: Runs command lines in a process in which every attempt to look up or connect to a host is recorded and fails.
PROGRAM = """
import json, sys
attempts = []
def watch(event, given):
    looks = event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.sendto")
    if looks or (event == "socket.connect" and isinstance(given[1], tuple)):
        attempts.append([event, repr(given[1:])])
        raise OSError("the network is forbidden")
sys.addaudithook(watch)
from bitmeter.cli import _run
found = []
for line in json.loads(sys.argv[1]):
    attempts.clear()
    found.append([line, _run(line), list(attempts)])
with open(sys.argv[2], "w") as file:
    json.dump(found, file)
"""
LINES = [
    "train t.txt -o a.bmn --order 3",
    "train t.txt -o net --kind lstm --units bytes --width 8 --epochs 1 --batch 4",
    "convert a.bmn c.bmn --compact",
    "mix a.bmn c.bmn cache:size=20 --heldout t.txt -o m.bmx",
    "score t.txt",
    "score a.bmn t.txt -o run.json --trace trace.parquet",
    "score m.bmx t.txt --prove",
    "score hf:tiny t.txt",
    "compare kt zlib uniform --on t.txt",
    "compare run.json run.json",
    "trace kt t.txt",
    "trace trace.parquet",
    "diverge hf:tiny hf:tiny t.txt",
    "entropy t.txt --orders 2",
    "models",
    "sample a.bmn --seed 1",
    "sample net --seed 1 --length 5",
    "verify kt t.txt --histories 2",
    "audit a.bmn t.txt --positions 2",
    "prefer kt pairs.jsonl",
    "score kt a.jsonl --given question --field answer",
    "check run.json a.bmn --on t.txt",
    "sweep a.bmn c.bmn --on t.txt",
    "sets list",
    "runs import log.jsonl -o imported.json",
    "explain run.json",
    "explain kenlm",
    "compress m.bmx t.txt -o t.bmz --embed",
    "decompress t.bmz -o back.txt",
    "compress net s.txt -o n.bmz",
    "decompress n.bmz -o back2.txt",
    "code t.txt",
    "curve net",
    "plot learning net",
    "plot running run.json --trace trace.parquet -o running.json",
    "report run.json --trace trace.parquet -o report.html",
    "overlap s.txt --in t.txt --length 3",
    "filter kt a.jsonl --field answer --max 20 -o kept.jsonl",
    "surprisal a.bmn s.txt",
    "doctor",
    "serve kt --port 0 --idle 0.001",
    "learn 1",
    "demo",
]


def attempts(folder: Path, lines: list[str]) -> dict[str, tuple[int, list[Any]]]:
    environment = {**os.environ, "HF_HUB_OFFLINE": "0", "OMP_NUM_THREADS": "1"}
    words = json.dumps([line.split() for line in lines])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, words, "found.json"], cwd=folder, env=environment, capture_output=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads((folder / "found.json").read_bytes())
    return {" ".join(line): (code, list(asked)) for line, code, asked in found}


def test_no_verb_reaches_the_network(tmp_path: Path) -> None:
    assert {line.split()[0] for line in LINES} >= {verb for group in VERBS.values() for verb in group}
    (tmp_path / "t.txt").write_bytes(TEXT * 6)
    (tmp_path / "s.txt").write_bytes(b"to be")
    (tmp_path / "pairs.jsonl").write_text('{"good": "to be", "bad": "be to"}\n')
    (tmp_path / "a.jsonl").write_text('{"question": "to", "answer": " be"}\n')
    shutil.copy(LOG, tmp_path / "log.jsonl")
    (tmp_path / "tiny").symlink_to(TINY)
    found = attempts(tmp_path, LINES)
    assert {line: code for line, (code, _) in found.items() if code} == {}
    assert {line: asked for line, (_, asked) in found.items() if asked} == {}


def test_an_address_that_was_typed_is_asked(tmp_path: Path) -> None:
    """So the test above can fail."""
    (tmp_path / "t.txt").write_bytes(TEXT)
    line = "score openai:http://127.0.0.1:9/v1#m,retries=0 t.txt"
    code, asked = attempts(tmp_path, [line])[line]
    assert code == 1
    assert asked
