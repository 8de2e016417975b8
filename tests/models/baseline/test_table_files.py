"""Tables as files: the same figures to the last bit, and nothing in a file is trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import FileFormatError, ModelError
from bitmeter.models.baseline.table_files import read_table, write_table
from bitmeter.text.units.plain import Bytes
from tests.models.helpers.lecture import BYTE_TABLE, WORDS, P, Q


@pytest.mark.parametrize("table", [P, Q, BYTE_TABLE], ids=["characters", "conditional", "bytes"])
def test_a_table_comes_back_to_the_last_bit(table: Any, tmp_path: Path) -> None:
    model = bm.TableModel(table)
    (name,) = model.bundle(tmp_path)
    again = bm.TableModel.unbundle(tmp_path, "archive")
    assert name == "table.json"
    assert again.fingerprint == model.fingerprint
    np.testing.assert_array_equal(again._logs, model._logs)


def test_words_have_no_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="neither bytes nor characters"):
        bm.TableModel(WORDS).bundle(tmp_path)


GOOD = {"schema": "bitmeter.table/1", "units": "bytes", "oov": "none", "rows": [{"labels": [1, 2], "p": [0.5, 0.5]}]}


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "other"},
        {"units": "words"},
        {"oov": "spelled"},
        {"rows": []},
        {"rows": [{"labels": [1], "p": [0.5, 0.5]}]},
        {"rows": [{"labels": [1, 2], "p": [0.5, 0.6]}]},
        {"rows": [{"labels": [1, 2], "p": [2.0, -1.0]}]},
        {"rows": 3},
        {"contexts": [1, 2], "other": None, "start": 1},
    ],
)
def test_a_file_that_is_not_sound_is_an_error(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps(GOOD))
    assert read_table(path, "x.bmz")[1:] == ("bytes", "none")
    path.write_text(json.dumps({**GOOD, **change}))
    with pytest.raises(FileFormatError, match=r"x\.bmz is damaged: the table inside is not sound"):
        read_table(path, "x.bmz")


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_what_is_not_even_json_is_an_error(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "table.json").write_bytes(content)
    with pytest.raises(FileFormatError, match="is damaged"):
        read_table(tmp_path / "table.json", "x.bmz")


def test_odd_labels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no file that could travel"):
        write_table(bm.Distribution({True: 0.5, 2: 0.5}), Bytes(), "none", tmp_path / "t.json", "odd")
