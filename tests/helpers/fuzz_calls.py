"""A call that works for each public name, for the tests that disturb them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scipy import stats

import bitmeter as bm
from tests.models.networks import tiny

FAIR = bm.Distribution({"a": 0.5, "b": 0.5})
TABLE = bm.Conditional({"a": FAIR, "b": FAIR}, start="a")
COIN = bm.Iid([0.5, 0.5])
CHAIN = bm.Markov([[0.9, 0.1], [0.5, 0.5]])
NOISY = bm.HiddenMarkov([[0.9, 0.1], [0.1, 0.9]], [[0.9, 0.1], [0.1, 0.9]])
MIXED = bm.Mixture([COIN, CHAIN])
SWINGS = bm.Phases([[1.0, 0.0], [0.5, 0.5]])
CORPUS = bm.Corpus.from_text("one two\nthree\n", docs="line")
READER = bm.Universal("small")
WORDS = bm.NGram(order=2).fit(b"one two\nthree\n")
CODE = bm.PrefixCode({"a": "0", "b": "10"})
TINY = tiny()
SMALL = bm.Neural("lstm", "bytes", width=4, context=8, threads=1).fit(b"one two\nthree\n", heldout=b"two", epochs=1)
SCORE = bm.score("kt", b"one two\nthree\n", docs="line")
GROUPED = bm.score("kt", bm.Corpus.from_records([{"text": "a", "domain": "x"}]), group="domain")


with tempfile.TemporaryDirectory() as _folder:
    bm.compress("kt", b"abc", Path(_folder) / "x.bmz")
    ARCHIVE = (Path(_folder) / "x.bmz").read_bytes()


def of_process(process: bm.Process) -> list[tuple[Callable[..., Any], dict[str, Any]]]:
    """The calls that every process has."""
    return [
        (process.sample, {"n": 5, "seed": 0, "paths": None}),
        (process.logprob, {"sequence": [0, 1], "unit": "bits"}),
        (process.logprobs, {"sequence": [0, 1]}),
        (process.block_entropy, {"length": 2, "unit": "bits"}),
        (process.block_probabilities, {"length": 2}),
        (process.entropy_rate_in, {"unit": "bits"}),
        (process.rate, {"unit": "bits", "tolerance": 1e-3, "seed": 0}),
    ]


#: For each public name, the calls to disturb: a function and arguments that work.
CALLS: dict[str, list[tuple[Callable[..., Any], dict[str, Any]]]] = {
    "information": [(bm.information, {"p": 0.5, "unit": "bits"})],
    "entropy": [(bm.entropy, {"p": [0.5, 0.5], "of": "auto", "unit": "bits", "normalise": False})],
    "varentropy": [(bm.varentropy, {"p": [0.5, 0.5], "of": "auto", "unit": "bits", "normalise": False})],
    "renyi_entropy": [(bm.renyi_entropy, {"p": [0.5, 0.5], "order": 2, "of": "auto", "unit": "bits"})],
    "cross_entropy": [
        (bm.cross_entropy, {"p": [0.5, 0.5], "q": [0.5, 0.5], "of": "auto", "unit": "bits", "normalise": False}),
        (bm.cross_entropy, {"p": "ab", "q": FAIR, "of": "auto", "unit": "bits", "normalise": False}),
        (bm.cross_entropy, {"p": "ab", "q": TABLE}),
        (bm.cross_entropy, {"p": stats.norm(), "q": stats.norm(1, 2)}),
    ],
    "kl_divergence": [(bm.kl_divergence, {"p": [0.5, 0.5], "q": [0.5, 0.5], "of": "auto", "normalise": False})],
    "js_divergence": [(bm.js_divergence, {"p": [0.5, 0.5], "q": [0.5, 0.5], "of": "auto", "normalise": False})],
    "perplexity": [(bm.perplexity, {"p": [0.5, 0.5], "q": [0.5, 0.5], "of": "auto", "normalise": False})],
    "sequence_perplexity": [(bm.sequence_perplexity, {"probabilities": [0.5, 0.25]})],
    "joint_entropy": [(bm.joint_entropy, {"x": "ab", "y": "ba", "unit": "bits", "normalise": False})],
    "conditional_entropy": [
        (bm.conditional_entropy, {"x": [[0.5, 0.5]], "y": None, "given": "first", "unit": "bits", "normalise": False})
    ],
    "mutual_information": [(bm.mutual_information, {"x": "ab", "y": "ba", "unit": "bits", "normalise": False})],
    "explain_infinite": [
        (bm.explain_infinite, {"p": [0.5, 0.5], "q": [1.0, 0.0], "of": "auto", "normalise": False}),
        (bm.explain_infinite, {"p": "ab", "q": TABLE}),
    ],
    "monte_carlo_cross_entropy": [
        (
            bm.monte_carlo_cross_entropy,
            {"p": stats.norm(), "q": stats.norm(), "samples": 10, "unit": "bits", "seed": 0},
        )
    ],
    "Distribution": [
        (bm.Distribution, {"probabilities": {"a": 0.5, "b": 0.5}, "normalise": False}),
        (bm.Distribution.from_counts, {"counts": {"a": 1}}),
        (bm.Distribution.from_data, {"data": "ab"}),
        (bm.Distribution.uniform, {"labels": 3}),
        (bm.Distribution.zipf, {"labels": 3, "exponent": 1.0}),
        (FAIR.sample, {"n": 3, "seed": 0}),
        (FAIR.logprobs, {"labels": "ab"}),
        (FAIR.probability, {"label": "a"}),
        (FAIR.__getitem__, {"label": "a"}),
        (FAIR.__contains__, {"label": "a"}),
        (FAIR.surprisal_quantile, {"level": 0.5, "unit": "bits"}),
        (FAIR.mix, {"other": FAIR, "weight": 0.5}),
        (FAIR.condition, {"event": ["a"]}),
    ],
    "Conditional": [
        (bm.Conditional, {"table": {"a": FAIR}, "other": None, "start": "a"}),
        (bm.Conditional.from_pairs, {"pairs": [("a", "b")]}),
        (bm.Conditional.from_data, {"data": "ab"}),
        (TABLE.__getitem__, {"context": "a"}),
        (TABLE.probability, {"outcome": "a", "context": "b"}),
        (TABLE.joint, {"marginal": FAIR}),
        (TABLE.marginal, {"marginal": FAIR}),
        (TABLE.reverse, {"marginal": FAIR}),
        (TABLE.entropy, {"marginal": FAIR, "unit": "bits"}),
        (TABLE.cross_entropy, {"data": "ab", "unit": "bits"}),
        (TABLE.pairs, {"data": "ab"}),
    ],
    "Process": of_process(COIN),
    "Iid": [(bm.Iid, {"p": [0.5, 0.5], "labels": None, "normalise": False}), *of_process(COIN)],
    "Markov": [
        (bm.Markov, {"transition": [[0.9, 0.1], [0.5, 0.5]], "initial": None, "order": 1, "labels": None}),
        (bm.Markov.fit, {"data": "abab", "order": 1, "smoothing": 0.0, "labels": None, "alphabet_size": None}),
        *of_process(CHAIN),
    ],
    "HiddenMarkov": [
        (
            bm.HiddenMarkov,
            {"transition": [[0.9, 0.1], [0.5, 0.5]], "emission": [[1.0, 0.0], [0.5, 0.5]], "initial": None},
        ),
        (NOISY.rate_bounds, {"tolerance": 1e-3, "work": 1000, "unit": "bits"}),
        (NOISY.sample_with_states, {"n": 5, "seed": 0, "paths": None}),
        *of_process(NOISY),
    ],
    "Mixture": [(bm.Mixture, {"components": [COIN, CHAIN], "weights": [0.5, 0.5]}), *of_process(MIXED)],
    "cross_entropy_rate": [
        (
            bm.cross_entropy_rate,
            {"p": CHAIN, "q": COIN, "method": "auto", "n": 50, "paths": 3, "seed": 0, "unit": "bits"},
        ),
        (bm.cross_entropy_rate, {"p": NOISY, "q": CHAIN, "n": 50, "paths": 3, "seed": 0}),
    ],
    "kl_divergence_rate": [(bm.kl_divergence_rate, {"p": CHAIN, "q": COIN, "method": "auto", "n": 50, "paths": 3})],
    "converge": [
        (
            bm.converge,
            {
                "process": CHAIN,
                "n": 50,
                "paths": 3,
                "model": None,
                "points": 5,
                "confidence": 0.9,
                "seed": 0,
                "unit": "bits",
            },
        )
    ],
    "dirichlet_cross_entropy": [
        (bm.dirichlet_cross_entropy, {"outcomes": 5, "concentration": 1.0, "unit": "bits"}),
    ],
    "Phases": [
        (bm.Phases, {"distributions": [[1.0, 0.0], [0.5, 0.5]], "first": 1, "growth": 2, "labels": None}),
        *of_process(SWINGS),
    ],
    "entropy_curves": [(bm.entropy_curves, {"process": CHAIN, "longest": 4, "unit": "bits"})],
    "time_averages": [
        (bm.time_averages, {"process": CHAIN, "n": 50, "values": [0.0, 1.0], "paths": 3, "points": 5, "seed": 0})
    ],
    "autocorrelation": [
        (bm.autocorrelation, {"x": CHAIN, "lags": 3, "values": [0.0, 1.0]}),
        (bm.autocorrelation, {"x": [0.0, 1.0, 3.0], "lags": 1}),
    ],
    "typical_set": [(bm.typical_set, {"process": CHAIN, "n": 4, "epsilon": 0.1, "unit": "bits"})],
    "example_process": [(bm.example_process, {"name": "golden mean"})],
    "typewriter": [(bm.typewriter, {"keys": 4})],
    "estimate_entropy": [
        (
            bm.estimate_entropy,
            {"data": "abca", "method": method, "of": "samples", "alphabet_size": size, "unit": "bits", "resamples": 10},
        )
        for method, size in (("chao-wang-jost", None), ("nsb", 5), ("james-stein", 5), ("jackknife", None))
    ],
    "Corpus": [
        (bm.Corpus, {"source": [b"x".decode()], "docs": None, "field": None}),
        (bm.Corpus.of, {"what": b"one\ntwo", "docs": "line", "field": None}),
        (bm.Corpus.from_text, {"text": "one\ntwo", "docs": "line", "name": "text"}),
        (bm.Corpus.from_documents, {"documents": ["one", b"two"], "name": "documents"}),
        (lambda size: list(bm.Corpus.from_text("one two").blocks(size)), {"size": 3}),
        (CORPUS.blocks, {"size": 3}),
        (CORPUS.documents, {}),
        (CORPUS.fingerprint, {}),
        (CORPUS.boundaries, {}),
        (CORPUS.labels, {}),
        (CORPUS.label_hashes, {}),
        (CORPUS.first_documents, {}),
        (bm.Corpus.from_documents(["one"]).label_by, {"field": "source"}),
        (bm.Corpus.from_documents(["one"]).label_by_any, {"fewest": 6}),
        (bm.Corpus.from_records, {"records": [{"text": "a"}], "field": "text", "name": "x"}),
    ],
    "load": [(bm.load, {"spec": "uniform"})],
    "units_of": [(bm.units_of, {"spec": "bytes"})],
    "Uniform": [
        (bm.Uniform, {"size": 10}),
    ],
    "KrichevskyTrofimov": [(bm.KrichevskyTrofimov, {})],
    "Universal": [
        (bm.Universal, {"preset": "small"}),
        (bm.Universal.load, {"path": "model.bmu"}),
        (READER.with_prime, {"text": b"some text"}),
        (READER.freeze, {}),
        (READER.save, {"path": "model.bmu", "force": True}),
        (READER.core, {}),
        (READER.coder, {}),
    ],
    "TableModel": [
        (bm.TableModel, {"table": FAIR, "units": None, "oov": "none"}),
        (bm.TableModel(FAIR).with_oov, {"way": "none"}),
    ],
    "NGram": [
        (
            bm.NGram,
            {
                "order": 2,
                "smoothing": "lidstone:0.1",
                "prune": (0, 1),
                "units": "words",
                "unk_word": False,
                "min_count": 1,
                "vocab_size": None,
                "vocab": None,
                "threads": 1,
            },
        ),
        (
            bm.NGram(2, "jelinek-mercer").fit,
            {
                "text": b"one two\nthree\n",
                "docs": None,
                "heldout": b"two\n",
                "field": None,
                "memory": "80M",
                "temp": None,
            },
        ),
        (WORDS.prune, {"threshold": 0.01}),
        (WORDS.sample, {"n": 1, "seed": 0, "temperature": 1.0, "length": 5}),
        (WORDS.save, {"path": "model.bmn", "force": True}),
        (bm.NGram.load, {"path": "model.bmn", "units": None}),
        (WORDS.with_oov, {"way": "class"}),
        (WORDS.verify, {}),
        (WORDS.score, {"text": b"one two\nthree\n", "docs": None, "field": None, "eos": "yes", "oov": "class"}),
        (WORDS.logprob, {"sentence": "one two", "eos": True, "oov": "class"}),
        (WORDS.begin, {"oov": "class"}),
        (WORDS.at, {"key": WORDS.begin().key, "oov": "class"}),
        (WORDS.extend, {"states": [WORDS.begin()], "words": ["one"], "oov": "class"}),
        (WORDS.word_id, {"word": "one"}),
        (WORDS.fit_spelling, {"text": b"one two\n", "field": None}),
        (WORDS.compact, {"bits": 8}),
        (WORDS.compact().fast, {}),
    ],
    "NGramState": [
        (WORDS.begin().extend, {"word": "one"}),
        (WORDS.begin().finish, {}),
    ],
    "convert": [
        (
            bm.convert,
            {
                "source": "model.bmn",
                "target": "other.bmn",
                "compact": True,
                "bits": 8,
                "prune_entropy": 1e-8,
                "spelling": b"one two\n",
                "heldout": b"one two\n",
                "force": True,
                "threads": 1,
            },
        ),
    ],
    "Cache": [
        (bm.Cache, {"size": 10, "decay": 0.9, "order": 2, "rare": 0.5}),
        (bm.Cache.parse, {"text": "cache:size=3"}),
    ],
    "auto_mixture": [
        (
            bm.auto_mixture,
            {"models": [WORDS], "heldout": b"one two\n", "optional": (), "caches": [bm.Cache(5)], "field": None},
        )
    ],
    "MixtureModel": [
        (bm.MixtureModel, {"models": [WORDS, bm.Cache(5)], "weights": None, "buckets": False, "gate": False}),
        (bm.MixtureModel([WORDS]).component_logs, {"text": b"one two\n", "field": None, "most": None}),
        (bm.MixtureModel([WORDS]).fit, {"heldout": b"one two\n", "field": None}),
        (bm.MixtureModel([WORDS]).with_oov, {"way": "class"}),
        (bm.MixtureModel([WORDS]).save, {"path": "model.bmx", "force": True}),
        (bm.MixtureModel.load, {"path": "model.bmx"}),
    ],
    "Endpoint": [
        # Nothing listens at this port: what is wrong with the other arguments must be said before it is asked.
        (
            bm.Endpoint,
            {
                "url": "http://127.0.0.1:9/v1",
                "model": "m",
                "tokenizer": None,
                "dialect": "echo",
                "context": 8,
                "concurrency": 1,
                "timeout": 0.01,
                "retries": 0,
                "wait": 0.0,
                "cache": None,
                "key": "NO_SUCH_KEY",
            },
        ),
    ],
    "Neural": [
        (
            bm.Neural,
            {
                "kind": "lstm",
                "units": "bytes",
                "vocabulary": 300,
                "width": 4,
                "layers": 1,
                "context": 8,
                "dropout": 0.1,
                "seed": 1,
                "threads": 1,
            },
        ),
        (
            bm.Neural("lstm", "bytes", width=4, context=8, threads=1).fit,
            {
                "text": b"one two\nthree\n",
                "docs": None,
                "heldout": b"two\n",
                "field": None,
                "epochs": 1.0,
                "batch": 1,
                "learning_rate": 0.01,
                "patience": 2,
                "looks": 2,
                "checkpoint": None,
                "resume": False,
            },
        ),
        (SMALL.with_oov, {"way": "none"}),
        (SMALL.with_context, {"ctx": "8.4", "first": "bos", "bos": None}),
        (SMALL.save, {"path": "network", "force": True}),
        (bm.Neural.load, {"path": "network"}),
    ],
    "LearningCurve": [
        (SMALL.curve.save, {"path": "curve.json", "force": True}),  # type: ignore[union-attr]
        (bm.LearningCurve.load, {"path": "curve.json"}),
        (bm.LearningCurve.from_dict, {"found": {"schema": "bitmeter.curve/1"}, "where": "here"}),
    ],
    "HuggingFace": [
        # There is no such model: what is wrong with the other arguments must be said before it is looked for.
        (
            bm.HuggingFace,
            {
                "path": "absent/model",
                "revision": None,
                "dtype": "float32",
                "device": "cpu",
                "device_map": None,
                "batch": 64,
                "trust": False,
                "gguf_file": None,
                "threads": 1,
                "devices": None,
            },
        ),
        (TINY.with_context, {"ctx": "16.8", "first": "bos", "bos": None}),
    ],
    "divergence": [
        (
            bm.divergence,
            {"first": TINY, "second": TINY, "text": b"one two", "docs": None, "field": None, "ctx": None},
        )
    ],
    "word_surprisals": [
        (
            bm.word_surprisals,
            {
                "model": TINY,
                "text": b"one two",
                "corrected": True,
                "docs": None,
                "field": None,
                "ctx": None,
                "first": None,
                "like": "bitmeter",
                "ends": None,
                "words": "space",
            },
        )
    ],
    "Scheme": [],
    "PrefixCode": [
        (bm.PrefixCode, {"words": {"a": "0", "b": "10"}}),
        (bm.PrefixCode.fixed, {"labels": "abc"}),
        (bm.PrefixCode.shannon, {"p": FAIR}),
        (bm.PrefixCode.shannon_fano_elias, {"p": FAIR}),
        (bm.PrefixCode.huffman, {"p": FAIR, "longest": None}),
        (CODE.canonical, {}),
        (CODE.figures, {"p": FAIR}),
        (CODE.encode, {"data": "ab"}),
        (CODE.decode, {"bits": "010"}),
        (CODE.tree, {"deepest": 3}),
    ],
    "compress": [
        (
            bm.compress,
            {"model": "kt", "source": b"abc", "output": "x.bmz", "embed": False, "prime": None, "force": True},
        ),
        (
            bm.compress,
            {"model": FAIR, "source": b"ab", "output": "x.bmz", "embed": False, "prime": None, "force": True},
        ),
    ],
    "decompress": [
        (bm.decompress, {"archive": ARCHIVE, "output": "x", "model": None, "prime": None, "force": True}),
    ],
    "prove": [(bm.prove, {"model": "kt", "text": b"abc", "field": None, "norm": "none"})],
    "audit": [
        (
            bm.audit,
            {
                "model": "kt",
                "text": b"abc",
                "units": None,
                "unit": None,
                "columns": None,
                "claimed": None,
                "docs": None,
                "field": None,
                "positions": 3,
                "seed": 0,
                "confidence": 0.9,
                "check": None,
            },
        ),
        (
            bm.audit,
            {
                "model": {"start": [0], "end": [3], "logprob": [-1.0]},
                "text": b"abc",
                "units": "bytes",
                "unit": "nats",
                "columns": {"logprob": "logprob"},
                "claimed": "0.48",
                "docs": None,
                "field": None,
                "positions": 3,
                "seed": 0,
                "confidence": 0.9,
                "check": None,
            },
        ),
    ],
    "verify": [(bm.verify, {"model": "kt", "text": b"abc", "histories": 3, "seed": 0})],
    "report": [
        (
            bm.report,
            {
                "runs": [SCORE],
                "path": "r.html",
                "traces": (),
                "sweep": None,
                "title": "t",
                "budget": 10**6,
                "command": "",
                "force": True,
            },
        ),
    ],
    "plot": [(bm.plot, {"kind": "running", "runs": SCORE, "path": "p.json", "traces": (), "force": True})],
    "sample": [(bm.sample, {"model": "uniform", "n": 1, "seed": 0, "temperature": 1.0, "length": 5})],
    "score": [
        (
            bm.score,
            {
                "model": "kt",
                "text": b"one two",
                "docs": None,
                "field": None,
                "norm": None,
                "first": None,
                "eos": None,
                "oov": None,
                "den": None,
                "ctx": None,
                "like": "bitmeter",
                "confidence": 0.95,
                "given": None,
                "between": None,
                "border": None,
                "group": None,
                "trace": None,
                "alternatives": None,
                "force": True,
            },
        )
    ],
    "choose": [
        (
            bm.choose,
            {
                "model": "kt",
                "items": [{"question": "a", "choices": ["b", "cc"], "label": 0}],
                "given": "question",
                "choices": "choices",
                "label": "label",
                "calibrate": None,
                "group": None,
                "between": None,
                "border": None,
                "like": "bitmeter",
                "confidence": 0.9,
            },
        )
    ],
    "prefer": [
        (
            bm.prefer,
            {
                "model": "kt",
                "pairs": [{"good": "a", "bad": "bb"}],
                "good": None,
                "bad": None,
                "group": None,
                "per": "total",
                "confidence": 0.9,
            },
        )
    ],
    "group_matrix": [(bm.group_matrix, {"scores": [GROUPED]})],
    "write_matrix": [(bm.write_matrix, {"scores": [GROUPED], "path": "x.csv", "force": True})],
    "compare": [
        (lambda first, second, **keywords: bm.compare(first, second, **keywords), arguments)
        for arguments in (
            {"first": "kt", "second": "uniform", "on": b"one two", "baseline": 0, "confidence": 0.9, "docs": "line"},
            {"first": SCORE, "second": SCORE, "on": None, "baseline": 0, "confidence": 0.9},
        )
    ],
    "Score": [
        (SCORE.per, {"per": "byte", "unit": "bits"}),
        (SCORE.perplexity, {"per": "byte"}),
        (SCORE.count, {"per": "byte"}),
        (SCORE.log_likelihood, {"unit": "bits"}),
        (SCORE.interval_per, {"per": "byte", "confidence": 0.9}),
        (SCORE.to_dict, {}),
        (SCORE.to_columns, {}),
        (SCORE.to_pandas, {}),
        (SCORE.to_polars, {}),
        (SCORE.to_arrow, {}),
        (SCORE.to_json, {}),
        (SCORE.save, {"path": "run.json", "force": True}),
        (bm.Score.load, {"path": "run.json"}),
        (bm.Score.from_json, {"text": SCORE.to_json(), "name": "the run"}),
    ],
    "Signature": [
        (bm.Signature, {"text": "a", "model": "b"}),
        (bm.Signature.parse, {"line": "schema:1|text:a"}),
        (bm.Signature().but, {"text": "a"}),
    ],
    "ProgressBar": [(bm.ProgressBar, {"title": "scoring"})],
    "Trace": [
        (SCORE.trace.to_columns, {}),
        (SCORE.trace.top, {"n": 3}),
        (SCORE.trace.unit, {"index": 0}),
        (SCORE.trace.alternatives, {"index": 0}),
        (SCORE.trace.document, {"index": 0}),
        (SCORE.trace.group, {"by": "word"}),
        (SCORE.trace.__getitem__, {"key": 0}),
        (SCORE.trace.save, {"path": "t.parquet", "force": True}),
        (bm.Trace.load, {"path": "t.parquet"}),
    ],
    "estimate_mutual_information": [
        (
            bm.estimate_mutual_information,
            {
                "x": "abab",
                "y": "aabb",
                "method": "shuffle",
                "given": "xyxy",
                "unit": "bits",
                "confidence": 0.9,
                "permutations": 20,
                "seed": 1,
            },
        ),
        (
            bm.estimate_mutual_information,
            {"x": [0.5, 1.5, 2.5, 4.0], "y": [1.0, 2.0, 4.0, 9.0], "method": "ksg2", "neighbours": 2},
        ),
    ],
    "estimate_multivariate_information": [
        (
            bm.estimate_multivariate_information,
            {"measure": "o-information", "method": "shuffle", "unit": "bits", "confidence": 0.9, "permutations": 20},
        ),
    ],
    "estimate_differential_entropy": [
        (
            bm.estimate_differential_entropy,
            {"x": [0.5, 1.5, 2.5, 4.0], "neighbours": 2, "unit": "bits", "confidence": 0.9},
        ),
    ],
    "estimate_kl_divergence": [
        (
            bm.estimate_kl_divergence,
            {"x": [0.5, 1.5, 2.5, 4.0], "y": [1.0, 2.0, 4.0], "neighbours": 2, "unit": "bits", "confidence": 0.9},
        ),
    ],
    "total_correlation": [(bm.total_correlation, {"unit": "bits", "normalise": False})],
    "dual_total_correlation": [(bm.dual_total_correlation, {"unit": "bits", "normalise": False})],
    "o_information": [(bm.o_information, {"unit": "bits", "normalise": False})],
    "conditional_mutual_information": [(bm.conditional_mutual_information, {"unit": "bits", "normalise": False})],
    "partial_information": [(bm.partial_information, {"unit": "bits", "redundancy": "i-min", "normalise": False})],
    "estimate_rate": [
        (bm.estimate_rate, {"data": "abcaabca", "method": "ctw", "unit": "bits", "depth": 3}),
        (bm.estimate_rate, {"data": [0, 1, 1, 0], "method": "ctw", "alphabet": ["to", "be"]}),
        (bm.estimate_rate, {"data": "abcaabca", "method": "block", "min_coverage": 0.5}),
        (bm.estimate_rate, {"data": "abcaabca", "method": "zstd", "level": 3}),
        (bm.estimate_rate, {"data": "abcaabca", "method": "lz76"}),
        (bm.estimate_rate, {"data": b"abcaabca", "method": "compressor", "compressor": bytes}),
    ],
    "check": [
        (
            bm.check,
            {"base": "kt", "new": "uniform", "on": b"to be", "allow": "1%", "strict": False, "confidence": 0.9},
        ),
        (bm.check, {"base": "kt", "new": "uniform", "on": b"to be", "kl": 0.1, "same_top": "99%", "weights": "byte"}),
    ],
    "columns": [(bm.columns, {"model": "kt", "text": "text", "add": ["nats"], "prefix": "", "norm": None})],
    "Columns": [(bm.columns("kt", add=["nats"]).__call__, {"batch": {"text": ["to be", None]}})],
    "filter_corpus": [
        (
            bm.filter_corpus,
            {
                "model": "kt",
                "corpus": str(Path(__file__)),
                "by": "bits_per_byte",
                "keep": "30%",
                "seed": 0,
                "docs": "line",
                "add": ["nats"],
                "tag": None,
                "unscored": "drop",
                "dry_run": True,
            },
        ),
    ],
    "sweep": [(bm.sweep, {"base": "kt", "on": b"to be", "kl": True, "confidence": 0.9})],
    "overlap": [
        (
            bm.overlap,
            {
                "text": b"to be",
                "corpus": b"to be or",
                "length": 2,
                "unit": "words",
                "docs": "line",
                "in_docs": "line",
                "top": 2,
                "threads": 1,
            },
        ),
        (bm.overlap, {"text": b"to be to be", "length": 2, "field": None}),
    ],
    "overlap_columns": [(bm.overlap_columns, {"corpus": b"to be or", "length": 2, "unit": "bytes", "threads": 1})],
    "OverlapIndex": [
        (bm.OverlapIndex.build, {"corpus": b"to be", "docs": "line", "field": None, "memory": "64M", "force": False}),
        (bm.OverlapIndex.open, {"path": "x.bmi"}),
        (bm.OverlapIndex.build(b"to be").lengths, {"text": b"be", "threads": 1}),
        (bm.OverlapIndex.build(b"to be").place, {"position": 1}),
        (bm.OverlapIndex.build(b"to be").document_name, {"document": 0}),
    ],
    "text_statistics": [
        (
            bm.text_statistics,
            {"model": "kt", "text": b"to be", "at": ["min-k"], "null": b"or not", "share": 0.5, "confidence": 0.9},
        ),
        (bm.text_statistics, {"model": "kt", "text": b"to be", "at": "binoculars", "other": "uniform"}),
    ],
    "list_sets": [(bm.list_sets, {})],
    # A folder is always named: without one a set would be fetched.
    "get_set": [(bm.get_set, {"name": "wikitext2", "source": "absent", "force": False})],
    "import_log": [(bm.import_log, {"path": "absent.jsonl", "tool": "lm-eval", "model": "m", "confidence": 0.9})],
}
