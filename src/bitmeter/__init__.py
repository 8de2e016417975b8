"""bitmeter: perplexity you can compare.

The public API is flat: every name below is `bitmeter.name`. Names load when they are first used, so that
`import bitmeter` costs next to nothing.
"""

from __future__ import annotations

from bitmeter._version import __version__

TYPE_CHECKING = False  # as typing has it, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from bitmeter import errors
    from bitmeter.coding.archive import ArchiveHeader
    from bitmeter.coding.compressing import Archive, compress, decompress
    from bitmeter.coding.prefix import CodeFigures, PrefixCode
    from bitmeter.coding.proving import Proof, prove
    from bitmeter.coding.verifying import Verification, verify
    from bitmeter.errors import BitmeterError
    from bitmeter.measure.compare import Comparison, compare
    from bitmeter.measure.divergence import Divergence, divergence
    from bitmeter.measure.score import Score
    from bitmeter.measure.scoring import score
    from bitmeter.measure.signature import Signature
    from bitmeter.measure.statistics import Interval, PairedTest
    from bitmeter.measure.trace import Trace, TracedUnit
    from bitmeter.measure.word_surprisals import WordSurprisals, word_surprisals
    from bitmeter.models.base import Scheme, load
    from bitmeter.models.cache import Cache
    from bitmeter.models.convert import Conversion, convert
    from bitmeter.models.endpoint import Endpoint
    from bitmeter.models.hf import HuggingFace
    from bitmeter.models.mixture import MixtureModel
    from bitmeter.models.neural import Neural
    from bitmeter.models.neural_curve import CurvePoint, LearningCurve
    from bitmeter.models.ngram import NGram
    from bitmeter.models.ngram_rating import RatedText
    from bitmeter.models.ngram_state import NGramState
    from bitmeter.models.sampling import SampledText, sample
    from bitmeter.models.smoothing import SMOOTHINGS
    from bitmeter.models.tables import KrichevskyTrofimov, TableModel, Uniform
    from bitmeter.models.universal import Universal
    from bitmeter.text.corpus import Corpus, Document
    from bitmeter.theory.blocks import BlockRow
    from bitmeter.theory.conditional import Conditional
    from bitmeter.theory.distributions import Distribution
    from bitmeter.theory.estimators import ENTROPY_METHODS, EntropyEstimate, estimate_entropy
    from bitmeter.theory.examples import EXAMPLE_PROCESSES, example_process, typewriter
    from bitmeter.theory.hidden import HiddenMarkov
    from bitmeter.theory.iid import Iid
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
    from bitmeter.theory.markov import Markov
    from bitmeter.theory.mixtures import Mixture
    from bitmeter.theory.monte_carlo import MonteCarlo, monte_carlo_cross_entropy
    from bitmeter.theory.process_base import Process
    from bitmeter.theory.process_rates import cross_entropy_rate, kl_divergence_rate
    from bitmeter.theory.process_results import Rate, StateClass, Verdict
    from bitmeter.theory.rates import RATE_METHODS, RateEstimate, estimate_rate
    from bitmeter.theory.typicality import Convergence, TypicalSet, converge, typical_set

#: Where each public name lives.
_HOMES = {
    "Archive": "coding.compressing",
    "ArchiveHeader": "coding.archive",
    "BitmeterError": "errors",
    "BlockRow": "theory.blocks",
    "Cache": "models.cache",
    "CodeFigures": "coding.prefix",
    "Comparison": "measure.compare",
    "Conditional": "theory.conditional",
    "Convergence": "theory.typicality",
    "Conversion": "models.convert",
    "Corpus": "text.corpus",
    "CurvePoint": "models.neural_curve",
    "Distribution": "theory.distributions",
    "Divergence": "measure.divergence",
    "Document": "text.corpus",
    "ENTROPY_METHODS": "theory.estimators",
    "EXAMPLE_PROCESSES": "theory.examples",
    "Endpoint": "models.endpoint",
    "EntropyEstimate": "theory.estimators",
    "HiddenMarkov": "theory.hidden",
    "HuggingFace": "models.hf",
    "Iid": "theory.iid",
    "Impossible": "theory.impossible",
    "Interval": "measure.statistics",
    "KrichevskyTrofimov": "models.tables",
    "LearningCurve": "models.neural_curve",
    "Markov": "theory.markov",
    "Mixture": "theory.mixtures",
    "MixtureModel": "models.mixture",
    "MonteCarlo": "theory.monte_carlo",
    "NGram": "models.ngram",
    "NGramState": "models.ngram_state",
    "Neural": "models.neural",
    "PairedTest": "measure.statistics",
    "PrefixCode": "coding.prefix",
    "Process": "theory.process_base",
    "Proof": "coding.proving",
    "RATE_METHODS": "theory.rates",
    "Rate": "theory.process_results",
    "RateEstimate": "theory.rates",
    "RatedText": "models.ngram_rating",
    "SMOOTHINGS": "models.smoothing",
    "SampledText": "models.sampling",
    "Scheme": "models.base",
    "Score": "measure.score",
    "Signature": "measure.signature",
    "StateClass": "theory.process_results",
    "TableModel": "models.tables",
    "Trace": "measure.trace",
    "TracedUnit": "measure.trace",
    "TypicalSet": "theory.typicality",
    "Uniform": "models.tables",
    "Universal": "models.universal",
    "Verdict": "theory.process_results",
    "Verification": "coding.verifying",
    "WordSurprisals": "measure.word_surprisals",
    "compare": "measure.compare",
    "compress": "coding.compressing",
    "conditional_entropy": "theory.joint",
    "converge": "theory.typicality",
    "convert": "models.convert",
    "cross_entropy": "theory.information",
    "cross_entropy_rate": "theory.process_rates",
    "decompress": "coding.compressing",
    "divergence": "measure.divergence",
    "entropy": "theory.information",
    "estimate_entropy": "theory.estimators",
    "estimate_rate": "theory.rates",
    "example_process": "theory.examples",
    "explain_infinite": "theory.impossible",
    "information": "theory.information",
    "joint_entropy": "theory.joint",
    "js_divergence": "theory.information",
    "kl_divergence": "theory.information",
    "kl_divergence_rate": "theory.process_rates",
    "load": "models.base",
    "monte_carlo_cross_entropy": "theory.monte_carlo",
    "mutual_information": "theory.joint",
    "perplexity": "theory.information",
    "prove": "coding.proving",
    "renyi_entropy": "theory.information",
    "sample": "models.sampling",
    "score": "measure.scoring",
    "sequence_perplexity": "theory.information",
    "typewriter": "theory.examples",
    "typical_set": "theory.typicality",
    "varentropy": "theory.information",
    "verify": "coding.verifying",
    "word_surprisals": "measure.word_surprisals",
}

__all__ = [
    "ENTROPY_METHODS",
    "EXAMPLE_PROCESSES",
    "RATE_METHODS",
    "SMOOTHINGS",
    "Archive",
    "ArchiveHeader",
    "BitmeterError",
    "BlockRow",
    "Cache",
    "CodeFigures",
    "Comparison",
    "Conditional",
    "Convergence",
    "Conversion",
    "Corpus",
    "CurvePoint",
    "Distribution",
    "Divergence",
    "Document",
    "Endpoint",
    "EntropyEstimate",
    "HiddenMarkov",
    "HuggingFace",
    "Iid",
    "Impossible",
    "Interval",
    "KrichevskyTrofimov",
    "LearningCurve",
    "Markov",
    "Mixture",
    "MixtureModel",
    "MonteCarlo",
    "NGram",
    "NGramState",
    "Neural",
    "PairedTest",
    "PrefixCode",
    "Process",
    "Proof",
    "Rate",
    "RateEstimate",
    "RatedText",
    "SampledText",
    "Scheme",
    "Score",
    "Signature",
    "StateClass",
    "TableModel",
    "Trace",
    "TracedUnit",
    "TypicalSet",
    "Uniform",
    "Universal",
    "Verdict",
    "Verification",
    "WordSurprisals",
    "__version__",
    "compare",
    "compress",
    "conditional_entropy",
    "converge",
    "convert",
    "cross_entropy",
    "cross_entropy_rate",
    "decompress",
    "divergence",
    "entropy",
    "errors",
    "estimate_entropy",
    "estimate_rate",
    "example_process",
    "explain_infinite",
    "information",
    "joint_entropy",
    "js_divergence",
    "kl_divergence",
    "kl_divergence_rate",
    "load",
    "monte_carlo_cross_entropy",
    "mutual_information",
    "perplexity",
    "prove",
    "renyi_entropy",
    "sample",
    "score",
    "sequence_perplexity",
    "typewriter",
    "typical_set",
    "varentropy",
    "verify",
    "word_surprisals",
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
