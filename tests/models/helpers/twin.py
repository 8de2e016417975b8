"""A readable twin of the native estimation: the same rules with dictionaries of tuples."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict

Ngram = tuple[str, ...]


def occurrences(text: str, order: int) -> list[Counter[Ngram]]:
    """How often each n-gram of each order occurs; one `<s>` before each line, one `</s>` after it."""
    counts: list[Counter[Ngram]] = [Counter() for _ in range(order)]
    for line in text.split("\n")[: text.count("\n") + (not text.endswith("\n"))]:
        words = ["<s>", *line.split(), "</s>"]
        for n in range(1, order + 1):
            grams = (tuple(words[i : i + n]) for i in range(len(words) - n + 1))
            counts[n - 1].update(gram for gram in grams if gram != ("<s>",))
    return counts


def adjusted(counts: list[Counter[Ngram]]) -> list[Counter[Ngram]]:
    """Below the highest order: how many different words came before, except at the beginning of a sentence."""
    result = []
    for lower, higher in itertools.pairwise(counts):
        before = Counter(gram[1:] for gram in higher)
        result.append(Counter({g: lower[g] if g[0] == "<s>" else before[g] for g in lower}))
    return [*result, counts[-1]]


def last_in_suffix_order(text: str, order: int) -> Ngram:
    """The n-gram that is last when compared from its last word to its first, words numbered as they first come."""
    numbers: dict[str, int] = {"<unk>": 0, "<s>": 1, "</s>": 2}
    padded = []
    for line in text.splitlines():
        words = ["<s>"] * (order - 1) + [*line.split(), "</s>"]
        for word in words:
            numbers.setdefault(word, len(numbers))
        padded += [tuple(words[i : i + order]) for i in range(len(words) - order + 1)]
    return max(padded, key=lambda gram: [numbers[word] for word in reversed(gram)])


def discounts(text: str, counts: list[Counter[Ngram]], wanted: list[Counter[Ngram]]) -> list[list[float]]:
    """D1, D2, D3+ of each order; 0.5, 1, 1.5 where they are undefined."""
    last = last_in_suffix_order(text, len(counts))
    result = []
    for n, row in enumerate(wanted, start=1):
        kinds = Counter(row.values())
        tail = last[-n:]
        if n < len(wanted) and tail in row:  # lmplz counts the very last n-gram by its occurrences
            kinds[row[tail]] -= 1
            kinds[counts[n - 1][tail]] += 1
        found = [0.5, 1.0, 1.5]
        if all(kinds[j] for j in (1, 2, 3)):
            y = kinds[1] / (kinds[1] + 2 * kinds[2])
            exact = [j - (j + 1) * y * kinds[j + 1] / kinds[j] for j in (1, 2, 3)]
            if all(0 <= d <= j for j, d in zip((1, 2, 3), exact, strict=True)):
                found = exact
        result.append([0.0, *found])
    return result


def estimate(text: str, order: int) -> dict[Ngram, tuple[float, float]]:
    """(log10 p, log10 back-off) of every n-gram."""
    counts = occurrences(text, order)
    wanted = adjusted(counts)
    taken = discounts(text, counts, wanted)
    words = {gram[0] for gram in wanted[0]} | {"<unk>"}
    probability: dict[Ngram, float] = {}
    backoff: defaultdict[Ngram, float] = defaultdict(lambda: 1.0)
    for n, row in enumerate(wanted, start=1):
        after: defaultdict[Ngram, list[Ngram]] = defaultdict(list)
        for gram in row:
            after[gram[:-1]].append(gram)
        for history, grams in after.items():
            total = sum(row[gram] for gram in grams)
            backoff[history] = sum(taken[n - 1][min(row[gram], 3)] for gram in grams) / total
            for gram in grams:
                lower = probability[gram[1:]] if n > 1 else 1 / len(words)
                left = row[gram] - taken[n - 1][min(row[gram], 3)]
                probability[gram] = left / total + backoff[history] * lower
    probability["<unk>",] = backoff[()] / len(words)
    probability["<s>",] = 1.0
    return {gram: (math.log10(p), math.log10(backoff[gram])) for gram, p in probability.items()}
