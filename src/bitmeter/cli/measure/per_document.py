"""`bitmeter score --per-document`: the figures of each document in a file, whatever their number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import typer

__all__ = ["score_documents", "text_of"]


def text_of(
    text: str, input_format: str | None, on_bad: str | None, keywords: dict[str, Any], id_field: str | None = None
) -> tuple[Any, Any]:
    """The corpus of a text whose records are read one by one, and its rows; the text itself and None for plain text."""
    from bitmeter.errors import BitmeterError
    from bitmeter.text.corpus.records import record_format, records_corpus

    if input_format == "text" or (input_format is None and (text == "-" or not _holds_records(text, record_format))):
        if id_field is not None or on_bad is not None:
            option = "id" if id_field is not None else "on-bad"
            message = (
                f"--{option} is about records, and {text} is plain text; give .jsonl, .csv, .parquet or --input-format"
            )
            raise typer.BadParameter(message)
        return text, None
    if keywords.get("docs") not in (None, "record"):
        message = f"--docs {keywords['docs']} is for plain text; each record is a document"
        raise typer.BadParameter(message)
    try:
        return records_corpus(
            text, input_format=input_format, field=keywords.get("field"), id_field=id_field, on_bad=on_bad or "fail"
        )
    except BitmeterError as error:
        raise typer.BadParameter(str(error)) from error


def _holds_records(text: str, record_format: Any) -> bool:
    """Whether all files that a text names hold records."""
    from bitmeter.text.corpus.sources import resolve

    names = [source.name for source in resolve(text).sources]
    return all(record_format(name) is not None for name in names)


def score_documents(
    model: Any, text: Any, rows: Any, path: Path, keywords: dict[str, Any], progress: Any, *, force: bool
) -> Any:
    """Score a text and write the figures of each document; the score."""
    from dataclasses import replace

    from bitmeter.measure.conventions.registry import convention
    from bitmeter.measure.scoring import score
    from bitmeter.reports.formats.writing import TableFile
    from bitmeter.reports.records.documents import COLUMNS, SCHEMA, document_rows
    from bitmeter.text.corpus.corpus import Corpus

    docs, field = keywords.get("docs") or convention(keywords["like"]).settings.get("docs"), keywords.get("field")
    docs = None if docs == "record" else docs
    corpus = text if isinstance(text, Corpus) else Corpus.of(text, docs=docs, field=field)
    rest = {name: value for name, value in keywords.items() if name not in ("docs", "field", "trace")}
    if rows is not None:
        rows.keeps = True

    def origin(number: int) -> tuple[str, int, Any]:
        if rows is not None:
            return rows.origins.popleft()  # type: ignore[no-any-return]
        begun = corpus.first_documents()
        source = int(np.searchsorted(begun, number, side="right")) - 1
        return corpus.source_names[source], number - int(begun[source]) + 1, None

    with TableFile(path, SCHEMA, COLUMNS, force=force) as file:
        found = score(
            model, corpus, progress=progress, trace=keywords.get("trace"),
            documents=lambda batch: file.write(document_rows(batch, origin)), **rest,
        )  # fmt: skip
        file.end({"short": found.signature.short, "signature": str(found.signature), "documents": found.documents})
    return found if rows is None else replace(found, notes=(*rows.notes(), *found.notes))
