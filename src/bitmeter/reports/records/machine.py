"""Results as programs read them: every figure in bits and in nats, perplexities, counts, interval and signature."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bitmeter._version import __version__
from bitmeter.measure.aggregates import COUNTS, Per
from bitmeter.measure.compare import Comparison
from bitmeter.measure.divergence import PERCENTILES, Divergence
from bitmeter.measure.score import Score
from bitmeter.measure.survey import Survey
from bitmeter.measure.trace.trace import Trace, TracedUnit
from bitmeter.reports.figures import tool_figures
from bitmeter.reports.formats.cells import json_value
from bitmeter.reports.formats.table import Column, Table, columns_of
from bitmeter.reports.tables import visible

__all__ = [
    "comparison_document",
    "comparison_records",
    "divergence_document",
    "divergence_records",
    "figures_of",
    "quotient",
    "score_document",
    "score_records",
    "survey_records",
    "trace_records",
]

_LN2 = math.log(2.0)
_PER: tuple[Per, ...] = ("byte", "char", "word", "token", "document")

_QUOTIENTS = (
    *columns_of("nats bits", "number"),
    *columns_of(" ".join(f"bits_per_{per}" for per in _PER), "number"),
    *columns_of(" ".join(f"nats_per_{per}" for per in _PER), "number"),
    *columns_of(" ".join(f"perplexity_per_{per}" for per in _PER[:-1]), "number"),
)
_COUNTED = columns_of("bytes chars words tokens documents oov skipped invalid impossible", "integer")
_INTERVAL = (
    Column("interval_per"),
    *columns_of("low high standard_error confidence", "number"),
    Column("interval_method"),
    Column("interval_clusters", "integer"),
)
_SIGNED = columns_of("short signature schema version")


def quotient(score: Score, per: Per, way: str = "bits") -> float | None:
    """A figure per unit; None where there is none: a closed vocabulary has none per byte, a total none per token.

    A perplexity that a double cannot hold is None, too; its bits are known.

    Examples
    --------
    >>> import bitmeter as bm
    >>> score = bm.score("uniform", b"to be or not to be")
    >>> quotient(score, "char"), quotient(score, "byte", "perplexity"), quotient(bm.score("zlib", b"to be"), "token")
    (8.0, 256.0, None)
    """
    if (per == "token" and score.tokens is None) or not score.count(per):
        return None
    if per in ("byte", "char", "document") and score.figure_per != "byte":
        return None
    bits = score.per(per)
    if way == "perplexity":
        return None if 1024.0 <= bits < math.inf else float(2.0**bits)
    return bits if way == "bits" else score.per(per, unit="nats")


def figures_of(score: Score) -> dict[str, float | None]:
    """All quotients of a score, by name."""
    found: dict[str, float | None] = {"nats": score.nats, "bits": score.bits}
    for way in ("bits", "nats"):
        found |= {f"{way}_per_{per}": quotient(score, per, way) for per in _PER}
    return found | {f"perplexity_per_{per}": quotient(score, per, "perplexity") for per in _PER[:-1]}


def score_document(score: Score) -> dict[str, Any]:
    """A run, as `score -o` saves it, and all its quotients, the figures of the tool of `like`, and the version."""
    printed, reason = tool_figures(score)
    tool = {"name": score.signature.like, "figures": printed, **({"reason": reason} if reason else {})}
    found: dict[str, Any] = json_value({"version": __version__, "figures": figures_of(score), "tool": tool})
    run = score.to_dict()
    return {"schema": run.pop("schema"), **found, **run}


def _score_cells(score: Score) -> list[Any]:
    found = score.interval
    return [
        score.model, score.text, *figures_of(score).values(),
        *(getattr(score, column.name) for column in _COUNTED),
        score.figure_per,
        *((None, None, None) if found is None else (found.low, found.high, found.standard_error)),
        score.confidence,
        *((None, None) if found is None else (found.method, found.clusters)),
    ]  # fmt: skip


def _tool_columns(scores: Iterable[Score]) -> dict[str, Column]:
    """The figures of other tools, by their names with the tool before it."""
    found = {}
    for score in scores:
        for name in tool_figures(score)[0]:
            title = _tool_title(score, name)
            found[title] = Column(title, "number", 6)
    return found


def _tool_title(score: Score, name: str) -> str:
    """The name of a tool's figure as a column that R, SQL and pandas can name without quotes."""
    return re.sub(r"\W+", "_", f"{score.signature.like} {name}").strip("_").lower()


def _tool_cells(score: Score, titles: Iterable[str]) -> list[Any]:
    own = {_tool_title(score, name): float(value) for name, value in tool_figures(score)[0].items()}
    return [own.get(title) for title in titles]


def score_records(scores: Sequence[Score]) -> Table:
    """One row per score."""
    tools = _tool_columns(scores)
    columns = (*columns_of("model text"), *_QUOTIENTS, *_COUNTED, *_INTERVAL, *tools.values(), *_SIGNED)
    schema = "bitmeter.score-row/1"
    rows = [
        [*_score_cells(score), *_tool_cells(score, tools), score.signature.short, str(score.signature), schema,
         __version__]
        for score in scores
    ]  # fmt: skip
    return Table(schema, columns, rows)


# ---- comparisons -----------------------------------------------------------------------------------------------------

_DIFFERENCE = (
    *columns_of("difference_bits difference_nats difference_low difference_high p_value e_value share_won", "number"),
    Column("clusters", "integer"),
    *columns_of("per weights reason caveat"),
)


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """A comparison, and for each model all quotients, counts, the interval and both forms of the signature."""
    found = comparison.to_dict()
    rows = []
    for row, own in zip(comparison.rows, found.pop("rows"), strict=True):
        printed, reason = tool_figures(row.score)
        whole = score_document(row.score)
        more = {
            "difference_nats": row.difference * _LN2, "figures": figures_of(row.score),
            "tool": {"name": row.score.signature.like, "figures": printed, **({"reason": reason} if reason else {})},
            "tokens": row.score.tokens, **{name: getattr(row.score, name) for name in COUNTS},
            "short": row.score.signature.short,
        }  # fmt: skip
        rows.append({**own, **json_value(more), "interval": whole["interval"]})
    return {"schema": found.pop("schema"), "version": __version__, **found, "rows": rows}


def comparison_records(comparison: Comparison) -> Table:
    """One row per model, the baseline first; the ends of a difference are in bits."""
    scores = [row.score for row in comparison.rows]
    tools = _tool_columns(scores)
    columns = (*columns_of("model text"), *_QUOTIENTS, *_COUNTED, *_INTERVAL, *_DIFFERENCE, *tools.values(), *_SIGNED)
    schema, rows = "bitmeter.comparison-row/1", []
    for row in comparison.rows:
        test = row.test
        rows.append([
            *_score_cells(row.score), row.difference, row.difference * _LN2, row.low, row.high, row.p_value,
            None if test is None else test.e_value, None if test is None else test.share_won, row.clusters,
            comparison.per, comparison.weights, row.reason, row.caveat, *_tool_cells(row.score, tools),
            row.score.signature.short, str(row.score.signature), schema, __version__,
        ])  # fmt: skip
    return Table(schema, columns, rows, {"method": comparison.method})


# ---- divergences -----------------------------------------------------------------------------------------------------


def divergence_document(found: Divergence) -> dict[str, Any]:
    """A divergence in bits and nats, with what each model costs on the text."""
    own = found.to_dict()
    figures = {
        "mean_bits": found.mean, "mean_nats": found.mean * _LN2,
        "standard_error_bits": found.error, "standard_error_nats": found.error * _LN2,
        "models": [
            {"model": name, **figures, "short": signature.short, "signature": str(signature)}
            for name, figures, signature in _sides(found)
        ],
        "documents": found.documents, "bytes": found.bytes, "chars": found.chars, "words": found.words,
    }  # fmt: skip
    return {"schema": "bitmeter.divergence/1", "version": __version__, **own, **json_value(figures)}


def _sides(found: Divergence) -> Iterator[tuple[str, dict[str, float | None], Any]]:
    logs = (found.first_logprobs, found.second_logprobs)
    for name, column, signature in zip((found.first, found.second), logs, found.signatures, strict=True):
        nats = -math.fsum(column) if bool((column > -math.inf).all()) else math.inf
        per_token = nats / len(found)
        yield name, {
            "nats": nats, "bits": nats / _LN2, "bits_per_token": per_token / _LN2, "nats_per_token": per_token,
            "perplexity_per_token": None if 709.0 < per_token < math.inf else math.exp(min(per_token, 800.0))
            if per_token < math.inf else math.inf,
        }, signature  # fmt: skip


def divergence_records(found: Divergence) -> Table:
    """One row."""
    sides = list(_sides(found))
    values: dict[str, Any] = {
        "first": found.first, "second": found.second, "text": found.text, "mean_bits": found.mean,
        "mean_nats": found.mean * _LN2, "standard_error_bits": found.error, "standard_error_nats": found.error * _LN2,
        "same_top_rate": found.same_top_rate, "log_ratio_bits": found.log_ratio,
        "probability_error": found.probability_error,
        **{f"percentile_{share:g}_bits": found.percentile(share) for share in PERCENTILES},
        "max_bits": found.percentile(100.0),
        **{f"{side}_{name}": value for side, (_, figures, _) in zip(("first", "second"), sides, strict=True)
           for name, value in figures.items()},
    }  # fmt: skip
    counts = {"tokens": len(found), **{name: getattr(found, name) for name in ("documents", "bytes", "chars", "words")}}
    signed = {
        "short": " ".join(signature.short for _, _, signature in sides),
        "signature": " ".join(str(signature) for _, _, signature in sides),
        "schema": "bitmeter.divergence-row/1", "version": __version__,
    }  # fmt: skip
    columns = (
        *(Column(name, "text" if isinstance(value, str) else "number", 6) for name, value in values.items()),
        *(Column(name, "integer") for name in counts), *(Column(name) for name in signed),
    )  # fmt: skip
    return Table(signed["schema"], columns, [[*values.values(), *counts.values(), *signed.values()]])


# ---- traces ----------------------------------------------------------------------------------------------------------


def trace_records(trace: Trace, units: Iterable[TracedUnit], *, detailed: bool, escaped: bool) -> Table:
    """One row per unit.

    Parameters
    ----------
    trace
        To which the units belong.
    units
        Those to write.
    detailed
        Whether they have an entropy, a rank and alternatives.
    escaped
        Whether tabs, line ends, invisible characters and backslashes of the unit are escaped, for formats that are read
        line by line. A byte that is not UTF-8 always is.
    """
    columns = [*columns_of("doc start end", "integer"), Column("unit"), *columns_of("bits nats", "number")]
    if detailed:
        columns += [*columns_of("entropy_bits entropy_nats", "number"), Column("rank", "integer")]
        columns += [Column("alternatives", "data")]
    short = trace.signature.short

    def rows() -> Iterator[list[Any]]:
        for unit in units:
            text = visible(unit.unit) if escaped else unit.text
            row = [unit.doc, unit.start, unit.end, text, unit.bits, -unit.logprob + 0.0]
            if detailed:
                entropy = None if unit.entropy is None else float(unit.entropy)
                row += [None if entropy is None else entropy / _LN2, entropy, unit.rank, _alternatives(unit)]
            yield [*row, short]

    about = {"short": short, "signature": str(trace.signature), "units": len(trace)}
    return Table("bitmeter.trace-table/1", (*columns, Column("short")), rows(), about)


def _alternatives(unit: TracedUnit) -> list[dict[str, Any]]:
    return [
        {"unit": name.decode("utf-8", "backslashreplace"), "bits": -logprob / _LN2 + 0.0, "nats": -logprob + 0.0}
        for name, logprob in unit.alternatives
        if logprob > -math.inf
    ]


# ---- entropies -------------------------------------------------------------------------------------------------------


def survey_records(survey: Survey) -> Table:
    """One row per estimate, in bits and nats per symbol."""
    columns = (
        *columns_of("group method"), *columns_of("bits nats corrected_bits low_bits high_bits coverage", "number"),
        *columns_of("upper_bound reliable headline", "flag"), Column("note"), *columns_of("source units"),
        *columns_of("symbols kinds bytes undecoded", "integer"), *columns_of("schema version"),
    )  # fmt: skip
    schema, rows = "bitmeter.entropy-row/1", []
    for row in survey.rows:
        low, high = (None, None) if row.interval is None else (end / _LN2 for end in row.interval)
        rows.append([
            row.group, f"order {row.name}" if row.group == "order" else row.name, float(row.nats) / _LN2,
            float(row.nats), None if row.corrected is None else row.corrected / _LN2, low, high, row.coverage,
            bool(row.upper_bound), bool(row.reliable), row is survey.headline, row.note, survey.source, survey.units,
            survey.symbols, survey.kinds, survey.byte_count, survey.undecoded, schema, __version__,
        ])  # fmt: skip
    return Table(schema, columns, rows)
