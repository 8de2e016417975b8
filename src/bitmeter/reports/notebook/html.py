"""Results as HTML, as a notebook shows the last value of a cell.

Names, units and labels come from files and are escaped. There are no scripts, no style sheets and no addresses: the
colours are those of the notebook, so that dark themes work.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from bitmeter._util.check import unit_name
from bitmeter._util.secrets import without_secrets
from bitmeter.errors import BitmeterError
from bitmeter.measure.aggregates import Per
from bitmeter.measure.compare import Comparison
from bitmeter.measure.gate.sweep import Sweep
from bitmeter.measure.score import Score
from bitmeter.measure.signature import Signature
from bitmeter.measure.surprisal.words import WordSurprisals
from bitmeter.measure.trace.trace import Trace, TracedUnit
from bitmeter.models.protocols import Compressor, Model, Predictor
from bitmeter.reports import figures
from bitmeter.reports.explain import explain_signature
from bitmeter.reports.panel import remarks
from bitmeter.reports.sweep import sweep_cells, sweep_lines
from bitmeter.reports.tables import comparison_cells, visible
from bitmeter.theory.distributions import Distribution
from bitmeter.theory.estimators.entropy import EntropyEstimate
from bitmeter.theory.processes.markov import Markov

__all__ = [
    "comparison_html",
    "compressor_html",
    "distribution_html",
    "estimate_html",
    "markov_html",
    "model_html",
    "score_html",
    "sweep_html",
    "text_html",
    "trace_html",
    "words_html",
]

#: The most units, labels and symbols that are shown, and the most contexts whose entropy rate is.
_UNITS, _LABELS, _SYMBOLS, _CONTEXTS = 600, 20, 12, 300
#: The characters of a unit or label that are shown.
_LONGEST = 40
_TEAL, _RED = "0, 137, 123", "229, 57, 53"
_LEFT = "text-align:left;vertical-align:top"
_PARAGRAPH = f"{_LEFT};line-height:1.7;white-space:pre-wrap;word-break:break-word"


# ---- pieces ----------------------------------------------------------------------------------------------------------


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _name(text: str) -> str:
    return escape(without_secrets(text))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    lines = []
    if head:
        lines.append("<tr>" + "".join(f'<th style="{_LEFT}">{cell}</th>' for cell in head) + "</tr>")
    lines += ["<tr>" + "".join(f'<td style="{_LEFT}">{cell}</td>' for cell in row) + "</tr>" for row in rows]
    return f"<table>{''.join(lines)}</table>"


def _titled(title: str, body: str) -> str:
    return f'<div><div style="font-weight:bold">{title}</div>{body}</div>'


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>{body}</details>"


def _bar(share: float) -> str:
    width = f"{100.0 * min(1.0, max(0.0, share)):.1f}%"
    inner = f'<div style="width:{width};height:0.8em;background:rgba({_TEAL}, 0.7)"></div>'
    return f'<div style="width:10em">{inner}</div>'


def _signature(signature: Signature) -> str:
    rows = [
        (f"<b>{key}</b>", escape(_shortened(without_secrets(value)) or "(empty)"), escape(meaning))
        for key, value, meaning in explain_signature(signature)
    ]
    return _folded(f"<code>{escape(signature.short)}</code>", _table((), rows))


def _shortened(text: str) -> str:
    return text if len(text) <= 120 else text[:119] + "…"


def text_html(result: object) -> str:
    """A result by its text."""
    return f'<pre style="{_LEFT}">{escape(str(result))}</pre>'


# ---- measures --------------------------------------------------------------------------------------------------------


def score_html(score: Score) -> str:
    """A score: the figure, its interval, perplexities, notes; its conventions unfold."""
    per = score.figure_per
    rows = [(f"bits per {per}", f"<b>{escape(figures.figure_with_interval(score))}</b>")]
    if score.interval is not None:
        rows.append(("interval", escape(figures.interval_words(score.interval))))
    shown: tuple[Per, ...] = ("token", "word", "char") if per == "byte" else ("token", "word")
    parts = [f"{figures.perplexity(score, one)} per {one}" for one in shown]
    if known := [part for part in parts if not part.startswith("–")]:
        rows.append(("perplexity", escape(" · ".join(known))))
    sizes = [figures.counted(score.documents, "document"), figures.counted(score.bytes, "byte")]
    rows.append(("text", escape(" · ".join(sizes))))
    if convention := figures.convention_words(score.signature):
        rows.append(("convention", escape(convention)))
    counts = {"unknown": score.oov, "not scored": score.skipped, "impossible": score.impossible}
    if odd := [f"{count:,} {name}" for name, count in counts.items() if count]:
        rows.append(("of which", escape(", ".join(odd))))
    found, reason = figures.tool_figures(score)
    rows += [(escape(f"{score.signature.like} {name}"), figures.tool_number(value)) for name, value in found.items()]
    rows += [("note", escape(note)) for note in (*score.notes, *([reason] if reason else []))]
    rows.append(("signature", _signature(score.signature)))
    return _titled(f"{_name(score.model)} on {_name(score.text)}", _table((), rows))


def comparison_html(comparison: Comparison) -> str:
    """A comparison: one row per model, and how to read it."""
    level = f"{comparison.confidence * 100:g} %"
    head = ["model", f"bits per {comparison.per}", f"Δ [{level}]", "p", "e", "better on"]
    rows = [[escape(without_secrets(cell)) for cell in comparison_cells(row)] for row in comparison.rows]
    kept = [k for k in range(len(head)) if any(row[k] not in ("", "–") for row in rows)]
    best = comparison.best
    for row, line in zip(comparison.rows, rows, strict=True):
        if row.score is best:
            line[0] = f"<b>{line[0]}</b>"
    table = _table([escape(head[k]) for k in kept], [[row[k] for k in kept] for row in rows])
    return f"<div>{table}{_folded('how to read this', text_html(chr(10).join(remarks(comparison))))}</div>"


def trace_html(trace: Trace) -> str:
    """A trace: the text, shaded by what each unit cost; the most surprising units unfold."""
    shown = list(trace[:_UNITS])
    full = max((unit.bits for unit in shown if math.isfinite(unit.bits)), default=0.0) or 1.0
    spans = "".join(_shaded(unit, full) for unit in shown)
    more = f" … and {len(trace) - _UNITS:,} more units" if len(trace) > _UNITS else ""
    rows = [
        (
            f"{_bits(unit.bits)}",
            f"<code>{escape(_cut(visible(unit.unit)))}</code>",
            f"{unit.doc}",
            f"{unit.start}–{unit.end}",
        )
        for unit in trace.top(10)
    ]
    top = _folded("the most surprising units", _table(("bits", "unit", "document", "bytes"), rows))
    title = f"{figures.counted(len(trace), 'unit')}, {escape(trace.signature.short)}"
    return _titled(title, f'<div style="{_PARAGRAPH}">{spans}{more}</div>{top}')


def words_html(found: WordSurprisals) -> str:
    """Words, shaded by their surprisal; figures of the first of them unfold."""
    bits = found.bits.tolist()
    shown = list(zip(found.texts, bits, found.doc.tolist(), strict=True))[:_UNITS]
    full = max((cost for _, cost, _ in shown if math.isfinite(cost)), default=0.0) or 1.0
    spans, before = [], 0
    for word, cost, doc in shown:
        spans.append("\n" * (doc != before) + _shade(escape(visible(word.encode())), cost, full))
        before = doc
    more = f" … and {len(found) - _UNITS:,} more words" if len(found) > _UNITS else ""
    plain, entropy = (found.plain / math.log(2.0)).tolist(), (found.entropy / math.log(2.0)).tolist()
    rows = [
        (f"<code>{escape(_cut(visible(word.encode())))}</code>", _bits(cost), _bits(plain[k]), _bits(entropy[k]),
         f"{int(found.tokens[k])}")
        for k, (word, cost, _) in enumerate(shown[:_LABELS])
    ]  # fmt: skip
    head = ("word", "surprisal (bits)", "plain", "entropy before", "tokens")
    first = _folded("the first words" if len(found) > _LABELS else "the words", _table(head, rows))
    title = f"{figures.counted(len(found), 'word')}, {escape(found.signature.short)}"
    return _titled(title, f'<div style="{_PARAGRAPH}">{" ".join(spans)}{more}</div>{first}')


def sweep_html(sweep: Sweep) -> str:
    """A sweep: one row per model, and how to read it."""
    rows = [[escape(without_secrets(cell)) for cell in cells] for cells in sweep_cells(sweep)]
    head, *lines = rows
    return f"<div>{_table(head, lines)}{_folded('how to read this', text_html(chr(10).join(sweep_lines(sweep))))}</div>"


def _bits(bits: float) -> str:
    return "∞" if math.isinf(bits) else f"{bits:.3f}"


def _shaded(unit: TracedUnit, full: float) -> str:
    rank = "" if unit.rank is None else f", rank {unit.rank}"
    return _shade("".join(_letters(unit.unit)), unit.bits, full, rank)


def _shade(shown: str, bits: float, full: float, more: str = "") -> str:
    """A text that is HTML already, shaded by its cost."""
    share = max(0.0, min(1.0, bits / full))
    colour = _RED if math.isinf(bits) else _TEAL
    hint = f"{_bits(bits)} bits{more}"
    return f'<span title="{hint}" style="background:rgba({colour}, {0.75 * share:.2f})">{shown}</span>'


def _letters(unit: bytes) -> Iterable[str]:
    """Text as it is, line ends and spaces among it; what cannot be seen is escaped."""
    for letter in unit.decode("utf-8", "surrogateescape"):
        if letter == "\n":
            yield "↵\n"
        elif letter == " ":
            yield " "
        else:
            yield escape(visible(letter.encode("utf-8", "surrogateescape")))


# ---- models ----------------------------------------------------------------------------------------------------------


def model_html(model: Model) -> str:
    """A model: what it predicts, and what is known of it."""
    traits = model.traits
    rows = [
        ("kind", escape(type(model).__name__)),
        ("units", escape(model.units.name)),
        ("vocabulary", "open" if traits.vocabulary is None else f"{traits.vocabulary:,}"),
        ("next unit", "the whole distribution" if isinstance(model, Predictor) else "scores what it is shown"),
        ("precision", escape(traits.precision)),
        *([] if traits.is_distribution else [("note", "its predictions do not sum to one, so it has no perplexity")]),
        *([("learns", "as it reads")] if traits.learns else []),
        *(("note", escape(caveat)) for caveat in traits.caveats),
        ("fingerprint", f"<code>{_name(model.fingerprint)}</code>"),
    ]
    return _titled(_name(model.name), _table((), rows))


def compressor_html(model: Compressor) -> str:
    """A compressor."""
    rows = [("kind", "compressor: it gives totals alone"), ("fingerprint", f"<code>{escape(model.fingerprint)}</code>")]
    return _titled(escape(model.name), _table((), rows))


# ---- theory ----------------------------------------------------------------------------------------------------------


def distribution_html(distribution: Distribution) -> str:
    """A distribution: its likeliest labels with a bar each."""
    pairs = sorted(
        zip(distribution.labels, distribution.probabilities.tolist(), strict=True), key=lambda pair: -pair[1]
    )
    largest = max((p for _, p in pairs), default=1.0) or 1.0
    rows = [(f"<code>{escape(_cut(repr(name)))}</code>", f"{p:.4g}", _bar(p / largest)) for name, p in pairs[:_LABELS]]
    if len(pairs) > _LABELS:
        rest = math.fsum(p for _, p in pairs[_LABELS:])
        rows.append((f"{len(pairs) - _LABELS:,} more", f"{rest:.4g}", ""))
    title = (
        f"Distribution of {figures.counted(len(distribution), 'label')}: {distribution.entropy:.6g} bits, "
        f"perplexity {distribution.perplexity:.6g}"
    )
    return _titled(title, _table((), rows))


def markov_html(process: Markov) -> str:
    """A Markov chain: its entropy rate, and its transitions if they fit a page."""
    size, contexts = process.alphabet_size, len(process.transition)
    title = f"Markov chain of order {process.order} over {figures.counted(size, 'symbol')}"
    parts = []
    if size <= _SYMBOLS and contexts <= 3 * _SYMBOLS:
        labels = [escape(_cut(repr(label))) for label in (range(size) if process.labels is None else process.labels)]
        names = [
            " ".join(labels[digit] for digit in _digits(number, size, process.order)) for number in range(contexts)
        ]
        rows = [
            [f"<b>{name}</b>", *(f"{p:.4g}" for p in row)]
            for name, row in zip(names, process.transition.tolist(), strict=True)
        ]
        parts.append(_table(["after", *labels], rows))
    if contexts <= _CONTEXTS:  # of more, it takes time that no cell should spend on showing a value
        try:
            rate = f"entropy rate {process.entropy_rate:.6g} bits per symbol"
        except BitmeterError as error:
            rate = f"entropy rate: {error}"
        parts.append(f"<div>{escape(rate)}</div>")
    return _titled(title, "".join(parts))


def _digits(number: int, base: int, length: int) -> list[int]:
    return [number // base**place % base for place in reversed(range(length))]


def estimate_html(estimate: EntropyEstimate) -> str:
    """An entropy that was estimated from a sample."""
    unit = unit_name(estimate.unit)
    spread = "" if estimate.interval is None else f" [{estimate.interval[0]:.4f}, {estimate.interval[1]:.4f}]"
    rows = [
        ("entropy", f"<b>{estimate.value:.4f}{spread}</b> {escape(unit)}"),
        *([] if estimate.interval is None else [("interval", f"{100 * estimate.confidence:g} %")]),
        ("plug-in", f"{estimate.plug_in:.4f}"),
        ("coverage", f"{estimate.coverage:.4f}"),
        ("sample", f"{estimate.observations:,} observations of {figures.counted(estimate.symbols, 'symbol')}"),
        ("note", escape(estimate.note)),
    ]
    return _titled(f"Entropy by {escape(estimate.method)}", _table((), rows))
