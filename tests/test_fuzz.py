"""Bad input to every public function: wrong types, shapes and values give typed errors, never anything else, never NaN.

Each public callable has a call that works; every argument of it is then replaced by each of a list of awkward values,
one at a time and in random combinations.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

import bitmeter as bm
from tests.helpers.fuzz_calls import CALLS, CHAIN, COIN, FAIR, MIXED, TABLE

#: Never called with input from outside: results that bitmeter makes itself.
RESULTS = {
    "Accuracy",
    "Audit",
    "AuditCheck",
    "Check",
    "Correction",
    "Finding",
    "KnownSet",
    "Limit",
    "Overlap",
    "OverlapMatch",
    "OverlapSource",
    "Statistic",
    "StoredSet",
    "Sweep",
    "SweepRow",
    "TextStatistics",
    "Choices",
    "Group",
    "Preferences",
    "Archive",
    "ArchiveHeader",
    "BlockRow",
    "CodeFigures",
    "Comparison",
    "Convergence",
    "CurvePoint",
    "Divergence",
    "Document",
    "EntropyCurves",
    "EntropyEstimate",
    "InformationEstimate",
    "PartialInformation",
    "Conversion",
    "Impossible",
    "Interval",
    "MonteCarlo",
    "PairedTest",
    "Proof",
    "FilterSummary",
    "Rate",
    "RateEstimate",
    "ScoredText",
    "SampledText",
    "StateClass",
    "TracedUnit",
    "TimeAverages",
    "TypicalSet",
    "Verdict",
    "Verification",
    "WordSurprisals",
}

#: What a backend inherits from, and what the instrument hands to it: made by programs, not by users.
INTERFACE = {
    "Batch", "Bundled", "Causal", "CausalPredictor", "Coder", "Codes", "Compressor", "Details", "End",
    "HistoryStepper", "Model", "OpenVocabulary", "Options", "Outcomes", "PlainModel", "Plan", "PredictingSession",
    "Predictor", "Primable", "Scored", "Session", "Split", "Stepper", "Traits", "UnitSession", "Units", "Windowed",
    "Windowing", "Words", "PseudoScorer",
}  # fmt: skip

#: What only the instrument calls, with arrays that it made itself; what a model answers is checked there.
MODELS = {
    "Cache", "Endpoint", "HuggingFace", "KrichevskyTrofimov", "MixtureModel", "NGram", "Neural", "TableModel",
    "Uniform", "Universal",
}  # fmt: skip
INSTRUMENT = {"Corpus": {"begun", "condition_on", "in_parts", "label_names", "labels_from", "part", "take_contexts"}}
PROTOCOL = {
    "begin", "bundle", "coder", "detailed_sequence", "draw", "entries", "for_bytes", "logprobs", "machine_coder",
    "network_ids", "own_ids_of", "oov_remedies", "open", "own_ids", "plan", "predict", "predict_own", "predictions",
    "priced",
    "score_sequences", "scored", "scored_ids", "sequences", "session", "shares", "some_words", "spread", "stepper",
    "unbundle", "unknown", "with_arithmetic", "with_context", "with_windowing", "without_unknown",
}  # fmt: skip

AWKWARD: list[Any] = [
    None, True, False, -1, 0, 1, 3, 5000, 2**70, -(2**70), 0.5, -0.5, 1.5, math.nan, math.inf, -math.inf, 1e308,
    5e-324, 1j, "", "x", "abc", "bits", "\ud800", b"", b"ab", bytearray(b"ab"), memoryview(b"ab"),
    [], (), [[]], [None], ["a", 1], [math.nan], [math.inf, 1.0], [-1.0, 2.0], [0.0, 0.0], [0.5, 0.5], [1, 2, 3], [0.5],
    [[0.5, 0.5], [1.0]], [[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.6]], [2**70, 1], ["0.5", "0.5"], [[["a"]]],
    {}, {"a": 1.0}, {"a": "b"}, {"a": math.nan}, {1: 0.5, 2: 0.5}, {"a": {"b": 1.0}}, {"a": {}}, {None: 1.0},
    set(), {1, 2}, frozenset({"a"}), range(0), range(3), object(), int, lambda: None, Ellipsis, NotImplemented,
    np.array([]), np.zeros((0, 3)), np.zeros((3, 0)), np.array(0.5), np.array([0.5, 0.5]), np.array([1 + 2j, 0]),
    np.array(["a", "b"]), np.array([object(), None]), np.ones((2, 2, 2)) / 8, np.array([True, False]),
    np.array([1, 2], dtype=np.uint64), np.array([2**64 - 1], dtype=np.uint64), np.array(["2020-01-01"], dtype="M8[D]"),
    np.float32(0.5), np.int8(3), np.array([0.5, 0.5], dtype=np.float16), np.array([0.5, 0.5], dtype=np.longdouble),
    np.array([[0.25, 0.25], [0.25, 0.25]]), np.ma.array([0.5, 0.5], mask=[True, False]), np.array([0.25] * 8)[::2],
    FAIR, TABLE, stats.norm(), stats.poisson(3), stats.norm(0, -1), stats.norm(np.array([0.0, 1.0])), stats.cauchy(),
    np.random.default_rng(0), COIN, CHAIN, MIXED, [COIN, CHAIN], Exception("x"),
    [FAIR], ("a", "b"), [("a", "b")], [["a", "b", "c"]], [[], []],
]  # fmt: skip

#: That floats which never repeat are odd as samples is a warning, and not an error.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*no two of them equal:UserWarning", "ignore:.*floats that sum to 1:UserWarning"
)

EVERY_CALL = [
    pytest.param(function, arguments, id=f"{getattr(function, '__qualname__', function)}-{i}")
    for calls in CALLS.values()
    for i, (function, arguments) in enumerate(calls)
]


def numbers_in(result: Any) -> list[float]:
    if isinstance(result, float):
        return [result]
    if isinstance(result, np.ndarray) and result.dtype.kind == "f":
        return [float(x) for x in result.ravel()]
    if isinstance(result, tuple | list):
        return [x for item in result for x in numbers_in(item)]
    if hasattr(result, "__dataclass_fields__"):
        return [x for name in result.__dataclass_fields__ for x in numbers_in(getattr(result, name))]
    return []


def call(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    try:
        positional = list(arguments.values()) if function.__name__.startswith("__") else []
        result = function(*positional) if positional else function(**arguments)
    except bm.BitmeterError:
        return
    assert not any(math.isnan(x) for x in numbers_in(result)), f"NaN from {arguments}"


def test_every_public_callable_is_disturbed() -> None:
    public = {name: getattr(bm, name) for name in bm.__all__ if callable(getattr(bm, name))}
    classes = {name: value for name, value in public.items() if inspect.isclass(value)}
    exceptions = {name for name, value in classes.items() if issubclass(value, Exception)}
    assert set(public) - exceptions - RESULTS - INTERFACE == set(CALLS)
    for name in set(CALLS) & set(classes):
        methods = {m for m, _ in inspect.getmembers(classes[name], callable) if not m.startswith("_")}
        methods -= PROTOCOL if name in MODELS else set()
        methods -= INSTRUMENT.get(name, set())
        disturbed = {getattr(function, "__name__", "") for function, _ in CALLS[name]}
        for other in set(CALLS) & set(classes):  # what is inherited is disturbed where another class has it from
            same = {m for m in methods if getattr(classes[other], m, None) is getattr(classes[name], m)}
            disturbed |= same & {getattr(function, "__name__", "") for function, _ in CALLS[other]}
        assert methods <= disturbed, f"{name} has methods that are not disturbed"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some calls write files under the names that they are given."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("function", "arguments"), EVERY_CALL)
def test_one_awkward_argument(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    call(function, arguments)
    for name in arguments:
        for value in AWKWARD:
            call(function, {**arguments, name: value})


@pytest.mark.parametrize(("function", "arguments"), EVERY_CALL)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_several_awkward_arguments(
    function: Callable[..., Any], arguments: dict[str, Any], data: st.DataObject
) -> None:
    changed = {
        name: AWKWARD[place] if place < len(AWKWARD) else value
        for name, value in arguments.items()
        for place in [data.draw(st.integers(0, len(AWKWARD) + 20))]
    }
    call(function, changed)
