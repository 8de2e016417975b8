"""Perplexity filters: what their own code made of texts and models, against ours; see filters/README.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize("tool", RECORDED["perplexities"])
def test_filter_decides_by_the_figure_of_the_tool(tool: str, tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text("".join(json.dumps({"id": n, "text": text}) + "\n" for n, text in enumerate(DOCUMENTS)))
    recorded = [None if value < 0 else value for value in RECORDED["perplexities"][tool]]

    def filtered(name: str, **rule: Any) -> list[dict[str, Any]]:
        out = tmp_path / name
        bm.filter_corpus(FOLDER / "tiny.arpa.bin", source, out, like=tool, units=PIECES, **rule)
        return [json.loads(line) for line in out.read_text().splitlines()]

    rows = filtered("all.jsonl", add="value,perplexity", unscored="keep")
    assert [row["value"] for row in rows] == [row["perplexity"] for row in rows] == recorded
    # At each of the tool's figures as the limit: it is still within --max, and no longer below a cut of CCNet's.
    limit = sorted(value for value in recorded if value is not None)[7]
    kept = [n for n, value in enumerate(recorded) if value is not None and value <= limit]
    assert [row["id"] for row in filtered("max.jsonl", max=limit)] == kept
    (tmp_path / "cutoff.csv").write_text(f"percentile,en\n30,{limit}\n60,1e9\n")
    source.write_text(source.read_text().replace('{"id"', '{"lang": "en", "id"'))
    table = {"table": tmp_path / "cutoff.csv", "buckets": "30%,60%", "language": "lang", "tag": "bucket"}
    head = [row["id"] for row in filtered("cut.jsonl", **table) if row["bucket"] == "head"]
    assert head == [n for n, value in enumerate(recorded) if value is not None and value < limit]
