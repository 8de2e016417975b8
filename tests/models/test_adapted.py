"""What another package wrote, as a model of ours: it can do what it has, and asking for more is a typed error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import InputTypeError, ModelError
from bitmeter.models.adapted import PlainCompressor, PlainPredictor, PlainScorer, adapted
from bitmeter.models.openvocab.plain import OpenWords
from bitmeter.models.outcomes import Outcomes
from bitmeter.models.protocols import Compressor, Predictor, Traits
from bitmeter.models.session import End
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.words import Words
from tests.coding.models import TEXT, Plain
from tests.models.helpers.plugins import PlainWords


class Scores:
    """Two bits for each byte."""

    name, fingerprint = "scores", "scores-1"
    units = Bytes()

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return np.full(len(ids), -2 * np.log(2))


class Streams(Plain):
    """The same figures, documents in parts."""

    name = "streams"

    def stream(self) -> Any:
        return _Stream(self)


class _Stream:
    def __init__(self, model: Plain) -> None:
        self._model, self._last = model, 32

    def logprobs(self, ids: Any, bounds: Any, continues: bool) -> Any:
        found = self._model.logprobs(ids, bounds)
        if continues and len(ids) and bounds[1] > 0:
            found[0] = self._model.predict(np.array([self._last]))[int(ids[0])]
        self._last = int(ids[-1]) if len(ids) and bounds[-1] > bounds[-2] else 32
        return found


class Unnamed:
    """Predicts ten words that it does not name."""

    name, fingerprint = "unnamed", "unnamed-1"
    units = Words(vocabulary=[f"w{i}" for i in range(10)])

    def predict(self, history: Any) -> Any:
        return np.full(10, -np.log(10))

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return np.full(len(ids), -np.log(10))


# ---- what it becomes -------------------------------------------------------------------------------------------------


def test_what_it_has_decides_what_it_is() -> None:
    assert type(adapted(Scores())) is PlainScorer
    assert not isinstance(bm.load(Scores()), Predictor)
    assert type(adapted(Plain())) is PlainPredictor
    assert isinstance(bm.load(Plain()), Predictor)
    assert type(adapted(PlainWords())) is OpenWords
    own = bm.Uniform()
    assert adapted(own) is own
    assert adapted(3) is None
    assert adapted(Scores) is None, "a class is not a model"
    with pytest.raises(InputTypeError, match="is not a model"):
        bm.load(Scores)


def test_a_compressor_of_another_package() -> None:
    class Meter:
        def __init__(self) -> None:
            self.size = 0

        def feed(self, data: bytes) -> None:
            self.size += len(data)

        def finish(self) -> int:
            return self.size // 2

    class Halves:
        name, fingerprint = "halves", "halves-1"

        def meter(self) -> Any:
            return Meter()

    found = adapted(Halves())
    assert isinstance(found, PlainCompressor)
    assert isinstance(found, Compressor)
    assert found.overhead == ""
    assert bm.score(Halves(), b"ab" * 100).bits_per_byte == pytest.approx(4.0)


def test_units_must_be_ours() -> None:
    class Odd(Scores):
        units: Any = "bytes"

    with pytest.raises(ModelError, match=r"has units 'bytes', which are not bitmeter\.Units"):
        bm.load(Odd())


def test_traits_are_read_from_what_it_says() -> None:
    class Declared(Scores):
        traits = Traits(vocabulary=3, end=End(10), precision="float16", caveats=("beware",))

    assert bm.load(Declared()).traits == Traits(
        3, end=End(10), whole_documents=True, precision="float16", caveats=("beware",)
    )
    assert bm.load(Scores()).traits == Traits(256, whole_documents=True)
    assert not bm.load(Streams()).traits.whole_documents

    class Odd(Scores):
        traits: Any = ("vocabulary", 3)

    with pytest.raises(ModelError, match=r"has the traits .*; they must be a bitmeter\.Traits"):
        bm.load(Odd())


def test_a_plug_in_with_traits_is_given_whole_documents() -> None:
    """Without `stream` it cannot go on with a document: 300,000 equal bytes cost ln 256 once, and ln 2 each after."""

    class Repeats(Scores):
        traits = Traits(vocabulary=256)

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            found = np.full(len(ids), -np.log(2))
            found[bounds[:-1]] = -np.log(256)
            return found

    text = b"a" * 300_000
    assert bm.score(Repeats(), text).bits == pytest.approx(8 + len(text) - 1, rel=1e-12)


@pytest.mark.parametrize("units", ["words", "bytes"])
def test_ways_for_unknown_units_need_the_class_that_has_them(units: str) -> None:
    class Claims(Scores):
        traits = Traits(oov=("class", "spelled"))

    Claims.units = bm.units_of(units)  # type: ignore[assignment]
    with pytest.raises(ModelError, match=r"'class' or 'spelled' \(traits\.oov\), but is not a bitmeter\.OpenVocab"):
        bm.score(Claims(), b"to be")

    class Inherits(bm.Model):
        name, fingerprint, traits = "inherits", "inherits-1", Traits(oov=("spelled",))

        def open(self, options: Any = None) -> Any:
            return bm.load("kt").open()

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return np.zeros(len(ids))

    Inherits.units = bm.units_of(units)  # type: ignore[method-assign,assignment]
    with pytest.raises(ModelError, match=r"is not a bitmeter\.OpenVocabulary"):
        bm.score(Inherits(), b"to be")


def test_a_subclass_says_what_it_lacks() -> None:
    class Bare(bm.Model):
        def open(self, options: Any = None) -> Any:
            return bm.load("kt").open()

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return np.zeros(len(ids))

    with pytest.raises(ModelError, match=r"the model Bare has no name and no units and no fingerprint; set self\.name"):
        bm.score(Bare(), b"abc")

    class Odd(Bare):
        name, fingerprint, units = "odd", "odd-1", "bytes"  # type: ignore[assignment]

    with pytest.raises(ModelError, match="has units 'bytes'"):
        bm.score(Odd(), b"abc")

    class Dull(bm.Compressor):
        name = "dull"

        def meter(self) -> Any:
            return Meter()

    class Meter:
        size = 0

        def feed(self, data: bytes) -> None:
            self.size += len(data)

        def finish(self) -> int:
            return self.size

    with pytest.raises(ModelError, match="the model Dull has no fingerprint"):
        bm.score(Dull(), b"abc")
    Dull.fingerprint = "dull-1"  # type: ignore[method-assign,assignment]
    assert bm.score(Dull(), b"abc").bits_per_byte == 8.0


# ---- ids that a plug-in is never shown -------------------------------------------------------------------------------


class Three:
    """Three words with fixed probabilities, looked up by id; remembers what it was shown."""

    name, fingerprint = "three", "three-1"
    vocabulary: tuple[bytes, ...] = (b"cat", b"sat", b"the")

    def __init__(self) -> None:
        self.units = bm.Words(vocabulary=self.vocabulary)
        self.row = np.log(np.array([0.001, 0.009, 0.99]))
        self.seen: list[int] = []

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        self.seen += ids.tolist()
        assert bounds[0] == 0
        assert bounds[-1] == len(ids)
        return self.row[ids]


class WithUnk(Three):
    """The same with a class for unknown words, and predictions."""

    vocabulary = outcome_names = (b"<unk>", b"sat", b"the")

    def predict(self, history: Any) -> Any:
        self.seen += history.tolist()
        return self.row


def test_an_unknown_word_is_impossible_and_never_shown() -> None:
    plain = Three()
    found = bm.score(plain, b"the zebra sat\n\n \nokapi\n", docs="line")
    assert plain.seen == [2, 1]
    assert (found.oov, found.impossible) == (2, 2)
    assert found.nats == np.inf
    assert "'zebra ' at byte 4" in found.notes[0]
    assert found.known_nats == pytest.approx(-plain.row[2] - plain.row[1])
    skipped = bm.score(Three(), b"the zebra sat\n", oov="skipped")
    assert (skipped.skipped, skipped.tokens) == (1, 2)
    assert skipped.nats == pytest.approx(-plain.row[2] - plain.row[1])
    assert bm.verify(plain, b"the cat sat").sound  # every one of its three words was enumerated


def test_an_unknown_word_has_the_entry_unk_where_there_is_one() -> None:
    text = b"the zebra sat\n \n"
    assert bm.score(WithUnk(), text).nats == np.inf
    plain = WithUnk()
    found = bm.score(plain, text, oov="class", docs="line", alternatives=1)
    assert found.nats == pytest.approx(-float(plain.row.sum()))
    assert found.oov == 1
    assert found.trace.rank.tolist()[:3] == [1, 3, 2]
    assert min(plain.seen) == 0
    assert bm.verify(WithUnk(), text).sound


def test_a_blank_document_does_not_reach_a_stream_or_a_history() -> None:
    class Ends(WithUnk):
        traits = Traits(end=End(1))

    plain = Ends()
    bm.score(plain, b"the\n\nthe\n", docs="line", eos="nonblank", oov="class", alternatives=1)
    assert min(plain.seen) >= 0


def test_what_a_plug_in_raises_names_it() -> None:
    class Fails(Plain):
        def logprobs(self, ids: Any, bounds: Any) -> Any:
            message = "ouch"
            raise ValueError(message)

        def predict(self, history: Any) -> Any:
            raise KeyError("x")

        def stream(self) -> Any:
            raise RuntimeError

    for call, expected in (
        (lambda model: bm.score(model, TEXT), "the plug-in plain failed in stream: RuntimeError"),
        (lambda model: bm.sample(model, 1, seed=1), "failed in predict: KeyError: 'x'"),
        (lambda model: model.logprobs(np.array([1]), np.array([0, 1])), "failed in logprobs: ValueError: ouch"),
    ):
        with pytest.raises(ModelError, match=expected):
            call(bm.load(Fails()))

    class Meter:
        def feed(self, data: bytes) -> None:
            pass

        def finish(self) -> Any:
            return 1.5

    class Halves:
        name, fingerprint = "halves", "halves-1"

        def meter(self) -> Any:
            return Meter()

    with pytest.raises(ModelError, match=r"halves gave 1\.5 as the size of its file"):
        bm.score(Halves(), b"ab")


# ---- a plug-in of bytes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plain", [Plain(), Streams()], ids=["whole", "stream"])
def test_alternatives_of_a_plug_in_of_bytes(plain: Plain) -> None:
    trace = bm.score(plain, TEXT, alternatives=3).trace
    for i in (0, 1, 40):
        row = plain.predict(np.frombuffer(TEXT[:i], dtype=np.uint8))
        best = np.argsort(-row, kind="stable")[:3]
        assert [(name, pytest.approx(logprob)) for name, logprob, *_ in trace.alternatives(i)] == [
            (bytes([j]), row[j]) for j in best.tolist()
        ]
        assert trace.rank[i] == 1 + int((row > row[TEXT[i]]).sum())


@pytest.mark.parametrize("size", [1, 3, 1 << 18])
def test_a_stream_in_blocks_costs_and_predicts_the_same(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents in parts: the history of the open one is kept for details, whatever the blocks."""
    model = bm.load(Streams())
    documents = bm.Corpus.from_documents([TEXT[:30], b"", TEXT[30:70]])
    whole = bm.score(Plain(), documents, alternatives=2).trace
    session = model.open()
    logs, ranks = [], []
    data = b"".join(document.data for document in documents)
    edges = {0, 30, 70}
    for first in range(0, len(data), size):
        last = min(len(data), first + size)
        inner = [edge - first for edge in (30, 30) if first < edge < last]
        if first == 30:
            inner = [0]
        ends = np.array([*inner, *([last - first] if last in edges else [])], dtype=np.int64)
        made = bm.Batch(
            data[first:last], ends, model.units, first, continues=first not in edges, unfinished=last not in edges
        )
        scored = session.score(made, details=2)
        assert scored.details is not None
        logs.append(scored.logprobs)
        ranks.append(scored.details.rank)
    np.testing.assert_allclose(np.concatenate(logs), whole.logprob)
    np.testing.assert_array_equal(np.concatenate(ranks), whole.rank)


def test_a_plug_in_of_bytes_is_measured_proved_and_compressed(tmp_path: Path) -> None:
    plain = Plain()
    assert bm.prove(plain, TEXT * 3).holds
    assert bm.verify(plain, TEXT).sound
    bm.compress(plain, TEXT, tmp_path / "x.bmz")
    bm.decompress(tmp_path / "x.bmz", tmp_path / "x", model=plain)
    assert (tmp_path / "x").read_bytes() == TEXT
    assert bm.score(plain, TEXT, first="uniform").trace.bits[0] == pytest.approx(8.0)


def test_names_are_found_where_units_have_them() -> None:
    class Letters(Plain):
        units: Any = Characters()

        def __init__(self) -> None:
            self._logs = np.full(128, -np.log(128))

        def predict(self, history: Any) -> Any:
            return self._logs

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return np.full(len(ids), -np.log(128))

    found = bm.load(Letters())
    assert found.outcomes.names[97] == b"a"
    with pytest.raises(ModelError, match="the unit id 233 is not among them"):
        bm.score(Letters(), "é".encode(), alternatives=1)


def test_outcomes_of_its_own_go_first() -> None:
    class Own(Plain):
        outcomes = Outcomes(256, names=lambda: tuple(b"%d" % i for i in range(256)))

    assert bm.score(Own(), b"to", alternatives=1).trace.alternatives(0)[0][0].isdigit()

    class Wrong(Plain):
        outcome_names = (b"a", b"b")

    with pytest.raises(ModelError, match="predicts 256 outcomes and names 2 of them"):
        bm.score(Wrong(), b"to", alternatives=1)


# ---- what is not there is a typed error ------------------------------------------------------------------------------


def test_alternatives_of_what_does_not_predict_are_an_error() -> None:
    assert bm.score(Scores(), TEXT).bits_per_byte == pytest.approx(2.0)
    with pytest.raises(ModelError, match="does not expose its next-unit distribution"):
        bm.score(Scores(), TEXT, alternatives=3)
    with pytest.raises(ModelError, match="does not expose the distribution of the next unit"):
        bm.compress(Scores(), TEXT, "never.bmz")


def test_alternatives_without_names_are_an_error_and_ranks_are_not() -> None:
    with pytest.raises(ModelError, match=r"does not name its 10 outcomes \(outcome_names\)"):
        bm.score(Unnamed(), b"w1 w2", alternatives=3)
    trace = bm.score(Unnamed(), b"w1 w2", alternatives=0).trace
    assert trace.rank.tolist() == [1, 1]
    assert trace.entropy.tolist() == pytest.approx([np.log(10)] * 2)


def test_predictions_of_a_wrong_shape_are_an_error() -> None:
    class Table(Plain):
        def predict(self, history: Any) -> Any:
            return np.zeros((2, 256))

    with pytest.raises(ModelError, match=r"predicts an array of shape \(2, 256\)"):
        bm.verify(Table(), TEXT)


def test_a_spelling_must_be_an_n_gram_model() -> None:
    class Declared(PlainWords):
        def __init__(self) -> None:
            super().__init__()
            self.spelling: Any = b"to be"

    with pytest.raises(ModelError, match=r"has the spelling b'to be'; it must be an n-gram model of words"):
        bm.load(Declared())


def test_ids_are_shown_as_int64_whatever_the_units_are_kept_in() -> None:
    """Bytes are kept as uint8, in which `ids * 31` wraps around: a hash of contexts would be another one elsewhere."""
    seen = []

    class Hashes:
        name, fingerprint, units = "hashes", "hashes-1", bm.units_of("bytes")

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            seen.append(ids.dtype)
            return np.where(ids * 31 > 255, -np.log(256.0), -np.log(256.0))

        def predict(self, history: Any) -> Any:
            seen.append(history.dtype)
            return np.full(256, -np.log(256.0))

    assert bm.audit(Hashes(), b"to be").verdict == "proven"
    bm.score(Hashes(), b"to be", alternatives=1)
    assert set(seen) == {np.dtype(np.int64)}
