"""Scores of records by the model of their language."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, InputError
from bitmeter.filter.records import Rows
from bitmeter.filter.scores import BAD, NO_FIGURE, NO_MODEL, RECORD, SCORED, Scorers, columns_of, read_scores
from tests.filter.made import TEXT, model


def made(texts: list[bytes], languages: list[str] | None = None) -> Rows:
    return Rows(0, list(texts), list(range(len(texts))), texts, languages or [])


def test_each_record_has_a_row(tmp_path: Path) -> None:
    scorers = Scorers("kt", None, None, "", {})
    rows = Rows(0, [b"bad", b"a", b"b"], [1, 2], [b"to be", b""])
    found = scorers.score(rows)
    assert found["state"].tolist() == [BAD, SCORED, NO_FIGURE]
    assert found["value"][1] == pytest.approx(bm.score("kt", b"to be").bits_per_byte, rel=1e-14)
    assert columns_of(found).bytes.tolist() == [0, 5, 0]
    (tmp_path / "s").write_bytes(found.tobytes())
    parts = list(read_scores(tmp_path / "s", 2))
    assert [len(part) for part in parts] == [2, 1]
    assert np.concatenate(parts).tobytes() == found.tobytes()
    assert RECORD.itemsize == 69


def test_models_by_language(tmp_path: Path) -> None:
    name = model(tmp_path)
    shutil.copy(name, tmp_path / "en.bmn")
    bm.NGram(order=2).fit(b"sein oder nicht sein\n").save(tmp_path / "de.bmn")
    scorers = Scorers(f"{tmp_path}/{{lang}}.bmn", None, None, "", {})
    assert scorers.is_pattern
    assert scorers.signature is None
    languages = ["en", "de", "fr", "../de", "en"]
    found = scorers.score(made([b"to be"] * 5, languages))
    assert found["state"].tolist() == [SCORED, SCORED, NO_MODEL, NO_MODEL, SCORED]
    assert found["value"][0] == found["value"][4] == pytest.approx(bm.score(name, b"to be").bits_per_byte, rel=1e-14)
    assert found["value"][1] == pytest.approx(bm.score(str(tmp_path / "de.bmn"), b"to be").bits_per_byte, rel=1e-14)
    assert [scorers.languages[number] for number in found["language"]] == languages
    assert sorted(scorers.fingerprints()) == ["de", "en"]


def test_a_difference_of_two_models(tmp_path: Path) -> None:
    name = model(tmp_path)
    found = Scorers(name, "kt", None, "", {}).score(made([b"to be or not"]))
    expected = bm.score(name, b"to be or not").bits_per_byte - bm.score("kt", b"to be or not").bits_per_byte
    assert found["value"][0] == pytest.approx(expected, rel=1e-12)
    with pytest.raises(InputError, match="cannot be subtracted"):
        Scorers(name, "kt", None, "perplexity", {})


def test_wrong_names(tmp_path: Path) -> None:
    with pytest.raises(BitmeterError):
        Scorers(str(tmp_path / "none.bmn"), None, None, "", {})
    with pytest.raises(BitmeterError):
        Scorers("kt", None, None, "cost", {})
    bm.NGram(order=1).fit(TEXT).save(tmp_path / "en.arpa")
    scorers = Scorers(f"{tmp_path}/{{lang}}.arpa", None, f"{tmp_path}/{{lang}}.sp.model", "", {})
    with pytest.raises(BitmeterError, match="no tokenizer file"):  # a model without its tokenizer is a mistake
        scorers.of("en")
