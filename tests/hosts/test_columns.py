"""Scores as columns of batches, of whatever kind."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, InputError, InputTypeError, RecordError
from tests.filter.made import TEXTS, model, values

WITH_NULLS = [*TEXTS, None, ""]


@pytest.fixture
def name(tmp_path: Path) -> str:
    return model(tmp_path)


def expected(name: str) -> list[float | None]:
    return [*values(name, TEXTS), None, None]


def close(found: list[float | None], wanted: list[float | None]) -> bool:
    return [one is None for one in found] == [one is None for one in wanted] and [
        one for one in found if one is not None
    ] == pytest.approx([one for one in wanted if one is not None], rel=1e-12)


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.binary(),
        pa.large_binary(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
    ],
    ids=str,
)
def test_tables_batches_and_arrays_of_all_types_of_text(name: str, kind: Any) -> None:
    scored = bm.columns(name)
    array = pa.array(WITH_NULLS, pa.string())
    array = array.dictionary_encode() if pa.types.is_dictionary(kind) else array.cast(kind)
    table = pa.table({"id": range(len(WITH_NULLS)), "text": pa.chunked_array([array.slice(0, 3), array.slice(3)])})
    found = scored(table)
    assert found.schema.names == ["id", "text", "nats", "bytes", "tokens", "oov", "perplexity", "bits_per_byte"]
    assert found["id"] == table["id"]
    assert close(found["bits_per_byte"].to_pylist(), expected(name))
    assert found["bytes"].to_pylist() == [*(len(text) for text in TEXTS), None, 0]
    batch = pa.record_batch({"text": array.slice(2)})
    assert close(scored(batch).column("bits_per_byte").to_pylist(), expected(name)[2:])
    struct = scored(array)
    assert close(struct.field("bits_per_byte").to_pylist(), expected(name))
    alone = bm.columns(name, add="bits_per_byte")
    assert close(alone(pa.chunked_array([array])).to_pylist(), expected(name))


def test_dictionaries_of_lists_and_arrays(name: str) -> None:
    scored = bm.columns(name, text="body", add=["bits_per_byte", "words"], prefix="bm_")
    found = scored({"body": WITH_NULLS, "id": list(range(len(WITH_NULLS)))})
    assert list(found) == ["body", "id", "bm_bits_per_byte", "bm_words"]
    assert close(found["bm_bits_per_byte"], expected(name))
    again = scored({"body": np.array(TEXTS, dtype=object)})
    assert close(again["bm_bits_per_byte"], expected(name)[:-2])


def test_empty_batches(name: str) -> None:
    scored = bm.columns(name)
    assert scored(pa.table({"text": pa.array([], pa.string())})).num_rows == 0
    assert scored(pa.chunked_array([], pa.string())).to_pylist() == []
    assert scored({"text": []})["nats"] == []


def test_it_travels_by_name(name: str, tmp_path: Path) -> None:
    scored = bm.columns(name, add="bits_per_byte")
    data = pickle.dumps(scored)
    assert len(data) < 2000
    assert close(pickle.loads(data)(pa.array(WITH_NULLS)).to_pylist(), expected(name))
    (tmp_path / "scored.pickle").write_bytes(data)
    code = (
        "import pickle, sys, pyarrow as pa\n"
        "print(pickle.load(open(sys.argv[1], 'rb'))(pa.array(['to be or not to be']))[0].as_py())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "scored.pickle")], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) == pytest.approx(expected(name)[0], rel=1e-12)


def test_a_model_without_bits_per_byte(tmp_path: Path) -> None:
    bm.NGram(order=2).fit(b"to be\n").save(tmp_path / "m.arpa")
    scored = bm.columns(str(tmp_path / "m.arpa"))
    assert scored.add == ("nats", "bytes", "tokens", "oov", "perplexity")
    with pytest.raises(InputError, match="does not pay for every byte"):
        bm.columns(str(tmp_path / "m.arpa"), add=["bits_per_byte"])


def test_what_is_wrong_is_said(name: str) -> None:
    scored = bm.columns("kt")
    with pytest.raises(RecordError, match="there are 'body'"):
        scored(pa.table({"body": ["a"]}))
    with pytest.raises(RecordError, match="no column 'text'"):
        scored({"body": ["a"]})
    with pytest.raises(InputError, match="prefix"):
        scored(pa.table({"text": ["a"], "nats": [1.0]}))
    for wrong in (3, "text", [1], pa.table({"text": [1]}), pa.array([[1]])):
        with pytest.raises(InputTypeError):
            scored(wrong)
    for keywords in ({"add": "cost"}, {"add": ["cost"]}, {"text": 3}, {"prefix": None}, {"norm": "cost"}):
        with pytest.raises(BitmeterError):
            bm.columns("kt", **keywords)
    with pytest.raises(BitmeterError):
        bm.columns("no such model")
