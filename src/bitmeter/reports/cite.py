"""Runs as they are cited: in BibTeX, and their conventions in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from bitmeter._util.secrets import without_secrets
from bitmeter.history.runs import RememberedRun
from bitmeter.measure.score import Score
from bitmeter.measure.signature import MUST_AGREE, Signature
from bitmeter.reports.explain import explain_signature
from bitmeter.reports.figures import (
    convention_words,
    counted,
    figure_with_interval,
    folded,
    interval_words,
    short_names,
)

__all__ = ["bibtex", "in_words", "software_bibtex"]

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def bibtex(run: Score | RememberedRun, year: int | None = None) -> str:
    """A run as an entry of BibTeX; its key is the short signature, its note the whole one."""
    signature = _signature(run)
    fields = {
        "title": f"{_title(run)}: {_figure(run)}",
        "howpublished": f"Measured with bitmeter {signature.version}, signature {signature.short}",
        **({} if year is None else {"year": str(year)}),
        "key": signature.short,  # by which BibTeX sorts what has no author
        "note": f"Signature: {without_secrets(str(signature))}",
    }
    return _entry("misc", signature.short, fields)


def software_bibtex(versions: Iterable[str]) -> str:
    """The program, in the versions that measured."""
    fields = {
        "author": "{bitmeter contributors}",
        "title": "{bitmeter}: perplexity you can compare",
        "version": ", ".join(dict.fromkeys(versions)),
    }
    return _entry("software", "bitmeter", fields, raw=("author", "title"))


def _entry(kind: str, key: str, fields: dict[str, str], raw: Sequence[str] = ()) -> str:
    width = max(map(len, fields))
    lines = [f"  {name:<{width}} = {{{value if name in raw else _escaped(value)}}}" for name, value in fields.items()]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(letter, letter if letter.isprintable() else " ") for letter in text)


def _signature(run: Score | RememberedRun) -> Signature:
    return run.signature if isinstance(run, Score) else Signature.parse(run.signature)


def _title(run: Score | RememberedRun) -> str:
    name = without_secrets(run.text)
    return f"{without_secrets(run.model)} on {short_names([name])[name]}"


def _figure(run: Score | RememberedRun) -> str:
    if isinstance(run, Score):
        return f"{figure_with_interval(run)} bits per {run.figure_per}"
    figure = "no figure" if run.bits is None else "∞" if math.isinf(run.bits) else f"{run.bits:.4f}"
    return f"{figure} bits per {run.per}"


def in_words(run: Score | RememberedRun) -> list[str]:
    """A sentence or two for a paper: the figure, its interval, and the conventions that decide what it means.

    Of a run of which only the line of the history was kept there is no interval.
    """
    signature = _signature(run)
    parts = [f"{_title(run)}: {_figure(run)}"]
    sizes = counted(run.bytes, "byte")
    if isinstance(run, Score):
        if run.interval is not None:
            parts.append(f"interval: {interval_words(run.interval)}")
        sizes += f" in {counted(run.documents, 'document')}"
    else:
        parts.append(f"measured by bitmeter {run.verb}")
    known = signature.test_set
    parts.append(sizes if known is None else f"{sizes}, the test set {known}")
    vocabulary = convention_words(signature).partition(";")[0]
    parts += [
        meaning.partition(";")[0]
        for key, _, meaning in explain_signature(signature)
        if key in MUST_AGREE and key not in ("schema", "text") and not _is_plain(key, signature, vocabulary)
    ]
    parts += [vocabulary] * bool(vocabulary)
    if signature.ctx != "full":
        parts += [meaning for key, _, meaning in explain_signature(signature) if key == "ctx"]
    if signature.like != "bitmeter":
        parts.append(f"the conventions of {signature.like}")
    return folded("", f"{'; '.join(parts)} (bitmeter {signature.version}, {signature.short}).", 0)


def _is_plain(key: str, signature: Signature, vocabulary: str) -> bool:
    """Whether a key goes without saying: it has its default, or what unknown words cost is said already."""
    if key == "oov" and vocabulary:
        return True
    return key in ("norm", "den", "given", "oov") and bool(getattr(signature, key) == getattr(Signature(), key))
