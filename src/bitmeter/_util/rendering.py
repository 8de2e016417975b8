"""The text of results: written by reports/, which the packages that make the results must not import."""

from __future__ import annotations

from importlib import import_module

__all__ = ["HTML", "RENDERERS", "InNotebooks", "rendered", "rendered_html"]

#: For each class of results the function that renders it, as "module:function"; it is imported when it is needed.
RENDERERS = {
    "Audit": "bitmeter.reports.audit:describe_audit",
    "Score": "bitmeter.reports.panel:describe",
    "Comparison": "bitmeter.reports.panel:describe_comparison",
    "Refusal": "bitmeter.reports.panel:describe_refusal",
    "Choices": "bitmeter.reports.answers:describe_choices",
    "Preferences": "bitmeter.reports.answers:describe_preferences",
    "Overlap": "bitmeter.reports.overlap:describe_overlap",
    "Sweep": "bitmeter.reports.sweep:describe_sweep",
    "TextStatistics": "bitmeter.reports.membership:describe_statistics",
    "Divergence": "bitmeter.reports.panel:describe_divergence",
    "Check": "bitmeter.reports.gate:describe_check",
    "FilterSummary": "bitmeter.reports.filter:describe_filter",
}
#: The same for notebooks, as HTML; other results are shown by their text.
HTML = {
    "Score": "bitmeter.reports.notebook.html:score_html",
    "Comparison": "bitmeter.reports.notebook.html:comparison_html",
    "Trace": "bitmeter.reports.notebook.html:trace_html",
    "WordSurprisals": "bitmeter.reports.notebook.html:words_html",
    "Sweep": "bitmeter.reports.notebook.html:sweep_html",
    "Distribution": "bitmeter.reports.notebook.html:distribution_html",
    "Markov": "bitmeter.reports.notebook.html:markov_html",
    "EntropyEstimate": "bitmeter.reports.notebook.html:estimate_html",
    "Model": "bitmeter.reports.notebook.html:model_html",
    "Compressor": "bitmeter.reports.notebook.html:compressor_html",
}
_PLAIN = "bitmeter.reports.notebook.html:text_html"


def rendered(result: object) -> str:
    """The text of a result, for its `__str__`."""
    return _made(result, _renderer(result, RENDERERS) or "")


def rendered_html(result: object) -> str:
    """The HTML of a result, for its `_repr_html_`."""
    return _made(result, _renderer(result, HTML) or _PLAIN)


def _renderer(result: object, table: dict[str, str]) -> str | None:
    return next((table[kind.__name__] for kind in type(result).__mro__ if kind.__name__ in table), None)


def _made(result: object, renderer: str) -> str:
    module, _, function = renderer.partition(":")
    return str(getattr(import_module(module), function)(result))


class InNotebooks:
    """A result that notebooks show as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return rendered_html(self)
