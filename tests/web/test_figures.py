"""The quantities that the lessons compute in the browser are those of the library."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

import bitmeter as bm
from bitmeter.theory.guessing import guess_bounds
from tests.reports.html.browsing import Browser, open_browser
from tests.web.serving import serving

P, Q = [0.5, 0.25, 0.2, 0.05], [0.1, 0.2, 0.3, 0.4]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with serving() as address, open_browser() as found:
        found.driver.get(f"{address}/icon.svg")
        yield found


def js(browser: Browser, expression: str, *arguments: Any, module: str = "figures.js") -> Any:
    """The value of an expression in which `f` is a module, by default that of figures, and `a` the arguments."""
    script = (
        "const done = arguments[arguments.length - 1], a = [...arguments].slice(0, -1);"
        f"import('/{module}').then((f) => done([true, {expression}])).catch((error) => done([false, String(error)]))"
    )
    right, value = browser.driver.execute_async_script(script, *arguments)
    assert right, value
    return value


def test_information_entropy_and_divergence(browser: Browser) -> None:
    assert js(browser, "[1/2, 1/8, 1].map(f.information)") == [1.0, 3.0, 0.0]
    assert js(browser, "f.information(0) === Infinity")
    assert js(browser, "f.entropy(a[0])", P) == pytest.approx(bm.entropy(P), rel=1e-12)
    assert js(browser, "f.entropy([1, 0])") == 0
    assert js(browser, "f.crossEntropy(a[0], a[1])", P, Q) == pytest.approx(bm.cross_entropy(P, Q), rel=1e-12)
    assert js(browser, "f.divergence(a[0], a[1])", P, Q) == pytest.approx(bm.kl_divergence(P, Q), rel=1e-12)
    assert js(browser, "f.crossEntropy([0.5, 0.5], [1, 0]) === Infinity")


@pytest.mark.parametrize(("a", "b"), [(0.1, 0.5), (0.9, 0.3), (0.02, 0.02)])
def test_a_chain(browser: Browser, a: float, b: float) -> None:
    chain = bm.Markov([[1 - a, a], [b, 1 - b]])
    assert js(browser, "f.entropyRate(a[0], a[1])", a, b) == pytest.approx(chain.entropy_rate, rel=1e-10)
    share = js(browser, "f.stationary(a[0], a[1])", a, b)
    assert np.asarray(share) @ np.array([[1 - a, a], [b, 1 - b]]) == pytest.approx(share)
    found = js(browser, "f.chainPath(a[0], a[1], 3000, f.randomFrom(5))", a, b)
    # The last point is −1/n log2 of the probability of the states that were drawn, computed here from its definition.
    states = found["states"]
    moves = {(0, 0): 1 - a, (0, 1): a, (1, 0): b, (1, 1): 1 - b}
    pairs = pairwise(states)
    bits = -math.log2(share[states[0]]) - math.fsum(math.log2(moves[pair]) for pair in pairs)
    assert found["curve"][-1] == pytest.approx(bits / 3000, rel=1e-9)


def test_a_mixture(browser: Browser) -> None:
    found = js(browser, "f.mixturePath(0.5, 0.9, 4000, f.randomFrom(a[0]))", 3)
    limit = 1.0 if found["own"] == 0.5 else bm.entropy([0.9, 0.1])
    # After 4,000 throws the average is within 5 standard deviations of the limit of the coin that was chosen.
    assert found["curve"][-1] == pytest.approx(limit, abs=5 * 1.0 / math.sqrt(4000))
    owns = js(browser, "Array.from({ length: 20 }, (_, k) => f.mixturePath(0.5, 0.9, 5, f.randomFrom(k)).own)")
    assert set(owns) == {0.5, 0.9}


@pytest.mark.parametrize(("p", "n", "epsilon"), [(0.9, 100, 0.1), (0.6, 30, 0.05), (0.5, 50, 0.02)])
def test_typical_sets(browser: Browser, p: float, n: int, epsilon: float) -> None:
    found = js(browser, "f.typicalSet(a[0], a[1], a[2])", p, n, epsilon)
    own = bm.typical_set(bm.Iid({"h": p, "t": 1 - p}), n, epsilon)
    assert found["probability"] == pytest.approx(own.probability, rel=1e-9)
    assert found["log2Count"] == pytest.approx(own.log2_count, rel=1e-9)


def test_codes(browser: Browser) -> None:
    p, words = [0.4, 0.35, 0.2, 0.05], ["0", "10", "110", "111"]
    source = bm.Distribution(dict(zip("abcd", p, strict=True)))
    code = bm.PrefixCode(dict(zip("abcd", words, strict=True)))
    assert js(browser, "f.kraft(a[0])", words) == float(code.kraft) == 1.0
    assert js(browser, "f.clash(a[0])", words) is None
    assert js(browser, "f.clash(['0', '01'])") == [0, 1]
    assert js(browser, "f.expectedLength(a[0], a[1])", p, words) == pytest.approx(code.figures(source).expected_length)
    for q in (p, P, Q, [0.2] * 5, [0.97, 0.01, 0.01, 0.01]):
        labels = [str(k) for k in range(len(q))]
        known = bm.Distribution(dict(zip(labels, q, strict=True)))
        best = bm.PrefixCode.huffman(known).figures(known).expected_length
        lengths = js(browser, "f.huffmanLengths(a[0])", q)
        assert sum(share * length for share, length in zip(q, lengths, strict=True)) == pytest.approx(best)


def witten_bell(text: bytes, order: int) -> float:
    """Bits of a text under the lesson's model, by the definition: all that came before is counted afresh."""
    bits = 0.0
    for i, byte in enumerate(text):
        p = 1 / 256
        for length in range(min(i, order) + 1):
            context = text[i - length : i]
            after = [text[j] for j in range(length, i) if text[j - length : j] == context]
            if after:
                p = (after.count(byte) + len(set(after)) * p) / (len(after) + len(set(after)))
        bits -= math.log2(p)
    return bits


@pytest.mark.parametrize("order", [0, 1, 3])
def test_a_model_that_grows(browser: Browser, order: int) -> None:
    text = b"the cat sat on the mat. the rat sat on the hat!"
    grown = "const m = new f.Grown(a[1]); for (const b of a[0]) m.add(b);"
    assert js(browser, f"(() => {{ {grown} return m.bits }})()", list(text), order) == pytest.approx(
        witten_bell(text, order), rel=1e-9
    )
    total = f"(() => {{ {grown} let s = 0; for (let b = 0; b < 256; b++) s += m.probability(b); return s }})()"
    assert js(browser, total, list(text), order) == pytest.approx(1.0)


def test_a_small_network(browser: Browser) -> None:
    pairs = [[3, 1, 0], [0, 2, 2], [5, 0, 1]]
    joint = np.array(pairs) / np.sum(pairs)
    floor = bm.entropy(joint.ravel()) - bm.entropy(joint.sum(axis=1))
    assert js(browser, "f.pairEntropy(a[0])", pairs) == pytest.approx(floor, rel=1e-12)
    trained = (
        "(() => { const n = new f.Network(a[0], f.randomFrom(1)), s = [n.loss()];"
        "for (let k = 0; k < 4000; k++) n.step(3); s.push(n.loss()); return s })()"
    )
    before, after = js(browser, trained, pairs)
    assert floor < after < floor + 0.01 < before
    # The gradient is the slope of the loss.
    slope = (
        "(() => { const n = new f.Network(a[0], f.randomFrom(2)), g = n.gradient()[1][2], h = 1e-5;"
        "n.weights[1][2] += h; const up = n.loss(); n.weights[1][2] -= 2 * h; return [g, (up - n.loss()) / 2 / h] })()"
    )
    exact, measured = js(browser, slope, pairs)
    assert exact == pytest.approx(measured, rel=1e-5)


@pytest.mark.parametrize(
    "guesses", [[1], [1, 1, 2], [1] * 80 + [2] * 10 + [3] * 5 + [4] * 3 + [5] * 2, [3, 3, 3, 1, 27]]
)
def test_the_bounds_of_the_game(browser: Browser, guesses: list[int]) -> None:
    found, own = js(browser, "f.guessBounds(a[0])", guesses), guess_bounds(guesses)
    assert [found["low"], found["high"]] == pytest.approx([own.low, own.high], abs=1e-12)
    low, high = js(browser, "f.guessInterval(a[0])", guesses)
    assert 0 <= low <= own.low + 1e-9
    assert high >= 0


def value(browser: Browser, expression: str, *arguments: Any) -> Any:
    """The same of the module of the other lessons' quantities."""
    return js(browser, expression, *arguments, module="pictures/values.js")


def test_normal_densities(browser: Browser) -> None:
    p, q = norm(0, 1), norm(1.5, 0.5)
    assert value(browser, "f.normalEntropy(1)") == pytest.approx(bm.entropy(p), rel=1e-9)
    assert value(browser, "f.normalEntropy(0.1)") == pytest.approx(bm.entropy(norm(0, 0.1)), rel=1e-9)
    assert value(browser, "f.normalDivergence(0, 1, 1.5, 0.5)") == pytest.approx(bm.kl_divergence(p, q), rel=1e-9)
    assert value(browser, "f.normalDensity(0.3, 1.5, 0.5)") == pytest.approx(q.pdf(0.3), rel=1e-12)


def test_pairs(browser: Browser) -> None:
    table = [[1 / 2, 1 / 4], [0.0, 1 / 4]]
    found = value(browser, "f.pairFigures(a[0])", table)
    assert found["both"] == pytest.approx(bm.joint_entropy(table), rel=1e-12)
    assert found["rest"] == pytest.approx(bm.conditional_entropy(table), rel=1e-12)
    assert found["shared"] == pytest.approx(bm.mutual_information(table), rel=1e-12)
    assert found["x"] == pytest.approx(bm.entropy([3 / 4, 1 / 4]), rel=1e-12)


def test_letters_under_models_that_are_written_down(browser: Browser) -> None:
    # The figures that the lessons on data, context and zeros print.
    first, second = "she sells sea shells by the sea shore", "the shells she sells are sea shells i am sure"
    mean = "((c) => c.reduce((x, y) => x + y, 0) / c.length)"
    costs = f"{mean}(f.letterCosts(a[1], f.shares(a[0]), 0.1, 27))"
    assert value(browser, costs, first, first) == pytest.approx(3.1014, abs=5e-5)
    assert value(browser, costs, first, second) == pytest.approx(3.3210, abs=5e-5)
    assert value(browser, f"{mean}(f.letterCosts('baby', f.exampleLetters(), 0.1, 26))") == pytest.approx(
        3.107, abs=5e-4
    )
    assert value(browser, f"{mean}(f.letterCosts('probable', f.exampleLetters(), 0, 26))") == pytest.approx(4.25)
    assert value(browser, "f.tableCosts('probable', 0)") == [0, 3, 0, 0, 1, 0, 1, 0]
    assert value(browser, "f.tableCosts('bb', 0)[1] === Infinity")


def test_blocks(browser: Browser) -> None:
    text = "the cat sat on the mat and the rat sat on the hat " * 4
    found = value(browser, "f.blockRates(a[0], 4)", text)
    own = [0.0] + [bm.entropy([text[i : i + k] for i in range(len(text) - k + 1)], of="samples") for k in range(1, 5)]
    assert [row["rate"] for row in found] == pytest.approx([b - a for a, b in pairwise(own)], rel=1e-9)


def test_a_model_of_a_chain(browser: Browser) -> None:
    p, q = bm.Markov([[0.9, 0.1], [0.3, 0.7]]), bm.Markov([[0.8, 0.2], [0.4, 0.6]])
    assert value(browser, "f.crossRate([0.1, 0.3], [0.2, 0.4])") == pytest.approx(bm.cross_entropy_rate(p, q).value)
    states = [0, 0, 1, 1, 0, 1]
    cost = value(browser, "f.chainCosts(a[0], [0.2, 0.4])", states)
    assert cost[-1] == pytest.approx(-q.logprob(states, unit="bits") / 6)


@pytest.mark.parametrize("initial", [None, [1, 0]])
def test_two_curves(browser: Browser, initial: list[float] | None) -> None:
    chain = bm.Markov([[0.9, 0.1], [0.3, 0.7]], initial=initial)
    found = value(browser, "f.blockCurves([0.1, 0.3], 6, a[0])", initial is not None)
    blocks = [0.0] + [chain.block_entropy(k) for k in range(1, 7)]
    assert [row["average"] for row in found] == pytest.approx([blocks[k] / k for k in range(1, 7)])
    assert [row["newest"] for row in found] == pytest.approx(
        [blocks[k] - blocks[k - 1] for k in range(1, 7)], abs=1e-12
    )
    assert value(browser, "f.swinging(15)[14]") == pytest.approx(1 / 3)


def test_experiments(browser: Browser) -> None:
    for freedom in (4, 9, 49, 199):
        assert value(browser, "f.studentQuantile(a[0])", freedom) == pytest.approx(
            student.ppf(0.975, freedom), rel=3e-3
        )
    # Logits without spread cost ln V; 2,000 of them with σ = 1 cost ln V + ½, within five standard errors.
    assert value(browser, "f.randomCost(50, 0, Math.random)") == pytest.approx(math.log(50))
    assert value(browser, "f.randomCost(2000, 1, Math.random)") == pytest.approx(math.log(2000) + 0.5, abs=0.15)
    # Of a model equal to p, no letter costs more or less.
    none = value(browser, "f.pairedDifference([0.5, 0.3, 0.2], [0.5, 0.3, 0.2], 10, 50, Math.random)")
    assert none == {"mean": 0, "low": 0, "high": 0}


def test_arithmetic_coding(browser: Browser) -> None:
    found = value(browser, "f.narrowing('abacba', ['a', 'b', 'c'], [0.5, 0.25, 0.25]).at(-1)")
    assert found["width"] == 2.0**-9
    digits = value(browser, "f.binaryWithin(a[0], a[1])", found["low"], found["width"])
    assert len(digits) == 9
    assert found["low"] <= int(digits, 2) / 2**9 < found["low"] + found["width"]
    # Any part of [0, 1) has digits of which all continuations lie within it, at most two more than its information.
    for low, width in ((0.1, 0.3), (0.249, 0.002), (0.7, 0.3), (0.0, 1.0), (0.333, 1e-6)):
        word = value(browser, "f.binaryWithin(a[0], a[1])", low, width)
        at = int(word, 2) / 2 ** len(word) if word else 0.0
        assert low - 1e-9 <= at
        assert at + 2.0 ** -len(word) <= low + width + 1e-9
        assert len(word) <= -math.log2(width) + 2
