"""Methods are found in their files; the one of the highest priority that applies is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.measure.interval.registry import METHODS, description, interval_of

TEXT = b"".join(b"line %d of a small text\n" % i for i in range(40))

NEW = """
from bitmeter.measure.interval.base import Interval, IntervalMethod

class Certain(IntervalMethod):
    name, description, priority = "certain", "it is certain", 99

    def applies(self, score, per):
        return True

    def interval(self, score, per, confidence):
        return Interval(1.0, 3.0, 2.0, 0.0, confidence, "certain(7)", 1, None)

METHOD = Certain()
"""


def test_methods_by_priority() -> None:
    assert list(METHODS) == ["serial-clusters", "serial-blocks", "none"]


@pytest.mark.parametrize(
    ("model", "docs", "name"),
    [("kt", "line", "serial-clusters"), ("kt", "file", "serial-blocks"), ("zlib", "file", "none")],
)
def test_the_signature_names_the_method_that_applies(model: str, docs: str, name: str) -> None:
    signature = bm.score(model, TEXT, docs=docs).signature
    assert signature.interval.startswith(name)
    assert description(signature.interval) == METHODS[name].description


def test_no_interval_comes_with_the_reason() -> None:
    assert interval_of(bm.score("zlib", TEXT), "byte", 0.95) == (None, ("no interval: only the total is known",))
    parts = [bm.score("kt", part) for part in (b"a" * 1000, b"b")]
    found, notes = interval_of(parts[0] + parts[1], "byte", 0.95)
    assert found is not None
    assert found.low is None
    assert notes == tuple(f"no interval: {note}" for note in found.notes)
    assert "holds 100 % of the text" in notes[0]


def test_documents_of_which_one_is_nearly_all_are_measured_along_the_text() -> None:
    one = bm.Corpus.from_documents([b"to be or not to be " * 500, *[b"b"] * 5])
    assert bm.score("kt", one).signature.interval.startswith("serial-blocks(")


def test_a_method_that_is_not_known_has_no_description() -> None:
    assert description("of a later version 0.95") == ""


def test_one_new_file_is_a_new_method(tmp_path: Path) -> None:
    (tmp_path / "certain.py").write_text(NEW)
    code = (
        "import bitmeter.measure.interval as package\n"
        f"package.__path__.append({str(tmp_path)!r})\n"
        "import bitmeter as bm\n"
        "from bitmeter.reports.explain import value_in_words\n"
        "score = bm.score('kt', b'to be')\n"
        "print(score.signature.interval, score.interval.high, value_in_words('interval', score.signature.interval))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "certain(7) 0.95 3.0 it is certain\n"
