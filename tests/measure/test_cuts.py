"""One test over every model and every cut: how a text is cut into blocks changes nothing.

For each kind of model, a text scored whole, in two blocks cut at every byte, and in one-byte blocks gives the same
log-probabilities, units, counts, skips and ends. The oracle is the whole text in one block.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.reports.figures import tool_figures
from bitmeter.text.corpus.readers import Block
from tests.models.helpers.plugins import PlainWords
from tests.models.networks import TINY

#: Files that other tools made.
PEERS = Path(__file__).parents[1] / "parity"
TRAIN = b"a rose is a rose\nthe rain and the sea\nis the rose here\n" * 3
#: The fourth begins as a line of the training text does, and otherwise than what follows the end of the third there.
DOCUMENTS = [
    text.encode()
    for text in ("a rose is a rose\n", "", "\n  the rain,\tand", "the rain \né was", " \n ", "ünknown hère\nno end")
]


class CutCorpus(bm.Corpus):
    """Documents whose bytes come in blocks cut at given offsets, whatever size is asked for."""

    cuts: tuple[int, ...] = ()

    @classmethod
    def of_documents(cls, documents: list[bytes], cuts: tuple[int, ...]) -> CutCorpus:
        return cls.cut(cls.from_documents(documents), cuts)

    @classmethod
    def cut(cls, made: bm.Corpus, cuts: tuple[int, ...]) -> CutCorpus:
        found = object.__new__(cls)
        found.__dict__.update(made.__dict__)
        found.cuts = cuts
        return found

    def blocks(self, size: int = 0) -> Iterator[Block]:
        (whole,) = super().blocks(1 << 20)
        edges = [0, *(cut for cut in self.cuts if 0 < cut < len(whole.data)), len(whole.data)]
        for start, stop in itertools.pairwise(edges):
            inside = (whole.ends > start if start else whole.ends >= 0) & (whole.ends <= stop)
            yield Block(whole.data[start:stop], whole.ends[inside] - start)


class Streaming:
    """A plug-in of bytes that keeps the last byte of a document."""

    name, fingerprint = "streaming", "streaming-1"
    units = bm.units_of("bytes")

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return self.stream().logprobs(ids, bounds, False)

    def stream(self) -> Any:
        return StreamingText()

    def predict(self, history: Any) -> Any:
        p = np.full(256, 0.5 / 256)
        p[int(history[-1]) if len(history) else 32] += 0.5
        return np.log(p)


class StreamingText:
    last = 32

    def logprobs(self, ids: Any, bounds: Any, continues: bool) -> Any:
        before = np.concatenate(([self.last], ids[:-1])).astype(np.int64)[: len(ids)]
        starts = bounds[:-1][np.diff(bounds) > 0]
        before[starts[1:] if continues and len(starts) and starts[0] == 0 and bounds[1] > 0 else starts] = 32
        if len(bounds) > 1:
            empty = bounds[-1] == bounds[-2]
            self.last = 32 if empty and (len(bounds) > 2 or not continues) else self.last if empty else int(ids[-1])
        return np.log(0.5 / 256 + 0.5 * (np.asarray(ids) == before))


class Counting(PlainWords):
    """A plug-in of words whose predictions depend on how many words the document has so far, and on nothing else."""

    name, fingerprint = "counting", "counting-1"

    def row(self, place: int) -> Any:
        return self._logs[1 + place % 7]

    def predict(self, history: Any) -> Any:
        return np.array(self.row(len(history)))

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return self.stream().logprobs(ids, bounds, False)

    def stream(self) -> Any:
        return CountingText(self)


class CountingText:
    def __init__(self, model: Counting) -> None:
        self.model, self.place = model, 0

    def logprobs(self, ids: Any, bounds: Any, continues: bool) -> Any:
        found = []
        for number, (first, last) in enumerate(itertools.pairwise(bounds.tolist())):
            self.place = self.place if continues and number == 0 else 0
            for unit in ids[first:last].tolist():
                found.append(self.model.row(self.place)[unit])
                self.place += 1
        return np.array(found, dtype=np.float64)


@functools.cache
def ngram(units: str, order: int = 3) -> bm.NGram:
    return bm.NGram(order=order, units=units).fit(TRAIN)


@functools.cache
def network(kind: str, units: str) -> bm.Neural:
    return bm.Neural(kind, units, width=8, layers=1, context=8, vocabulary=300).fit(TRAIN, epochs=0.2, batch=2)


@functools.cache
def mixture() -> bm.MixtureModel:
    """With weights that differ by the bucket of the history."""
    made = bm.MixtureModel([ngram("words"), bm.Cache(50, order=2), bm.Cache(20)], buckets=True)
    return made.fit(b"the rain and the rose\nis a rose here\nzebra zebra zebra the sea\n" * 20)


LETTERS = bm.Distribution({chr(code): 1 / 95 for code in range(32, 127)})
LETTERS_AND_ENDS = bm.Distribution({chr(code): 1 / 96 for code in (10, *range(32, 127))})
CONDITIONAL = bm.Conditional(
    {
        "?": {"a": 0.1, "s": 0.1, "e": 0.1, "?": 0.7},
        "a": {"a": 0.5, "s": 0.2, "e": 0.1, "?": 0.2},
        "s": {"a": 0.1, "s": 0.3, "e": 0.4, "?": 0.2},
        "e": {"a": 0.3, "s": 0.2, "e": 0.2, "?": 0.3},
    },
    other="?",
    start="?",
)

#: Each kind of model, made when its test runs.
MODELS: dict[str, Callable[[], Any]] = {
    "uniform": lambda: bm.Uniform(),
    "uniform of words": lambda: bm.Uniform(1000),
    "kt": lambda: bm.KrichevskyTrofimov(),
    "universal": lambda: bm.Universal("small"),
    "universal, frozen": lambda: bm.Universal("small").with_prime(TRAIN).freeze(),
    "distribution": lambda: LETTERS,
    "conditional": lambda: CONDITIONAL,
    "n-gram of words": lambda: ngram("words"),
    "n-gram of words, compact": lambda: ngram("words").compact(),
    "n-gram of characters": lambda: ngram("characters"),
    "n-gram of bytes": lambda: ngram("bytes"),
    "n-gram of pieces": lambda: ngram(f"sentencepiece:{PEERS / 'filters' / 'tiny.sp.model'}"),
    "KenLM's binary": lambda: bm.NGram.load(PEERS / "kenlm" / "trie.bin"),
    "KenLM's binary of pieces": lambda: bm.NGram.load(
        PEERS / "filters" / "tiny.arpa.bin", units=f"sentencepiece:{PEERS / 'filters' / 'tiny.sp.model'}"
    ),
    "mixture of words": lambda: mixture(),
    "mixture of bytes": lambda: bm.MixtureModel([ngram("bytes"), "kt", bm.Cache(20)]),
    "mixture of learners": lambda: bm.MixtureModel(["universal:small", "kt", "uniform"]),
    "lstm of words": lambda: network("lstm", "words"),
    "transformer of words": lambda: network("transformer", "words"),
    "lstm of bytes": lambda: network("lstm", "bytes"),
    "hugging face": lambda: f"hf:{TINY}",
    "plug-in that streams": lambda: Streaming(),
    "plug-in of words": lambda: PlainWords(),
    "plug-in of words that streams": lambda: Counting(),
}
#: Keywords under which state may cross a border between blocks.
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "first=skip": {"first": "skip"},
    "first=uniform": {"first": "uniform"},
    "eos=yes": {"eos": "yes"},
    "eos=nonblank": {"eos": "nonblank"},
    "oov=class": {"oov": "class"},
    "oov=skipped": {"oov": "skipped"},
    "like=lm-eval": {"like": "lm-eval"},
    "like=cc_net": {"like": "cc_net"},
    "alternatives": {"alternatives": 0},
}
COUNTS = ("bytes", "chars", "words", "tokens", "documents", "oov", "skipped", "invalid", "impossible", "pieces")


@dataclass(frozen=True)
class Found:
    """All that may not depend on cuts."""

    counts: tuple[Any, ...]
    columns: dict[str, Any]
    documents: Any
    document_nats: Any
    nats: float
    signature: str
    #: Of the tool whose conventions are followed.
    figures: dict[str, Any]

    @staticmethod
    def of(model: Any, cuts: tuple[int, ...], keywords: dict[str, Any]) -> Found:
        score = bm.score(model, CutCorpus.of_documents(DOCUMENTS, cuts), **keywords)
        trace = score.trace
        names = ("doc", "start", "end", "id", "logprob", *(("rank", "entropy") if "alternatives" in keywords else ()))
        columns = {name: getattr(trace, name) for name in names}
        documents = score.by_document
        assert documents is not None
        return Found(
            tuple(getattr(score, name) for name in COUNTS), columns,
            [documents.bytes.tolist(), documents.tokens.tolist(), documents.words.tolist()], documents.nats,
            score.nats, str(score.signature), tool_figures(score)[0],
        )  # fmt: skip


def check(found: Found, expected: Found, exact: bool) -> None:
    assert found.counts == expected.counts
    assert found.documents == expected.documents
    assert found.signature == expected.signature
    assert found.figures == (expected.figures if exact else pytest.approx(expected.figures, rel=1e-5))
    for name in ("doc", "start", "end", "id"):
        np.testing.assert_array_equal(found.columns[name], expected.columns[name], err_msg=name)
    if exact:
        np.testing.assert_array_equal(found.columns["logprob"], expected.columns["logprob"])
    else:  # a network: other shapes of batches round otherwise
        np.testing.assert_allclose(found.columns["logprob"], expected.columns["logprob"], rtol=0, atol=2e-5)
    if exact and "rank" in expected.columns:
        np.testing.assert_array_equal(found.columns["rank"], expected.columns["rank"])
        np.testing.assert_allclose(found.columns["entropy"], expected.columns["entropy"], rtol=1e-12)
    rtol, atol = (0.0, 0.0) if exact else (1e-5, 2e-4)
    np.testing.assert_allclose(found.document_nats, expected.document_nats, rtol=rtol, atol=atol)
    assert found.nats == (expected.nats if exact else pytest.approx(expected.nats, rel=1e-5))


def allowed(model: Any, keywords: dict[str, Any]) -> bool:
    """Whether the model takes these keywords at all; refusals are tested elsewhere."""
    try:
        bm.score(model, b"a b\n", **keywords)
    except bm.errors.ModelError:
        return False
    return True


@pytest.mark.parametrize("kind", MODELS)
def test_cuts_change_nothing(kind: str) -> None:
    model = bm.load(MODELS[kind]())
    exact = not any(word in kind for word in ("lstm", "transformer", "hugging"))
    size = sum(map(len, DOCUMENTS))
    # A cut at each place, and another soon after it, so that documents end, begin and go on within a block.
    every = [(cut, cut + 1 + cut % 13) for cut in range(1, size, 1 if exact else 11)]
    tried = 0
    for keywords in SETTINGS.values():
        if not allowed(model, keywords):
            continue
        tried += 1
        expected = Found.of(model, (), keywords)
        for cuts in [*every, tuple(range(1, size))]:
            check(Found.of(model, cuts, keywords), expected, exact)
    assert tried >= 2, f"{kind} takes hardly any of the keywords"


def test_the_settings_are_all_tried() -> None:
    """Each keyword above reaches some model; a setting that all models refuse would test nothing."""
    models = [bm.load(MODELS[kind]()) for kind in ("kt", "n-gram of words", "distribution")]
    for keywords in SETTINGS.values():
        assert any(allowed(model, keywords) for model in models), keywords


#: Sections of lines shorter and longer than what is searched of a line, with headings and what looks like them.
SECTIONS = b"".join(
    b"# Part %d\n\n%b\n%b# no heading\n%b\n\n" % (i, b"ab " * (330 + i), b" " * (1018 + i), b"Part" * (20 * i))
    for i in range(9)
)
#: Around the ends of its long lines, where the first 1,024 bytes of a line end, and anywhere.
BORDERS = [
    (max(1, at + beside),)
    for at in (i for i, byte in enumerate(SECTIONS) if byte == 10)
    for beside in (-1025, -1024, -1023, -2, -1, 0, 1, 2)
]


@pytest.mark.parametrize("docs", ["line", "blank", "file"])
@pytest.mark.parametrize("cluster", ["auto", "^# Part", "Part$", r"(?i)^\s*# NO"])
def test_cuts_do_not_change_clusters(docs: str, cluster: str) -> None:
    def of(cuts: tuple[int, ...]) -> tuple[Any, ...]:
        corpus = CutCorpus.cut(bm.Corpus.from_text(SECTIONS, docs=docs), cuts)
        found = bm.score(LETTERS_AND_ENDS, corpus, cluster=cluster)
        assert found.by_document is not None
        assert found.by_block is not None
        clusters = [None if c is None else c.tolist() for c in (found.by_document.clusters, found.by_block.clusters)]
        return found.nats, str(found.signature), found.interval, found.notes, clusters

    expected = of(())
    assert any(expected[-1]) or docs == "blank", "there is nothing that a cut could change"
    for cuts in [*BORDERS[:: 5 if docs == "line" else 23], tuple(range(97, len(SECTIONS), 97))]:
        assert of(cuts) == expected
