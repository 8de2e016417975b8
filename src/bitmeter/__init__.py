"""bitmeter: perplexity you can compare.

The public API is flat: every name below is `bitmeter.name`. Names load when they are first used, so that
`import bitmeter` costs next to nothing.
"""

from __future__ import annotations

from bitmeter._version import __version__

TYPE_CHECKING = False  # avoids importing typing, which is slow; type checkers know the name
if TYPE_CHECKING:
    from typing import Any

    from bitmeter import errors
    from bitmeter.coding.archive.compress import Archive, compress, decompress
    from bitmeter.coding.archive.header import ArchiveHeader
    from bitmeter.coding.prefix.code import CodeFigures, PrefixCode
    from bitmeter.coding.prove import Proof, prove
    from bitmeter.data.catalogue import KnownSet
    from bitmeter.data.sets import StoredSet, get_set, list_sets
    from bitmeter.errors import BitmeterError
    from bitmeter.filter.run import filter_corpus
    from bitmeter.filter.summary import FilterSummary
    from bitmeter.hosts.columns import Columns, columns
    from bitmeter.hosts.logs.runs import import_log
    from bitmeter.measure.answers.accuracy import Accuracy
    from bitmeter.measure.answers.choices import Choices, choose
    from bitmeter.measure.answers.pairs import Preferences, prefer
    from bitmeter.measure.audit.auditing import audit, verify
    from bitmeter.measure.audit.result import Audit, AuditCheck, Correction, Finding, Verification
    from bitmeter.measure.compare import Comparison, compare
    from bitmeter.measure.divergence import Divergence, divergence
    from bitmeter.measure.gate.check import Check, check
    from bitmeter.measure.gate.limits import Limit
    from bitmeter.measure.gate.sweep import Sweep, SweepRow, sweep
    from bitmeter.measure.groups.rows import Group
    from bitmeter.measure.groups.table import group_matrix, write_matrix
    from bitmeter.measure.interval.base import Interval
    from bitmeter.measure.interval.paired import PairedTest
    from bitmeter.measure.membership.statistics import Statistic, TextStatistics, text_statistics
    from bitmeter.measure.overlap.documents import overlap_columns
    from bitmeter.measure.overlap.index import OverlapIndex
    from bitmeter.measure.overlap.result import Overlap, OverlapMatch, OverlapSource
    from bitmeter.measure.overlap.run import overlap
    from bitmeter.measure.score import Score
    from bitmeter.measure.scoring import score
    from bitmeter.measure.signature import Signature
    from bitmeter.measure.surprisal.words import WordSurprisals, word_surprisals
    from bitmeter.measure.trace.trace import Trace, TracedUnit
    from bitmeter.models.baseline.kt import KrichevskyTrofimov
    from bitmeter.models.baseline.table import TableModel
    from bitmeter.models.baseline.uniform import Uniform
    from bitmeter.models.causal.base import Causal, CausalPredictor
    from bitmeter.models.causal.endpoint.model import Endpoint
    from bitmeter.models.causal.hf.model import HuggingFace
    from bitmeter.models.causal.trained.curve import CurvePoint, LearningCurve
    from bitmeter.models.causal.trained.model import Neural
    from bitmeter.models.coder import Coder
    from bitmeter.models.mixture.auto import auto_mixture
    from bitmeter.models.mixture.cache import Cache
    from bitmeter.models.mixture.model import MixtureModel
    from bitmeter.models.ngram.convert import Conversion, convert
    from bitmeter.models.ngram.estimate.smoothing import SMOOTHINGS
    from bitmeter.models.ngram.model import NGram
    from bitmeter.models.ngram.state import NGramState
    from bitmeter.models.outcomes import Outcomes
    from bitmeter.models.protocols import (
        Bundled,
        Codes,
        Compressor,
        Model,
        OpenVocabulary,
        PlainModel,
        Predictor,
        Primable,
        PseudoScorer,
        Traits,
        Windowed,
    )
    from bitmeter.models.registry import load
    from bitmeter.models.sampled import SampledText
    from bitmeter.models.sampling import sample
    from bitmeter.models.scheme import Scheme
    from bitmeter.models.scored_text import ScoredText
    from bitmeter.models.session import (
        Batch,
        End,
        HistoryStepper,
        Options,
        PredictingSession,
        Scored,
        Session,
        Stepper,
        UnitSession,
    )
    from bitmeter.models.universal.model import Universal
    from bitmeter.models.windows import Plan, Windowing
    from bitmeter.reports.html.writer import report
    from bitmeter.reports.notebook.bar import ProgressBar
    from bitmeter.reports.plots.drawing import plot
    from bitmeter.text.corpus.corpus import Corpus, Document
    from bitmeter.text.units.base import Split, Units
    from bitmeter.text.units.named import units_of
    from bitmeter.text.units.words import Words
    from bitmeter.theory.conditional import Conditional
    from bitmeter.theory.decomposition import PartialInformation, partial_information
    from bitmeter.theory.distributions import Distribution
    from bitmeter.theory.estimators.blocks import BlockRow
    from bitmeter.theory.estimators.dependence import (
        INFORMATION_METHODS,
        estimate_multivariate_information,
        estimate_mutual_information,
    )
    from bitmeter.theory.estimators.entropy import ENTROPY_METHODS, EntropyEstimate, estimate_entropy
    from bitmeter.theory.estimators.neighbours import estimate_differential_entropy, estimate_kl_divergence
    from bitmeter.theory.estimators.rates import RATE_METHODS, RateEstimate, estimate_rate
    from bitmeter.theory.estimators.results import InformationEstimate
    from bitmeter.theory.guesses import dirichlet_cross_entropy
    from bitmeter.theory.impossible import Impossible, explain_infinite
    from bitmeter.theory.information import (
        cross_entropy,
        entropy,
        information,
        js_divergence,
        kl_divergence,
        perplexity,
        renyi_entropy,
        sequence_perplexity,
        varentropy,
    )
    from bitmeter.theory.joint import conditional_entropy, joint_entropy, mutual_information
    from bitmeter.theory.monte_carlo import MonteCarlo, monte_carlo_cross_entropy
    from bitmeter.theory.multivariate import (
        conditional_mutual_information,
        dual_total_correlation,
        o_information,
        total_correlation,
    )
    from bitmeter.theory.processes.averages import TimeAverages, autocorrelation, time_averages
    from bitmeter.theory.processes.base import Process
    from bitmeter.theory.processes.curves import EntropyCurves, entropy_curves
    from bitmeter.theory.processes.examples import EXAMPLE_PROCESSES, example_process, typewriter
    from bitmeter.theory.processes.hidden import HiddenMarkov
    from bitmeter.theory.processes.iid import Iid
    from bitmeter.theory.processes.markov import Markov
    from bitmeter.theory.processes.mixture import Mixture
    from bitmeter.theory.processes.phases import Phases
    from bitmeter.theory.processes.rates import cross_entropy_rate, kl_divergence_rate
    from bitmeter.theory.processes.results import Rate, StateClass, Verdict
    from bitmeter.theory.processes.typicality import Convergence, TypicalSet, converge, typical_set

#: Where each public name lives.
_HOMES = {
    "Accuracy": "measure.answers.accuracy",
    "Archive": "coding.archive.compress",
    "ArchiveHeader": "coding.archive.header",
    "Audit": "measure.audit.result",
    "AuditCheck": "measure.audit.result",
    "Batch": "models.session",
    "BitmeterError": "errors",
    "BlockRow": "theory.estimators.blocks",
    "Bundled": "models.protocols",
    "Cache": "models.mixture.cache",
    "Causal": "models.causal.base",
    "CausalPredictor": "models.causal.base",
    "Check": "measure.gate.check",
    "Choices": "measure.answers.choices",
    "CodeFigures": "coding.prefix.code",
    "Coder": "models.coder",
    "Codes": "models.protocols",
    "Columns": "hosts.columns",
    "Comparison": "measure.compare",
    "Compressor": "models.protocols",
    "Conditional": "theory.conditional",
    "Convergence": "theory.processes.typicality",
    "Conversion": "models.ngram.convert",
    "Corpus": "text.corpus.corpus",
    "Correction": "measure.audit.result",
    "CurvePoint": "models.causal.trained.curve",
    "Distribution": "theory.distributions",
    "Divergence": "measure.divergence",
    "Document": "text.corpus.corpus",
    "ENTROPY_METHODS": "theory.estimators.entropy",
    "EXAMPLE_PROCESSES": "theory.processes.examples",
    "End": "models.session",
    "Endpoint": "models.causal.endpoint.model",
    "EntropyCurves": "theory.processes.curves",
    "EntropyEstimate": "theory.estimators.entropy",
    "FilterSummary": "filter.summary",
    "Finding": "measure.audit.result",
    "Group": "measure.groups.rows",
    "HiddenMarkov": "theory.processes.hidden",
    "HistoryStepper": "models.session",
    "HuggingFace": "models.causal.hf.model",
    "INFORMATION_METHODS": "theory.estimators.dependence",
    "Iid": "theory.processes.iid",
    "Impossible": "theory.impossible",
    "InformationEstimate": "theory.estimators.results",
    "Interval": "measure.interval.base",
    "KnownSet": "data.catalogue",
    "KrichevskyTrofimov": "models.baseline.kt",
    "LearningCurve": "models.causal.trained.curve",
    "Limit": "measure.gate.limits",
    "Markov": "theory.processes.markov",
    "Mixture": "theory.processes.mixture",
    "MixtureModel": "models.mixture.model",
    "Model": "models.protocols",
    "MonteCarlo": "theory.monte_carlo",
    "NGram": "models.ngram.model",
    "NGramState": "models.ngram.state",
    "Neural": "models.causal.trained.model",
    "OpenVocabulary": "models.protocols",
    "Options": "models.session",
    "Outcomes": "models.outcomes",
    "Overlap": "measure.overlap.result",
    "OverlapIndex": "measure.overlap.index",
    "OverlapMatch": "measure.overlap.result",
    "OverlapSource": "measure.overlap.result",
    "PairedTest": "measure.interval.paired",
    "PartialInformation": "theory.decomposition",
    "Phases": "theory.processes.phases",
    "PlainModel": "models.protocols",
    "Plan": "models.windows",
    "PredictingSession": "models.session",
    "Predictor": "models.protocols",
    "Preferences": "measure.answers.pairs",
    "PrefixCode": "coding.prefix.code",
    "Primable": "models.protocols",
    "Process": "theory.processes.base",
    "ProgressBar": "reports.notebook.bar",
    "Proof": "coding.prove",
    "PseudoScorer": "models.protocols",
    "RATE_METHODS": "theory.estimators.rates",
    "Rate": "theory.processes.results",
    "RateEstimate": "theory.estimators.rates",
    "SMOOTHINGS": "models.ngram.estimate.smoothing",
    "SampledText": "models.sampled",
    "Scheme": "models.scheme",
    "Score": "measure.score",
    "Scored": "models.session",
    "ScoredText": "models.scored_text",
    "Session": "models.session",
    "Signature": "measure.signature",
    "Split": "text.units.base",
    "StateClass": "theory.processes.results",
    "Statistic": "measure.membership.statistics",
    "Stepper": "models.session",
    "StoredSet": "data.sets",
    "Sweep": "measure.gate.sweep",
    "SweepRow": "measure.gate.sweep",
    "TableModel": "models.baseline.table",
    "TextStatistics": "measure.membership.statistics",
    "TimeAverages": "theory.processes.averages",
    "Trace": "measure.trace.trace",
    "TracedUnit": "measure.trace.trace",
    "Traits": "models.protocols",
    "TypicalSet": "theory.processes.typicality",
    "Uniform": "models.baseline.uniform",
    "UnitSession": "models.session",
    "Units": "text.units.base",
    "Universal": "models.universal.model",
    "Verdict": "theory.processes.results",
    "Verification": "measure.audit.result",
    "Windowed": "models.protocols",
    "Windowing": "models.windows",
    "WordSurprisals": "measure.surprisal.words",
    "Words": "text.units.words",
    "audit": "measure.audit.auditing",
    "auto_mixture": "models.mixture.auto",
    "autocorrelation": "theory.processes.averages",
    "check": "measure.gate.check",
    "choose": "measure.answers.choices",
    "columns": "hosts.columns",
    "compare": "measure.compare",
    "compress": "coding.archive.compress",
    "conditional_entropy": "theory.joint",
    "conditional_mutual_information": "theory.multivariate",
    "converge": "theory.processes.typicality",
    "convert": "models.ngram.convert",
    "cross_entropy": "theory.information",
    "cross_entropy_rate": "theory.processes.rates",
    "decompress": "coding.archive.compress",
    "dirichlet_cross_entropy": "theory.guesses",
    "divergence": "measure.divergence",
    "dual_total_correlation": "theory.multivariate",
    "entropy": "theory.information",
    "entropy_curves": "theory.processes.curves",
    "estimate_differential_entropy": "theory.estimators.neighbours",
    "estimate_entropy": "theory.estimators.entropy",
    "estimate_kl_divergence": "theory.estimators.neighbours",
    "estimate_multivariate_information": "theory.estimators.dependence",
    "estimate_mutual_information": "theory.estimators.dependence",
    "estimate_rate": "theory.estimators.rates",
    "example_process": "theory.processes.examples",
    "explain_infinite": "theory.impossible",
    "filter_corpus": "filter.run",
    "get_set": "data.sets",
    "group_matrix": "measure.groups.table",
    "import_log": "hosts.logs.runs",
    "information": "theory.information",
    "joint_entropy": "theory.joint",
    "js_divergence": "theory.information",
    "kl_divergence": "theory.information",
    "kl_divergence_rate": "theory.processes.rates",
    "list_sets": "data.sets",
    "load": "models.registry",
    "monte_carlo_cross_entropy": "theory.monte_carlo",
    "mutual_information": "theory.joint",
    "o_information": "theory.multivariate",
    "overlap": "measure.overlap.run",
    "overlap_columns": "measure.overlap.documents",
    "partial_information": "theory.decomposition",
    "perplexity": "theory.information",
    "plot": "reports.plots.drawing",
    "prefer": "measure.answers.pairs",
    "prove": "coding.prove",
    "renyi_entropy": "theory.information",
    "report": "reports.html.writer",
    "sample": "models.sampling",
    "score": "measure.scoring",
    "sequence_perplexity": "theory.information",
    "sweep": "measure.gate.sweep",
    "text_statistics": "measure.membership.statistics",
    "time_averages": "theory.processes.averages",
    "total_correlation": "theory.multivariate",
    "typewriter": "theory.processes.examples",
    "typical_set": "theory.processes.typicality",
    "units_of": "text.units.named",
    "varentropy": "theory.information",
    "verify": "measure.audit.auditing",
    "word_surprisals": "measure.surprisal.words",
    "write_matrix": "measure.groups.table",
}

__all__ = [
    "ENTROPY_METHODS",
    "EXAMPLE_PROCESSES",
    "INFORMATION_METHODS",
    "RATE_METHODS",
    "SMOOTHINGS",
    "Accuracy",
    "Archive",
    "ArchiveHeader",
    "Audit",
    "AuditCheck",
    "Batch",
    "BitmeterError",
    "BlockRow",
    "Bundled",
    "Cache",
    "Causal",
    "CausalPredictor",
    "Check",
    "Choices",
    "CodeFigures",
    "Coder",
    "Codes",
    "Columns",
    "Comparison",
    "Compressor",
    "Conditional",
    "Convergence",
    "Conversion",
    "Corpus",
    "Correction",
    "CurvePoint",
    "Distribution",
    "Divergence",
    "Document",
    "End",
    "Endpoint",
    "EntropyCurves",
    "EntropyEstimate",
    "FilterSummary",
    "Finding",
    "Group",
    "HiddenMarkov",
    "HistoryStepper",
    "HuggingFace",
    "Iid",
    "Impossible",
    "InformationEstimate",
    "Interval",
    "KnownSet",
    "KrichevskyTrofimov",
    "LearningCurve",
    "Limit",
    "Markov",
    "Mixture",
    "MixtureModel",
    "Model",
    "MonteCarlo",
    "NGram",
    "NGramState",
    "Neural",
    "OpenVocabulary",
    "Options",
    "Outcomes",
    "Overlap",
    "OverlapIndex",
    "OverlapMatch",
    "OverlapSource",
    "PairedTest",
    "PartialInformation",
    "Phases",
    "PlainModel",
    "Plan",
    "PredictingSession",
    "Predictor",
    "Preferences",
    "PrefixCode",
    "Primable",
    "Process",
    "ProgressBar",
    "Proof",
    "PseudoScorer",
    "Rate",
    "RateEstimate",
    "SampledText",
    "Scheme",
    "Score",
    "Scored",
    "ScoredText",
    "Session",
    "Signature",
    "Split",
    "StateClass",
    "Statistic",
    "Stepper",
    "StoredSet",
    "Sweep",
    "SweepRow",
    "TableModel",
    "TextStatistics",
    "TimeAverages",
    "Trace",
    "TracedUnit",
    "Traits",
    "TypicalSet",
    "Uniform",
    "UnitSession",
    "Units",
    "Universal",
    "Verdict",
    "Verification",
    "Windowed",
    "Windowing",
    "WordSurprisals",
    "Words",
    "__version__",
    "audit",
    "auto_mixture",
    "autocorrelation",
    "check",
    "choose",
    "columns",
    "compare",
    "compress",
    "conditional_entropy",
    "conditional_mutual_information",
    "converge",
    "convert",
    "cross_entropy",
    "cross_entropy_rate",
    "decompress",
    "dirichlet_cross_entropy",
    "divergence",
    "dual_total_correlation",
    "entropy",
    "entropy_curves",
    "errors",
    "estimate_differential_entropy",
    "estimate_entropy",
    "estimate_kl_divergence",
    "estimate_multivariate_information",
    "estimate_mutual_information",
    "estimate_rate",
    "example_process",
    "explain_infinite",
    "filter_corpus",
    "get_set",
    "group_matrix",
    "import_log",
    "information",
    "joint_entropy",
    "js_divergence",
    "kl_divergence",
    "kl_divergence_rate",
    "list_sets",
    "load",
    "monte_carlo_cross_entropy",
    "mutual_information",
    "o_information",
    "overlap",
    "overlap_columns",
    "partial_information",
    "perplexity",
    "plot",
    "prefer",
    "prove",
    "renyi_entropy",
    "report",
    "sample",
    "score",
    "sequence_perplexity",
    "sweep",
    "text_statistics",
    "time_averages",
    "total_correlation",
    "typewriter",
    "typical_set",
    "units_of",
    "varentropy",
    "verify",
    "word_surprisals",
    "write_matrix",
]


def __getattr__(name: str) -> Any:
    import importlib

    if name == "errors":
        return importlib.import_module("bitmeter.errors")
    if name not in _HOMES:
        message = f"module 'bitmeter' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(importlib.import_module(f"bitmeter.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(ipython: Any) -> None:
    """Register the cell magic %%bitmeter: `%load_ext bitmeter` in a notebook."""
    from bitmeter.reports.notebook.magic import register

    register(ipython)
