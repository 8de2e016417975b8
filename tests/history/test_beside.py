"""Saved runs beside."""

from __future__ import annotations

from pathlib import Path

import bitmeter as bm
from bitmeter.history.beside import runs_beside


def test_a_saved_run_is_found_by_its_signature(tmp_path: Path) -> None:
    run = bm.score("kt", b"to be or not to be")
    run.save(tmp_path / "a.json")
    bm.score("uniform", b"to be or not to be").save(tmp_path / "b.json")
    short = run.signature.short
    # Files that name it and are no runs, or lead nowhere, are passed over.
    (tmp_path / "c.json").write_text(f'{{"short": "{short}"}}')
    (tmp_path / "d.json").write_bytes(b"\xff" + short.encode())
    (tmp_path / "e.json").mkdir()
    (tmp_path / "f.json").symlink_to(tmp_path / "nowhere")
    assert list(runs_beside(tmp_path, short)) == [(tmp_path / "a.json", run)]
    assert list(runs_beside(tmp_path, short[:8])) == [(tmp_path / "a.json", run)]
    assert list(runs_beside(tmp_path, "bm1-00000000")) == []
