from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.reports.series.sizes import sized_models

TEXT = b"".join(b"line %d of a small text\n" % i for i in range(40))


def test_a_sweep_and_its_json_give_the_same(tmp_path: Path) -> None:
    bm.NGram(order=2).fit(TEXT).save(tmp_path / "two.bmn")
    found = bm.sweep("kt", str(tmp_path / "two.bmn"), on=TEXT, docs="line", kl=False)
    file = tmp_path / "sweep.json"
    file.write_text(found.to_json(), encoding="utf-8")
    assert sized_models(found) == sized_models(file)
    assert [one.size for one in sized_models(found)] == [None, (tmp_path / "two.bmn").stat().st_size]


@pytest.mark.parametrize(
    "content",
    ["", "{}", '{"schema": "bitmeter.sweep/1"}', '{"schema": "bitmeter.sweep/1", "per": "byte", "rows": [1]}'],
)
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "s.json"
    file.write_text(content)
    with pytest.raises(bm.BitmeterError, match="is not a sweep"):
        sized_models(file)
    with pytest.raises(bm.BitmeterError):
        sized_models(3)
