"""Estimating an n-gram model in slices by several processes, once its n-grams are counted.

See `models/ngram/estimate/slices.py` for the tasks. This process adds up what they count, settles the discounts and the
probabilities of single words between two of the stages, and joins the slices into the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from bitmeter import _core
from bitmeter._util.files import replacing
from bitmeter._util.jobs import Task
from bitmeter.filter.receipts import digest_of
from bitmeter.models.ngram.estimate import slices as tasks
from bitmeter.models.ngram.estimate.parts import Receipt

__all__ = ["estimate_in_slices"]

#: Runs a stage: its name, its title, its tasks, how large each is, and what their receipts carry. Gives the receipts.
Stage: TypeAlias = Callable[[str, str, Iterable[Task], list[int], str], dict[int, Receipt]]


def estimate_in_slices(
    estimation: _core.NgramEstimation,
    slices: tasks.Slices,
    partitions: int,
    stage: Stage,
    remove: Callable[[Iterable[str]], None],
) -> None:
    """All that comes between merged partitions and a model, which the estimation then has.

    Parameters
    ----------
    estimation
        It knows the vocabulary; `begin` was called.
    slices
        What the tasks know.
    partitions
        How many there are.
    stage
        Runs the tasks.
    remove
        Removes files that are no longer needed.
    """

    def run(name: str, title: str, call: Any, sizes: list[int], *arguments: Any) -> list[Receipt]:
        listed = (
            Task(number, call, (slices, number, *arguments), f"partition {number + 1} of {partitions}")
            for number in range(partitions)
        )
        found = stage(name, title, listed, sizes, slices.mark)
        return [found[number] for number in range(partitions)]

    grown = run("grow", "counting n-grams", tasks.grow_slice, [1] * partitions)
    remove(f"merged-{number}" for number in range(partitions))
    sizes = [max(1, sum(receipt["ngrams"])) for receipt in grown]
    kept = [receipt["kept"] for receipt in grown]
    linked = run("link", "adjusting counts", tasks.link_slice, sizes, estimation.chain(slices.order))
    plan = slices.open()
    discounts, weights = estimation.settle(plan, _sums(receipt["kinds"] for receipt in linked), _last(linked))
    # What follows depends on them, and so on a held-out text, of which the key of the job says nothing.
    slices = replace(slices, settled=digest_of([discounts, weights]))
    plan.settled = slices.open().settled
    with replacing(Path(slices.folder, tasks.WORDS), force=True) as path:
        estimation.weigh_words(plan, str(path))
    for order in range(2, slices.order + 1):
        run(f"weigh-{order}", f"estimating order {order}", tasks.weigh_slice, sizes, order, discounts, weights)
    run("finish", "finishing", tasks.finish_slice, sizes, kept)
    estimation.join(plan, kept)


def _sums(kinds: Iterable[list[list[int]]]) -> list[list[int]]:
    """How many n-grams of each order have each count, of all slices together."""
    return [[sum(column) for column in zip(*rows, strict=True)] for rows in zip(*kinds, strict=True)]


def _last(linked: list[Receipt]) -> list[int]:
    """The adjusted counts of the last n-grams of the text: one slice has each, the others say 0."""
    return [max(column) for column in zip(*(receipt["last"] for receipt in linked), strict=True)]
