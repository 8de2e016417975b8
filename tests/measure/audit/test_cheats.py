"""Each way to a figure that is too low, seen in contests and in programs of the field, is caught and named.

Models have 256 units (bytes) and score texts of a few hundred, so that enumerating every next unit takes a moment.
Tables are of a text with accents, cut as SentencePiece does: ▁ for a space, <0xC3> for a byte.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bitmeter as bm
from bitmeter.measure.audit.result import Audit, Finding
from tests.coding.models import TEXT, Peeking, Plain, TooMuch
from tests.measure.audit import pieces

BYTES = bm.units_of("bytes")
LN2 = math.log(2.0)
Floats = NDArray[np.float64]
Ids = NDArray[Any]
Ints = NDArray[np.int64]


def unsound(found: Audit, check: str) -> Finding:
    """The finding of a check that must refute the figure."""
    assert found.verdict == "unsound", str(found)
    assert found.sound is False
    findings = [finding for finding in found.findings if finding.check == check and finding.severity == "unsound"]
    assert findings, str(found)
    status = found.check(check)
    assert status is not None
    assert status.status == "failed"
    assert "UNSOUND" in str(found)
    return findings[0]


class Scorer:
    """A plug-in that scores document by document, and does not predict."""

    units, fingerprint = BYTES, "cheat-1"

    @property
    def name(self) -> str:
        return type(self).__name__

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        found = np.empty(len(ids))
        for start, stop in pairwise(bounds.tolist()):
            found[start:stop] = self.document(np.asarray(ids[start:stop], dtype=np.int64))
        return found

    def document(self, ids: Ids) -> Floats:
        """Honest: a table of pairs."""
        return Plain().logprobs(ids, np.array([0, len(ids)]))


# ---- predictions that do not sum to one ------------------------------------------------------------------------------


class HashedCache(Scorer):
    """Counts of hashed pairs over counts of hashed contexts, in tables so small that every unit seems to be known."""

    buckets = 24

    def document(self, ids: Ids) -> Floats:
        before = np.concatenate(([0], ids[:-1]))
        pairs, contexts = (before * 31 + ids * 17) % self.buckets, before % self.buckets
        seen, total = np.zeros(self.buckets), np.zeros(self.buckets)
        found = np.empty(len(ids))
        for i, (pair, context) in enumerate(zip(pairs.tolist(), contexts.tolist(), strict=True)):
            found[i] = min(1.0, (seen[pair] + 0.05) / (total[context] + 0.1))
            seen[pair] += 1
            total[context] += 1
        return np.log(found)


def test_hashed_caches() -> None:
    """As those that sum to 19.6, 97.5 and 73.9: nothing of it predicts, so every next unit is enumerated."""
    found = bm.audit(HashedCache(), TEXT * 3, positions=12)
    finding = unsound(found, "sums")
    assert found.sums > 10.0
    assert finding.bits is not None
    assert finding.bits > 100.0
    assert finding.byte is not None
    assert found.score is not None
    assert found.correction is not None
    assert found.correction.bits_per_byte > found.score.bits_per_byte + 1.0
    assert found.correction.low <= found.correction.bits_per_byte <= found.correction.high


def test_the_correction_is_the_normalised_figure() -> None:
    """Every probability three times too high: the sum is 3, so each byte costs log2 3 more (closed form)."""

    class Tripled(Scorer):
        def document(self, ids: Ids) -> Floats:
            return np.full(len(ids), np.log(3.0 / 256.0))

    found = bm.audit(Tripled(), TEXT)
    assert found.sums == pytest.approx(2.0, rel=1e-9)
    assert found.correction is not None
    assert found.correction.bits_per_byte == pytest.approx(8.0, rel=1e-9)
    finding = unsound(found, "sums")
    assert finding.bits_per_byte == pytest.approx(math.log2(3.0), rel=1e-9)
    assert finding.bits == pytest.approx(len(TEXT) * math.log2(3.0), rel=1e-9)


def test_predictions_that_are_too_high() -> None:
    assert "no distribution" in unsound(bm.audit(TooMuch(), TEXT), "sums").text


class Gate(Scorer):
    """Two experts, and for each unit the one that likes it better: it peeks at what it is to predict."""

    def document(self, ids: Ids) -> Floats:
        other = np.full(len(ids), -np.log(40.0))
        return np.maximum(super().document(ids), np.where((ids >= 97) & (ids < 123), other, -np.inf))


def test_a_gate_that_peeks_at_the_unit_to_be_predicted() -> None:
    found = bm.audit(Gate(), TEXT * 2, positions=12)
    unsound(found, "sums")
    assert 0.1 < found.sums < 1.0


def test_a_gate_whose_predictions_are_honest() -> None:
    """With predictions that sum to one, what a unit costs is not what they say."""

    class Honest(Gate):
        def predict(self, history: Ids) -> Floats:
            return Plain().predict(history)

    found = bm.audit(Honest(), b"quick wizards jump over lazy foxes, ")  # pairs of letters that the table lacks
    assert found.sums < 1e-9
    assert "and the prediction made before it was seen says" in unsound(found, "agreement").text


class LearnsFirst(Scorer):
    """Counts a byte before it scores it."""

    def document(self, ids: Ids) -> Floats:
        seen = np.cumsum(np.eye(256)[ids], axis=0)
        return np.log((seen[np.arange(len(ids)), ids] + 0.5) / (np.arange(1, len(ids) + 1) + 128.0))


def test_adaptation_before_scoring() -> None:
    """Each of n + 1 bytes counts itself: the sums are (n + 256 · 3/2) / (n + 129), by the formula."""
    found = bm.audit(LearnsFirst(), TEXT[:60], positions=60)
    unsound(found, "sums")
    assert found.sums == pytest.approx(384 / 129 - 1, rel=1e-9)
    learning = found.check("learning")
    assert learning is not None
    assert learning.status != "passed"


# ---- what follows ----------------------------------------------------------------------------------------------------


class LooksAhead(Scorer):
    """A unit is cheaper if the one `far` behind it is even."""

    def __init__(self, far: int) -> None:
        self.far = far

    def document(self, ids: Ids) -> Floats:
        after = np.concatenate((ids[self.far :], np.zeros(min(self.far, len(ids)), dtype=np.int64)))
        return super().document(ids) * np.where(after % 2 == 0, 0.5, 1.0)


@pytest.mark.parametrize("far", [1, 2, 50, 150])
def test_look_ahead(far: int) -> None:
    found = bm.audit(LooksAhead(far), TEXT * 4, positions=2)
    assert "it looks ahead" in unsound(found, "future").text
    assert found.peeks > 0.1


def test_look_ahead_with_honest_predictions() -> None:
    found = bm.audit(Peeking(), TEXT)
    unsound(found, "future")
    unsound(found, "agreement")


def test_the_length_of_the_text_is_not_known_beforehand() -> None:
    class KnowsLength(Scorer):
        def document(self, ids: Ids) -> Floats:
            left = np.arange(len(ids), 0, -1)
            return super().document(ids) * np.where(left < 20, 0.9, 1.0)

    unsound(bm.audit(KnowsLength(), TEXT * 4, positions=2), "future")


class TwoPasses(Scorer):
    """Counts the whole document, then scores it by the counts."""

    def document(self, ids: Ids) -> Floats:
        counts = np.bincount(ids, minlength=256) + 1e-3
        return np.asarray(np.log(counts / counts.sum())[ids])


def test_two_passes() -> None:
    found = bm.audit(TwoPasses(), TEXT * 2, positions=4)
    finding = unsound(found, "future")
    assert finding.bits is not None


class Chunks(Scorer):
    """Learns from each block of 32 bytes, then scores it."""

    def document(self, ids: Ids) -> Floats:
        counts, found = np.full(256, 0.5), []
        for block in np.split(ids, range(32, len(ids), 32)):
            counts += np.bincount(block, minlength=256)
            found.append(np.log(counts / counts.sum())[block])
        return np.concatenate(found) if found else np.zeros(0)


def test_learning_from_a_block_before_it_is_scored() -> None:
    unsound(bm.audit(Chunks(), TEXT * 4, positions=4), "future")


def test_two_passes_over_several_documents() -> None:
    """Documents that come later in the same call are learned from first."""

    class SeesAll(Scorer):
        def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
            counts = np.bincount(np.asarray(ids, dtype=np.int64), minlength=256) + 1.0
            return np.asarray(np.log(counts / counts.sum())[np.asarray(ids, dtype=np.int64)])

    unsound(bm.audit(SeesAll(), bm.Corpus.from_text(TEXT * 4, docs="line"), positions=2), "pass")


# ---- the same again --------------------------------------------------------------------------------------------------


class Remembers(Scorer):
    """Learns from every call, and is cheaper each time it is shown the text."""

    def __init__(self) -> None:
        self.counts = np.ones(256)

    def document(self, ids: Ids) -> Floats:
        found = np.log(self.counts / self.counts.sum())[ids]
        self.counts += np.bincount(ids, minlength=256)
        return np.asarray(found)


def test_state_is_not_carried_between_calls() -> None:
    found = bm.audit(Remembers(), TEXT * 2, positions=1)
    assert "a figure depends on what it was shown before" in unsound(found, "repeat").text
    batch = found.check("batch")
    assert batch is not None
    assert batch.summary.startswith("hidden by repeat")


def test_what_was_learned_from_the_text_in_the_call_before_is_found() -> None:
    """It differs once all of the text has been shown a few times, as if it had been gone through before."""

    class Learns(Scorer):
        calls = 0

        def document(self, ids: Ids) -> Floats:
            self.calls += len(ids) == 2 * len(TEXT)
            return super().document(ids) * (1.0 if self.calls < 4 else 0.5)

    found = bm.audit(Learns(), TEXT * 2, positions=1)
    assert "bits less the second time" in unsound(found, "repeat").text


def test_figures_that_are_not_the_same_again() -> None:
    random = np.random.default_rng(5)

    class Noisy(Scorer):
        def document(self, ids: Ids) -> Floats:
            return np.minimum(super().document(ids) + random.normal(0.0, 0.05, len(ids)), 0.0)

    unsound(bm.audit(Noisy(), TEXT * 2, positions=2), "repeat")


def test_figures_that_depend_on_what_is_in_the_batch() -> None:
    class Batched(Scorer):
        def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
            return super().logprobs(ids, bounds) * (1.0 if len(bounds) <= 2 else 0.97)

    unsound(bm.audit(Batched(), TEXT * 2, positions=1), "batch")
    unsound(bm.audit(Batched(), bm.Corpus.from_text(TEXT * 2, docs="line"), positions=1), "batch")


def test_figures_that_depend_on_the_order_of_documents() -> None:
    """Unless it is declared that what is learned carries on."""

    class CarriesOn(Scorer):
        def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
            return bm.KrichevskyTrofimov().logprobs(ids, bounds)

    class Declared(CarriesOn):
        traits = bm.Traits(vocabulary=256, learns=True)

    text = bm.Corpus.from_text(TEXT * 2, docs="line")
    unsound(bm.audit(CarriesOn(), text, positions=1), "batch")
    assert bm.audit(Declared(), text, positions=len(TEXT) * 2).verdict == "proven"


def test_what_is_no_log_probability() -> None:
    class Above(Scorer):
        def document(self, ids: Ids) -> Floats:
            return np.where(np.arange(len(ids)) == 7, 0.5, super().document(ids))

    found = bm.audit(Above(), TEXT, positions=1)
    assert found.score is None
    finding = unsound(found, "values")
    assert finding.byte == 7


def test_scores_that_say_themselves_that_they_are_none() -> None:
    found = bm.audit(bm.NGram(order=2, smoothing="stupid-backoff").fit(TEXT), TEXT)
    assert found.score is None
    assert "says itself" in unsound(found, "sums").text


# ---- tables: wrong denominators --------------------------------------------------------------------------------------


def claimed(total: float, size: float) -> str:
    """A figure as it would be published."""
    return f"{total / size:.4f}"


def explained(found: Audit, said: str) -> None:
    """The claim is refuted and explained, and the figure is the true one."""
    assert said in unsound(found, "claim").text
    assert found.score is not None
    assert found.score.bits_per_byte == pytest.approx(pieces.TRUE, rel=1e-12)
    assert found.score.bytes == len(pieces.TEXT)


def test_an_honest_table_is_unproven_and_its_figure_is_the_true_one() -> None:
    found = bm.audit(
        pieces.table(bytes=pieces.true_sizes()), pieces.CORPUS, claimed=claimed(pieces.BITS, len(pieces.TEXT))
    )
    assert found.verdict == "unproven", str(found)
    assert not [finding for finding in found.findings if finding.severity == "unsound"]
    assert found.score is not None
    assert found.score.bits_per_byte == pytest.approx(pieces.TRUE, rel=1e-12)
    assert {check.name for check in found.missing} == {"sums", "agreement", "future", "learning", "pass", "repeat"}
    assert found.score.signature.model.startswith("table:mapping/sha256-")
    assert any("SentencePiece" in assumption for assumption in found.assumptions)


def test_leading_space_counted_twice() -> None:
    sizes = pieces.true_sizes() + pieces.SPACED
    figure = claimed(pieces.BITS, sizes.sum())
    explained(bm.audit(pieces.table(), pieces.CORPUS, claimed=figure), "tokens is counted twice")
    found = bm.audit(pieces.table(bytes=sizes), pieces.CORPUS)
    finding = unsound_bytes(found, "leading space counted twice")
    assert f"{int(pieces.SPACED.sum()):+,} bytes" in finding.text
    # bits / true bytes − bits / counted bytes, by hand
    assert finding.bits_per_byte == pytest.approx(pieces.TRUE - pieces.BITS / sizes.sum(), rel=1e-9)


def unsound_bytes(found: Audit, said: str) -> Finding:
    """A finding about the bytes of a table whose units do partition the text."""
    assert found.verdict == "unsound", str(found)
    (finding,) = [one for one in found.findings if said in one.text]
    assert finding.severity == "unsound"
    assert finding.byte is not None
    return finding


def test_byte_fallback_pieces_as_three_bytes() -> None:
    sizes = pieces.true_sizes() + 2 * pieces.FALLBACK
    found = bm.audit(pieces.table(bytes=sizes), pieces.CORPUS)
    unsound_bytes(found, "byte-fallback units of one byte are counted as 3")
    # ASCII bytes such as the newline are byte-fallback pieces here, too; from offsets alone only others are known.
    wide = pieces.FALLBACK & np.array([piece > "<0x7F>" for piece in pieces.PIECES])
    figure = claimed(pieces.BITS, (pieces.true_sizes() + 2 * wide).sum())
    explained(
        bm.audit(pieces.table(), pieces.CORPUS, claimed=figure), "byte-fallback tokens are counted as three bytes"
    )


def test_missing_meta_space() -> None:
    sizes = pieces.true_sizes() - pieces.SPACED
    figure = claimed(pieces.BITS, sizes.sum())
    explained(bm.audit(pieces.table(), pieces.CORPUS, claimed=figure), "(▁) of")
    unsound_bytes(bm.audit(pieces.table(bytes=sizes), pieces.CORPUS), "leading space (▁) not counted")


def with_specials(size: float) -> tuple[dict[str, object], float]:
    """The table with <s> before each document, its cost, and the bytes that are counted for it; the cost of all."""
    first = np.flatnonzero(np.concatenate(([True], np.diff(pieces.DOC) > 0)))
    rows = pieces.table(
        piece=np.insert(np.array(pieces.PIECES, dtype=object), first, "<s>").tolist(),
        logprob=np.insert(pieces.LOGPROB, first, -2.5), doc=np.insert(pieces.DOC, first, pieces.DOC[first]),
        bytes=np.insert(pieces.true_sizes(), first, size),
    )  # fmt: skip
    return rows, len(first) * 2.5 / LN2


def test_sentinel_bytes_in_the_denominator() -> None:
    rows, _ = with_specials(1.0)
    found = bm.audit(rows, pieces.CORPUS)
    unsound_bytes(found, "special or sentinel tokens) are counted")
    size = len(pieces.TEXT) + len(pieces.DOCUMENTS)
    explained(bm.audit(pieces.table(), pieces.CORPUS, claimed=claimed(pieces.BITS, size)), "a sentinel byte is counted")


def test_special_tokens_in_the_numerator_only() -> None:
    rows, extra = with_specials(0.0)
    found = bm.audit(rows, pieces.CORPUS, claimed=claimed(pieces.BITS + extra, len(pieces.TEXT)))
    explained(found, "special tokens is in the total")
    (note,) = [one for one in found.findings if "stand for no byte" in one.text]
    assert note.bits == pytest.approx(-extra, rel=1e-9)


def test_replacement_characters_counted_as_three_bytes() -> None:
    """Each token decoded alone: a byte of a character becomes U+FFFD, which has three bytes."""
    alone = [
        "\ufffd" if piece.startswith("<0x") and piece > "<0x7F>" else
        bytes.fromhex(piece[3:5]).decode() if piece.startswith("<0x") else piece.replace("▁", " ")
        for piece in pieces.PIECES
    ]  # fmt: skip
    sizes = np.array([len(piece.encode()) for piece in alone]) - np.concatenate(([True], np.diff(pieces.DOC) > 0))
    found = bm.audit(pieces.table(piece=alone, bytes=sizes), pieces.CORPUS, claimed=claimed(pieces.BITS, sizes.sum()))
    assert found.verdict == "unsound"
    assert found.score is not None
    assert found.score.bits_per_byte == pytest.approx(pieces.TRUE, rel=1e-12)
    assert any("written as U+FFFD" in one.text for one in found.findings)
    assert "three" in str(found)


def test_the_mean_over_n_minus_1_tokens_times_n() -> None:
    n = len(pieces.LOGPROB)
    total = -pieces.LOGPROB[1:].sum() / (n - 1) * n / LN2
    figure = f"{total / len(pieces.TEXT):.6f}"
    explained(bm.audit(pieces.table(), pieces.CORPUS, claimed=figure), "the mean over n − 1 tokens, times n")


@pytest.mark.parametrize(
    ("total", "size", "said"),
    [
        (pieces.BITS * LN2, len(pieces.TEXT), "nats called bits"),
        (pieces.BITS, len(pieces.TEXT.decode()), "characters, not bytes"),
        (pieces.BITS, len(pieces.PIECES), "tokens, not bytes"),
        (pieces.BITS, len(pieces.TEXT.split()), "words, not bytes"),
    ],
)
def test_other_units(total: float, size: float, said: str) -> None:
    explained(bm.audit(pieces.table(), pieces.CORPUS, claimed=f"{total / size:.6f}"), said)


def test_a_claim_that_no_known_mistake_gives() -> None:
    explained(bm.audit(pieces.table(), pieces.CORPUS, claimed="0.123456"), "no mistake that is known here")


# ---- tables: what does not lie over the text, and what is no distribution --------------------------------------------


def spans() -> dict[str, Any]:
    ends = np.cumsum(pieces.true_sizes()).astype(np.int64)
    return {"start": ends - pieces.true_sizes().astype(np.int64), "end": ends, "logprob": pieces.LOGPROB.copy()}


def test_bytes_that_are_in_no_unit() -> None:
    rows = {name: np.delete(column, 20) for name, column in spans().items()}
    found = bm.audit(rows, pieces.CORPUS)
    assert "1 byte is in no unit" in unsound(found, "bytes").text
    assert found.score is None


def test_bytes_that_are_in_two_units() -> None:
    rows = spans()
    rows["start"][30] -= 1
    found = bm.audit(rows, pieces.CORPUS)
    assert "in two units" in unsound(found, "bytes").text
    assert found.score is not None
    # From offsets alone, the space before a document that is a piece of its own is taken for a special token.
    kept = pieces.true_sizes() > 0
    assert found.score.bits == pytest.approx(-pieces.LOGPROB[kept].sum() / LN2, rel=1e-12)


def test_units_outside_of_the_text() -> None:
    rows = {name: np.append(column, column[-1] + 5) for name, column in spans().items()}
    assert "outside of the text" in unsound(bm.audit(rows, pieces.CORPUS), "bytes").text


def test_another_text() -> None:
    found = bm.audit(pieces.table(), pieces.TEXT.replace(b"plain", b"plane"))
    assert "is not what the text has here" in unsound(found, "bytes").text


@pytest.mark.parametrize(("value", "said"), [(math.nan, "NaN"), (0.5, "a probability above 1")])
def test_values_that_are_no_log_probabilities(value: float, said: str) -> None:
    rows = spans()
    rows["logprob"][10] = value
    finding = unsound(bm.audit(rows, pieces.CORPUS), "values")
    assert said in finding.text
    assert finding.byte == rows["start"][10]


class RemembersLater(Scorer):
    """The histogram of the first long document, by its first unit: from then on all calls agree, whatever is cut."""

    def __init__(self) -> None:
        self.known: dict[int, Floats] = {}

    def document(self, ids: Ids) -> Floats:
        found = np.full(len(ids), -math.log(256.0))
        if len(ids) >= 2 * len(TEXT) and int(ids[0]) not in self.known:
            counts = np.bincount(ids, minlength=256) + 1e-3
            self.known[int(ids[0])] = np.log(counts / counts.sum())
        if len(ids) > 1 and int(ids[0]) in self.known:
            found[1:] = self.known[int(ids[0])][ids[1:]]
        return found


def test_two_passes_that_are_remembered_between_calls() -> None:
    """It was proven before the model was asked for a beginning that it was not yet shown the rest of."""
    finding = unsound(bm.audit(RemembersLater(), TEXT * 2, positions=64), "future")
    assert "when units behind it are not yet shown to the model" in finding.text


class OneArray(Scorer):
    """Gives one array again and again, so that two answers were compared with themselves; the last unit is known."""

    def __init__(self) -> None:
        self.array = np.empty(1 << 20)

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        found = self.array[: len(ids)]
        found[:] = -math.log(256.0)
        found[bounds[1:][bounds[1:] > 1] - 1] = -0.01
        ids[:] = 0
        return found


def test_an_array_that_is_given_twice_hides_nothing() -> None:
    unsound(bm.audit(OneArray(), TEXT, positions=4), "future")


def test_rows_that_sum_to_more_than_one() -> None:
    rows = spans()
    whole = np.log(np.full((len(pieces.PIECES), 4), 0.25))
    whole[12] = np.log(0.5)
    finding = unsound(bm.audit({**rows, "row": whole}, pieces.CORPUS), "sums")
    assert "sums to 2" in finding.text
    assert finding.byte == rows["start"][12]


def test_rows_that_say_something_else() -> None:
    rows = spans()
    whole = np.log(np.full((len(pieces.PIECES), 4), 0.25))
    ids = np.zeros(len(pieces.PIECES), dtype=np.int64)
    found = bm.audit({**rows, "row": whole, "id": ids}, pieces.CORPUS)
    assert "its row says 2" in unsound(found, "agreement").text
    fair = bm.audit({**rows, "logprob": np.full(len(ids), -np.log(4.0)), "row": whole, "id": ids}, pieces.CORPUS)
    assert fair.verdict == "unproven"
    assert {check.name for check in fair.missing} == {"future", "learning", "pass", "repeat"}


def test_likeliest_units_that_sum_to_more_than_one() -> None:
    top = [[math.log(0.6), math.log(0.6)]] * len(pieces.PIECES)
    finding = unsound(bm.audit({**spans(), "top": top}, pieces.CORPUS), "sums")
    assert "sum to 1.2" in finding.text
