"""The table of verbs: complete, one line each, in the field's terms, and cheap to show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bitmeter.cli
from bitmeter.cli.verbs import VERBS, _Verbs
from tests.cli.running import MAIN, at_terminal

ROOM = Path(bitmeter.cli.__file__).parent
#: Modules of the groups that are parts of a verb.
PARTS = {
    "see/curve",
    "measure/at",
    "measure/choices",
    "measure/per_document",
    "measure/ranks",
    "models/family",
    "models/mix_auto",
    "models/train_ngram",
    "models/train_networks",
    "trust/remembered",
}
ALL = [(group, verb) for group, verbs in VERBS.items() for verb in verbs]


def test_every_module_of_a_group_is_a_verb_or_a_part_of_one() -> None:
    found = {path.relative_to(ROOM).with_suffix("").as_posix() for path in ROOM.glob("*/*.py")}
    modules = {name for name in found if not name.endswith("__init__")}
    assert modules == {f"{group}/{verb}" for group, verb in ALL} | PARTS


@pytest.mark.parametrize(("group", "verb"), ALL)
def test_a_verb_is_the_function_of_its_name(group: str, verb: str) -> None:
    function = _Verbs.load(group, verb)
    assert function.__name__ == verb
    assert function.__module__ == f"bitmeter.cli.{group}.{verb}"


def shown(columns: str | None) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if columns is not None:
        environment["COLUMNS"] = columns
    return subprocess.run([*MAIN, "--help"], capture_output=True, text=True, check=True, env=environment).stdout


def test_the_help_has_the_groups_in_order_and_one_line_per_verb() -> None:
    text = shown("80")
    assert re.findall(r"^(\w+):$", text, re.MULTILINE)[1:] == [group.capitalize() for group in VERBS]
    lines = text.splitlines()
    for verbs in VERBS.values():
        for verb, summary in verbs.items():
            assert f"  {verb:<10}  {summary}" in lines
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in text


def test_the_help_is_the_same_on_a_terminal_and_in_a_pipe() -> None:
    code, text = at_terminal("--help", columns=200)
    assert code == 0
    assert text.replace("\r\n", "\n") == shown("80") == shown(None)


@pytest.mark.parametrize(
    ("verb", "term"),
    [("score", "perplexity"), ("score", "Cross-entropy"), ("diverge", "KL divergence"), ("trace", "Surprisal"),
     ("audit", "figure"), ("compress", "arithmetic coding"), ("mix", "Interpolate"), ("code", "Huffman"),
     ("entropy", "rate"), ("compare", "p-value"), ("train", "n-gram")],
)  # fmt: skip
def test_the_summary_names_the_term_of_the_field(verb: str, term: str) -> None:
    assert term in {name: summary for verbs in VERBS.values() for name, summary in verbs.items()}[verb]


def test_the_help_imports_no_verb_and_a_verb_no_other() -> None:
    code = "import sys\nfrom bitmeter.cli import _run\n_run(sys.argv[1:])\nprint(*sys.modules)"
    for words, allowed in ((["--help"], set()), (["learn", "--help"], {"bitmeter.cli.see", "bitmeter.cli.see.learn"})):
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
        modules = set(done.stdout.splitlines()[-1].split())
        verbs = {name for name in modules if re.match(rf"bitmeter\.cli\.({'|'.join(VERBS)})\b", name)}
        assert verbs == allowed
        assert not {"rich", "numpy", "pyarrow"} & modules
