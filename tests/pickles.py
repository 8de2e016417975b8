"""Public objects of every kind, and the figures of each that must be equal after pickling."""

from __future__ import annotations

import dataclasses
import functools
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm

import bitmeter as bm
from bitmeter.models.protocols import Compressor, Model

TEXT = b"to be or not to be\nthat is the question\nto die to sleep\n"
TINY = Path(__file__).parent / "parity" / "tiny"
_FOLDER = tempfile.TemporaryDirectory(prefix="bitmeter-tests-")
HERE = Path(_FOLDER.name)


def file(name: str, data: bytes) -> Path:
    (HERE / name).write_bytes(data)
    return HERE / name


def saved(model: Any, name: str) -> Any:
    model.save(HERE / name, force=True)
    return bm.load(HERE / name)


def ngram(order: int = 3, text: bytes = TEXT * 3, **options: Any) -> bm.NGram:
    return bm.NGram(order, **options).fit(text)


def words() -> bm.Distribution:
    return bm.Distribution({"to": 0.5, "be": 0.25, "<unk>": 0.25})


def pairs() -> bm.Conditional:
    row = bm.Distribution({"a": 0.25, "b": 0.75})
    return bm.Conditional({"a": row, "b": row, "^": row}, start="^")


@functools.cache
def network(units: str) -> bm.Neural:
    return bm.Neural("lstm", units, width=8).fit(TEXT * 9, epochs=1, batch=4)


@functools.cache
def tiny() -> bm.HuggingFace:
    return bm.HuggingFace(TINY)


#: Models of every kind that need no network library.
LIGHT: dict[str, Callable[[], Any]] = {
    "uniform": lambda: bm.load("uniform"),
    "kt": lambda: bm.load("kt"),
    "universal": lambda: bm.load("universal:small"),
    "universal, primed": lambda: bm.load("universal:small").with_prime(TEXT),
    "universal, frozen": lambda: bm.load("universal:small").with_prime(TEXT).freeze(),
    "universal, saved": lambda: saved(bm.load("universal:small").with_prime(TEXT), "u.bmu"),
    "table of words": lambda: bm.TableModel(words(), oov="class"),
    "table of characters": lambda: bm.load(bm.Distribution.from_data(TEXT.decode())),
    "n-gram": ngram,
    "n-gram, spelled": lambda: ngram().with_oov("spelled"),
    "n-gram, saved": lambda: saved(ngram(), "n.bmn"),
    "n-gram, compact": lambda: ngram().compact(),
    "n-gram, compact, saved": lambda: saved(ngram().compact(), "c.bmn"),
    "n-gram, pruned": lambda: saved(ngram(), "p.bmn").prune(0.01),
    "n-gram, ARPA": lambda: saved(ngram(), "n.arpa"),
    "n-gram of bytes": lambda: ngram(units="bytes"),
    "n-gram of characters": lambda: ngram(units="chars"),
    "n-gram of tokens": lambda: ngram(units=f"tokenizer:{TINY / 'tokenizer.json'}"),
    "mixture": lambda: bm.MixtureModel([ngram(), ngram(2, b"a rose is a rose\n"), bm.Cache(20)], buckets=True).fit(
        TEXT
    ),
    "mixture of bytes": lambda: bm.MixtureModel(["kt", "universal:small"]).fit(TEXT),
    "zlib": lambda: bm.load("zlib"),
    "xz": lambda: bm.load("xz:6e"),
    "zstd": lambda: bm.load("zstd:3"),
}
#: Those that need one.
NETWORKS: dict[str, Callable[[], Any]] = {
    "lstm": lambda: network("bytes"),
    "network of words": lambda: network("words").with_oov("spelled"),
    "hf": lambda: tiny(),
    "hf, windows": lambda: tiny().with_context("16.8", "bos"),
}
CORPORA: dict[str, Callable[[], bm.Corpus]] = {
    "corpus in memory": lambda: bm.Corpus.from_text(TEXT, docs="line"),
    "corpus of documents": lambda: bm.Corpus.from_documents([b"a", "b"]),
    "corpus of a file": lambda: bm.Corpus(file("t.txt", TEXT), docs="line"),
    "corpus of rows": lambda: bm.Corpus(file("t.jsonl", b'{"a": "x"}\n{"a": "y"}\n'), field="a"),
    "corpus joined": lambda: bm.Corpus.of(bm.Corpus.from_documents(["a", "b"]), docs="joined-line"),
}


def _score() -> bm.Score:
    return bm.score("kt", TEXT, docs="line")


#: One of each public class that is none of the above; the name is that of the class.
OTHERS: dict[str, Callable[[], Any]] = {
    "Archive": lambda: bm.compress("kt", TEXT, HERE / "a.bmz", force=True),
    "ArchiveHeader": lambda: _header(),
    "Batch": lambda: bm.Batch(TEXT, np.array([len(TEXT)]), bm.units_of("words")),
    "BitmeterError": lambda: bm.BitmeterError("wrong", index=3, value="x"),
    "BlockRow": lambda: bm.estimate_rate(TEXT, method="block").blocks[0],
    "Cache": lambda: bm.Cache(20, 0.5),
    "CodeFigures": lambda: bm.PrefixCode.huffman(words()).figures(words()),
    "Accuracy": lambda: OTHERS["Preferences"]().accuracy,
    "Choices": lambda: bm.choose("kt", [{"question": "a", "choices": ["b", "cc"], "label": 0}]),
    "Group": lambda: bm.score("kt", bm.Corpus.from_records([{"text": "a", "d": "x"}]), group="d").groups[0],
    "Preferences": lambda: bm.prefer("kt", [{"good": "a", "bad": "bb"}]),
    "Overlap": lambda: bm.overlap(TEXT, b"to be or not", length=3),
    "OverlapIndex": lambda: bm.OverlapIndex.build(TEXT, HERE / "i.bmi", force=True),
    "OverlapMatch": lambda: OTHERS["Overlap"]().matches[0],
    "OverlapSource": lambda: OTHERS["Overlap"]().sources[0],
    "Comparison": lambda: bm.compare("kt", "uniform", on=file("t.txt", TEXT), docs="line"),
    "Columns": lambda: bm.columns("kt"),
    "Conditional": pairs,
    "Convergence": lambda: bm.converge(bm.example_process("two-state"), 50, paths=3, seed=1),
    "Conversion": lambda: _conversion(),
    "CurvePoint": lambda: NETWORKS["lstm"]().curve.points[0],
    "Distribution": words,
    "Divergence": lambda: bm.divergence(tiny(), tiny(), TEXT),
    "Document": lambda: bm.Document(b"a", "b"),
    "End": lambda: bm.End(3),
    "FilterSummary": lambda: bm.filter_corpus("kt", file("f.txt", TEXT), dry_run=True, keep="30%"),
    "EntropyCurves": lambda: bm.entropy_curves(bm.example_process("noisy"), 4),
    "InformationEstimate": lambda: bm.estimate_mutual_information(TEXT, TEXT),
    "PartialInformation": lambda: bm.partial_information("0011", "0101", "0110"),
    "EntropyEstimate": lambda: bm.estimate_entropy(TEXT),
    "HiddenMarkov": lambda: bm.HiddenMarkov([[0.9, 0.1], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.5]]),
    "Iid": lambda: bm.Iid(words()),
    "Impossible": lambda: bm.explain_infinite([0.5, 0.5], [1.0, 0.0]),
    "Interval": lambda: bm.score("kt", TEXT * 20, docs="line").interval,
    "LearningCurve": lambda: NETWORKS["lstm"]().curve,
    "Markov": lambda: bm.Markov([[0.9, 0.1], [0.5, 0.5]]),
    "Mixture": lambda: bm.Mixture([bm.example_process("fair-coin"), bm.example_process("fair-coin")]),
    "MonteCarlo": lambda: bm.monte_carlo_cross_entropy(norm(), norm(), samples=100, seed=1),
    "Options": lambda: bm.Options(),
    "PairedTest": lambda: OTHERS["Comparison"]().rows[1].test,
    "PrefixCode": lambda: bm.PrefixCode.huffman(words()),
    "Phases": lambda: bm.Phases([[1.0, 0.0], [0.5, 0.5]]),
    "Proof": lambda: bm.prove("kt", TEXT),
    "Rate": lambda: bm.cross_entropy_rate(bm.example_process("two-state"), bm.example_process("two-state")),
    "RateEstimate": lambda: bm.estimate_rate(TEXT),
    "SampledText": lambda: bm.sample("kt", seed=1)[0],
    "Plan": lambda: tiny().plan(np.array([0, 6, 9])),
    "Scheme": lambda: _scheme(),
    "Score": _score,
    "Scored": lambda: bm.load("kt").open().score(OTHERS["Batch"]()),
    "ScoredText": lambda: ngram().score(TEXT),
    "Signature": lambda: _score().signature,
    "Split": lambda: bm.units_of("words").split(TEXT),
    "StateClass": lambda: bm.Markov([[0.9, 0.1], [0.5, 0.5]]).classes[0],
    "TimeAverages": lambda: bm.time_averages(bm.example_process("two-state"), 50, paths=3, seed=1),
    "Trace": lambda: _score().trace,
    "TracedUnit": lambda: _score().trace.top(1)[0],
    "Traits": lambda: bm.load("kt").traits,
    "TypicalSet": lambda: bm.typical_set(bm.example_process("two-state"), 10, 0.1),
    "Verdict": lambda: bm.example_process("two-state").is_ergodic,
    "Audit": lambda: bm.audit("kt", TEXT, positions=2),
    "AuditCheck": lambda: bm.audit("kt", TEXT, positions=2).checks[0],
    "Correction": lambda: bm.Correction(1.5, 1.4, 1.6, 64),
    "Finding": lambda: bm.Finding("sums", "they sum to 2", byte=3, document=0, unit="'a'", bits=4.0, bits_per_byte=0.5),
    "Check": lambda: bm.check("kt", "uniform", on=TEXT, kl=9.0),
    "Limit": lambda: OTHERS["Check"]().limits[0],
    "KnownSet": lambda: bm.list_sets()["wikitext2"],
    "StoredSet": lambda: bm.StoredSet("wikitext2", {"wikitext2:test": HERE / "a"}, ""),
    "Sweep": lambda: bm.sweep("kt", "uniform", on=TEXT),
    "SweepRow": lambda: OTHERS["Sweep"]().rows[0],
    "TextStatistics": lambda: bm.text_statistics("kt", TEXT, at="min-k"),
    "Statistic": lambda: OTHERS["TextStatistics"]().statistics[0],
    "Verification": lambda: bm.verify("kt", TEXT, histories=2),
    "Windowing": lambda: tiny().windowing,
    "Words": lambda: bm.units_of("words"),
    "WordSurprisals": lambda: bm.word_surprisals(tiny(), TEXT),
}
UNITS = ("bytes", "chars", "words", "words:srilm", "graphemes", "unicode-words", "sentences",
         f"tokenizer:{TINY / 'tokenizer.json'}")  # fmt: skip
ALL = {**LIGHT, **NETWORKS, **CORPORA, **OTHERS}


def _header() -> bm.ArchiveHeader:
    OTHERS["Archive"]()
    return bm.decompress(HERE / "a.bmz", HERE / "a", force=True)


def _conversion() -> bm.Conversion:
    saved(ngram(), "n.bmn")
    return bm.convert(HERE / "n.bmn", HERE / "c.bmn", compact=True, force=True)


def _scheme() -> bm.Scheme:
    from bitmeter.models.registry import schemes

    return schemes()["zlib"]


def figures(what: Any) -> Any:
    """The figures of an object, as plain values that can be compared."""
    if isinstance(what, Model):
        score = bm.score(what, TEXT, docs="line")
        return what.name, what.fingerprint, what.units.fingerprint, score.nats, score.signature
    if isinstance(what, Compressor):
        return what.name, what.fingerprint, bm.score(what, TEXT).nats
    if isinstance(what, bm.Corpus):
        return what.name, what.docs, [document.data for document in what], what.fingerprint(), what.boundaries()
    if isinstance(what, BaseException):
        return type(what), str(what), vars(what)
    if isinstance(what, bm.Units):
        split = what.split(TEXT)
        return what.name, what.fingerprint, split.ids.tolist(), split.cuts.tolist()
    if isinstance(what, bm.Trace):
        return str(what.signature), what.bits.tolist(), len(what)
    if dataclasses.is_dataclass(what) and not isinstance(what, type):
        return type(what).__name__, [figures(getattr(what, field.name)) for field in dataclasses.fields(what)]
    if isinstance(what, tuple | list):
        return [figures(one) for one in what]
    if isinstance(what, np.ndarray):
        return what.tolist()
    return type(what).__name__, re.sub(" at 0x[0-9a-f]+", "", repr(what))


class Asked:
    """Unpickled, in whatever process, it becomes the figures of what it holds."""

    def __init__(self, what: Any) -> None:
        self.what = what

    def __reduce__(self) -> tuple[Any, ...]:
        return figures, (self.what,)
