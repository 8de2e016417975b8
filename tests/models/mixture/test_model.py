"""Mixtures and caches."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

import bitmeter as bm
from bitmeter import errors
from bitmeter.models.mixture.session import MixtureStream
from bitmeter.models.mixture.weights import best_rows, best_weights, mixed

HAMLET = b"to be or not to be\nthat is the question\nto be\nto die to sleep\n" * 3
ROSE = b"a rose is a rose\nis a daisy a rose or a daisy\n" * 3
HELDOUT = b"to be a rose or not to be\nthat is a daisy\n\na rose is the question\nto be zzz\n"
ONE, TWO = bm.NGram(order=3).fit(HAMLET), bm.NGram(order=2).fit(ROSE)
SAME = [bm.NGram(order=n).fit(HAMLET) for n in (1, 2, 3)]
BYTES, SHORT = (bm.NGram(order=n, units="bytes").fit(HAMLET) for n in (3, 2))
LETTERS, FEWER = bm.NGram(order=3, units="chars").fit(HAMLET + b"zy\n"), bm.NGram(order=2, units="chars").fit(ROSE)
CACHES = [bm.Cache(50, 0.9), bm.Cache(40, order=2), bm.Cache(30, 0.95, order=3, rare=0.5)]


def mixtures() -> list[Any]:
    return [
        pytest.param(bm.MixtureModel(SAME), id="one vocabulary"),
        pytest.param(bm.MixtureModel([ONE, TWO]).fit(HELDOUT), id="two vocabularies"),
        pytest.param(bm.MixtureModel([ONE, *CACHES]).fit(HELDOUT), id="caches"),
        pytest.param(bm.MixtureModel([ONE, TWO, *CACHES], buckets=True).fit(HELDOUT), id="buckets"),
        pytest.param(bm.MixtureModel(["kt", "uniform", bm.Cache(20, order=2)]).fit(HELDOUT), id="bytes"),
        pytest.param(
            bm.MixtureModel([BYTES, "universal:small", "kt", CACHES[1]], buckets=True).fit(HELDOUT), id="byte n-gram"
        ),
        pytest.param(bm.MixtureModel([BYTES, SHORT], buckets=True).fit(HELDOUT), id="byte n-grams"),
        pytest.param(bm.MixtureModel([LETTERS, FEWER, bm.Cache(20)], buckets=True).fit(HELDOUT), id="characters"),
    ]


def sentences(model: Any, text: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Ids and bounds with the ends of lines, by a plain loop."""
    ids, bounds = [], [0]
    for line in text.splitlines(keepends=True):
        found = [i for i in model.units.split(line).ids.tolist() if i != -2]
        ids += found + ([model.end_id] if model.predicts_end else [])
        bounds.append(len(ids))
    return np.array(ids, dtype=np.int64), np.array(bounds, dtype=np.int64)


# ---- a distribution that sees only the past --------------------------------------------------------------------------


@pytest.mark.parametrize("mixture", mixtures())
def test_every_prediction_sums_to_one_and_is_what_is_scored(mixture: bm.MixtureModel) -> None:
    """At each place of a text: the whole prediction is made first, then the unit is rated. Peeking shows in the sum."""
    model = mixture.with_oov("class") if mixture.traits.oov else mixture
    ids, bounds = sentences(model, HELDOUT[:90])
    whole = model.logprobs(ids, bounds)
    stream = MixtureStream(model)
    starts = set(bounds[:-1].tolist())
    for i, unit in enumerate(ids):
        row = stream.predict(i not in starts)
        assert np.exp(row).sum() == pytest.approx(1.0, abs=1e-6)  # n-gram models keep float32
        rated = stream.logprobs(ids[i : i + 1], np.array([0, 1]), i not in starts)
        assert row[model.outcomes.index(np.array([unit]))[0]] == pytest.approx(rated[0], rel=1e-6)
        assert rated[0] == pytest.approx(whole[i], rel=1e-9)


@pytest.mark.parametrize("mixture", mixtures())
def test_details_are_those_of_the_predictions_and_move_nothing(mixture: bm.MixtureModel) -> None:
    model = mixture.with_oov("class") if mixture.traits.oov else mixture
    ids, bounds = sentences(model, HELDOUT)
    half = int(bounds[2]) + 3  # in the middle of a document
    stream, other = MixtureStream(model), MixtureStream(model)
    steps = model.stepper()
    starts = set(bounds.tolist())
    for first, last in ((0, half), (half, len(ids))):
        cuts = np.array([0, *(cut - first for cut in bounds if first < cut < last), last - first])
        found = stream.details(ids[first:last], cuts, first > 0, 3)
        logs = stream.logprobs(ids[first:last], cuts, first > 0)
        assert logs.tolist() == other.logprobs(ids[first:last], cuts, first > 0).tolist(), "the stream had moved"
        for i, place in enumerate(range(first, last)):
            if place in starts:
                steps.begin()
            row = steps.predict()
            steps.take(int(ids[place]))
            own = row[model.outcomes.index(ids[place : place + 1])[0]]
            assert own == pytest.approx(logs[i], rel=1e-6)
            assert found.rank[i] == 1 + int((row > own).sum())
            finite = row[np.isfinite(row)]
            assert found.entropy[i] == pytest.approx(-math.fsum(np.exp(finite) * finite), rel=1e-9)
            assert found.top_logprobs[i].tolist() == sorted(row, reverse=True)[:3]
            assert row[found.top[i]].tolist() == found.top_logprobs[i].tolist()
    assert found.names == model.outcomes.names


def test_scores_with_alternatives() -> None:
    for mixture in (bm.MixtureModel([ONE, TWO, CACHES[0]]), bm.MixtureModel([BYTES, "kt"])):
        told = bm.score(mixture, HELDOUT, alternatives=2)
        assert told.bits == bm.score(mixture, HELDOUT).bits
        units = list(told.trace)
        assert all(len(unit.alternatives) == 2 and unit.rank is not None and unit.rank >= 1 for unit in units)
        likeliest = [unit for unit in units if unit.rank == 1]
        assert likeliest
        if "spelled" not in mixture.traits.oov:  # where a unit is more than its word
            assert all(unit.alternatives[0][1] == pytest.approx(unit.logprob) for unit in likeliest)


def test_characters_of_several_alphabets_are_one_distribution() -> None:
    """By hand: `z` is known to one model; the other shares its <unk> among what only that one knows and all else."""
    mixture = bm.MixtureModel([LETTERS, FEWER], weights=[0.25, 0.75])
    known, other = (set(model.outcomes.ids[2:].tolist()) for model in (LETTERS, FEWER))
    start = np.array([], dtype=np.int64)
    first = math.exp(LETTERS.predict(start)[LETTERS.outcomes.index(np.array([ord("z")]))[0]])
    second = math.exp(FEWER.predict(start)[0]) / (len(known - other) + 1)
    found = mixture.logprobs(np.array([ord("z")]), np.array([0, 1]))[0]
    assert math.exp(found) == pytest.approx(0.25 * first + 0.75 * second)
    assert mixture.traits.oov == ("class",)
    assert mixture.logprobs(np.array([ord("Q")]), np.array([0, 1]))[0] == -math.inf
    assert mixture.with_oov("class").logprobs(np.array([ord("Q")]), np.array([0, 1]))[0] > -math.inf
    # A newline is the end of a sentence, once.
    one = bm.score(bm.MixtureModel([LETTERS]), HAMLET, docs="line", eos="yes")
    assert one.nats == pytest.approx(bm.score(LETTERS, HAMLET, docs="line", eos="yes").nats, rel=1e-12)


@pytest.mark.parametrize("mixture", mixtures())
def test_what_comes_later_changes_nothing(mixture: bm.MixtureModel) -> None:
    model = mixture.with_oov("class") if mixture.traits.oov else mixture
    ids, _ = sentences(model, HELDOUT)
    full = model.logprobs(ids, np.array([0, len(ids)]))
    for cut in (1, 5, len(ids) // 2):
        other = np.concatenate([ids[:cut], ids[:cut][::-1], np.full(7, ids[0])])
        found = model.logprobs(other, np.array([0, len(other)]))
        assert found[:cut].tolist() == full[:cut].tolist()


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 3), max_size=60), st.integers(1, 4), st.integers(1, 20), st.floats(0.5, 1.0))
def test_a_cache_is_its_definition(words: list[int], order: int, size: int, decay: float) -> None:
    """Against a loop over the history: the weight of each word that followed the same words, by its age."""
    cache = bm.Cache(size, decay, order=order).begin(np.full(4, math.log(0.25)))
    logs, _ = cache.follow(np.array(words, dtype=np.int64))
    for i, word in enumerate(words):
        expected = 0.25
        for length in range(min(order - 1, i), -1, -1):
            places = [j for j in range(max(0, i - size, length), i) if words[j - length : j] == words[i - length : i]]
            if places:
                weights = [decay ** (i - j) for j in places]
                own = math.fsum(w for j, w in zip(places, weights, strict=True) if words[j] == word)
                expected = own / math.fsum(weights)
                break
        assert math.exp(logs[i]) == pytest.approx(expected, abs=1e-9)


# ---- weights ---------------------------------------------------------------------------------------------------------


def test_weights_are_scipy_s_optimum() -> None:
    rng = np.random.default_rng(3)
    logs = np.log(rng.dirichlet(np.ones(20), size=(3, 500))[:, :, 0])

    def cost(free: np.ndarray) -> float:
        weights = np.exp(free) / np.exp(free).sum()
        return -float(np.log(weights @ np.exp(logs)).mean())

    best = optimize.minimize(cost, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    expected = np.exp(best.x) / np.exp(best.x).sum()
    found, _ = best_weights(logs)
    assert found == pytest.approx(expected, abs=2e-3)
    assert -float(mixed(logs, found[:, None]).mean()) == pytest.approx(best.fun, abs=1e-7)


def test_a_useless_component_gets_no_weight_and_impossible_units_are_passed_over() -> None:
    logs = np.log(np.array([[0.5, 0.5, 0.5, 1e-9], [0.1, 0.1, 0.1, 1e-12]]))
    assert best_weights(logs)[0][0] == pytest.approx(1.0, abs=1e-4)
    with_none = np.concatenate([logs, np.full((2, 1), -np.inf)], axis=1)
    assert best_weights(with_none)[0].tolist() == pytest.approx(best_weights(logs)[0].tolist())


def test_buckets_fit_better_than_one_set_of_weights_where_kinds_differ() -> None:
    logs = np.log(np.array([[0.9, 0.1] * 200, [0.1, 0.9] * 200]))
    overall, _ = best_weights(logs)
    buckets = np.array([0, 2] * 200)
    rows = best_rows(logs, buckets, 4, overall)
    assert rows[[1, 3]].tolist() == [overall.tolist()] * 2
    assert rows.sum(axis=1) == pytest.approx(np.ones(4))
    assert mixed(logs, rows[buckets].T).sum() > mixed(logs, overall[:, None]).sum() + 100


def test_fitting_raises_the_likelihood_of_the_held_out_text() -> None:
    mixture = bm.MixtureModel([ONE, TWO, bm.Cache(20)])
    before = bm.score(mixture, HELDOUT, docs="line", eos="yes", oov="class").nats
    mixture.fit(HELDOUT)
    score = bm.score(mixture, HELDOUT, docs="line", eos="yes", oov="class")
    assert score.nats < before
    assert mixture.fitted is not None
    assert mixture.fitted.units == score.count("token")
    assert mixture.fitted.perplexity == pytest.approx(score.perplexity("token"), rel=1e-9)
    assert sum(mixture.weights) == pytest.approx(1.0)


def test_one_model_mixed_is_itself() -> None:
    for oov in ("class", "spelled", "none"):
        alone, mixture = (
            bm.score(model, HELDOUT, docs="line", eos="yes", oov=oov).nats for model in (ONE, bm.MixtureModel([ONE]))
        )
        assert mixture == pytest.approx(alone, rel=1e-12)


def test_words_that_one_model_lacks_share_its_unknown() -> None:
    """By hand: after <s>, `rose` is known to TWO alone; ONE spreads <unk> over TWO's own words and the unknown."""
    mixture = bm.MixtureModel([ONE, TWO], weights=[0.25, 0.75])
    ids = mixture.units.split(b"rose\n").ids
    own = set(TWO.outcomes.names[3:]) - set(ONE.outcomes.names[3:])
    first = math.exp(ONE.predict(np.array([], dtype=np.int64))[0]) / (len(own) + 1)
    second = math.exp(TWO.predict(np.array([], dtype=np.int64))[TWO.units.split(b"rose").ids[0]])
    assert math.exp(mixture.logprobs(ids, np.array([0, 1]))[0]) == pytest.approx(0.25 * first + 0.75 * second)


def test_a_mixture_spells_and_compares() -> None:
    mixture = bm.MixtureModel([ONE, TWO, bm.Cache(100)]).fit(HELDOUT)
    whole = bm.score(mixture, HELDOUT)
    assert whole.signature.oov == "spelled"
    assert math.isfinite(whole.nats)
    assert bm.score(mixture, HELDOUT, docs="line", eos="yes").nats == pytest.approx(whole.nats, rel=1e-12)
    assert bm.compare(mixture, "kt", on=HELDOUT) is not None


# ---- files and errors ------------------------------------------------------------------------------------------------


def test_a_mixture_is_saved_and_loaded(tmp_path: Path) -> None:
    ONE.save(tmp_path / "one.bmn")
    TWO.save(tmp_path / "two.bmn")
    specs = [str(tmp_path / "one.bmn"), str(tmp_path / "two.bmn"), "cache:size=40,order=2,decay=0.99"]
    mixture = bm.MixtureModel(specs, buckets=True).fit(HELDOUT)
    mixture.save(tmp_path / "mix.bmx")
    again = bm.load(str(tmp_path / "mix.bmx"))
    assert again.fingerprint == mixture.fingerprint
    assert bm.score(again, HELDOUT).nats == bm.score(mixture, HELDOUT).nats
    with pytest.raises(errors.FileFormatError, match="force"):
        mixture.save(tmp_path / "mix.bmx")
    bm.NGram(order=2).fit(b"else\n").save(tmp_path / "two.bmn", force=True)
    with pytest.raises(errors.FileFormatError, match="another model"):
        bm.load(str(tmp_path / "mix.bmx"))


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"schema": "x"}', b'{"schema": "bitmeter.mixture/1"}',
    b'{"schema":"bitmeter.mixture/1","components":[{"model":"kt","fingerprint":"x"}],"weights":["a"],"rows":null,'
    b'"buckets":false}',
    b'{"schema":"bitmeter.mixture/1","components":[{"model":"kt","fingerprint":"x"}],"weights":[2],"rows":null,'
    b'"buckets":false}'])  # fmt: skip
def test_damaged_mixtures_are_errors(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "bad.bmx").write_bytes(content)
    with pytest.raises(errors.BitmeterError):
        bm.MixtureModel.load(tmp_path / "bad.bmx")


def test_what_cannot_be_mixed_is_refused() -> None:
    for models, match in (
        ([], "at least one"),
        ([bm.Cache()], "at least one"),
        ([ONE, "kt"], "same units"),
        (["zstd:3"], "only a total"),
        ([bm.MixtureModel([ONE])], "its components instead"),
        (["cache:size=x"], "is no cache"),
        ([bm.NGram(order=2, smoothing="stupid-backoff").fit(HAMLET)], "sum to one"),
    ):
        with pytest.raises(errors.BitmeterError, match=match):
            bm.MixtureModel(models)
    for weights in ([1.0], [0.5, 0.6], [-0.5, 1.5], [math.nan, 1.0], "ab", 3):
        with pytest.raises(errors.BitmeterError):
            bm.MixtureModel([ONE, TWO], weights=weights)
    with pytest.raises(errors.EmptyError):
        bm.MixtureModel([ONE]).fit(b"")
    with pytest.raises(errors.ModelError, match="save it first"):
        bm.MixtureModel([bm.NGram(order=2).fit(b"a\n")]).save("never.bmx")


def test_a_probability_too_small_for_a_double_is_mixed_by_its_logarithm() -> None:
    class Sharp:
        """All but certain of one byte: of the others ln p is -800, below what e can be raised to."""

        name, fingerprint, size = "sharp", "sharp-1", 256

        def __init__(self) -> None:
            from bitmeter.text.units.plain import Bytes

            self.units = Bytes()

        def predict(self, history: Any) -> Any:
            row = np.full(256, -800.0)
            row[97] = 0.0
            return row

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return np.where(np.asarray(ids) == 97, 0.0, -800.0)

    mixture = bm.MixtureModel([Sharp(), Sharp(), bm.Cache(4)], [0.25, 0.5, 0.25])
    row = mixture.predict(np.array([97, 97]))
    assert row[98] == pytest.approx(-800.0 + math.log(0.75), rel=1e-12)
    assert row[97] == 0.0
    score = bm.score(mixture, b"aab")
    assert score.trace.logprob[-1] == pytest.approx(row[98], rel=1e-12)
