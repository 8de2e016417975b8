"""Entropy pruning: how often histories come, what is dropped, what it costs, and that all still sums to one."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import errors
from bitmeter.text.corpus.sample import sample_text
from tests.models.helpers.arpas import arpa
from tests.models.made_up import made_up_text

TEXT = made_up_text(400, 30).encode()
PROSE = sample_text()[:150_000].encode()
sentences = st.lists(st.lists(st.sampled_from("abc"), max_size=5).map(" ".join), min_size=1, max_size=8)


Gram = tuple[str, ...]


def marginals(model: bm.NGram) -> dict[Gram, float]:
    """How often each history comes: the chain over whole histories, one prediction each, until it stands still."""
    names = [name.decode() for name in model.outcomes.names]
    longest = model.order - 1
    share: dict[tuple[int, ...], float] = {(1,): 1.0}
    rows: dict[tuple[int, ...], list[float]] = {}
    for _ in range(120):
        after: dict[tuple[int, ...], float] = {}
        for history, mass in share.items():
            if history not in rows:  # one that begins with <s> (1) is shorter; predict() begins there by itself
                words = np.array([word for word in history if word != 1], dtype=np.int64)
                rows[history] = np.exp(model.predict(words)).tolist()
            for word, p in enumerate(rows[history]):
                new = (1,) if word == 2 else (*history, word)[-longest:]
                after[new] = after.get(new, 0.0) + mass * p
        share = {key: 0.5 * share.get(key, 0.0) + 0.5 * after.get(key, 0.0) for key in set(share) | set(after)}
    result: dict[Gram, float] = {}
    for history, mass in share.items():
        for length in range(1, len(history) + 1):
            end = tuple(names[word] for word in history[-length:])
            result[end] = result.get(end, 0.0) + mass
    return result


def twin(model: bm.NGram, threshold: float) -> tuple[dict[Gram, tuple[float, float]], float]:
    """Stolcke's pruning with dictionaries: what is left of the ARPA file, and the divergence."""
    table = arpa(model)
    p = {gram: 10 ** values[0] for gram, values in table.items()}
    backoff = {gram: 10 ** values[1] for gram, values in table.items()}
    share = marginals(model)
    stays: set[Gram] = {gram for gram in table if len(gram) == 1}
    divergence = 0.0
    for order in range(model.order, 1, -1):
        children: dict[Gram, list[Gram]] = {}
        for gram in table:
            if len(gram) == order:
                children.setdefault(gram[:-1], []).append(gram)
        for history, grams in children.items():
            below = 1.0 - math.fsum(p[gram[1:]] for gram in grams)
            left = backoff[history] * below

            def cost(gone: list[Gram], left: float = left, below: float = below) -> float:
                alpha = (left + math.fsum(p[g] for g in gone)) / (below + math.fsum(p[g[1:]] for g in gone))
                seen = math.fsum(p[g] * (math.log(p[g[1:]]) + math.log(alpha) - math.log(p[g])) for g in gone)
                return -(seen + left * (math.log(alpha) - math.log(left / below)))

            gone = [g for g in grams if g not in stays and math.expm1(share[history] * cost([g])) < threshold]
            for gram in grams:
                if gram not in gone:
                    stays |= {gram, gram[:-1], gram[1:]}
            if gone:
                divergence += share[history] * cost(gone)
                left += math.fsum(p[g] for g in gone)
                below += math.fsum(p[g[1:]] for g in gone)
                backoff[history] = left / below if len(gone) < len(grams) else 1.0
    return {gram: (table[gram][0], math.log10(backoff[gram])) for gram in stays}, divergence


@pytest.mark.parametrize("order", [2, 3])
def test_how_often_histories_come(order: int) -> None:
    model = bm.NGram(order=order).fit(made_up_text(60, 8).encode())
    words, *_ = model.fast_form.history_shares()
    expected = marginals(model)
    for word, share in zip(model.outcomes.names, words.tolist(), strict=True):
        assert share == pytest.approx(expected.get((word.decode(),), 0.0), abs=2e-6)
    assert math.fsum(words.tolist()) == pytest.approx(1.0, abs=1e-9)
    # Not what the lowest order says, which under Kneser-Ney counts the different words before.
    unigrams = np.exp(model.predict(np.array([10**6, 10**6])))
    assert np.abs(words[3:] - unigrams[3:]).max() > 0.005


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("threshold", [1e-5, 3e-4, 3e-3])
def test_the_twin_prunes_alike(order: int, threshold: float) -> None:
    model = bm.NGram(order=order).fit(made_up_text(60, 8).encode())
    small = model.prune(threshold)
    small.verify()
    left, divergence = twin(model, threshold)
    found = arpa(small)
    assert found.keys() == left.keys()
    assert len(found) < sum(model.counts) or threshold < 1e-4
    for gram, values in left.items():
        assert found[gram] == pytest.approx(values, abs=3e-6)
    assert f"by {100 * math.expm1(divergence):.2g} %" in small.notes[-1]


@settings(max_examples=40, deadline=None)
@given(sentences, st.integers(2, 5), st.sampled_from([0.0, 1e-6, 1e-3, 0.01, 0.1, 1.0]))
def test_all_still_sums_to_one(lines: list[str], order: int, threshold: float) -> None:
    model = bm.NGram(order=order).fit(("\n".join(lines) + "\n").encode()).prune(threshold)
    model.verify()
    for history in ([], [3], [4, 3], [3, 4, 3], [3, 3, 3, 4], [9], [9, 9]):
        assert math.fsum(np.exp(model.predict(np.array(history, dtype=np.int64)))) == pytest.approx(1.0, abs=5e-6)


def test_on_real_text_it_costs_what_it_says(tmp_path: Path) -> None:
    cut = PROSE.rindex(b"\n", 0, 120_000) + 1
    model = bm.NGram(order=3).fit(PROSE[:cut])
    test = PROSE[cut:]
    perplexities, sizes = [bm.score(model, test, like="kenlm").perplexity("token")], [sum(model.counts)]
    for threshold in (1e-7, 1e-6, 3e-5):
        small = model.prune(threshold)
        for history in ([], [3], [5, 3], [10, 11], [-1, 7], [40, 50]):
            assert math.fsum(np.exp(small.predict(np.array(history, dtype=np.int64)))) == pytest.approx(1.0, abs=1e-5)
        perplexities.append(bm.score(small, test, like="kenlm").perplexity("token"))
        sizes.append(sum(small.counts))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.5 * sizes[0]
    assert perplexities[1] < 1.02 * perplexities[0]  # 1e-7 is next to nothing on a text of this size
    # By the formula, the loss on the model's own text; drawn from the model, it shows.
    small = model.prune(3e-6)
    said = float(small.notes[-1].rpartition("by ")[2].rstrip(" %")) / 100.0
    drawn = b"".join(text.data + b"\n" for text in model.sample(1500, seed=3))
    before, after = (bm.score(m, drawn, docs="line", eos="yes", oov="class").nats for m in (model, small))
    tokens = bm.score(model, drawn, docs="line", eos="yes", oov="class").count("token")
    assert math.expm1((after - before) / tokens) == pytest.approx(said, rel=0.35)
    small.save(tmp_path / "small.bmn")
    again = bm.NGram.load(tmp_path / "small.bmn")
    assert (again.notes, again.counts) == (small.notes, small.counts)


def test_other_units_and_mistakes() -> None:
    model = bm.NGram(order=4, units="bytes").fit(TEXT)
    small = model.prune(1e-4)
    assert sum(small.counts) < sum(model.counts)
    assert math.isfinite(bm.score(small, bytes(range(256))).nats)
    assert small.units == model.units
    assert sum(model.prune(1.0).counts[1:]) < sum(small.counts[1:])
    with pytest.raises(errors.ModelError, match="nothing to prune"):
        bm.NGram(order=1).fit(TEXT).prune(1e-3)
    for wrong in (-1.0, 2.0, math.nan, "much"):
        with pytest.raises(errors.BitmeterError, match="threshold"):
            model.prune(wrong)  # type: ignore[arg-type]
