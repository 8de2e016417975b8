"""Conventions are found in their files, and only there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter import errors
from bitmeter.measure.conventions.base import Convention
from bitmeter.measure.conventions.registry import CONVENTIONS, convention
from bitmeter.measure.conventions.settings import MEANINGS
from bitmeter.models.windows import parse_context

FOLDER = Path(bm.__file__).parent / "measure" / "conventions"

NEW = """
from bitmeter.measure.conventions.base import Convention

CONVENTION = Convention("a-new-tool", {"docs": "line"}, ("It counts lines.",), lambda score: {"lines": 1.0})
"""


def test_all_are_listed_in_order() -> None:
    tools = ["bitmeter", "kenlm", "srilm", "nltk", "lm-eval", "hf-evaluate", "hf-docs", "llama.cpp"]
    filters = ["cc_net", "edugp", "datatrove", "roots", "data-juicer"]
    assert list(CONVENTIONS) == [*tools, "torchmetrics", "minicons", "lmppl", *filters]


def test_each_has_a_file_of_its_name() -> None:
    files = {path.stem for path in FOLDER.rglob("*.py")} - {
        "__init__", "base", "registry", "settings", "documents", "mismatch",
    }  # fmt: skip
    assert files == {name.replace("-", "_").replace(".", "_") for name in CONVENTIONS}


@pytest.mark.parametrize("found", CONVENTIONS.values(), ids=CONVENTIONS)
def test_each_is_well_formed(found: Convention) -> None:
    assert convention(found.name) is found
    assert found.statements
    for statement in found.statements:
        assert statement.endswith(".")
    for key, value in found.settings.items():
        if key == "ctx":
            parse_context(value)
        else:
            assert value in MEANINGS[key]
    assert found.bos == {"lm-eval": "twice", "llama.cpp": "tokenizer"}.get(found.name, "window")


@pytest.mark.parametrize("name", ["", "grep", "base", None, 3, ["kenlm"]])
def test_another_name_is_refused_with_the_known_ones(name: object) -> None:
    with pytest.raises(errors.ChoiceError, match="known are bitmeter, kenlm, srilm"):
        convention(name)


def test_one_new_file_is_a_new_convention(tmp_path: Path) -> None:
    (tmp_path / "a_new_tool.py").write_text(NEW)
    code = (
        "import bitmeter.measure.conventions as package\n"
        f"package.__path__.append({str(tmp_path)!r})\n"
        "from bitmeter.measure.conventions.registry import CONVENTIONS\n"
        "import bitmeter as bm\n"
        "score = bm.score('uniform', b'a\\nb\\n', like='a-new-tool')\n"
        "print(list(CONVENTIONS)[-1], score.documents, 'lines  1' in str(score))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["a-new-tool", "2", "True"]
