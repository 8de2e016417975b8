"""The score of a short text without numpy: the same as by the general way, in every field and to the last digit."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter import _core
from bitmeter.cli.quick import _short
from bitmeter.cli.short import score_short

WORDS = [f"{a}{b}{c}" for a in "bcdfghjklmnp" for b in "aeiou" for c in "klmnprstvwxyz" + "bcdfghj"]
#: A panel of which nothing may be imported that is heavy.
PANEL = "import sys; from bitmeter.cli import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"


def lines(number: int, seed: int, words: list[str] = WORDS) -> bytes:
    """Lines of words, of which those of the same part of the text are alike."""
    chosen = random.Random(seed)
    made = []
    for line in range(number):
        some = words[(line // 40 * 37) % len(words) :][:90] or words
        made.append(" ".join(chosen.choices(some, k=chosen.randrange(1, 12))))
    return "\n".join(made).encode() + b"\n"


TEXTS = {
    "one byte": b"a",
    "white space": b"\n\n \t\n",
    "one line": b"bak bal bam",
    "constant": b"bak bal bam\n" * 300,
    "alike over long distances": lines(900, 1),
    "unknown words": lines(80, 2) + b"Xylophon 17 \xc3\xa9t\xc3\xa9 " * 40,
    "not UTF-8": b"bak \xff\xfe bal\r\n" * 30,
    "a few headings": b"\n# One\n\nbak bal\n" * 3 + lines(50, 3),
    "capitals and digits": lines(120, 4).title().replace(b"ak", b"7"),
}


@pytest.fixture(scope="module", params=["fast", "compact", "normalised"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("models") / f"{request.param}.bmn"
    norm = "lower" if request.param == "normalised" else "none"
    made = bm.NGram(order=3).fit(lines(2000, 0), norm=norm)
    (made.compact() if request.param == "compact" else made).save(path)
    return str(path)


def content(score: bm.Score) -> dict[str, Any]:
    """All that is saved of a score, but the clock."""
    found = json.loads(score.to_json())
    found.pop("seconds")
    return dict(found)


@pytest.mark.parametrize("name", TEXTS)
def test_the_score_is_that_of_the_general_way(model: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(TEXTS[name])
    found = _short(model, str(path))
    assert found is not None
    expected = bm.score(model, str(path))
    assert content(found) == content(expected)
    assert str(found) == str(expected)
    assert bm.Score.from_json(found.to_json()) == expected


def test_sections_are_left_to_the_general_way(model: str, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"".join(b"\n# Part %d\n\n" % i + lines(30, i) for i in range(8)))
    assert _short(model, str(path)) is None
    assert bm.score(model, str(path)).signature.interval == "serial-clusters(heading) 0.95"


def test_what_is_no_word_model_is_left_to_the_general_way(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_bytes(lines(20, 5))
    for units in ("bytes", "characters"):
        path = str(tmp_path / f"{units}.bmn")
        bm.NGram(order=2, units=units).fit(lines(200, 6)).save(path)
        assert score_short(path, _core.NgramModel.open(path), str(text), text.read_bytes()) is None
        assert _short(path, str(text)) is None


@pytest.mark.parametrize("remembers", [True, False])
def test_the_panel_imports_no_numpy(model: str, tmp_path: Path, *, remembers: bool) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(TEXTS["alike over long distances"])
    words = ["score", model, str(path), *([] if remembers else ["--no-history"])]
    environ = os.environ | {"BITMETER_DATA": str(tmp_path), "BITMETER_HISTORY": "on"}
    done = subprocess.run(
        [sys.executable, "-c", PANEL, *words], capture_output=True, text=True, check=True, env=environ
    )
    assert done.stdout.rstrip("\n") == str(bm.score(model, str(path)))
    modules = set(done.stderr.split())
    assert ("sqlite3" in modules) == remembers
    assert not {"numpy", "statistics", "bitmeter.models.registry", "bitmeter.text.corpus.corpus"} & modules
