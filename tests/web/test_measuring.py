"""What the page shows while one types is what the library measures."""

from __future__ import annotations

import base64
import zlib

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.web.limits import Deadline
from bitmeter.web.measuring import TextToMeasure, comparison, live, report, two_runs
from bitmeter.web.served import Models

TEXT = "The cat sat on the mat, and the xylophone sat on the café.\n" * 8
MODELS = Models(["zlib"])


def unpacked(column: dict[str, str]) -> list[int]:
    kinds = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32}
    plain = zlib.decompress(base64.b64decode(column["z"]))
    return [int(value) for value in np.frombuffer(plain, kinds[column["t"]])]


@pytest.mark.parametrize("docs", ["file", "line"])
def test_live_figures_and_bits(docs: str) -> None:
    models = [MODELS.get(name) for name in ("kt", "sample-words", "zlib")]
    found = live(models, TextToMeasure(TEXT.encode(), docs=docs), Deadline(60))
    own = [bm.score(one.model(), TEXT.encode(), docs=docs) for one in models]
    assert [run["figure"] for run in found["runs"]] == [score.per(score.figure_per) for score in own]
    assert [run["name"] for run in found["runs"]] == ["kt", "sample-words", "zlib"]
    assert [entry["run"] for entry in found["models"]] == [0, 1], "a compressor has a total alone"
    for entry, score in zip(found["models"], own, strict=False):
        assert np.array(unpacked(entry["s"])) / 512 == pytest.approx(np.asarray(score.trace.bits), abs=1 / 1024)
    assert zlib.decompress(base64.b64decode(found["text"]["z"])) == TEXT.encode()
    assert sum(unpacked(found["text"]["words"])) == len(TEXT.encode())


def test_a_text_that_is_typed_costs_what_it_costs() -> None:
    one = MODELS.get("universal")
    for end in (40, 41, 45, 44, 200):
        found = live([one], TextToMeasure(TEXT.encode()[:end]), Deadline(60))
        assert found["runs"][0]["figure"] == bm.score("universal", TEXT.encode()[:end]).bits_per_byte


def test_live_without_units() -> None:
    found = live([MODELS.get("zlib")], TextToMeasure(b"text"), Deadline(60))
    assert "text" not in found
    assert live([MODELS.get("kt")], TextToMeasure(b""), Deadline(60))["runs"][0]["figure"] is None


def test_a_report_has_details_where_a_model_exposes_them() -> None:
    stages: list[str] = []
    models = [MODELS.get("kt"), MODELS.get("zlib")]
    found = report(models, TextToMeasure(TEXT.encode()), 3, Deadline(60), lambda name, share: stages.append(name))
    assert stages == ["scoring with kt", "scoring with zlib", "writing"]
    assert found.data["models"][0]["k"] == 3
    assert len(found.measured) == 2


def test_two_runs_and_comparisons() -> None:
    first, second = bm.score("kt", b"one text"), bm.score("kt", b"another text")
    assert not two_runs(first, second)["same_text"]
    with pytest.raises(ModelError, match="two or more"):
        comparison([MODELS.get("kt")] * 2, TextToMeasure(b"a"), Deadline(60))
