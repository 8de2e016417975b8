"""An audit by several processes is that by one: the same figures, checks, positions and certificate."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter._util.jobs import Here
from bitmeter.errors import InputError, InputTypeError
from bitmeter.measure.audit.models import audit_model
from bitmeter.measure.audit.shared import can_be_shared, scores_in_parts
from bitmeter.measure.trace import tracer
from bitmeter.models.registry import adapt

WORDS = ("a", "rose", "is", "the", "sea,", "and", "rain", "zebra", "é", "ünknown")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three shards of records, and a model that does not know all words."""
    made = tmp_path_factory.mktemp("shards")
    draw = random.Random(3)
    for shard in range(3):
        texts = [" ".join(draw.choices(WORDS, k=draw.randrange(12))) for _ in range(400)]
        (made / f"{shard}.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    bm.NGram(order=3).fit(b"a rose is the sea, and rain\nthe rose is a rose\n" * 9).save(made / "m.bmn")
    return made


def certificate(found: bm.Audit, path: Path) -> dict[str, Any]:
    found.save(path)
    return {**json.loads(path.read_text())}


@pytest.mark.parametrize("name", ["m.bmn", "uniform", "kt"])
def test_two_processes(folder: Path, tmp_path: Path, name: str) -> None:
    model = str(folder / name) if name.endswith("bmn") else name
    texts = sorted(map(str, folder.glob("*.jsonl")))
    one, two = bm.audit(model, texts), bm.audit(model, texts, workers=2)
    assert two == one
    assert two.score == one.score
    assert certificate(two, tmp_path / "two.json") == certificate(one, tmp_path / "one.json")
    assert not bm.audit(model, texts, workers=2, check=tmp_path / "one.json").differences


@pytest.mark.parametrize("kept", [10, 3000])
def test_a_text_whose_trace_is_too_long_to_keep(folder: Path, monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    """Positions are then drawn from samples, by several processes as by one; also if the first parts are short."""
    monkeypatch.setattr(tracer, "KEPT_UNITS", kept)
    model, corpus = bm.load(str(folder / "m.bmn")), sorted(map(str, folder.glob("*.jsonl")))
    keywords: dict[str, Any] = {"positions": 60, "seed": 1, "confidence": 0.95, "progress": lambda step: None}
    one = audit_model(model, bm.Corpus(corpus), **keywords)
    two = audit_model(model, bm.Corpus(corpus), **keywords, executor=Here())
    assert two == one
    assert next(check for check in one.checks if check.name == "sums").status == "partial"


class Broken:
    """Says that the bytes x and y have a probability above one."""

    name, fingerprint, units = "broken", "broken-1", bm.units_of("bytes")

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return np.where((ids == ord("x")) | (ids == ord("y")), 1.0, -5.6)


def test_the_first_wrong_unit_of_the_text_is_named(tmp_path: Path) -> None:
    """Whichever part ends first."""

    class Backwards(Here):
        def run(self, tasks: Any, report: Any) -> Any:
            return iter(reversed(list(super().run(tasks, report))))

    for number, text in enumerate(("all is well", "here is an x", "and a y")):
        (tmp_path / f"{number}.txt").write_text(text * (1 << 16))
    corpus, model = bm.Corpus(tmp_path), adapt(Broken())
    assert isinstance(model, bm.Model)
    keywords: dict[str, Any] = {"positions": 4, "seed": 1, "confidence": 0.95, "progress": lambda step: None}
    one = audit_model(model, corpus, **keywords)
    two = audit_model(model, bm.Corpus(tmp_path), **keywords, executor=Backwards())
    assert one.findings == two.findings
    assert one.findings[0].byte == len("all is well") * (1 << 16) + len("here is an ")


def test_what_is_shared() -> None:
    assert (can_be_shared(bm.load("kt")), scores_in_parts(bm.load("kt"))) == (True, False)
    assert scores_in_parts(bm.load("uniform"))


def test_what_one_process_does(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("to be or not to be")
    with pytest.raises(InputError, match="a table is read by one process"):
        bm.audit({"logprob": [-1.0], "piece": ["a"]}, tmp_path / "a.txt", workers=2)
    with pytest.raises(InputError, match="zlib:9 compresses a whole text"):
        bm.audit("zlib", tmp_path / "a.txt", workers=2)
    with pytest.raises(InputTypeError, match="cannot be sent to other processes"):
        bm.audit(lambda ids, bounds: np.full(len(ids), -6.0), tmp_path / "a.txt", workers=2)
