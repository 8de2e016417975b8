"""Perplexity filters: what their own code made of texts and models, against ours; see filters/README.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.cli import _run
from bitmeter.measure.conventions.filters.documents import rounded_perplexities
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.normalise import normaliser

FOLDER = Path(__file__).parent / "filters"
RECORDED = json.loads((FOLDER / "figures.json").read_text(encoding="utf-8"))
DOCUMENTS: list[str] = RECORDED["documents"]
PIECES = f"sentencepiece:{FOLDER / 'tiny.sp.model'}"


@pytest.mark.parametrize("name", RECORDED["normalised"])
def test_documents_are_normalised_as_by_the_tool(name: str) -> None:
    assert [normaliser(name)(text.encode()).decode() for text in DOCUMENTS] == RECORDED["normalised"][name]


@pytest.mark.parametrize("tool", RECORDED["perplexities"])
def test_each_document_has_the_figure_that_the_tool_gives_it(tool: str) -> None:
    model = bm.NGram.load(FOLDER / "tiny.arpa.bin", units=PIECES)
    score = bm.score(model, Corpus.from_documents(DOCUMENTS), like=tool)
    assert score.by_document is not None
    bare = 0.0 if tool == "data-juicer" else -1.0 if tool == "cc_net" else None
    assert rounded_perplexities(score.by_document, without_pieces=bare).tolist() == RECORDED["perplexities"][tool]


@pytest.mark.parametrize("tool", RECORDED["perplexities"])
def test_the_command_line_shows_the_figures(tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = 3
    path = tmp_path / "document.jsonl"
    path.write_text(json.dumps({"text": DOCUMENTS[place]}) + "\n", encoding="utf-8")
    model = str(FOLDER / "tiny.arpa.bin")
    assert _run(["score", model, str(path), "--with", PIECES, "--like", tool]) == 0
    shown = capsys.readouterr().out
    assert f"{tool:<13}perplexity  {RECORDED['perplexities'][tool][place]}" in " ".join(
        line for line in shown.splitlines() if "perplexity  " in line and tool in line
    )
