"""What several processes share of an audit: parts of the text are scored, and predictions are made, apart.

The checks of samples (`future`, `pass`, `batch`, `repeat`) stay in one process, since they look for what a model keeps
from call to call. They read at most 65,536 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bitmeter._util.arrays import Floats, Ids
from bitmeter._util.asking import ask
from bitmeter._util.jobs import Executor, Report, Task
from bitmeter.measure.audit.predictions import Sums, Watch, sums_after
from bitmeter.measure.audit.subject import by_ids, settled
from bitmeter.models.protocols import Model, Predictor, Windowed

__all__ = ["can_be_shared", "predict_part", "scores_in_parts", "sums_by"]

#: Tasks per worker, so that none waits long for another.
_PER_WORKER = 4


def can_be_shared(model: Model) -> bool:
    """Whether other processes give the same figures to the bit.

    Networks round in another way in other batches, and calls that may cost money are made once.

    Examples
    --------
    >>> import bitmeter as bm
    >>> can_be_shared(bm.load("kt"))
    True
    """
    return not (isinstance(model, Windowed) or model.traits.metered)


def scores_in_parts(model: Model) -> bool:
    """Whether parts of a text cost the same apart: not after what a model has learned from those before.

    Examples
    --------
    >>> import bitmeter as bm
    >>> scores_in_parts(bm.load("uniform")), scores_in_parts(bm.load("kt"))
    (True, False)
    """
    return can_be_shared(model) and not model.traits.learns


def sums_by(executor: Executor, model: Model, *, spells: bool) -> Sums:
    """`sums_after` by several processes, each with some of the positions."""
    sent: bytes = ask("a model to send", model)

    def sums(histories: Sequence[Ids], units: Ids, watch: Watch) -> tuple[Floats, Floats]:
        number = min(len(histories), _PER_WORKER * executor.workers)

        def tasks() -> Iterator[Task]:
            for at in range(number):  # every so many, since those that come late in the text have long histories
                arguments = (sent, spells, list(histories[at::number]), units[at::number])
                yield Task(at, predict_part, arguments, f"predictions, part {at + 1} of {number}")

        logs, own, done = np.empty(len(histories)), np.empty(len(histories)), 0
        for ended in executor.run(tasks(), _ignore):
            logs[ended.number :: number], own[ended.number :: number] = ended.result()
            done += len(range(ended.number, len(histories), number))
            watch(done, len(histories))
        return logs, own

    return sums


def predict_part(
    model: bytes,
    spells: bool,  # noqa: FBT001 (arguments of a task have no names)
    histories: list[Ids],
    units: Ids,
    report: Report,
) -> tuple[Floats, Floats]:
    """The sums of some predictions, in another process."""
    ready = by_ids(settled(ask("a sent model", model), spells=spells))
    assert isinstance(ready, Predictor), "the caller has seen that it predicts"
    return sums_after(ready, histories, units, lambda done, of: report(1.0))


def _ignore(number: int, more: float) -> None:
    """Tasks are counted as they end."""
