"""Every smoothing method: against a readable twin, as a distribution, with pruning, and where counts are odd."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import errors
from bitmeter.text.corpus.sample import sample_text
from tests.models.helpers.twin_smoothing import Twin
from tests.models.made_up import made_up_text

REAL = sample_text().encode()[:150_000]
MADE_UP = made_up_text(300, 30)
#: Every method as it is typed; some with a parameter of their own.
METHODS = (
    "modified-kneser-ney", "kneser-ney", "kneser-ney:0.1", "absolute", "absolute:0.75", "katz", "witten-bell",
    "jelinek-mercer", "lidstone:0.1", "laplace", "maximum-likelihood", "stupid-backoff", "stupid-backoff:0.3",
)  # fmt: skip
DISTRIBUTIONS = tuple(method for method in METHODS if not method.startswith("stupid"))
sentences = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6).map(" ".join), min_size=1, max_size=14)


def twin_of(text: str, order: int, method: str, prune: tuple[int, ...] = (), heldout: str | None = None) -> Twin:
    name, _, parameter = method.partition(":")
    usual = {"laplace": 1.0, "stupid-backoff": 0.4}.get(name, math.nan)
    padded = prune + prune[-1:] * (order - len(prune))
    return Twin(text, order, name, float(parameter) if parameter else usual, padded, heldout)


def agree(model: bm.NGram, twin: Twin, histories: list[list[str]]) -> None:
    names = [name.decode() for name in model.outcomes.names]
    numbers = {name: i for i, name in enumerate(names)}
    for history in histories:
        found = np.exp(model.predict(np.array([numbers.get(word, 0) for word in history], dtype=np.int64)))
        context = ("<s>", *(word if word in numbers else "<unk>" for word in history))
        context = context[len(context) - min(len(context), twin.order - 1) :]
        expected = [twin.p(name, context) if name != "<s>" else 0.0 for name in names]
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-300)


def histories_of(text: str) -> list[list[str]]:
    """Beginnings of its lines, their ends reversed, and words that it never had."""
    lines = [line.split() for line in text.split("\n")]
    seen = [line[:cut] for line in lines[:12] for cut in range(len(line) + 1)]
    return [*seen, *(line[::-1] for line in lines[:8]), ["zzz"], ["zzz", *lines[0][:2]], [*lines[0][:2], "zzz"]]


# ---- the twin --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=15)
@given(text=sentences.map(lambda lines: "\n".join(lines) + "\n"), order=st.integers(1, 5))
def test_the_twin_agrees(method: str, text: str, order: int) -> None:
    agree(bm.NGram(order, method).fit(text.encode()), twin_of(text, order, method), histories_of(text))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", [1, 3, 5])
def test_the_twin_agrees_on_a_longer_text(method: str, order: int) -> None:
    agree(bm.NGram(order, method).fit(MADE_UP.encode()), twin_of(MADE_UP, order, method), histories_of(MADE_UP))


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=8)
@given(
    text=sentences.map(lambda lines: "\n".join(lines * 2 + lines[:3]) + "\n"),
    prune=st.sampled_from([(0, 1), (0, 0, 1), (0, 1, 2), (0, 2, 2, 3)]),
)
def test_the_twin_agrees_on_pruned_models(method: str, text: str, prune: tuple[int, ...]) -> None:
    model = bm.NGram(4, method, prune=prune).fit(text.encode())
    model.verify()
    twin = twin_of(text, 4, method, prune)
    agree(model, twin, histories_of(text))
    kept = [sum(twin.stays(gram) for gram in row) for row in twin.raw]
    assert model.counts[1:] == tuple(kept[1:])


def test_weights_come_from_another_text_too() -> None:
    held = made_up_text(50, 40)
    model = bm.NGram(3, "jelinek-mercer").fit(MADE_UP.encode(), heldout=held.encode())
    agree(model, twin_of(MADE_UP, 3, "jelinek-mercer", heldout=held), histories_of(MADE_UP))
    plain = bm.NGram(3, "jelinek-mercer").fit(MADE_UP.encode())
    scores = [bm.score(m, held.encode(), like="kenlm").nats for m in (model, plain)]
    assert scores[0] < scores[1]  # what the weights were fitted to


# ---- distributions ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted() -> dict[tuple[str, int], bm.NGram]:
    return {(method, n): bm.NGram(n, method).fit(REAL) for method in DISTRIBUTIONS for n in range(1, 6)}


@settings(max_examples=25)
@given(data=st.data())
def test_all_sum_to_one_on_real_text(fitted: dict[tuple[str, int], bm.NGram], data: st.DataObject) -> None:
    units = fitted["laplace", 1].units
    lines = REAL.split(b"\n")
    seen = list(units.split(data.draw(st.sampled_from(lines))).ids)
    cut = data.draw(st.integers(0, len(seen)))
    unseen = data.draw(st.lists(st.integers(-1, fitted["laplace", 1].size), max_size=3))
    history = np.array([*seen[:cut], *unseen], dtype=np.int64)
    for (method, order), model in fitted.items():
        assert math.fsum(np.exp(model.predict(history))) == pytest.approx(1.0, abs=1e-6), (method, order)


@pytest.mark.parametrize("method", DISTRIBUTIONS)
@pytest.mark.parametrize("prune", [None, (0, 1), (0, 0, 1)])
def test_all_sum_to_one_on_made_up_text(method: str, prune: tuple[int, ...] | None) -> None:
    model = bm.NGram(3, method, prune=prune).fit(MADE_UP.encode())
    for history in itertools.product(range(-1, 12), repeat=2):
        assert math.fsum(np.exp(model.predict(np.array(history)))) == pytest.approx(1.0, abs=1e-6)


def test_katz_of_a_tiny_vocabulary_that_everything_follows() -> None:
    # After "a" and "b" all words were seen, so that <unk> alone is left: its share of shorter histories is minute.
    text = b"\n".join([b"a b a a b b a", b"", b"b a"] * 20000)
    model = bm.NGram(3, "katz").fit(text)
    for history in ([3], [4], [3, 4], [4, 3], [3, 3], [-1]):
        logs = model.predict(np.array(history))
        assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-6)
        assert math.isfinite(logs[0])


def test_katz_counts_one_more_where_all_words_are_frequent() -> None:
    # The counts of counts of order 2 are good, and "x" was followed by "y" alone, too often to be discounted.
    model = bm.NGram(2, "katz").fit((MADE_UP + "x y\n" * 10).encode())
    assert "order 1;" in model.notes[0]
    p = dict(zip(model.outcomes.names, np.exp(model.predict(model.units.split(b"x").ids)), strict=True))
    assert p[b"y"] == pytest.approx(10 / 11)
    # Good-Turing is known by an identity: all that it takes off together is as much as occurred once.
    kinds = np.zeros(8)
    words = [["<s>", *line.split(), "</s>"] for line in MADE_UP.split("\n")[:-1]]
    for count in Counter(pair for line in words for pair in itertools.pairwise(line)).values():
        kinds[min(count, 7)] += 1
    taken = json.loads(model.fast_form.metadata)["discounts"][1]
    assert len(taken) == 6
    assert sum(d * n for d, n in zip(taken, kinds[1:], strict=False)) == pytest.approx(kinds[1], rel=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_threads_do_not_change_the_model(method: str) -> None:
    one, many = (bm.NGram(4, method, prune=(0, 0, 1), threads=n).fit(MADE_UP.encode()) for n in (1, 4))
    assert one.fingerprint == many.fingerprint


# ---- what each is known for ------------------------------------------------------------------------------------------


def test_maximum_likelihood_is_infinite_where_unseen() -> None:
    model = bm.NGram(2, "maximum-likelihood").fit(b"a b\na c\n")
    p = dict(zip(model.outcomes.names, np.exp(model.predict(np.array([3]))), strict=True))  # after "a"
    assert (p[b"b"], p[b"c"], p[b"a"], p[b"<unk>"]) == (pytest.approx(0.5), pytest.approx(0.5), 0.0, 0.0)
    assert bm.score(model, b"a a\n", like="kenlm").nats == math.inf


def test_laplace_is_one_more_for_everything() -> None:
    # Seven outcomes: </s>, <unk>, a, b, c, d, e. After "a": b twice, c once.
    model = bm.NGram(3, "laplace").fit(b"e a b\ne a b\ne a c\nd\n")
    p = dict(zip(model.outcomes.names, np.exp(model.predict(model.units.split(b"e a").ids)), strict=True))
    assert {word: round(p[word] * 10, 6) for word in (b"b", b"c", b"d", b"<unk>", b"</s>")} == {
        b"b": 3, b"c": 2, b"d": 1, b"<unk>": 1, b"</s>": 1}  # fmt: skip
    # A history that begins a sentence is a whole one; one never seen knows nothing.
    assert np.exp(model.predict(np.zeros(0, dtype=np.int64)))[model.units.split(b"d").ids[0]] == pytest.approx(2 / 11)
    assert np.exp(model.predict(model.units.split(b"b c").ids))[2] == pytest.approx(1 / 7)


def test_stupid_backoff_is_refused_a_perplexity(tmp_path: object) -> None:
    model = bm.NGram(2, "stupid-backoff").fit(b"a b\na c\n")
    assert not model.is_distribution
    scores = model.logprobs(np.array([3, 4, 3]), np.array([0, 3]))
    # a after <s>: always; b after a: half; a after b never: 0.4 of its share of all six words and ends.
    assert np.exp(scores) == pytest.approx([1.0, 0.5, 0.4 * 2 / 6])
    with pytest.raises(errors.ModelError, match=r"do not sum to one.*modified-kneser-ney.*model\.logprobs"):
        bm.score(model, b"a b\n")
    rated = model.score(b"a b\na a\n")
    assert rated.logprob == pytest.approx(math.log(1 * 0.5 * 1) + math.log(1 * 0.4 * 2 / 6 * 0.4 * 2 / 6))
    assert "no perplexity" in str(rated)
    rated_corpus = model.score(bm.Corpus.from_text("a b\na a\n", docs="line"))
    for found in (rated, rated_corpus):
        assert not found.is_distribution
        with pytest.raises(errors.ModelError, match="no perplexity of them"):
            _ = found.perplexity
    for refused in (bm.score, bm.prove, lambda m, text: bm.compare(m, "kt", on=text)):
        with pytest.raises(errors.ModelError, match="do not sum to one"):
            refused(model, b"a b\n")
    with pytest.raises(errors.ModelError, match="nothing can be decoded by it"):
        bm.compress(model, b"a b\n", f"{tmp_path}/x.bmz")
    with pytest.raises(errors.ModelError, match="nothing can be drawn"):
        bm.sample(model)
    with pytest.raises(errors.ModelError, match="only distributions can be mixed"):
        bm.MixtureModel([model, bm.NGram(2).fit(b"a b\na c\n")])
    assert not list(Path(str(tmp_path)).iterdir())
    with pytest.raises(errors.FileFormatError, match=r"\.bmn"):
        model.save(f"{tmp_path}/m.arpa")
    model.save(f"{tmp_path}/m.bmn")
    again = bm.load(f"{tmp_path}/m.bmn")
    assert (again.is_distribution, again.smoothing) == (False, "stupid-backoff:0.4")
    with pytest.raises(errors.ModelError, match="do not sum to one"):
        bm.score(again, b"a b\n")
    with pytest.raises(errors.ModelError, match="no perplexity of them"):
        bm.convert(f"{tmp_path}/m.bmn", f"{tmp_path}/n.bmn", heldout=b"a b\n")
    assert [path.name for path in Path(str(tmp_path)).iterdir()] == ["m.bmn"]


def test_every_step_back_costs_even_from_histories_that_never_came() -> None:
    model = bm.NGram(3, "stupid-backoff").fit(b"a b\na c\n")
    # Six words and ends. <s> <s>: a; <s> a: b; a b: </s>; then c after b </s> … is a new sentence.
    assert np.exp(model.score(b"a b\n").logprobs) == pytest.approx([1.0, 0.5, 1.0])
    # b after <s> <s> never came: two steps back. a after <s> b, which never came either: two. c after b a, a seen: one.
    assert np.exp(model.score(b"b a c\n", eos="no").logprobs) == pytest.approx([0.16 / 6, 0.16 * 2 / 6, 0.4 * 1 / 2])
    # An unknown word is three steps back from the longest history, and so is what follows it two.
    assert np.exp(model.score(b"x a\n", eos="no").logprobs) == pytest.approx([0.4**3 / 5, 0.16 * 2 / 6])
    state = model.begin().extend("b")[1]
    assert np.exp(state.extend("a")[0]) == pytest.approx(0.16 * 2 / 6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", ["\n", "a\n", "a a a a\n", "a b\nb a\n" * 30, "\n\n\n", "a b c d e f g h i j k\n"])
def test_small_and_odd_texts_are_never_refused(method: str, text: str) -> None:
    for order in (1, 2, 4):
        model = bm.NGram(order, method).fit(text.encode())
        agree(model, twin_of(text, order, method), histories_of(text))


def test_what_could_not_be_estimated_is_noted() -> None:
    text = b"a b\nb a\n" * 30
    expected = {
        "modified-kneser-ney": "0.5, 1 and 1.5", "kneser-ney": "0.5 is used", "absolute": "0.5 is used",
        "katz": "fewer counts than 5", "stupid-backoff": "do not sum to one",
    }  # fmt: skip
    for method in METHODS:
        notes = " ".join(bm.NGram(3, method).fit(text).notes)
        assert expected[method] in notes if method in expected else (not notes or ":0.3" in method)
    assert "one half" in bm.NGram(3, "jelinek-mercer").fit(b"a b c\n").notes[0]


# ---- names and errors ------------------------------------------------------------------------------------------------


def test_names() -> None:
    assert bm.NGram(2, "absolute:0.75").name == "ngram(order 2, absolute:0.75)"
    assert bm.NGram(2).name == "ngram(order 2)"
    assert bm.NGram(2, "laplace").smoothing == "laplace"


@pytest.mark.parametrize(
    ("smoothing", "message"),
    [
        ("good-turing", "must be one of 'modified-kneser-ney'"),
        ("lidstone", "type lidstone:0.1"),
        ("lidstone:x", "above 0"),
        ("lidstone:0", "above 0"),
        ("lidstone:nan", "above 0"),
        ("lidstone:inf", "above 0"),
        ("absolute:1", "below 1"),
        ("stupid-backoff:2", "below 1"),
        ("katz:3", "has no parameter"),
        ("laplace:2", "has no parameter"),
        (3, "must be one of"),
    ],
)
def test_wrong_names_are_errors(smoothing: str, message: str) -> None:
    with pytest.raises(errors.InputError, match=message):
        bm.NGram(3, smoothing)


@pytest.mark.parametrize(
    ("prune", "message"),
    [((0, 2, 1), "must not decrease"), ((1,), "single words"), ((0, 0, 0, 1), "at most one"), ((0, -1), "prune")],
)
def test_wrong_thresholds_are_errors(prune: tuple[int, ...], message: str) -> None:
    with pytest.raises(errors.InputError, match=message):
        bm.NGram(3, prune=prune)
    with pytest.raises(errors.InputTypeError, match="--prune"):
        bm.NGram(3, prune="0,0,1")  # type: ignore[arg-type]


def test_a_heldout_text_without_use_is_refused() -> None:
    with pytest.raises(errors.InputError, match="only jelinek-mercer and modified-kneser-ney"):
        bm.NGram(2, "katz").fit(b"a b\n", heldout=b"a\n")
    with pytest.raises(errors.InputError, match="sentence 1"):
        bm.NGram(2, "jelinek-mercer").fit(b"a b\n", heldout=b"a <s>\n")
