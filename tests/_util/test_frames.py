"""Results as tables: the same figures in pandas, Arrow and polars, what is missing is missing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter._util.frames import Tabular
from bitmeter._util.optional import is_absent
from bitmeter.errors import MissingPackageError

TEXT = b"to be or not to be\n\nthat is \xff the question\n"


def results() -> dict[str, Tabular]:
    score = bm.score("kt", TEXT, docs="line")
    return {
        "score": score,
        "grouped": bm.score(
            "kt", bm.Corpus.from_records([{"text": "a", "k": "x"}, {"text": "bc", "k": "y"}]), group="k"
        ),
        "compressor": bm.score("xz", TEXT),
        "closed": bm.score(bm.NGram(order=2).fit(TEXT), TEXT, oov="skipped", docs="line"),
        "trace": score.trace,
        "detailed": bm.score("kt", TEXT, alternatives=2).trace,
        "words": score.trace.group("word"),
        "comparison": bm.compare("uniform", "kt", "xz", on=TEXT),
        "empty": bm.score("kt", b"").trace,
    }


@pytest.mark.parametrize("name", results())
def test_the_same_in_pandas_and_arrow(name: str) -> None:
    result = results()[name]
    columns, frame, table = result.to_columns(), result.to_pandas(), result.to_arrow()
    assert list(frame.columns) == table.column_names == list(columns)
    assert len({len(column) for column in columns.values()}) == 1
    for title, column in columns.items():
        expected = [_missing(value) for value in (column.tolist() if isinstance(column, np.ndarray) else column)]
        assert [_missing(value) for value in frame[title].tolist()] == expected
        assert table[title].to_pylist() == expected
    for key, value in frame.attrs.items():
        assert table.schema.metadata[key.encode()].decode() == value


def _missing(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.parametrize("name", results())
def test_polars_or_what_to_install(name: str) -> None:
    result = results()[name]
    if is_absent("polars"):
        with pytest.raises(MissingPackageError, match="pip install polars"):
            result.to_polars()
        return
    frame, table = result.to_polars(), result.to_arrow()
    assert frame.columns == table.column_names
    assert frame.to_dicts() == table.to_pylist()


def test_rows_are_documents_and_add_up() -> None:
    score = bm.score("kt", TEXT, docs="line")
    frame = score.to_pandas()
    assert frame["doc"].tolist() == [0, 1, 2]
    assert math.fsum(frame["nats"]) == pytest.approx(score.nats, rel=1e-12)
    assert frame["bytes"].sum() == score.bytes
    assert frame["bits_per_byte"][0] == pytest.approx(frame["bits"][0] / 19)
    assert frame.attrs["signature"] == str(score.signature)
    assert bm.score("xz", TEXT).to_pandas()["bits"].tolist() == [bm.score("xz", TEXT).bits]


def test_a_closed_vocabulary_has_no_bits_per_byte() -> None:
    columns = results()["closed"].to_columns()
    assert "bits_per_byte" not in columns
    # The blank line has no token: its quotient is missing, not zero.
    assert np.isnan(np.asarray(columns["bits_per_token"], dtype=float)).tolist() == [False, True, False]


def test_groups_have_their_names() -> None:
    assert results()["grouped"].to_columns()["group"] == ["x", "y"]


def test_a_package_that_is_absent_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    score = bm.score("kt", TEXT)
    for package in ("pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match="pip install pandas"):
        score.to_pandas()
    with pytest.raises(MissingPackageError, match="parquet"):
        score.to_arrow()
