"""The text of results: written by reports/, which the packages that make the results must not import."""

from __future__ import annotations

from importlib import import_module

#: For each class of results the function that renders it, as "module:function"; it is imported when it is needed.
RENDERERS = {
    "Audit": "bitmeter.reports.audit:describe_audit",
    "Score": "bitmeter.reports.panel:describe",
    "Comparison": "bitmeter.reports.panel:describe_comparison",
    "Refusal": "bitmeter.reports.panel:describe_refusal",
    "Choices": "bitmeter.reports.answers:describe_choices",
    "Preferences": "bitmeter.reports.answers:describe_preferences",
    "Sweep": "bitmeter.reports.sweep:describe_sweep",
    "TextStatistics": "bitmeter.reports.membership:describe_statistics",
    "Check": "bitmeter.reports.gate:describe_check",
    "FilterSummary": "bitmeter.reports.filter:describe_filter",
}


def rendered(result: object) -> str:
    """The text of a result, for its `__str__`."""
    name = next(kind.__name__ for kind in type(result).__mro__ if kind.__name__ in RENDERERS)
    module, _, function = RENDERERS[name].partition(":")
    return str(getattr(import_module(module), function)(result))
