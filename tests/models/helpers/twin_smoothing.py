"""Readable twins of all smoothing methods, from their definitions: one probability at a time, from dictionaries."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import cache

from tests.models.helpers.twin import Ngram, adjusted, discounts, occurrences


class Twin:
    """p(word | history) of one method; `thresholds` are those of pruning, by order - 1."""

    def __init__(
        self,
        text: str,
        order: int,
        method: str,
        parameter: float = math.nan,
        thresholds: tuple[int, ...] = (),
        heldout: str | None = None,
    ) -> None:
        self.order, self.method, self.parameter = order, method, parameter
        self.raw = occurrences(text, order)
        self.counts = adjusted(self.raw) if method.endswith("kneser-ney") else self.raw
        self.thresholds = thresholds or (0,) * order
        self.words = sorted({gram[0] for gram in self.raw[0]} | {"<unk>"})
        self.after: list[defaultdict[Ngram, list[str]]] = [defaultdict(list) for _ in range(order)]
        for n, row in enumerate(self.counts):
            for gram in row:
                self.after[n][gram[:-1]].append(gram[-1])
        self.taken = [self._discounts(n, text) for n in range(1, order + 1)]
        self.weights = em(text, order, heldout) if method == "jelinek-mercer" else {}
        self.p = cache(self._p)

    def stays(self, gram: Ngram) -> bool:
        return len(gram) == 1 or self.raw[len(gram) - 1][gram] > self.thresholds[len(gram) - 1]

    def known(self, history: Ngram) -> bool:
        """Whether anything was seen after it, and it was not pruned itself."""
        return bool(self.after[len(history)][history]) and (len(history) < 2 or self.stays(history))

    def _discounts(self, n: int, text: str) -> dict[int, float]:
        """What is taken off each count."""
        row = self.counts[n - 1]
        kinds = Counter(row.values())
        top = max(row.values(), default=0)
        if self.method == "modified-kneser-ney":
            three = discounts(text, self.raw, self.counts)[n - 1]
            return {j: three[min(j, 3)] for j in range(top + 1)}
        if self.method in ("absolute", "kneser-ney"):
            d = self.parameter if not math.isnan(self.parameter) else single(kinds)
            return dict.fromkeys(range(top + 1), d)
        if self.method == "katz":
            return katz(kinds, top)
        return dict.fromkeys(range(top + 1), 0.0)

    def _score(self, word: str, history: Ngram) -> float:
        """Stupid back-off as Brants et al. (2007) write it: f(hw)/f(h) if hw was seen, else alpha S(w|h').

        A history has order - 1 places, of which those before the sentence hold `<s>` too.
        """
        seen = history[history.count("<s>") - 1 :] if history[:1] == ("<s>",) else history
        count = self.raw[len(seen)][*seen, word]
        if count and self.stays((*seen, word)):
            return count / sum(self.raw[len(seen)][*seen, w] for w in self.after[len(seen)][seen])
        if not history:
            return self.parameter / len(self.words)
        return self.parameter * self._score(word, history[1:])

    def _p(self, word: str, history: Ngram) -> float:
        n = len(history) + 1
        if self.method == "stupid-backoff":
            return self._score(word, ("<s>",) * (self.order - n) + history)
        if n > 1 and not self.known(history):
            return self.p(word, history[1:])
        row, taken = self.counts[n - 1], self.taken[n - 1]
        followers = self.after[n - 1][history]
        kept = [w for w in followers if self.stays((*history, w))]
        total = sum(row[*history, w] for w in followers)
        pruned = sum(row[*history, w] for w in followers if w not in kept)
        seen = word in kept
        own = row[*history, word] - taken[row[*history, word]] if seen else 0.0
        lower = self.p(word, history[1:]) if n > 1 else 1 / len(self.words)
        if self.method in ("lidstone", "laplace"):
            whole = n == self.order or history[:1] == ("<s>",)
            count = row[*history, word] if seen else 0
            size = len(self.words)
            spread = self.parameter + pruned / size  # what pruned words had, every word gets alike
            return (count + spread) / (total + self.parameter * size) if whole else 1 / size
        if self.method == "witten-bell":
            types = len(followers)
            return (own + (types + pruned) * lower) / (total + types)
        if self.method == "jelinek-mercer":
            x = self.weights[n, bucket(total)]
            return x * own / total + (1 - x + x * pruned / total) * lower
        left = sum(taken[row[*history, w]] for w in kept) + pruned
        if self.method == "katz":
            if left == 0:
                left, total = 1.0, total + 1
            if seen:
                return own / total
            unseen = [w for w in self.words if w not in kept]
            given = sum(self.p(w, history[1:]) for w in unseen) if n > 1 else len(unseen)
            return left / total * (lower if n > 1 else 1) / given
        return own / total + left / total * lower


def single(kinds: Counter[int]) -> float:
    found = kinds[1] / (kinds[1] + 2 * kinds[2]) if kinds[1] else 0.0
    return found if 0 < found < 1 else 0.5


def katz(kinds: Counter[int], top: int) -> dict[int, float]:
    """Good-Turing up to k = 5, or as far as it takes something off every count and leaves something."""
    for k in (5, 4, 3, 2):
        if not all(kinds[j] for j in range(1, k + 2)):
            continue
        large = (k + 1) * kinds[k + 1] / kinds[1]
        if large == 1:
            continue
        ratios = {j: ((j + 1) * kinds[j + 1] / (j * kinds[j]) - large) / (1 - large) for j in range(1, k + 1)}
        if all(0 < ratio < 1 for ratio in ratios.values()):
            return {j: j * (1 - ratios.get(j, 1.0)) for j in range(top + 1)}
    return dict.fromkeys(range(top + 1), single(kinds))


def bucket(count: int) -> int:
    return count.bit_length() - 1


def em(text: str, order: int, heldout: str | None) -> defaultdict[tuple[int, int], float]:
    """The weights by order and bucket: every tenth sentence against the others, or another text against all."""
    lines = text.split("\n")[: text.count("\n") + (not text.endswith("\n"))]
    step = min(10, len(lines))
    weights: defaultdict[tuple[int, int], float] = defaultdict(lambda: 0.5)
    if heldout is None:
        if len(lines) < 2:
            return weights
        held = lines[step - 1 :: step]
        counts = occurrences("".join(x + "\n" for i, x in enumerate(lines) if i % step != step - 1), order)
    else:
        held = heldout.split("\n")[: heldout.count("\n") + (not heldout.endswith("\n"))]
        counts = occurrences(text, order)
    uniform = 1 / len({word for line in lines for word in line.split()} | {"<unk>", "</s>"})
    totals: Counter[Ngram] = Counter()
    for row in counts:
        for gram, count in row.items():
            totals[gram[:-1]] += count
    # For each word: (order, bucket) and the estimate of each order that saw its history.
    rows: list[list[tuple[tuple[int, int], float]]] = []
    for line in held:
        words = ["<s>", *line.split(), "</s>"]
        for i in range(1, len(words)):
            grams = [tuple(words[i - n + 1 : i + 1]) for n in range(1, min(order, i + 1) + 1)]
            seen = [gram for gram in grams if totals[gram[:-1]]]
            rows.append([((len(g), bucket(totals[g[:-1]])), counts[len(g) - 1][g] / totals[g[:-1]]) for g in seen])
    for _ in range(100):
        asked: defaultdict[tuple[int, int], float] = defaultdict(lambda: 1.0)
        spoke: defaultdict[tuple[int, int], float] = defaultdict(lambda: 0.5)
        for given in rows:
            mixed = [uniform]
            for key, own in given:
                mixed.append(weights[key] * own + (1 - weights[key]) * mixed[-1])
            reached = 1.0
            for (key, own), p in zip(reversed(given), reversed(mixed), strict=False):
                asked[key] += reached
                spoke[key] += reached * weights[key] * own / p
                reached *= 1 - weights[key] * own / p
        found = {key: spoke[key] / asked[key] for key in asked}
        moved = max((abs(found[key] - weights[key]) for key in found), default=0.0)
        weights.update(found)
        if moved <= 1e-5:
            break
    return weights
