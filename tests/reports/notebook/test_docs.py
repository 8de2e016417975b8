"""The notebook of the documentation runs, and its stored outputs are what it gives."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

from tests.test_documents import agree

ROOT = Path(__file__).parents[3]
DOCS: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "notebook.py"))


def test_the_outputs_are_what_it_gives() -> None:
    content = json.loads(DOCS["NOTEBOOK"].read_text(encoding="utf-8"))
    assert (content["nbformat"], content["metadata"]["language_info"]["name"]) == (4, "python")
    number = 0
    for cell, outputs in zip(content["cells"], DOCS["run"](), strict=True):
        assert len(cell.get("outputs", [])) == len(outputs), "type: python docs/notebook.py"
        for written, found in zip(cell.get("outputs", []), outputs, strict=True):
            assert written["output_type"] == found["output_type"]
            ours, theirs = (
                "".join(one["text"] if "text" in one else one["data"]["text/plain"]) for one in (written, found)
            )
            assert agree(ours, theirs), f"{DOCS['source'](cell)}\nwritten:\n{ours}\nfound:\n{theirs}"
            assert ("text/html" in written.get("data", {})) == ("text/html" in found.get("data", {}))
            number += 1
    assert number >= 12


def test_the_page_shows_code_and_results() -> None:
    page = DOCS["page"]()
    assert page.startswith("# In a notebook\n")
    assert "```py\nimport bitmeter as bm\n" in page
    assert '<div class="output"><div><div style="font-weight:bold">ngram(order 2) on text</div>' in page
