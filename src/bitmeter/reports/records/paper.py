"""Tables for a paper: models × texts with intervals and marks of significance, and a caption with the conventions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bitmeter._version import __version__
from bitmeter.errors import IncomparableError, InputError
from bitmeter.measure.compare import Comparison, compare_scores
from bitmeter.measure.divergence import Divergence
from bitmeter.measure.score import Score
from bitmeter.measure.survey import Survey
from bitmeter.reports import figures
from bitmeter.reports.explain import value_in_words
from bitmeter.reports.formats.table import Column, Table
from bitmeter.reports.records.machine import divergence_records, survey_records
from bitmeter.reports.tables import comparison_cells

__all__ = ["caption", "comparison_paper", "divergence_paper", "narrowed", "score_paper", "stars", "survey_paper"]

#: The conventions that a reader must know to take the figures again, in this order.
_STATED = ("docs", "norm", "first", "eos", "oov", "den", "ctx", "given")
_LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def stars(p_value: float | None) -> str:
    """The mark of a p-value.

    Examples
    --------
    >>> stars(0.0004), stars(0.03), stars(0.2), stars(None)
    ('***', '*', '', '')
    """
    return "" if p_value is None else next((mark for level, mark in _LEVELS if p_value < level), "")


def score_paper(scores: Sequence[Score]) -> Table:
    """One line per model, one column per text: the figure, its interval, and whether it differs from the first model's.

    Examples
    --------
    >>> import bitmeter as bm
    >>> text = bm.Corpus.from_documents([b"a" * (20 + 7 * i % 5) + b"b" * (3 * i % 4) for i in range(20)], name="ab")
    >>> found = score_paper([bm.score(model, text) for model in ("uniform", "kt")])
    >>> [column.name for column in found.columns], [row[0] for row in found.rows]
    (['model', 'ab'], ['uniform:256', 'kt'])
    """
    texts = list(dict.fromkeys(score.text for score in scores))
    models = list(dict.fromkeys(score.model for score in scores))
    names = figures.short_names(texts)
    cells: dict[tuple[str, str], str] = {}
    compared: list[Comparison] = []
    reasons: list[str] = []
    for text in texts:
        own = [score for score in scores if score.text == text]
        found = _compared(own, reasons, names[text])
        compared += [found] if found is not None else []
        marks = ["" for _ in own] if found is None else [stars(row.p_value) for row in found.rows]
        for score, mark in zip(own, marks, strict=True):
            cells[score.model, text] = figures.figure_with_interval(score) + mark
    units = sorted({score.figure_per for score in scores})
    said = [f"Bits per {' or '.join(units)} (lower is better) under {figures.counted(len(models), 'model')}."]
    if len(units) > 1:
        said[0] += " Figures per token are of closed vocabularies, and do not compare with those per byte."
    said += _intervals(scores, names)
    if compared and any(row.p_value is not None for found in compared for row in found.rows):
        said.append(_marks(compared, models[0]))
    said += reasons
    columns = (Column("model"), *(Column(names[text], "number") for text in texts))
    rows = [[model, *(cells.get((model, text), "–") for text in texts)] for model in models]
    return Table("bitmeter.paper/1", columns, rows, caption=(*said, *caption(scores)))


def _compared(scores: Sequence[Score], reasons: list[str], text: str) -> Comparison | None:
    """The models on one text; None, with the reason, if they must not be compared."""
    if len(scores) < 2:
        return None
    try:
        return compare_scores(list(scores), scores[0].confidence)
    except (IncomparableError, InputError) as error:
        reasons.append(f"No differences are marked on {text}: {error}.")
        return None


def _intervals(scores: Sequence[Score], names: dict[str, str]) -> list[str]:
    """What the brackets are, and how many observations each text has."""
    stated: dict[str, dict[str, int]] = {}
    for score in scores:
        if score.interval is not None:
            words = figures.interval_words(score.interval).partition(" (")[0]
            stated.setdefault(words, {})[names[score.text]] = score.interval.clusters
    said = [f"{words} ({', '.join(f'{name}: {n:,}' for name, n in own.items())})" for words, own in stated.items()]
    return [f"Brackets hold confidence intervals, {'; '.join(said)}."] if said else []


def _marks(compared: Sequence[Comparison], baseline: str) -> str:
    tests = max(sum(row.p_value is not None for row in found.rows) for found in compared)
    holm = f", corrected for {tests} comparisons per text (Holm)" if tests > 1 else ""
    methods = "; ".join(sorted({found.method for found in compared if found.method != "totals only"}))
    return f"Differences from {baseline}: * p < .05, ** p < .01, *** p < .001, paired{holm} ({methods})."


def narrowed(table: Table, titles: Mapping[str, str], said: Sequence[str]) -> Table:
    """Some columns of a table under other titles, with a caption."""
    names = [column.name for column in table.columns]
    places = [names.index(name) for name in titles if name in names]
    columns = tuple(replace(table.columns[place], name=titles[names[place]]) for place in places)
    rows = ([row[place] for place in places] for row in table.rows)
    return Table("bitmeter.paper/1", columns, rows, caption=tuple(said))


def divergence_paper(found: Divergence) -> Table:
    """The mean divergence of a model from another, its percentiles and how often both agree."""
    titles = {
        "second": "model", "mean_bits": "KL (bits/token)", "standard_error_bits": "SE", "percentile_50_bits": "50 %",
        "percentile_99_bits": "99 %", "same_top_rate": "same top",
    }  # fmt: skip
    shorts = " ".join(signature.short for signature in found.signatures)
    text = figures.short_names([found.text])[found.text]
    said = (
        f"KL divergence of the predictions from those of {found.first} on {text}, in bits per token over "
        f"{len(found):,} tokens, and how often both predict the same most likely token.",
        f"Measured by bitmeter {__version__}; signatures: {shorts}.",
    )
    return narrowed(divergence_records(found), titles, said)


def survey_paper(found: Survey) -> Table:
    """The estimates of the entropy of a text."""
    titles = {"method": "method", "bits": f"bits/{found.units.removesuffix('s')}", "low_bits": "low",
              "high_bits": "high", "upper_bound": "upper bound"}  # fmt: skip
    said = (
        f"Entropy of {found.source}: {found.symbols:,} {found.units}, {found.kinds:,} of them different.",
        f"Measured by bitmeter {__version__}.",
    )
    return narrowed(survey_records(found), titles, said)


def caption(scores: Sequence[Score]) -> list[str]:
    """The conventions of the scores in words, and their signatures."""
    said = []
    for key in _STATED:
        stated: dict[str, list[str]] = {}
        for score in scores:
            value = getattr(score.signature, key)
            words = value_in_words(key, value) if value != "none" or key in ("oov", "norm") else ""
            if words:
                stated.setdefault(words.rstrip("."), []).append(score.model)
        if len(stated) == 1 and sum(map(len, stated.values())) == len(scores):
            said.append(next(iter(stated)))
        else:
            said += [f"{', '.join(dict.fromkeys(models))}: {words}" for words, models in stated.items()]
    likes = sorted({score.signature.like for score in scores} - {"bitmeter"})
    texts = list(dict.fromkeys(score.text for score in scores))
    names = figures.short_names(texts)
    signed = "; ".join(
        (f"{names[text]}: " if len(texts) > 1 else "")
        + ", ".join(f"{score.model} {score.signature.short}" for score in scores if score.text == text)
        for text in texts
    )
    lines = [f"Conventions: {'; '.join(said)}."]
    lines += [f"Conventions of {', '.join(likes)}."] if likes else []
    return [*lines, f"Measured by bitmeter {__version__}; signatures: {signed}."]


def comparison_paper(comparison: Comparison) -> Table:
    """One line per model: its figure, its difference to the baseline with the interval, and the mark."""
    scores = [row.score for row in comparison.rows]
    level = f"{100 * comparison.confidence:g} %"
    titles = ["model", f"bits/{comparison.per}", f"Δ [{level}]", "p"]
    rows: list[list[Any]] = []
    for row in comparison.rows:
        model, figure, change, p_value = comparison_cells(row)[:4]
        rows.append([model, figure, change + stars(row.p_value), p_value])
    base = comparison.baseline
    text = figures.short_names([base.text])[base.text]
    said = [f"Difference Δ in bits per {comparison.per} against {base.model} on {text} (below zero is better)."]
    if comparison.weights == "document":
        said.append("Every document counts alike.")
    if any(row.p_value is not None for row in comparison.rows):
        said.append(_marks([comparison], base.model))
    elif comparison.method != "totals only":
        said.append(f"Intervals: {comparison.method}.")
    columns = (Column(titles[0]), *(Column(title, "number") for title in titles[1:]))
    return Table("bitmeter.paper/1", columns, rows, caption=(*said, *caption(scores)))
